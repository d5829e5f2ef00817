"""Figures with matplotlib, which is optional: `pip install rattleback[plot]`.

Every function draws into the axes that it is given, or into new ones, and returns them: titles, limits and colours are
changed there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from . import _core

if TYPE_CHECKING:
    from ._answers import ConvergedMethods
    from ._trajectory import Trajectory


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def label(name: str) -> str:
    """The name of a column as matplotlib writes it.

    >>> import rattleback as rb
    >>> rb.plot.label("theta'"), rb.plot.label("p_x"), rb.plot.label("constraint_1")
    ('$\\\\dot{\\\\theta}$', '$p_{x}$', 'constraint 1')
    """
    if name == "time":
        return "$t$"
    try:
        latex = _core.parse(name).latex()
    except _core.Error:
        latex = "\\mathrm"
    return name.replace("_", " ") if "\\mathrm" in latex else f"${latex}$"


def _several(run: Trajectory | Iterable[Trajectory]) -> list[Trajectory]:
    from ._trajectory import Trajectory

    return [run] if isinstance(run, Trajectory) else list(run)


def _style(given: Any, **usual: Any) -> Any:
    """What is usual, unless something else is given under one of its names: `lw` is `linewidth`."""
    from matplotlib import cbook, lines

    return {**usual, **cbook.normalize_kwargs(given, lines.Line2D)}


def _legend(ax: Any) -> None:
    """Beside the curves if there are many, and none for one."""
    count = len(ax.get_legend_handles_labels()[1])
    if count > 6:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    elif count > 1:
        ax.legend()


def columns(run: Trajectory, *names: str, ax: Any = None, **style: Any) -> Any:
    """Columns over time, the positions if none are named. `run.plot(…)` is the same.

    >>> import rattleback as rb
    >>> run = rb.model("rolling-disk").run("dla", step=0.1, time=10)
    >>> ax = rb.plot.columns(run, "x", "y")
    >>> ax.get_xlabel(), [line.get_label() for line in ax.lines]
    ('$t$', ['$x$', '$y$'])
    """
    ax = _axes(ax)
    chosen = list(names or run.q.names)
    for name in chosen:
        ax.plot(run.t, run[name], **_style(style, label=label(name)))
    ax.set_xlabel(label("time"))
    if len(chosen) == 1:
        ax.set_ylabel(label(chosen[0]))
    _legend(ax)
    return ax


def phase(run: Trajectory | Iterable[Trajectory], x: str, y: str, ax: Any = None, **style: Any) -> Any:
    """One column over another, of one run or of several: a path, a phase portrait.

    Two coordinates that are no angles have the same scale.

    >>> import rattleback as rb
    >>> run = rb.model("rolling-disk").run("dla", step=0.1, time=10)
    >>> ax = rb.plot.phase(run, "theta", "theta'")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('$\\\\theta$', '$\\\\dot{\\\\theta}$')
    """
    ax = _axes(ax)
    runs = _several(run)
    for one in runs:
        ax.plot(one[x], one[y], **_style(style, label=one.method))
    ax.set_xlabel(label(x))
    ax.set_ylabel(label(y))
    if runs and {x, y} <= {str(q) for q in runs[0].system.coordinates} - set(runs[0].system.angles):
        ax.set_aspect("equal", adjustable="datalim")
    _legend(ax)
    return ax


def section(run: Trajectory | Iterable[Trajectory], event: str, x: str, y: str, ax: Any = None, **style: Any) -> Any:
    """A Poincaré section: where runs are when an event of their model happens (docs/events.md), a dot for each.

    Every run has its colour. The dots are the events themselves, located to round-off, not samples next to them.

    >>> import rattleback as rb
    >>> s = rb.System("x y", "0.5*(x'^2 + y'^2) - 0.5*(x^2 + 2*y^2)", initial={"q": [0, 1], "v": [1, 0]},
    ...               events={"up": {"when": "x", "direction": "rising"}})
    >>> run = s.run("dla:order=4", step=0.1, time=100)
    >>> len(run.events["up"]) > 10
    True
    >>> ax = rb.plot.section(run, "up", "y", "y'")
    >>> len(ax.lines[0].get_xdata()) == len(run.events["up"])
    True
    """
    ax = _axes(ax)
    for one in _several(run):
        found = one.events
        if event not in found:
            raise _core.RequestError(f"there is no event {event!r}; there are {', '.join(found) or 'none'}")
        ax.plot(found[event][x], found[event][y], **_style(style, linestyle="none", marker=".", markersize=2))
    ax.set_xlabel(label(x))
    ax.set_ylabel(label(y))
    return ax


def work_precision(measured: ConvergedMethods, ax: Any = None, over: str = "seconds") -> Any:
    """Errors of methods over the computing time that they take, or over="step".

    >>> import rattleback as rb
    >>> measured = rb.model("quadratic-particle").converge(["dla", "rk4"], time=5, count=6)
    >>> ax = rb.plot.work_precision(measured, over="step")
    >>> [line.get_label() for line in ax.lines], ax.get_xscale()
    (['dla, order 2.0', 'rk4, order 4.0'], 'log')
    """
    ax = _axes(ax)
    if over not in ("seconds", "step"):
        raise _core.RequestError(f'`over` must be "seconds" or "step", found {over!r}')
    for method in measured["methods"]:
        points = [p for p in method["points"] if p["error"] is not None]
        order = method.get("order")
        name = method["method"] + (f", order {order:.1f}" if order is not None else "")
        ax.loglog([p[over] for p in points], [p["error"] for p in points], "o-", markersize=4, label=name)
    ax.set_xlabel("seconds" if over == "seconds" else "step $h$")
    ax.set_ylabel("largest error of the positions")
    ax.grid(alpha=0.3)
    _legend(ax)
    return ax
