# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from isonomy.bridge.reference import JavaMethod
from isonomy.cli.config import load_config
from isonomy.cli.document import TOO_DEEP
from isonomy.contract.misuse import Misuse


@pytest.fixture
def config_file(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "isonomy.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def complaint(path: Path) -> str:
    with pytest.raises(Misuse) as raised:
        load_config(path)
    message = str(raised.value)
    assert message.startswith(f"{path}:")
    return message.removeprefix(f"{path}:")


def test_everything_is_read(config_file) -> None:
    config = load_config(
        config_file(
            """
            python: [acme.tools, {module: acme.more, only: [one, two]}]
            path: [src]
            java:
            - com.acme.Prices
            - {class: com.acme.Stock, only: [stock]}
            - com.acme.Stock#find(String,int[])
            - method: com.acme.Stock#find(String)
              name: find
              description: Finds.
              parameters: [sku]
            classpath: [lib/*.jar]
            inject: {tenant: {env: TENANT, default: none}, region: {value: eu}}
            limits: {max_result_bytes: 1000, strict_values: true, parallel: 2, deadline: 1.5,
                     call_deadline: 1, max_threads: 3}
            """
        )
    )
    assert [(part.name, part.only) for part in config.python] == [
        ("acme.tools", None),
        ("acme.more", ["one", "two"]),
    ]
    assert [(part.reference, part.only) for part in config.java] == [
        ("com.acme.Prices", None),
        ("com.acme.Stock", ["stock"]),
        (JavaMethod("com.acme.Stock#find(String,int[])"), None),
        (JavaMethod("com.acme.Stock#find(String)", "find", "Finds.", ["sku"]), None),
    ]
    assert (config.path, config.classpath) == (["src"], ["lib/*.jar"])
    assert config.limits.model_dump() == {
        "max_result_bytes": 1000,
        "strict_values": True,
        "parallel": 2,
        "deadline": 1.5,
        "call_deadline": 1.0,
        "max_threads": 3,
    }
    assert config.folder == Path(config_file("python: [a]")).parent


def test_defaults(config_file) -> None:
    config = load_config(config_file("python: [a]\njava:\nlimits: # nothing yet\n"))
    assert config.path == ["."]
    assert config.java == []
    assert set(config.limits.model_dump().values()) == {None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", '1: names no tools; list modules under "python", classes under "java"'),
        ("# all commented out", '1: names no tools; list modules under "python",'),
        ("pyton: [a]", '1: pyton is no known key; did you mean "python"?'),
        ("python: [a]\nxyz: 1", "2: xyz is no known key; known are python, path, java, classpath,"),
        ("python: [a]\nlimits:\n  paralel: 3", '3: limits.paralel is no known key; did you mean "'),
        (
            "python:\n  - a\n  - modul: b",
            '3: python[1].modul is no known key; did you mean "module"',
        ),
        ("mcp: [a]", "1: mcp[0] must be {name: NAME, command: [PROGRAM, ...]} or {name: NAME, "),
        ("mcp: [{name: a}]", '1: mcp[0] needs either "command", a list, or "url"'),
        ("mcp: [{name: a, command: []}]", '1: mcp[0] needs either "command", a list, or "url"'),
        ("mcp: [{command: [a]}]", "1: mcp[0].name is missing"),
        ("mcp: [{name: a, command: b}]", '1: mcp[0].command must be a list, one "- item" a line'),
        ("mcp: [{name: a, command: [b], headers: {}}]", '1: mcp[0] has "headers", which are'),
        (
            "mcp: [{name: a, command: [b], env: {A: 1}}]",
            "1: mcp[0].env.A must be text (a number or true is put in quotes), {value: VALUE} or",
        ),
        ("mcp: [{name: a, url: b, tools: []}]", "1: mcp[0].tools must not be empty; leave it out"),
        ("mcp: [{name: a, url: b, env: {}}]", '1: mcp[0] has "env", which is that of a "command"'),
        ("java:\n  - only: [x]", '2: java[0] needs either "class", or "method"'),
        ("java: [{class: A, method: A#b}]", '1: java[0] needs either "class", or "method"'),
        ("java: [{class: A, name: b}]", '1: java[0] has a "name", "description" or "parameters",'),
        (
            "java: [{method: A#b, only: [b]}]",
            '1: java[0] has "only", which chooses among the tools',
        ),
        ("java: [{method: A.b}]", "1: java[0] must be CLASS#METHOD, or CLASS#METHOD(TYPE, ...)"),
        ("java: [{method: A#b, parameters: a}]", '1: java[0].parameters must be a list, one "- '),
        ("python: a", '1: python must be a list, one "- item" a line'),
        ("python:\n- a\n- 1", "3: python[1] must be a module's name, or {module: NAME, only: "),
        ("java: [[a]]", "1: java[0] must be a class's or a method's name, {class: NAME, only: "),
        ("python: ['']", "1: python[0].module must not be empty"),
        ("python: [a]\ninject: {t: eu}", "2: inject.t must be {value: VALUE} or {env: VARIABLE}"),
        ("python: [a]\ninject:\n  t: {}", '3: inject.t needs either "value", or "env" (with a "'),
        (
            "python: [a]\ninject: {t: {env: X, value: y}}",
            '2: inject.t needs either "value", or "env"',
        ),
        ("python: [a]\ninject: {t: {default: y}}", '2: inject.t needs either "value", or "env"'),
        ("python: [a]\ninject: {t: {env: 3}}", "2: inject.t.env must be text"),
        ("python: [a]\ninject: [t]", '2: inject must be a mapping of "key: value" lines'),
        ("python: [a]\nlimits: {parallel: 0}", "2: limits.parallel must be at least 1"),
        ("python: [a]\nlimits: {parallel: '2'}", "2: limits.parallel must be a whole number"),
        ("python: [a]\nlimits: {parallel: true}", "2: limits.parallel must be a whole number"),
        ("python: [a]\nlimits: {parallel: 1.5}", "2: limits.parallel must be a whole number"),
        ("python: [a]\nlimits: {deadline: 0}", "2: limits.deadline must be more than 0"),
        ("python: [a]\nlimits: {deadline: .inf}", "2: limits.deadline must be a finite number"),
        ("python: [a]\nlimits: {deadline: 3s}", "2: limits.deadline must be a number"),
        (
            "python: [a]\nlimits: {strict_values: 1}",
            "2: limits.strict_values must be true or false",
        ),
        ("python: [a]\n1: x", "2: the key 1 must be text; put it in quotes"),
        ("python: [a]\ninject: {1: {value: 2}}", "2: the key 1 must be text; put it in quotes"),
        ("- python", '1: must be a mapping of "key: value" lines'),
        ("python: [a]\npath: [x]\npython: [b]", '3: "python" stands in line 1 already; keep one'),
        ("python: [a\n", "2: is not YAML: expected ',' or ']', but got '<stream end>'"),
        (
            "python: [a]\n\tlimits: {}",
            "2: is not YAML: found character '\\t' that cannot start any",
        ),
        ("python: [a]\nx: y: z", "2: is not YAML: mapping values are not allowed here"),
        ("python: [a]\nx: \x01", "2: is not YAML: special characters are not allowed"),
        ("python: [a]\nx: *b", "2: is not YAML: found undefined alias 'b'"),
        ("python: [!!python/name:os.system '']", "1: is not YAML: could not determine a construct"),
        ("python: &a [*a]", "1: python[0] must be a module's name, or {module: NAME, only: "),
        ("python: [a]\n? [b]\n: 1", "2: a key must be text, not a list or a mapping"),
        ("python: [a]\ninject:\n  t: {value: 2026-02-30}", "3: what looks like a value of type "),
        (
            "python: [a]\ninject: {t: {value: !!int ''}}",
            "2: what looks like a value of type int is none; put it in quotes",
        ),
        (
            f"python: [a]\ninject: {{t: {{value: {'1' * 5000}}}}}",
            "2: what looks like a value of type int is none; put it in quotes",
        ),
        (
            "python: [a]\ninject: {t: {value: !!float hunter2}}",
            "2: what looks like a value of type float is none; put it in quotes",
        ),
        (
            "python: [a]\ninject: {t: {value: !!timestamp hunter2}}",
            "2: what looks like a value of type timestamp is none; put it in quotes",
        ),
        (
            "python: [a]\ninject: {t: {value: !!bool hunter2}}",
            "2: what looks like a value of type bool is none; put it in quotes",
        ),
        ("python: [a]\nx: " + "[" * 5000 + "]" * 5000, f"2: {TOO_DEEP}"),
        ("python: [a]\nx: " + "{x: " * 5000 + "1" + "}" * 5000, f"2: {TOO_DEEP}"),
        ("python: [a]\nx: " + "[" * 5000, f"2: {TOO_DEEP}"),
        ("\n" + "- " * 5000 + "a", f"2: {TOO_DEEP}"),
        (
            "java: [java.lang.Math#floorMod(long,long)]",
            "1: java[0] names a method without one of its ( and ); a comma ends an item of [",
        ),
        (
            "java:\n- method: java.lang.Math#abs(int",
            "2: java[0] names a method without one of its ( and )",
        ),
        (b"python: [a]\n# caf\xe9", "2: is not UTF-8 text; save the file as UTF-8"),
    ],
)
def test_mistakes_are_told_with_line_and_remedy(config_file, text, said) -> None:
    assert complaint(config_file(text)).startswith(said)


