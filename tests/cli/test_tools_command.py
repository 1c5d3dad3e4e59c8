# SPDX-License-Identifier: Apache-2.0
import json
import re

import pytest

from isonomy.cli.listing import tools_table
from isonomy.tools.sources import as_tool


def test_tools_as_json(shop) -> None:
    done = shop.isonomy("tools", "isonomy.yaml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    tools = {tool["name"]: tool for tool in json.loads(done.stdout)}
    assert list(tools) == [
        "add", "later", "refuse", "crash", "chatty", "listen", "tenant_of", "wait"
    ]  # fmt: skip
    add = tools["add"]
    assert add["language"] == "python"
    assert add["description"].startswith("Add two numbers.")
    assert add["input_schema"]["required"] == ["a"]
    assert add["input_schema"]["properties"]["b"]["default"] == 1
    assert tools["tenant_of"]["injected"] == ["tenant"]
    assert "t-1234" not in done.stdout


def test_tools_as_a_table(shop) -> None:
    done = shop.isonomy("tools", "isonomy.yaml")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if " add " in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["add", "python", "a, [b]", "Add two numbers."]
    assert "(tenant from the host)" in done.stdout


@pytest.mark.parametrize("width", [12, 30, 51, 52, 80])
def test_a_narrow_terminal_shows_everything(monkeypatch, width) -> None:
    def find_articles(text: str, limit: int = 10) -> None:
        """Find articles by a part of their name."""

    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    tool = as_tool(find_articles, name="articles")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", tools_table([tool], terminal=True))
    assert all(len(line) <= width for line in shown.splitlines())
    assert ("─" in shown) == (width >= 52)
    words = " ".join(re.sub("[─│┃━┏┓┡┩└┘┴┳╇]", " ", shown).split())
    if width == 30:
        assert words == "articles (python): text, [limit] Find articles by a part of their name."
    if width >= 52:
        assert words.startswith("Tool Language Parameters Description articles python text,")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            "python: [absent]",
            "1: python[0] cannot be imported: ModuleNotFoundError: No module named 'absent';",
        ),
        (
            "python: [shop.py]",
            (
                "1: python[0] cannot be imported: ModuleNotFoundError: No module named 'shop.py';"
                " 'shop' is not a package; a module is named, not its file: \"shop\""
            ),
        ),
        (
            "python: [{module: lib/more.py, isolate: process}]",
            "1: python[0] cannot be used: the worker of ",
        ),
        ("python: [shop]\npath:\n- lib", "3: path[0] is no folder: "),
        ('python: [shop]\npath:\n- "a\\0b"', "3: path[0] has a NUL character, which no folder's"),
        ("python: [raises]", "1: python[0] cannot be imported: RuntimeError: token=[redacted]"),
        ("python: [leaves]", "1: python[0] cannot be imported: SystemExit: "),
        ("python: [broken]", "1: python[0] cannot be imported: SyntaxError: "),
        ("python: [empty]", "1: python[0] cannot be used: module 'empty' gives no tools: mark its"),
        (
            "python:\n- {module: shop, only: [ad]}",
            ('2: python[0].only[0] shop has no tool "ad"; did you mean "add"?'),
        ),
        (
            "python:\n- shop\n- twin",
            (
                '3: python[1] brings a second tool "add" beside that of python'
                '[0]; leave one out with "only", or give it another name, as @tool(name=...) in'
            ),
        ),
    ],
)
def test_what_cannot_be_loaded_is_told(shop, config, said) -> None:
    shop.write("raises.py", "raise RuntimeError('token=hunter2')")
    shop.write("leaves.py", "raise SystemExit(3)")
    shop.write("broken.py", "def (")
    shop.write("empty.py", "")
    shop.write(
        "twin.py", "from isonomy import tool\n@tool\ndef add(a: int) -> int:\n    return a\n"
    )
    shop.write("isonomy.yaml", config)
    done = shop.isonomy("tools", "isonomy.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"isonomy.yaml:{said}")
    assert "hunter2" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("import json\n\ndef read():\n    json.loads('{')\n\nread()\n", "(at {folder}/bad.py:4)"),
        ("def (\n", "(at {folder}/bad.py:1)"),
        ("\nimport absent_one\n", "(at {folder}/bad.py:2); list its folder under "),
        ("import inner\n", "(at {folder}/inner.py:2)"),
        ("raise SystemExit(3)\n", "(at {folder}/bad.py:1)"),
    ],
)
def test_the_line_that_fails_on_import_is_told(shop, source, place) -> None:
    shop.write("inner.py", "\n1 / 0\n")
    shop.write("bad.py", source)
    shop.write("isonomy.yaml", "python: [bad]")
    done = shop.isonomy("tools", "isonomy.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert place.format(folder=shop.folder.resolve()) in done.stderr
    assert done.stderr.count("\n") == 1


def test_paths_start_from_the_configuration(shop) -> None:
    (shop.folder / "conf").mkdir()
    (shop.folder / "lib").mkdir()
    (shop.folder / "shop.py").rename(shop.folder / "lib" / "shop.py")
    shop.write("conf/isonomy.yaml", "python: [{module: shop, only: [refuse]}]\npath: [../lib]")
    done = shop.isonomy("tools", "conf/isonomy.yaml", "--json")
    assert [tool["name"] for tool in json.loads(done.stdout)] == ["refuse"]
