# SPDX-License-Identifier: Apache-2.0
import json

import pytest

BROKEN = "the arguments are malformed JSON:"
REMEDY = "put them in quotes for the shell, such as '{\"a\": 1}'\n"
NAMES = "add, later, refuse, crash, chatty, listen, tenant_of, wait"


@pytest.mark.parametrize(
    ("arguments", "result"),
    [(["add", '{"a": 1}'], 2), (["tenant_of"], 6), (["tenant_of", ""], 6)],
)
def test_success(shop, arguments, result) -> None:
    done = shop.isonomy("call", "isonomy.yaml", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"status": "success", "result": result}


@pytest.mark.parametrize(
    ("arguments", "kind", "hint"),
    [
        (["refuse"], "tool_error", ""),
        (["crash"], "exception", ""),
        (["add", "{}"], "invalid_arguments", ""),
        (["add", "[1]"], "invalid_arguments", ""),
        (
            ["add", "{a: 1}"],
            "invalid_arguments",
            f"{BROKEN} Expecting property name enclosed in double quotes at column 2; {REMEDY}",
        ),
        (
            ["add", '{"a": 1\n, "b" 2}'],
            "invalid_arguments",
            f"{BROKEN} Expecting ':' delimiter at line 2, column 7\n",
        ),
        (
            ["add", '{"a": 1'],
            "invalid_arguments",
            f"{BROKEN} Expecting ',' delimiter at column 8\n",
        ),
        (
            ["add", "a=1"],
            "invalid_arguments",
            f"{BROKEN} Expecting value at column 1; {REMEDY}",
        ),
        (["tenant_of", '{"tenant": "x"}'], "invalid_arguments", ""),
        (["ad", "{}"], "not_found", 'isonomy.yaml has no tool "ad"; did you mean "add"?\n'),
        (
            ["zzz"],
            "not_found",
            f'isonomy.yaml has no tool "zzz"; known are {NAMES}\n',
        ),
    ],
)
def test_failure(shop, arguments, kind, hint) -> None:
    done = shop.isonomy("call", "isonomy.yaml", *arguments)
    assert (done.returncode, done.stderr) == (1, hint)
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


def test_deadline_wins_over_that_of_the_configuration(shop) -> None:
    shop.write("isonomy.yaml", "python: [shop]\ninject: {tenant: {value: t}}\n"
               "limits: {call_deadline: 60}")  # fmt: skip
    done = shop.isonomy("call", "isonomy.yaml", "wait", "--deadline", "0.2")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "timeout"


@pytest.mark.parametrize("seconds", ["0", "-1", "inf", "nan"])
def test_deadline_out_of_range(shop, seconds) -> None:
    done = shop.isonomy("call", "isonomy.yaml", "refuse", "--deadline", seconds)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"--deadline is a positive number of seconds, not {seconds}\n"


def test_an_injected_parameter_with_a_default_needs_no_value(shop) -> None:
    shop.write(
        "shop.py",
        "from typing import Annotated\nfrom isonomy import Injected, tool\n"
        "@tool\ndef whose(tenant: Annotated[str, Injected()] = 'nobody') -> str:\n"
        "    return tenant\n",
    )
    shop.write("isonomy.yaml", "python: [shop]")
    done = shop.isonomy("call", "isonomy.yaml", "whose")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"] == "nobody"


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


def test_a_dash_is_not_stdin(shop) -> None:
    done = shop.isonomy("call", "isonomy.yaml", "add", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("call reads no stdin; give the arguments as JSON")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "tennant: {value: t}",
            'isonomy.yaml:4: inject.tennant is taken by no tool; did you mean "tenant"?\n',
        ),
        (
            "region: {env: HOME}",
            "isonomy.yaml:4: inject.region is taken by no tool; known are tenant\n",
        ),
    ],
)
def test_a_value_that_no_tool_takes_is_told_and_no_mistake(shop, more, said) -> None:
    shop.write("isonomy.yaml", f"python: [shop]\ninject:\n  tenant: {{value: t}}\n  {more}\n")
    done = shop.isonomy("call", "isonomy.yaml", "add", '{"a": 1}')
    assert (done.returncode, done.stderr) == (0, said)
    assert json.loads(done.stdout)["result"] == 2


def test_a_value_where_no_tool_takes_any_is_told(shop) -> None:
    shop.write(
        "isonomy.yaml", "python: [{module: shop, only: [add]}]\ninject: {tenant: {value: t}}"
    )
    done = shop.isonomy("call", "isonomy.yaml", "add", '{"a": 1}')
    assert done.returncode == 0
    assert done.stderr == "isonomy.yaml:2: inject.tenant is taken by no tool; no tool takes any\n"
