"""The examples of docstrings and of the pages say what happens."""

import doctest
import glob
import importlib
import os
import pkgutil
import re

import pytest
import rattleback

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
MODULES = ["rattleback"] + [f"rattleback.{m.name}" for m in pkgutil.iter_modules(rattleback.__path__) if not m.name.startswith(("_core", "lib"))]
NEEDED = {"rattleback._sympy": "sympy", "rattleback.plot": "matplotlib"}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert failed == 0


def blocks(text, kind):
    return [b[len(kind) + 1 :] for b in text.split("```")[1::2] if b.startswith(f"{kind}\n")]


def pages():
    for path in [f"{ROOT}/README.md", *sorted(glob.glob(f"{ROOT}/docs/*.md"))]:
        if "```pycon\n" in open(path, encoding="utf-8").read():
            yield os.path.relpath(path, ROOT)


@pytest.mark.parametrize("page", pages())
def test_pages(page, tmp_path, monkeypatch):
    """Blocks of TOML whose first line is "# NAME.toml" are files for the examples."""
    text = open(f"{ROOT}/{page}", encoding="utf-8").read()
    monkeypatch.chdir(tmp_path)
    for block in blocks(text, "toml"):
        if name := re.match(r"# (\S+\.toml)\n", block):
            (tmp_path / name[1]).write_text(block, encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks(text, "pycon")), {}, page, page, 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(examples).failed == 0


def test_pages_of_commands_have_their_python():
    found = set(pages())
    for name in ("tutorial", "methods", "chaplygin", "modified", "inverse", "ensembles", "experiments", "driven", "events",
                 "expressions", "models", "catalogue", "python"):  # fmt: skip
        assert f"docs/{name}.md" in found
