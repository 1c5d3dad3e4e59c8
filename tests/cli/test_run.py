# SPDX-License-Identifier: Apache-2.0
import json
import os
import threading

import pytest

from isonomy.cli.inputs import Inputs


def run(shop, *options: str):
    return shop.isonomy("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl", *options)


def test_each_request_gets_one_line_in_order(shop) -> None:
    message = {
        "role": "assistant",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}},
            {"id": "c2", "type": "function", "function": {"name": "add", "arguments": '{"a": '}},
        ],
    }
    shop.calls(
        shop.request(
            ("add", {"a": 1, "b": 4}), "refuse", "crash", ("later", {"text": "é"}), id="first"
        ),
        "",
        message,
        shop.request(("add", {"a": "x"}), "nothing", "tenant_of", id="third"),
    )
    done = run(shop)
    assert (done.returncode, done.stdout) == (0, "")
    first, second, third = shop.read()

    assert (first["event"], first["id"]) == ("tool_response", "first")
    assert shop.statuses(first) == ["success", "tool_error", "exception", "success"]
    assert [record["position"] for record in first["records"]] == [0, 1, 2, 3]
    results = [record["response"].get("result") for record in first["records"]]
    assert results == [5, None, None, "é"]
    refused = first["records"][1]["response"]["error"]
    assert (refused["code"], refused["details"]) == ("STOCK", {"left": 0})

    assert len(second["id"]) == 64
    assert shop.statuses(second) == ["success", "invalid_arguments"]
    assert [record["call_id"] for record in second["records"]] == ["c1", "c2"]
    assert shop.statuses(third) == ["invalid_arguments", "not_found", "success"]

    assert done.stderr == (
        "9 calls in 3 requests: 4 succeeded, 5 failed"
        " (invalid_arguments 2, tool_error 1, exception 1, not_found 1)\n"
    )
    assert "hunter2" not in (shop.folder / "out.jsonl").read_text()


def test_bad_lines_are_told_and_good_lines_run(shop) -> None:
    shop.calls(
        shop.request(("add", {"a": 1}), id="1"),
        [{"tool": "add"}],
        shop.request(("add", {"a": 2}), id="3"),
        "{oops",
    )
    done = run(shop)
    assert done.returncode == 2
    first, second, third, fourth = shop.read()
    assert shop.statuses(first) == shop.statuses(third) == ["success"]
    assert second["event"] == "invalid_request"
    assert second["line"] == 2
    error = second["error"]
    assert (error["kind"], error["effect"], error["language"]) == (
        "invalid_arguments",
        "none",
        "python",
    )
    assert error["message"].startswith("a bare list of calls is no request; write ")
    assert fourth["error"]["message"].startswith("the line is not JSON: ")
    told = done.stderr.splitlines()
    assert told[0] == f"calls.jsonl:2: {error['message']}"
    assert told[1] == f"calls.jsonl:4: {fourth['error']['message']}"
    assert told[2] == "2 calls in 2 requests: 2 succeeded, 0 failed; 2 bad lines"


def test_an_empty_file_is_no_mistake(shop) -> None:
    shop.calls()
    done = run(shop)
    assert (done.returncode, shop.read()) == (0, [])
    assert done.stderr == "0 calls in 0 requests: 0 succeeded, 0 failed\n"


def test_values_of_every_form_are_written(shop) -> None:
    shop.write(
        "shop.py",
        "from datetime import date\nfrom isonomy import tool\n"
        "@tool\ndef values() -> list:\n"
        "    return [date(2026, 1, 2), 2**70, float('nan'), '\\ud800', object(), {'$iso:x': 1}]\n",
    )
    shop.write("isonomy.yaml", "python: [shop]")
    shop.calls(shop.request("values"))
    assert run(shop).returncode == 0
    (event,) = shop.read()
    result = event["records"][0]["response"]["result"]
    opaque = {"$iso:opaque": {"type": "object", "path": "$[4]"}}
    assert result == [
        {"$iso:date": "2026-01-02"},
        2**70,
        {"$iso:float": "NaN"},
        {"$iso:str": [0xD800]},
        opaque,
        {"$iso:map": [["$iso:x", 1]]},
    ]


def test_arguments_with_lone_surrogates_survive(shop) -> None:
    shop.calls(shop.request(("later", {"text": "\ud802"})))
    assert run(shop).returncode == 0
    (event,) = shop.read()
    assert event["records"][0]["response"]["result"] == {"$iso:str": [0xD802]}


