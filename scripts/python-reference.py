#!/usr/bin/env python3
"""Makes docs/python-reference.md of the docstrings of the Python package. It reads sources, so nothing need be built.

    scripts/python-reference.py            writes the page
    scripts/python-reference.py --check    ends with status 1 if the page is not what it would write
"""

import ast
import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "rattleback"
PAGE = ROOT / "docs" / "python-reference.md"

# The order of the page; everything public must be in one of these modules.
MODULES = {
    "_system": "Systems and questions about them",
    "_trajectory": "Trajectories",
    "_ensemble": "Ensembles",
    "_stepper": "Step by step",
    "_answers": "Answers",
    "_expressions": "Expressions",
    "_core": "Expressions and errors of the compiled module",
    "_sympy": "SymPy",
    "plot": "Figures",
}

Function = ast.FunctionDef


def decorators(node: Function) -> set[str]:
    return {ast.unparse(d) for d in node.decorator_list}


def documentation(node: Function | ast.ClassDef, name: str) -> list[str]:
    """Prose as it is, examples in blocks."""
    text = ast.get_docstring(node)
    if not text:
        sys.exit(f"{name} has no docstring")
    lines: list[str] = []
    example = False
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith(">>>") and not example:
            lines += ["```python", line]
            example = True
        elif example and not line:
            lines += ["```", ""]
            example = False
        else:
            lines.append(line)
    return lines + ["```"] * example + [""]


def signature(node: Function, name: str, method: bool) -> str:
    arguments = ast.unparse(node.args)
    if method:
        arguments = arguments.partition(",")[2].strip() if "," in arguments else ""
    return f"{name}({arguments})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def of_function(node: Function, name: str, method: bool = False) -> list[str]:
    return [f"`{signature(node, name, method)}`", "", *documentation(node, name)]


def of_class(node: ast.ClassDef, name: str) -> list[str]:
    bases = ", ".join(ast.unparse(b) for b in node.bases)
    page = [f"### {name}" + (f"({bases})" if bases else ""), "", *documentation(node, name)]
    members = [m for m in node.body if isinstance(m, Function)]
    begins = next((m for m in members if m.name == "__init__"), None)
    if name == "System" and begins is not None:
        page[2:2] = [f"`{signature(begins, name, True).removesuffix(' -> None')}`", ""]
    seen = set()
    for member in members:
        if member.name.startswith("_") or decorators(member) & {"overload", f"{member.name}.setter"} or member.name in seen:
            continue
        seen.add(member.name)
        if "property" in decorators(member):
            kind = f": {ast.unparse(member.returns)}" if member.returns else ""
            text = documentation(member, f"{name}.{member.name}")
            page += [f"**`.{member.name}{kind}`** {text[0]}", *text[1:]]
        else:
            before = "" if "staticmethod" in decorators(member) or "classmethod" in decorators(member) else "."
            shown = f"{before}{member.name}" if before else f"{name}.{member.name}"
            text = documentation(member, f"{name}.{member.name}")
            page += [f"**`{signature(member, shown, 'staticmethod' not in decorators(member))}`** {text[0]}", *text[1:]]
    return page


def public() -> set[str]:
    for node in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    sys.exit("rattleback/__init__.py has no __all__")


def page() -> str:
    missing = public() - {"__version__", "pi", "plot"}
    lines = [
        "# Python reference", "",
        "Made by `scripts/python-reference.py` from the docstrings of `python/rattleback`; the examples are run by the "
        "tests. How it all fits together is in [python.md](python.md). `rb.__version__` is the version, `rb.pi` is π.", "",
    ]  # fmt: skip
    for module, title in MODULES.items():
        path = next(p for p in (PACKAGE / f"{module}.py", PACKAGE / f"{module}.pyi") if p.exists())
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines += [f"## {title}", ""]
        if module == "plot":
            lines += (ast.get_docstring(tree) or "").splitlines() + [""]
        seen = set()
        for node in tree.body:
            if not isinstance(node, (Function, ast.ClassDef)) or node.name in seen or node.name.startswith("_"):
                continue
            if module != "plot" and node.name not in missing:
                continue
            if isinstance(node, Function) and "overload" in decorators(node):
                continue
            seen.add(node.name)
            missing.discard(node.name)
            name = f"plot.{node.name}" if module == "plot" else node.name
            lines += of_class(node, name) if isinstance(node, ast.ClassDef) else ["### " + name, "", *of_function(node, name)]
    if missing:
        sys.exit(f"rattleback.{', rattleback.'.join(sorted(missing))}: public, and in no module of {__file__}")
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    made = page()
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
            sys.exit(f"{PAGE} is out of date: run scripts/python-reference.py")
    else:
        PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
