#!/usr/bin/env python3
"""Runs notebooks as Jupyter would, without Jupyter: it needs matplotlib and nothing else.

    execute.py NOTEBOOK …            runs them and writes what they show into the files
    execute.py --check NOTEBOOK …    runs them, and ends with status 1 if they show something else than the files do:
                                     other words, other tables, other pictures or none. Numbers may differ, and so may
                                     everything in cells with the tag "varies"
"""

import ast
import base64
import contextlib
import io
import json
import linecache
import os
import re
import sys
import tempfile
import traceback

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from PIL import Image  # noqa: E402


def lines(text):
    return text.splitlines(keepends=True)


def bundle(value):
    """What a notebook gets to choose from."""
    data = {"text/plain": lines(repr(value))}
    for kind, method in (("text/html", "_repr_html_"), ("text/latex", "_repr_latex_")):
        made = getattr(value, method, lambda: None)()
        if made is not None:
            data[kind] = lines(made)
    return data


def pictures():
    """Of all figures that are open, which are closed then."""
    for number in plt.get_fignums():
        drawn, file = io.BytesIO(), io.BytesIO()
        plt.figure(number).savefig(drawn, format="png", dpi=80, bbox_inches="tight")
        Image.open(drawn).convert("RGB").quantize(256, kmeans=1).save(file, format="png", optimize=True)
        data = {"image/png": base64.b64encode(file.getvalue()).decode() + "\n", "text/plain": ["<Figure>"]}
        yield {"output_type": "display_data", "data": data, "metadata": {}}
    plt.close("all")


def run_cell(source, name, namespace):
    """Its outputs; the last line is shown if it is an expression."""
    linecache.cache[name] = (len(source), None, lines(source), name)
    outputs = []

    def flush():
        for stream, text in (("stdout", printed), ("stderr", warned)):
            if text.getvalue():
                outputs.append({"output_type": "stream", "name": stream, "text": lines(text.getvalue())})
            text.seek(0)
            text.truncate()

    def display(*values):
        flush()
        outputs.extend({"output_type": "display_data", "data": bundle(v), "metadata": {}} for v in values)

    namespace["display"] = display
    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    printed, warned = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(warned):
        exec(compile(tree, name, "exec"), namespace)
        value = eval(compile(last, name, "eval"), namespace) if last is not None else None
    flush()
    if value is not None:
        outputs.append({"output_type": "execute_result", "data": bundle(value), "metadata": {}})
    return outputs + list(pictures())


def seen(outputs):
    """Outputs up to numbers and white space."""
    found = []
    for output in outputs:
        if output["output_type"] == "stream":
            shown = {output["name"]: output["text"]}
        else:
            shown = output["data"]
        for kind, text in sorted(shown.items()):
            if kind == "image/png":
                found.append((kind, ""))
            else:
                masked = re.sub(r"[-−+]?\d+(\.\d*)?([eE][-+]?\d+)?", "#", "".join(text))
                found.append((kind, " ".join(masked.split())))
    return found


def run(path, check):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    namespace = {"__name__": "__main__"}
    number = 0
    different = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        name = f"<{os.path.basename(path)} [{number}]>"
        try:
            outputs = run_cell("".join(cell["source"]), name, namespace)
        except Exception:
            traceback.print_exc()
            sys.exit(f"{path}: cell {number} fails")
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
        if check:
            varies = "varies" in cell["metadata"].get("tags", [])
            if not varies and seen(outputs) != seen(cell["outputs"]):
                different += 1
                print(f"{path}: cell {number} shows\n{seen(outputs)}\nand the file has\n{seen(cell['outputs'])}")
        else:
            cell["outputs"], cell["execution_count"] = outputs, number
    if different:
        sys.exit(f"{path}: run {os.path.relpath(__file__)} {path}")
    if not check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")


def main():
    check = "--check" in sys.argv
    paths = [os.path.abspath(p) for p in sys.argv[1:] if p != "--check"]
    if not paths:
        sys.exit(__doc__)
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # what a notebook writes goes away
            run(path, check)
            os.chdir("/")


if __name__ == "__main__":
    main()
