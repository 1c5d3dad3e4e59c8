# SPDX-License-Identifier: Apache-2.0
import importlib.util
import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import phonenumbers
import pytest

ROOT = Path(__file__).resolve().parents[2]
JOB = ROOT / "examples" / "main_job"
PYTHON_TOOLS = {
    "airport": 85,
    "search_airports": 33,
    "nearest_airports": 25,
    "distance": 46,
    "route": 21,
    "ground_speed": 18,
    "local_time": 28,
    "country_summary": 27,
    "compare_countries": 11,
    "airports_in_zone": 18,
    "save_trip": 13,
    "read_trip": 12,
    "get_airport": 1,  # no such tool
}
MCP_TOOLS = {
    "convert_time": 18,
    "get_current_time": 2,
}
JAVA_TOOLS = {
    "parse_phone": 58,
    "format_phone": 41,
    "dial_from": 14,
    "find_phones": 14,
    "closest_name": 22,
    "edit_distance": 8,
}


def build_script() -> Any:
    spec = importlib.util.spec_from_file_location("build_java", ROOT / "scripts" / "java.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


JAVA_MISSING: str | None = build_script().missing()
ENDS = ("source", "target")
needs_java = pytest.mark.skipif(JAVA_MISSING is not None, reason=f"no Java: {JAVA_MISSING}")


class Job:
    """A finished main job: its output, and each call with its record."""

    def __init__(self, out: Path, *options: str, **environment: str) -> None:
        # The folder of the job is not on the path of the tests: it has its own process.
        done = subprocess.run(
            [sys.executable, JOB / "run.py", *options],
            env=os.environ | {"MAIN_JOB_OUT": str(out), "COLUMNS": "80"} | environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        self.printed, self.told = done.stdout, done.stderr
        self.responses = out / "responses.jsonl"
        self.requests = self._lines(out / "calls.jsonl")
        self.events = self._lines(self.responses)

    @staticmethod
    def _lines(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def pairs(self):
        """Yield each call as (id, tool, arguments) with its record."""
        for request, event in zip(self.requests, self.events, strict=True):
            calls = list(calls_of(request))
            yield from zip(calls, event["records"], strict=True)

    def responses_of(self, tool: str, **arguments: Any) -> list[dict[str, Any]]:
        """Return the responses of calls with just these arguments."""
        return [
            record["response"]
            for (_, name, given), record in self.pairs()
            if name == tool and given == arguments
        ]

    def result(self, tool: str, **arguments: Any) -> Any:
        """Return the result of the call with just these arguments."""
        (response,) = self.responses_of(tool, **arguments)
        assert response["status"] == "success", response
        return response["result"]

    def error(self, tool: str, **arguments: Any) -> Any:
        """Return the error of the call with just these arguments."""
        (response,) = self.responses_of(tool, **arguments)
        return response["error"]

    def row(self, tool: str) -> list[list[str]]:
        """Return the cells of the lines of a tool's row in the table."""
        lines = [re.split(r"\s{2,}", line.strip()) for line in self.printed.splitlines()]
        first = next(at for at, cells in enumerate(lines) if cells[0] == tool)
        more = itertools.takewhile(lambda cells: len(cells) == 1, lines[first + 1 :])
        return [lines[first], *more]


def calls_of(request: dict[str, Any]):
    if "tool_calls" in request:
        for call in request["tool_calls"]:
            function = call["function"]
            yield call["id"], function["name"], parsed(function["arguments"])
    else:
        for call in request["calls"]:
            yield call["call_id"], call["tool"], parsed(call["arguments"])


def parsed(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


@pytest.fixture(scope="module")
def job(tmp_path_factory) -> Job:
    return Job(tmp_path_factory.mktemp("job"))


def test_every_call_has_exactly_one_record(job) -> None:
    made = PYTHON_TOOLS | MCP_TOOLS | ({} if JAVA_MISSING else JAVA_TOOLS)
    assert Counter(tool for (_, tool, _), _ in job.pairs()) == made
    ids = [call_id for (call_id, _, _), _ in job.pairs()]
    assert len(set(ids)) == len(ids) == sum(made.values()) >= 300
    for position, ((call_id, tool, _), record) in enumerate(job.pairs()):
        assert (record["call_id"], record["tool"]) == (call_id, tool)
        assert record["position"] == position % 5
        assert record["response"]["status"] in {"success", "failure"}


def test_nothing_but_the_summary_is_told(job) -> None:
    assert re.fullmatch(r"\d+ calls in \d+ requests: \d+ succeeded, \d+ failed \(.*\)\n", job.told)


def test_requests_keep_their_ids(job) -> None:
    for request, event in zip(job.requests, job.events, strict=True):
        assert event["event"] == "tool_response"
        if "tool_calls" in request:
            assert len(bytes.fromhex(event["id"])) == 32
        else:
            assert event["id"] == request["id"]
    assert len({event["id"] for event in job.events}) == len(job.events)


def test_known_distances(job) -> None:
    # Between 51.4706 N 0.46194 W and 40.639928 N 73.778692 W, by the law of cosines.
    one, other = (math.radians(51.4706), math.radians(40.639928))
    angle = math.acos(
        math.sin(one) * math.sin(other)
        + math.cos(one) * math.cos(other) * math.cos(math.radians(73.778692 - 0.46194))
    )
    far = job.result("distance", origin="LHR", destination="JFK")
    assert far == pytest.approx(6371.0088 * angle, abs=0.001)
    assert far == pytest.approx(5540, abs=1)
    assert job.result("distance", origin="LHR", destination="LHR") == 0.0


def test_local_times_across_the_change_of_clocks(job) -> None:
    def at(moment: str) -> Any:
        return job.result("local_time", code="ZRH", at=moment)["at"]

    assert at("2026-03-29T00:59:59Z") == {
        "$iso:zoneddatetime": "2026-03-29T01:59:59+01:00[Europe/Zurich]"
    }
    assert at("2026-03-29T01:00:00Z") == {
        "$iso:zoneddatetime": "2026-03-29T03:00:00+02:00[Europe/Zurich]"
    }
    assert job.error("local_time", code="ZRH", at="2026-03-29T01:00:00")["code"] == "NO_OFFSET"


def test_explicit_failures(job) -> None:
    error = job.error("airport", code="LON")
    assert (error["kind"], error["code"]) == ("tool_error", "CITY_CODE")
    assert error["details"] == {"airports": ["LCY", "LGW", "LHR", "LTN", "STN"]}
    assert job.error("country_summary", country="UK")["code"] == "UNKNOWN_COUNTRY"
    assert job.error("country_summary", country="UK")["retryable"] is False


def test_exceptions(job) -> None:
    error = job.error("airports_in_zone", zone="Europe/Bern")
    assert (error["kind"], error["type"]) == (
        "exception",
        "zoneinfo._common.ZoneInfoNotFoundError",
    )
    types = Counter(
        record["response"]["error"]["type"]
        for (_, tool, _), record in job.pairs()
        if tool == "ground_speed" and record["response"]["status"] == "failure"
        and record["response"]["error"]["kind"] == "exception"
    )  # fmt: skip
    assert types == {"ZeroDivisionError": 3, "TypeError": 3}
    taken = [
        record["response"]["error"]
        for (_, tool, _), record in job.pairs()
        if tool == "save_trip" and record["response"].get("error", {}).get("kind") == "exception"
    ]
    assert [error["type"] for error in taken] == ["sqlite3.IntegrityError"]


def test_bad_arguments(job) -> None:
    def violations(tool: str, **arguments: Any) -> list[tuple[str, str]]:
        error = job.error(tool, **arguments)
        assert (error["kind"], error["effect"]) == ("invalid_arguments", "none")
        return [(one["path"], one["rule"]) for one in error["details"]["violations"]]

    assert violations("search_airports", text="London", limit=500) == [("limit", "maximum")]
    assert violations("search_airports", text="London", limit="ten") == [("limit", "type")]
    assert violations("distance", **{"from": "LHR", "to": "JFK"}) == [
        ("destination", "required"),
        ("from", "additionalProperties"),
        ("origin", "required"),
        ("to", "additionalProperties"),
    ]
    assert violations("distance", origin="LHR", destination=None) == [("destination", "type")]
    assert violations("route", stops="LHR,JFK,SFO") == [("stops", "type")]
    assert violations("local_time", code="ZRH", at="tomorrow at noon") == [("at", "conversion")]
    trip = {"name": "mine", "stops": ["LHR", "JFK"], "tenant": "other"}
    assert violations("save_trip", **trip) == [("tenant", "injected")]
    assert violations("read_trip", name="mine", Tenant="other") == [("Tenant", "injected")]
    assert job.error("get_airport", code="LHR")["kind"] == "not_found"


def test_the_time_server(job) -> None:
    def converted(source: str, time: str, target: str) -> Any:
        given = {"source_timezone": source, "time": time, "target_timezone": target}
        return job.responses_of("convert_time", **given)[0]

    compared = 0
    for (_, tool, arguments), record in job.pairs():
        response = record["response"]
        if tool != "convert_time" or response["status"] == "failure":
            continue
        told = json.loads(response["content"][0]["text"])
        source, target = (datetime.fromisoformat(told[end]["datetime"]) for end in ENDS)
        assert source.strftime("%H:%M") == arguments["time"]
        zones = [ZoneInfo(arguments[f"{end}_timezone"]) for end in ENDS]
        assert source.utcoffset() == source.astimezone(zones[0]).utcoffset()
        assert target == source
        assert target.utcoffset() == source.astimezone(zones[1]).utcoffset()
        compared += 1
    assert compared == 12

    bern = converted("Europe/Bern", "12:00", "UTC")
    assert (bern["error"]["kind"], bern["error"]["language"]) == ("tool_error", "mcp")
    assert "No time zone found with key Europe/Bern" in bern["error"]["message"]
    assert [block["text"] for block in bern["content"]] == [bern["error"]["message"]]
    for time in ("noon", "25:00"):
        message = converted("UTC", time, "Asia/Tokyo")["error"]["message"]
        assert "Invalid time format. Expected HH:MM" in message
    error = job.error("convert_time", time="12:00", target_timezone="Asia/Tokyo")
    assert (error["kind"], error["effect"]) == ("invalid_arguments", "none")
    assert error["details"]["violations"] == [
        {"path": "source_timezone", "rule": "required", "message": "required"}
    ]


def test_lists_sent_as_text_are_read(job) -> None:
    decoded = [record for _, record in job.pairs() if record.get("decoded")]
    assert {record["tool"] for record in decoded} == {"route"}
    assert [record["decoded"] for record in decoded] == [["stops"]] * 3
    assert all(record["response"]["status"] == "success" for record in decoded)


def test_trips_are_kept(job) -> None:
    saved = {
        record["response"]["result"]["name"]: record["response"]["result"]
        for (_, tool, _), record in job.pairs()
        if tool == "save_trip" and record["response"]["status"] == "success"
    }
    assert len(saved) == 10
    for name, trip in saved.items():
        assert job.result("read_trip", name=name) == trip


@needs_java
def test_phone_numbers_agree_with_another_implementation(job) -> None:
    compared = 0
    for (_, tool, arguments), record in job.pairs():
        response = record["response"]
        if tool != "parse_phone" or response["status"] == "failure":
            continue
        number = phonenumbers.parse(arguments["number"], arguments.get("region"))
        assert response["result"] == {
            "e164": phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164),
            "callingCode": number.country_code,
            "region": phonenumbers.region_code_for_number(number),
            "type": phonenumbers.PhoneNumberType.to_string(phonenumbers.number_type(number)),
            "valid": phonenumbers.is_valid_number(number),
        }
        compared += 1
    assert compared == 42


@needs_java
def test_failures_of_java_tools(job) -> None:
    error = job.error("parse_phone", number="ask at the desk", region="GB")
    assert (error["kind"], error["language"]) == ("exception", "java")
    assert error["type"] == "com.google.i18n.phonenumbers.NumberParseException"
    error = job.error("dial_from", number="+442079460958", **{"from": "UK"})
    assert (error["kind"], error["code"], error["language"]) == (
        "tool_error",
        "UNKNOWN_REGION",
        "java",
    )
    assert job.error("closest_name", name="Tokyo", candidates=[])["type"] == (
        "java.util.NoSuchElementException"
    )
    error = job.error("edit_distance", left="Geneva", right="Genève", limit=-1)
    assert error["type"] == "java.lang.IllegalArgumentException"
    assert job.result("edit_distance", left="Zürich", right="Zurich", limit=2) == 1
    error = job.error("parse_phone", number=442079460958)
    assert error["details"]["violations"] == [
        {"path": "number", "rule": "type", "message": "expected string"}
    ]


def test_the_table_counts_the_responses(job) -> None:
    for name, calls in (PYTHON_TOOLS | MCP_TOOLS | ({} if JAVA_MISSING else JAVA_TOOLS)).items():
        records = [record for (_, tool, _), record in job.pairs() if tool == name]
        failed = Counter(
            record["response"]["error"]["kind"]
            for record in records
            if record["response"]["status"] == "failure"
        )
        language = "java" if name in JAVA_TOOLS else "mcp" if name in MCP_TOOLS else "python"
        cells, *more = job.row(name)
        assert cells[:4] == [
            name,
            "-" if name == "get_airport" else language,
            str(calls),
            str(calls - failed.total()),
        ]
        kinds = [f"{kind} {number}" for kind, number in sorted(failed.items())] or ["-"]
        assert [cells[4], *(one for (one,) in more if one)] == kinds
        assert cells[5].endswith(" ms") or name == "get_airport"
    last = job.printed.splitlines()[-1]
    assert last.startswith("The responses are in ")
    assert last.endswith("responses.jsonl")


@needs_java
def test_maven_writes_no_escape_codes() -> None:
    java = build_script()
    done = subprocess.run(
        [*java.maven(), "--offline", "validate"],
        env=java.environment(),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_the_report_fits_the_terminal(job, width) -> None:
    program = """
import sys
from pathlib import Path
from rich.console import Console
from report import report
report(Console(width=int(sys.argv[2])), Path(sys.argv[1]), {"airport": "python"})
"""
    done = subprocess.run(
        [sys.executable, "-c", program, job.responses, str(width)],
        cwd=JOB,
        capture_output=True,
        text=True,
        check=True,
    )
    assert max(map(len, done.stdout.splitlines())) <= width
    words = " ".join(done.stdout.split())
    assert "…" not in words
    assert ("airport (python) 85 calls, 52 succeeded, p50" in words) == (width < 80)
    assert ("airport python 85 52 " in words) == (width == 80)


@needs_java
def test_without_a_jdk_the_python_calls_run(tmp_path) -> None:
    job = Job(tmp_path, JAVA_HOME=str(tmp_path), PATH="/nonexistent")
    assert job.printed.startswith("Java tools are skipped: no JDK 17 or newer was found")
    assert Counter(tool for (_, tool, _), _ in job.pairs()) == PYTHON_TOOLS | MCP_TOOLS


def compared(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give response events without what two hosts do not have in common.

    That is times, traces, and the language of errors that hosts make themselves: it is theirs
    (clause 4.11). The time server tells of today, which may end between them.
    """
    told: list[dict[str, Any]] = json.loads(json.dumps(events))
    for event in told:
        for record in event.get("records", ()):
            del record["started_at"], record["duration_us"]
            if record["tool"] == "convert_time":
                response = json.dumps(record["response"])
                record["response"] = json.loads(re.sub(r"\d{4}-\d\d-\d\dT|\w+day", "", response))
            error = record["response"].get("error", {})
            error.pop("trace", None)
            if error.get("kind") not in {"tool_error", "exception"}:
                error.pop("language", None)
    return told


@needs_java
def test_a_java_host_gives_the_same_responses(job, tmp_path) -> None:
    in_java = Job(tmp_path, "--host", "java")
    assert in_java.requests == job.requests
    for ours, theirs in zip(compared(job.events), compared(in_java.events), strict=True):
        assert theirs == ours
