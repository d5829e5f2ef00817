"""The examples of docstrings and of the pages say what happens."""

import doctest
import importlib
import os
import pkgutil

import pytest
import rattleback

MODULES = ["rattleback"] + [f"rattleback.{m.name}" for m in pkgutil.iter_modules(rattleback.__path__) if not m.name.startswith(("_core", "lib"))]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name == "rattleback._sympy":
        pytest.importorskip("sympy")
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("page, least", [("README.md", 2), ("docs/python.md", 20)])
def test_pages(page, least, tmp_path, monkeypatch):
    path = os.path.join(os.path.dirname(__file__), "..", "..", page)
    text = open(path, encoding="utf-8").read()
    monkeypatch.chdir(tmp_path)
    blocks = "\n".join(b[len("pycon\n") :] for b in text.split("```")[1::2] if b.startswith("pycon\n"))
    examples = doctest.DocTestParser().get_doctest(blocks, {}, page, path, 0)
    assert len(examples.examples) >= least
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0
