# SPDX-License-Identifier: Apache-2.0
"""What docs/cli.md shows is read by what it describes."""

import io
import json
import re
from pathlib import Path

from isonomy.bridge.reference import JavaMethod
from isonomy.cli.config import load_config
from isonomy.cli.job import Tally
from isonomy.cli.reading import Request, RequestReader
from isonomy.contract.responses import read_error

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)


def test_configuration(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TENANT", "t")
    text, _ = blocks("yaml")
    path = tmp_path / "isonomy.yaml"
    path.write_text(text)
    config = load_config(path)
    assert [part.name for part in config.python] == ["shop.tools", "shop.more"]
    assert config.injected_values() == {"tenant": "t", "region": "eu"}
    assert None not in config.limits.model_dump().values()


def test_methods(tmp_path: Path) -> None:
    _, text = blocks("yaml")
    path = tmp_path / "isonomy.yaml"
    path.write_text(text)
    signature = "java.time.LocalDate#parse(CharSequence)"
    described = "Read a date such as 2024-02-29."
    assert [part.reference for part in load_config(path).java] == [
        JavaMethod("java.lang.Math#floorMod(long,long)"),
        JavaMethod(signature, "read_date", described, ["text"]),
    ]


def test_requests() -> None:
    requests, _ = blocks("json")
    found = list(RequestReader(io.BytesIO(requests.encode())))
    assert [type(one) for one in found] == [Request, Request]


def test_response_of_a_bad_line() -> None:
    _, response = blocks("json")
    assert read_error(json.loads(response)["error"]).kind == "invalid_arguments"


def test_summary() -> None:
    tally = Tally(requests=3, calls=9, succeeded=4)
    tally.failed.update({"invalid_arguments": 2, "exception": 2, "tool_error": 1})
    assert f"    {tally.sentence()}\n" in DOCS
