"""The annotations are right, and so are those of a program that uses the package."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import rattleback as rb

x, y = rb.coordinates("x y")
s: rb.System = rb.System([x, y], (x.dot**2 + y.dot**2)/2, parameters={"m": 1})
run: rb.Trajectory = s.run("dla", step=0.1, time=1, v0={"x": 1})
last: float = float(run.q["x"][-1]) + float(np.max(run.energy))
sim: rb.Stepper = s.stepper("dla", step=0.1)
sim.step(m=2.0)
orders: dict[str, float | None] = s.converge(["dla"]).orders
compared: rb.Compared = s.compare(["dla", "rk4"], step=0.1, time=1)
kinetic = run.evaluate(x.dot**2/2).sum() + run.events["up"]["time"].sum()
many: rb.Ensemble = s.ensemble("dla", q0={"x": [1.0, 2.0]}, step=0.1, time=1)
ends = many.q[:, 0] + many.at["energy"][:, 0]
batch: rb.Batch = s.batch(4, "dla", step=0.1)
batch.step(10, m=np.ones(4))
N: rb.Expression = rb.parse("1/sqrt(1 + x^2)").diff(x)
axes = rb.plot.phase([run], "x", "y", ax=rb.plot.section(run, "up", "y", "y'"), lw=1)
"""


def test_types(tmp_path):
    pytest.importorskip("mypy")
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    (tmp_path / "program.py").write_text(PROGRAM)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--config-file", f"{root}/pyproject.toml",
         "program.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": f"{root}/python"}, capture_output=True, text=True,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
