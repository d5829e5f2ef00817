"""Figures with matplotlib, which is optional: `pip install rattleback[plot]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._answers import ConvergedMethods
    from ._trajectory import Trajectory


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def columns(run: Trajectory, *names: str, ax: Any = None) -> Any:
    """Columns over time, the positions if none are named."""
    ax = _axes(ax)
    for name in names or run.q.names:
        ax.plot(run.t, run[name], label=name)
    ax.set_xlabel("t")
    ax.legend()
    return ax


def phase(run: Trajectory, x: str, y: str, ax: Any = None) -> Any:
    """One column over another."""
    ax = _axes(ax)
    ax.plot(run[x], run[y])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def work_precision(measured: ConvergedMethods, ax: Any = None) -> Any:
    """Errors over computing time."""
    ax = _axes(ax)
    for method in measured["methods"]:
        points = [p for p in method["points"] if p["error"] is not None]
        ax.loglog([p["seconds"] for p in points], [p["error"] for p in points], "o-", label=method["method"])
    ax.set_xlabel("seconds")
    ax.set_ylabel("error")
    ax.legend()
    return ax