def test_fail_fast_skips_the_rest_of_its_request_only(shop) -> None:
    shop.calls(shop.request("refuse", ("add", {"a": 1})), shop.request(("add", {"a": 1})))
    assert run(shop, "--fail-fast").returncode == 0
    assert [shop.statuses(event) for event in shop.read()] == [
        ["tool_error", "not_run"],
        ["success"],
    ]


def test_deadline_is_of_each_request(shop) -> None:
    shop.calls(shop.request("wait", ("add", {"a": 1})), shop.request(("add", {"a": 1})))
    assert run(shop, "--deadline", "0.5").returncode == 0
    assert [shop.statuses(event) for event in shop.read()] == [["timeout", "not_run"], ["success"]]


def test_limits_come_from_the_configuration(shop) -> None:
    shop.write(
        "isonomy.yaml",
        "python: [shop]\ninject: {tenant: {value: t}}\n"
        "limits: {call_deadline: 0.5, max_result_bytes: 10}",
    )
    shop.calls(shop.request("wait", ("later", {"text": "x" * 20}), ("later", {"text": "x"})))
    assert run(shop).returncode == 0
    assert shop.statuses(shop.read()[0]) == ["timeout", "too_large", "success"]


def test_parallel_runs_calls_of_one_request_at_once(shop) -> None:
    shop.write(
        "shop.py",
        "import threading\nfrom isonomy import tool\n"
        "both = threading.Barrier(2)\n"
        "@tool\ndef meet() -> int:\n    return both.wait(30)\n",
    )
    shop.write("isonomy.yaml", "python: [shop]")
    shop.calls(shop.request("meet", "meet"))
    assert run(shop, "--parallel", "2").returncode == 0
    (event,) = shop.read()
    assert sorted(record["response"]["result"] for record in event["records"]) == [0, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--parallel", "0"], "--parallel"),
        (["--deadline", "0"], "--deadline is a positive number of seconds, not 0"),
        (["--deadline", "nan"], "--deadline is a positive number of seconds, not nan"),
        (["--deadline", "soon"], "--deadline"),
        (["--fast"], "--fast"),
    ],
)
def test_wrong_options_are_told(shop, options, said) -> None:
    shop.calls(shop.request("refuse"))
    done = run(shop, *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (shop.folder / "out.jsonl").exists()


def test_stdin_and_stdout(shop) -> None:
    lines = json.dumps(shop.request(("add", {"a": 1}))) + "\n"
    done = shop.process("run", "isonomy.yaml", "-", "-o", "-", stdin=lines)
    assert done.returncode == 0
    assert shop.statuses(json.loads(done.stdout)) == ["success"]
    done = shop.process("run", "isonomy.yaml", "-", stdin="oops")
    assert json.loads(done.stdout)["event"] == "invalid_request"
    assert done.stderr.startswith("<stdin>:1: the line is not JSON: ")


def test_what_tools_print_goes_to_stderr(shop) -> None:
    shop.write("shop.py", (shop.folder / "shop.py").read_text() + "\nprint('imported')\n")
    shop.calls(shop.request(("chatty", {"text": "one"})), shop.request(("chatty", {"text": "two"})))
    done = shop.process("run", "isonomy.yaml", "calls.jsonl", "-o", "-", "--parallel", "2")
    assert [shop.statuses(json.loads(line)) for line in done.stdout.splitlines()] == [
        ["success"]
    ] * 2
    for said in ("imported", *(f"{how} one" for how in ("print", "write", "child"))):
        assert f"{said}\n" in done.stderr


def test_tools_do_not_eat_the_calls(shop) -> None:
    lines = "".join(json.dumps(shop.request(name)) + "\n" for name in ("listen", "refuse"))
    done = shop.process("run", "isonomy.yaml", "-", stdin=lines)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [shop.statuses(event) for event in events] == [["success"], ["tool_error"]]
    assert events[0]["records"][0]["response"]["result"] == ""


INPUTS = ["calls.jsonl", "link.jsonl", "hard.jsonl", "isonomy.yaml", "shop.py", "beside.py"]


@pytest.mark.parametrize("target", INPUTS)
def test_output_onto_an_input_is_refused(shop, target) -> None:
    shop.calls(shop.request("refuse"))
    shop.write("beside.py", "number = 1\n")
    shop.write("shop.py", "import beside\n" + (shop.folder / "shop.py").read_text())
    (shop.folder / "link.jsonl").symlink_to("calls.jsonl")
    (shop.folder / "hard.jsonl").hardlink_to(shop.folder / "calls.jsonl")
    before = (shop.folder / target).read_bytes()
    done = shop.isonomy("run", "isonomy.yaml", "calls.jsonl", "-o", target)
    assert done.returncode == 2
    assert done.stderr == f"-o {target} is also read from; write the responses elsewhere\n"
    assert (shop.folder / target).read_bytes() == before


@pytest.mark.parametrize("target", ["lib.jar", "classes/com/acme/Prices.class"])
def test_output_onto_the_class_path_is_refused(tmp_path, target) -> None:
    (tmp_path / "classes/com/acme").mkdir(parents=True)
    for name in ("lib.jar", "classes/com/acme/Prices.class", "other.class"):
        (tmp_path / name).write_bytes(b"\xca\xfe\xba\xbe")
    inputs = Inputs([], [str(tmp_path / "lib.jar"), str(tmp_path / "classes")])
    with (tmp_path / target).open("ab") as one, (tmp_path / "other.class").open("ab") as other:
        assert inputs.hold(one.fileno())
        assert not inputs.hold(other.fileno())


def test_exit_code_tells_of_failures_where_it_is_asked_for(shop) -> None:
    shop.calls(shop.request(("add", {"a": 1})))
    assert run(shop, "--exit-code").returncode == 0
    shop.calls(shop.request(("add", {"a": 1})), shop.request("refuse", ("add", {"a": 1})))
    assert run(shop).returncode == 0
    assert run(shop, "--exit-code").returncode == 1
    assert [shop.statuses(event) for event in shop.read()] == [
        ["success"],
        ["tool_error", "success"],
    ]
    shop.calls(shop.request("refuse"), "{oops")
    assert run(shop, "--exit-code").returncode == 2


def test_redirection_onto_the_input_is_refused(shop) -> None:
    shop.calls(shop.request("refuse"))
    calls = shop.folder / "calls.jsonl"
    before = calls.read_bytes()
    with calls.open("rb") as source, calls.open("ab") as target:
        process = shop.start("run", "isonomy.yaml", "-", stdin=source, stdout=target)
        _, told = process.communicate()
    assert process.returncode == 2
    assert told == b"-o - is also read from; write the responses elsewhere\n"
    assert calls.read_bytes() == before


def test_old_responses_go_only_when_new_ones_come(shop) -> None:
    shop.write("out.jsonl", "old\n" * 100)
    shop.write("broken.yaml", "python: [absent]")
    shop.calls(shop.request("refuse"))
    assert shop.isonomy("run", "broken.yaml", "calls.jsonl", "-o", "out.jsonl").returncode == 2
    assert (shop.folder / "out.jsonl").read_text() == "old\n" * 100
    assert run(shop).returncode == 0
    assert len(shop.read()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["isonomy.yaml", "none.jsonl"], "none.jsonl: cannot be read: No such file or directory\n"),
        (["isonomy.yaml", "."], ".: cannot be read: Is a directory\n"),
        (["isonomy.yaml", ""], "'': cannot be read: No such file or directory\n"),
        (
            ["isonomy.yaml", "calls.jsonl", "-o", ""],
            "'': cannot be written: No such file or directory\n",
        ),
        ([".", "calls.jsonl"], ".: cannot be read: Is a directory\n"),
        (["none.yaml", "calls.jsonl"], "none.yaml: cannot be read: No such file or directory\n"),
        (
            ["isonomy.yaml", "calls.jsonl", "-o", "none/out"],
            "none/out: there is no folder none; make it first\n",
        ),
    ],
)
def test_missing_files_are_told(shop, arguments, said) -> None:
    shop.calls(shop.request("refuse"))
    done = shop.isonomy("run", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_calls_that_cannot_be_read_on_are_told(shop) -> None:
    done = shop.isonomy("run", "isonomy.yaml", "/proc/self/mem", "-o", "out.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "/proc/self/mem: cannot be read: Input/output error;"
        " stopped after 0 calls in 0 requests: 0 succeeded, 0 failed\n"
    )


def test_a_configuration_may_come_from_a_pipe(shop) -> None:
    shop.calls(shop.request(("add", {"a": 1})))
    os.mkfifo(shop.folder / "pipe.yaml")
    writer = threading.Thread(
        target=(shop.folder / "pipe.yaml").write_text,
        args=("python: [{module: shop, only: [add]}]",),
    )
    writer.start()
    done = shop.isonomy("run", "pipe.yaml", "calls.jsonl", "-o", "out.jsonl")
    writer.join()
    assert done.returncode == 0
    assert shop.statuses(shop.read()[0]) == ["success"]
