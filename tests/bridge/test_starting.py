# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ISC004 - lines that a process is expected to print
"""How the JVM is started, by us or by others, and what is said where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bridge.programs import run


def test_options(classes: Path, tmp_path: Path) -> None:
    code = """
        jvm.start(options=["-Xmx64m", "-Dsome.name=value"])
        jvm.start()
        jvm.start(options=["-Xmx64m", "-Dsome.name=value"])
        import jpype
        say(jpype.java.lang.System.getProperty("some.name"))
        try:
            jvm.start(options=["-Xmx1g"])
        except Exception as refused:
            say(type(refused).__name__, refused)
    """
    assert run(code, classes, tmp_path) == (
        0,
        [
            "value",
            "Misuse the JVM runs already, with the options ['-Xmx64m', '-Dsome.name=value']; call"
            " jvm.start(options=...) before the first java_tools",
        ],
        "",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ('"-Xmx1g"', "the options of the JVM are a list of texts; give ['-Xmx1g']"),
        ('["-Djava.class.path=x"]', "'-Djava.class.path=x' is about the class path; give that to"),
        ('["-cp"]', "the option '-cp' is about the class path; give that to"),
    ],
)
def test_options_that_are_none(classes: Path, tmp_path: Path, options: str, says: str) -> None:
    code = f"""
        try:
            jvm.start(options={options})
        except Exception as refused:
            say(type(refused).__name__, refused)
        say(ask(load("Values")["echo"], value=1))
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, len(out), out[1], err) == (0, 2, "1", "")
    assert out[0].startswith("Misuse ")
    assert says in out[0]


@pytest.mark.slow
def test_an_option_that_the_jvm_refuses(classes: Path, tmp_path: Path) -> None:
    code = """
        for options in (["-Xbogus"], []):
            try:
                jvm.start(options=options)
            except Exception as refused:
                say(type(refused).__name__, refused)
    """
    code_, (first, second), err = run(code, classes, tmp_path)
    assert code_ == 0
    assert "Unrecognized option: -Xbogus" in err
    assert first.startswith("JavaUnavailable the JVM of ")
    assert "did not start" in first
    assert first.endswith("check its options ['-Xrs', '-XX:+UseSerialGC', '-Xms32m', '-Xbogus']")
    assert second == first + "; a process can start a JVM only once, so this one has no Java"


@pytest.mark.slow
def test_a_home_without_a_jvm(classes: Path, tmp_path: Path) -> None:
    """The mistake can be put right: nothing has been started."""
    code = f"""
        home = os.environ.get("JAVA_HOME")
        os.environ["JAVA_HOME"] = {str(tmp_path)!r}
        try:
            load("Values")
        except Exception as refused:
            say(type(refused).__name__, refused)
        del os.environ["JAVA_HOME"]
        if home:
            os.environ["JAVA_HOME"] = home
        say(ask(load("Values")["echo"], value=1))
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, out[1:], err) == (0, ["1"], "")
    assert out[0].startswith(f"JavaUnavailable there is no JVM in JAVA_HOME={tmp_path}; give ")


def test_without_jpype(classes: Path, tmp_path: Path) -> None:
    code = """
        sys.modules["jpype"] = None
        try:
            load("Values")
        except Exception as refused:
            say(type(refused).__name__, refused)
        say(ToolExecutor([len]).tools is not None)
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, err) == (0, "")
    assert out[0].startswith("JavaUnavailable Java tools need JPype, which cannot be imported (")
    assert out[0].endswith("); run `pip install isonomy[java]`")


def test_without_the_java_core(classes: Path, tmp_path: Path) -> None:
    code = """
        from isonomy.bridge import machine
        machine.JAR = Path("isonomy.jar").absolute()
        try:
            load("Values")
        except Exception as refused:
            say(type(refused).__name__, refused)
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, err) == (0, "")
    assert out == [
        f"JavaUnavailable the Java core {tmp_path / 'isonomy.jar'} is not there; install a"
        " JDK and Maven and then isonomy again, or run `make jar` in a checkout"
    ]


def test_a_jvm_that_others_started(classes: Path, tmp_path: Path) -> None:
    """The core is loaded beside what they have, and their objects go on working."""
    code = """
        import jpype
        jpype.startJVM("-Dtheirs=1", classpath=[])
        theirs = jpype.java.util.ArrayList([1, 2])
        tools = load("Values", "Stock", "Lethal")
        say(ask(tools["types"], value=2**70)["type"], theirs.size())
        say(ask(tools["nullPointers"], count=200_000))
        try:
            jvm.start(options=["-Xmx1g"])
        except Exception as refused:
            say(type(refused).__name__, refused)
        sys.exit(2)
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, err) == (2, "")
    assert out == [
        "java.math.BigInteger 2",
        "200000",
        "Misuse the JVM runs already, with the options []; call jvm.start(options=...) before the"
        " first java_tools",
        "stock closed",
    ]


@pytest.mark.slow
def test_options_for_a_jvm_that_others_started(classes: Path, tmp_path: Path) -> None:
    code = """
        import jpype
        jpype.startJVM(classpath=[])
        try:
            jvm.start(options=["-Xmx1g"])
        except Exception as refused:
            say(type(refused).__name__, refused)
    """
    assert run(code, classes, tmp_path) == (
        0,
        [
            "Misuse other code has started the JVM of this process, so it takes no more options;"
            " call jvm.start(options=...) before that code runs"
        ],
        "",
    )


@pytest.mark.slow
def test_many_threads_start_one_jvm(classes: Path, tmp_path: Path) -> None:
    code = """
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(ask(load("Values")["echo"], value=1)))
            for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        say(answers == [1] * 16)
    """
    assert run(code, classes, tmp_path) == (0, ["True"], "")


def test_nothing_of_java_is_imported_before(classes: Path, tmp_path: Path) -> None:
    code = """
        say("jpype" in sys.modules, "_jpype" in sys.modules)
    """
    assert run(code, classes, tmp_path) == (0, ["False False"], "")
