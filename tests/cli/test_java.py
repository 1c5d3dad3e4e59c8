# SPDX-License-Identifier: Apache-2.0
"""The command with Java tools: a class compiled here against the bundled core."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import isonomy.bridge

JAR = Path(isonomy.bridge.__file__).parent / "_jars" / "isonomy.jar"
JAVAC = (
    shutil.which("javac", path=f"{os.environ['JAVA_HOME']}/bin")
    if os.environ.get("JAVA_HOME")
    else shutil.which("javac")
)
pytestmark = pytest.mark.skipif(
    JAVAC is None or not JAR.exists(), reason="no JDK, or no Java core: `make jar` builds it"
)

LOUD = """
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;

public final class Loud {
    @Tool
    public static String say(String text) {
        System.out.println("out " + text);
        return text;
    }

    @Tool
    public static ToolResponse decline() {
        return ToolResponse.failure("not today").code("LATER").build();
    }

    @Tool
    public static void sleep() throws InterruptedException {
        System.out.println("sleeping");
        Thread.sleep(60_000);
    }

    public static final class Quiet {
        @Tool
        public static int hush() {
            return 0;
        }
    }
}
"""
CONFIG = "python: [shop]\njava: [Loud]\nclasspath: [classes]\ninject: {tenant: {value: t}}\n"


@pytest.fixture(scope="module")
def classes(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("loud")
    (folder / "Loud.java").write_text(LOUD)
    assert JAVAC is not None
    command: list[str | Path] = [
        JAVAC,
        "-parameters",
        "--release",
        "17",
        "-cp",
        JAR,
        "-d",
        folder,
        "Loud.java",
    ]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture
def loud(shop, classes):
    (shop.folder / "classes").symlink_to(classes)
    shop.write("isonomy.yaml", CONFIG)
    return shop


def test_java_and_python_in_one_request(loud) -> None:
    loud.calls(loud.request(("say", {"text": "é"}), ("add", {"a": 1}), "decline", ("say", {})))
    done = loud.process("run", "isonomy.yaml", "calls.jsonl")
    assert (done.returncode, done.stderr.splitlines()[0]) == (0, "out é")
    (event,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert loud.statuses(event) == ["success", "success", "tool_error", "invalid_arguments"]
    assert [record["response"].get("result") for record in event["records"][:2]] == ["é", 2]
    assert event["records"][2]["response"]["error"]["code"] == "LATER"


def test_java_tools_are_listed(loud) -> None:
    done = loud.process("tools", "isonomy.yaml", "--json")
    languages = {tool["name"]: tool["language"] for tool in json.loads(done.stdout)}
    assert languages["say"] == "java"
    assert languages["add"] == "python"


def test_responses_never_go_onto_a_class(loud) -> None:
    loud.write("isonomy.yaml", "java: [Loud$Quiet]\nclasspath: [classes]\n")
    loud.calls(loud.request("hush"))
    before = (loud.folder / "classes/Loud.class").read_bytes()
    done = loud.process("run", "isonomy.yaml", "calls.jsonl", "-o", "classes/Loud.class")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "-o classes/Loud.class is also read from; write the responses elsewhere\n"
    )
    assert (loud.folder / "classes/Loud.class").read_bytes() == before


@pytest.mark.parametrize("tool", ["sleep", "wait"])
def test_interrupt_with_a_jvm(loud, tool) -> None:
    loud.calls(loud.request(("add", {"a": 1})), loud.request(tool))
    process = loud.start("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl")
    assert process.stderr.readline() in {b"sleeping\n", b"waiting\n"}
    process.send_signal(signal.SIGINT)
    code, _, told = loud.finish(process)
    assert code == 130
    assert told.startswith(b"interrupted after 1 call in 1 request: ")
    assert [loud.statuses(event) for event in loud.read()] == [["success"]]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("java: [Laud]\nclasspath: [classes]", "1: java[0] cannot be used: "),
        (
            "java: [java.lang.Math]",
            (
                "1: java[0] cannot be used: the class java.lang.Math has no public method marked"
                " @Tool; mark one, or name one method, as java.lang.Math#"
            ),
        ),
        ("java: [Loud]\nclasspath:\n- none/*.jar", "3: classpath[0] cannot be used: "),
        (
            "java: [Loud.Quiet]\nclasspath: [classes]",
            (
                '1: java[0] cannot be used: the class of the tools "Loud.Quiet" cannot be loaded'
                " (java.lang.ClassNotFoundException: Loud.Quiet); a nested class is named with $:"
                ' did you mean "Loud$Quiet"?'
            ),
        ),
        (
            "java:\n- {class: Loud, only: [sey]}\nclasspath: [classes]",
            '2: java[0].only[0] Loud has no tool "sey"; did you mean "say"?',
        ),
    ],
)
def test_what_cannot_be_loaded_is_told(loud, config, said) -> None:
    loud.write("isonomy.yaml", config)
    done = loud.process("tools", "isonomy.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"isonomy.yaml:{said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("item", "is_comment"),
    [
        ("java.lang.Math #abs", True),
        ("java.lang.Math # what it is for", False),
        ("java.lang.Math", False),
    ],
)
def test_a_name_that_became_a_comment_is_told(loud, item, is_comment) -> None:
    loud.write("isonomy.yaml", f"python: [shop]\njava:\n- {item}\n")
    done = loud.process("tools", "isonomy.yaml")
    assert done.stderr.startswith("isonomy.yaml:3: java[0] cannot be used: ")
    assert ('a "#" with a space before it begins a comment' in done.stderr) == is_comment


def test_a_method_that_became_a_comment_never_gives_all_tools(loud) -> None:
    loud.write("isonomy.yaml", "java:\n- Loud #say(String)\nclasspath: [classes]\n")
    done = loud.process("tools", "isonomy.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith('isonomy.yaml:2: java[0] is cut: a "#" with a space before it')


def test_a_missing_jvm_is_told(loud, monkeypatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nonexistent")
    done = loud.process("tools", "isonomy.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("isonomy.yaml:2: java[0] cannot be used: ")


def test_methods_of_any_library(loud) -> None:
    loud.write(
        "isonomy.yaml",
        """