@pytest.mark.parametrize(
    ("first", "more", "said"),
    [
        ("[x, x, x, x, x, x, x, x, x]", ["*{}"] * 9, "more than 100000 values, those behind alias"),
        ("{x: 1}", ["<<: [" + ", ".join(["*{}"] * 9) + "]"], "more than 100000 values, those beh"),
        ("[x]", ["*{}"], TOO_DEEP),
    ],
)
def test_aliases_cannot_make_much_of_little(config_file, first, more, said) -> None:
    inside = ", ".join(more)
    opening, closing = "{}" if ":" in inside else "[]"
    lines = [
        f"a{at}: &a{at} {opening}{inside.replace('{}', f'a{at - 1}')}{closing}"
        for at in range(1, 1000)
    ]
    lines = ["python: [a]", f"a0: &a0 {first}", *lines]
    line, _, problem = complaint(config_file("\n".join(lines))).partition(": ")
    assert int(line) > 1
    assert problem.startswith(said)


def test_aliases_may_be_used(config_file) -> None:
    text = "python: [{module: a, only: &mine [b]}, {module: c, only: *mine}]"
    assert [part.only for part in load_config(config_file(text)).python] == [["b"], ["b"]]


def test_a_file_without_end_is_no_configuration() -> None:
    for path in (Path("/dev/zero"), Path("/dev/full")):
        with pytest.raises(Misuse, match=r"is larger than 1048576 bytes; name a YAML file"):
            load_config(path)


