# SPDX-License-Identifier: Apache-2.0
"""How a run ends when something outside ends it, and what a terminal sees."""

import json
import os
import pty
import signal
import subprocess


def test_responses_come_as_requests_go(shop) -> None:
    process = shop.start("run", "isonomy.yaml", "-", stdin=subprocess.PIPE)
    for number in range(3):
        process.stdin.write(json.dumps(shop.request(("add", {"a": number}))).encode() + b"\n")
        process.stdin.flush()
        event = json.loads(process.stdout.readline())
        assert event["records"][0]["response"]["result"] == number + 1
    code, rest, _ = shop.finish(process)
    assert (code, rest) == (0, b"")


def test_interrupt_leaves_whole_lines(shop) -> None:
    shop.calls(
        shop.request(("add", {"a": 1})),
        shop.request("wait", ("add", {"a": 2})),
        shop.request("refuse"),
    )
    process = shop.start("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl")
    assert process.stderr.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    code, _, told = shop.finish(process)
    assert code == 130
    assert told == (
        b"interrupted after 1 call in 1 request: 1 succeeded, 0 failed;"
        b" the responses written are whole\n"
    )
    assert [shop.statuses(event) for event in shop.read()] == [["success"]]


def test_interrupt_of_parallel_calls(shop) -> None:
    shop.calls(shop.request("wait", "wait"))
    process = shop.start("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl", "--parallel", "2")
    assert [process.stderr.readline() for _ in range(2)] == [b"waiting\n"] * 2
    process.send_signal(signal.SIGINT)
    assert shop.finish(process)[0] == 130
    assert shop.read() == []


def test_broken_pipe_is_quiet(shop) -> None:
    shop.calls(*[shop.request(("later", {"text": "x" * 1000})) for _ in range(500)])
    process = shop.start("run", "isonomy.yaml", "calls.jsonl")
    assert json.loads(process.stdout.readline())["event"] == "tool_response"
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), told) == (141, b"")


def test_full_disk_is_told(shop) -> None:
    shop.calls(shop.request("refuse"))
    done = shop.isonomy("run", "isonomy.yaml", "calls.jsonl", "-o", "/dev/full")
    assert done.returncode == 1
    assert done.stderr == (
        "the output cannot be written: No space left on device;"
        " the lines that are there are whole\n"
    )


def test_progress_is_shown_on_a_terminal(shop) -> None:
    shop.calls(*[shop.request(("add", {"a": 1}), "refuse") for _ in range(3)])
    ours, theirs = pty.openpty()
    process = shop.start("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl", stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while read := os.read(ours, 4096):
            shown += read
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert shop.finish(process)[0] == 0
    assert b"6 calls, 3 failed" in shown
    assert shown.endswith(b"6 calls in 3 requests: 3 succeeded, 3 failed (tool_error 3)\r\n")
    assert len(shop.read()) == 3