java:
- java.lang.Math#floorMod(long,long)
- {method: "java.lang.Math#floorMod(long,int)", name: mod, description: Mod., parameters: [n, by]}
""",
    )
    loud.calls(loud.request(("mod", {"n": -7, "by": 3}), ("mod", {"n": 1, "by": 0}), ("mod", {})))
    done = loud.process("run", "isonomy.yaml", "calls.jsonl")
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)["records"]
    assert records[0]["response"] == {"status": "success", "result": 2}
    assert records[1]["response"]["error"]["type"] == "java.lang.ArithmeticException"
    assert records[2]["response"]["error"]["message"] == "by: required; n: required"
    listed = json.loads(loud.process("tools", "isonomy.yaml", "--json").stdout)
    assert [(tool["name"], tool["description"]) for tool in listed] == [
        ("Math_floorMod", ""),
        ("mod", "Mod."),
    ]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            "java:\n- java.lang.Math#floorMod(int)",
            (
                "isonomy.yaml:2: java[0] cannot be used: the class java.lang.Math has not exactly"
                " one public method floorMod(int); there are: floorMod(int,int),"
                " floorMod(long,int), floorMod(long,long)"
            ),
        ),
        (
            "java:\n- java.lang.Math#abs(int)\n- java.lang.Math#abs(long)",
            (
                'isonomy.yaml:3: java[1] brings a second tool "Math_abs" beside that of java[0];'
                ' leave one out with "only", or give it another name, a method by "name" here'
            ),
        ),
    ],
)
def test_methods_that_cannot_be_meant(loud, config: str, said: str) -> None:
    loud.write("isonomy.yaml", config)
    done = loud.process("tools", "isonomy.yaml")
    assert done.returncode == 2
    assert said in done.stderr