@pytest.mark.parametrize("path", [".", "/proc/self/mem", "none.yaml"])
def test_what_cannot_be_read_is_told(path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match="cannot be read: "):
        load_config(Path(path))


def test_the_first_mistake_in_the_file_is_told(config_file) -> None:
    path = config_file("limits:\n  parallel: 0\npython: [1]\npath: 3\n")
    assert complaint(path) == "2: limits.parallel must be at least 1"


def test_byte_order_mark_is_skipped(config_file) -> None:
    assert load_config(config_file(b"\xef\xbb\xbfpython: [a]")).python[0].name == "a"


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"absent\.yaml: cannot be read: No such file or directory"):
        load_config(tmp_path / "absent.yaml")


def test_values_come_from_the_environment_or_the_file(config_file, monkeypatch) -> None:
    monkeypatch.setenv("TENANT", "acme")
    monkeypatch.delenv("REGION", raising=False)
    config = load_config(
        config_file(
            "python: [a]\ninject:\n  tenant: {env: TENANT, default: other}\n"
            "  region: {env: REGION, default: eu}\n  none: {value: null}\n  list: {value: [1]}\n"
        )
    )
    assert config.injected_values() == {
        "tenant": "acme",
        "region": "eu",
        "none": None,
        "list": [1],
    }


def test_unset_variable_is_told(config_file, monkeypatch) -> None:
    monkeypatch.delenv("TENANT", raising=False)
    path = config_file("python: [a]\ninject:\n  tenant: {env: TENANT}\n")
    with pytest.raises(Misuse) as raised:
        load_config(path).injected_values()
    assert str(raised.value) == (
        f'{path}:3: inject.tenant needs the environment variable "TENANT", which is'
        ' not set; set it, or give a "default" beside "env"'
    )


@pytest.mark.parametrize(
    "text",
    [
        "python: [a]\ninject: {key: {value: hunter2, valeu: x}}",
        "python: [a]\ninject: {key: {env: [hunter2]}}",
        "python: [a]\ninject: {key: hunter2}",
        "python: [a]\ninject: {key: {default: [hunter2], env: X}}",
        "python: [a]\ninject: [hunter2]",
    ],
)
def test_no_message_shows_a_value(config_file, text) -> None:
    assert "hunter2" not in complaint(config_file(text))


def test_no_repr_shows_a_value(config_file) -> None:
    config = load_config(
        config_file("python: [a]\ninject: {a: {value: hunter2}, b: {env: B, default: hunter2}}")
    )
    assert "hunter2" not in repr(config)


def test_tools_in_processes_of_their_own_are_read(config_file) -> None:
    config = load_config(
        config_file(
            "python: [{module: a, isolate: process, workers: 2, interpreter: env/bin/python}]\n"
            "java: [{class: com.acme.A, isolate: process}]\n"
        )
    )
    (module,) = config.python
    assert (module.isolate, module.workers) == ("process", 2)
    assert module.interpreter == "env/bin/python"
    (named,) = config.java
    assert (named.isolate, named.workers) == ("process", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python:\n- {module: a, isolate: thread}", "2: python[0].isolate must be 'process'"),
        (
            "python:\n- {module: a, isolate: process, workers: 0}",
            "2: python[0].workers must be at least 1",
        ),
        (
            "python:\n- a\n- {module: a, workers: 2}",
            '3: python[1] has "workers", which is for workers only; add "isolate: process"',
        ),
        (
            "python:\n- {module: a, interpreter: x}",
            '2: python[0] has "interpreter", which is for workers only; add "isolate: process"',
        ),
        (
            "java:\n- {class: a, isolate: process, interpreter: x}",
            (
                "2: java[0].interpreter is no known key; known are only, isolate, workers, class,"
                " method, name, description, parameters"
            ),
        ),
    ],
)
def test_mistakes_about_processes_are_told(config_file, text: str, message: str) -> None:
    assert complaint(config_file(text)) == message
