# SPDX-License-Identifier: Apache-2.0
import json

import pytest


@pytest.mark.parametrize(
    ("arguments", "result"),
    [(["add", '{"a": 1}'], 2), (["tenant_of"], 6), (["tenant_of", ""], 6)],
)
def test_success(shop, arguments, result) -> None:
    done = shop.isonomy("call", "isonomy.yaml", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"status": "success", "result": result}


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["refuse"], "tool_error"),
        (["crash"], "exception"),
        (["add", "{}"], "invalid_arguments"),
        (["add", "{"], "invalid_arguments"),
        (["tenant_of", '{"tenant": "x"}'], "invalid_arguments"),
        (["ad", "{}"], "not_found"),
    ],
)
def test_failure(shop, arguments, kind) -> None:
    done = shop.isonomy("call", "isonomy.yaml", *arguments)
    assert (done.returncode, done.stderr) == (1, "")
    response = json.loads(done.stdout)
    assert (response["status"], response["error"]["kind"]) == ("failure", kind)
    assert "hunter2" not in done.stdout


def test_injected_values_come_from_the_environment(shop, monkeypatch) -> None:
    monkeypatch.setenv("SHOP_TENANT", "12345678901")
    done = shop.isonomy("call", "isonomy.yaml", "tenant_of")
    assert json.loads(done.stdout)["result"] == 11


def test_what_the_tool_prints_goes_to_stderr(shop) -> None:
    done = shop.process("call", "isonomy.yaml", "chatty", '{"text": "one"}')
    assert json.loads(done.stdout)["result"] == "one"
    assert "print one\n" in done.stderr


def test_deadline_of_the_configuration(shop) -> None:
    shop.write("isonomy.yaml", "python: [shop]\ninject: {tenant: {value: t}}\n"
               "limits: {call_deadline: 0.2}")  # fmt: skip
    done = shop.isonomy("call", "isonomy.yaml", "wait")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "timeout"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("python: [shop]", 'isonomy.yaml:1: inject lacks "tenant", which the tool "tenant_of"'),
        ("python: [shop]\ninject: {tenant: {env: NOT_SET}}", "isonomy.yaml:2: inject.tenant needs"),
        ("pyton: [shop]", "isonomy.yaml:1: pyton is no known key"),
    ],
)
def test_misuse(shop, config, said) -> None:
    shop.write("isonomy.yaml", config)
    done = shop.isonomy("call", "isonomy.yaml", "refuse")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


def test_missing_name(shop) -> None:
    assert shop.isonomy("call", "isonomy.yaml").returncode == 2
