"""Figures have names, legends and the numbers of the runs."""

import numpy as np
import pytest
import rattleback as rb

matplotlib = pytest.importorskip("matplotlib", reason="figures need python3-matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def disk(**more):
    return rb.model("rolling-disk").run("dla", step=0.1, time=5, **more)


def test_columns_over_time():
    run = disk()
    ax = run.plot()
    assert [line.get_label() for line in ax.lines] == ["$x$", "$y$", "$\\theta$", "$\\phi$"]
    assert ax.get_xlabel() == "$t$" and ax.get_legend() is not None
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), run["theta"])
    ax = run.plot("energy", color="red", lw=3)
    assert ax.get_ylabel() == "energy" and ax.get_legend() is None and ax.lines[0].get_linewidth() == 3
    with pytest.raises(KeyError, match="there is no column 'speed'"):
        run.plot("speed")


def test_many_columns_have_their_legend_beside():
    run = disk()
    ax = run.plot(*run.keys()[1:9])
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


def test_axes_are_those_that_are_given():
    figure, ax = plt.subplots()
    assert disk().plot("x", ax=ax) is ax and rb.plot.phase(disk(), "x", "y", ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_paths_have_one_scale_and_angles_have_not():
    assert rb.plot.phase(disk(), "x", "y").get_aspect() == 1
    ax = rb.plot.phase(disk(), "theta", "phi'")
    assert ax.get_aspect() == "auto" and (ax.get_xlabel(), ax.get_ylabel()) == ("$\\theta$", "$\\dot{\\phi}$")


def test_phases_of_several_runs():
    compared = rb.model("rolling-disk").compare(["dla", "rk4"], step=0.1, time=5)
    ax = rb.plot.phase(compared.runs.values(), "x", "y")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["dla", "rk4"]


def oscillators(**more):
    return rb.System(
        "x y", "0.5*(x'^2 + y'^2) - 0.5*(x^2 + 2*y^2)", initial={"q": [0, 1], "v": [1, 0]},
        events={"up": {"when": "x", "direction": "rising"}}, **more,
    )  # fmt: skip


def test_sections_are_events():
    run = oscillators().run("dla:order=6", step=0.1, time=60)
    ax = rb.plot.section(run, "up", "y", "y'")
    k = np.arange(1, 1 + len(run.events["up"]))  # x = sin t and y = cos √2 t
    np.testing.assert_allclose(run.events["up"]["time"], 2 * np.pi * k, rtol=1e-7)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), np.cos(np.sqrt(2) * 2 * np.pi * k), atol=1e-5)
    assert len(k) == 9 and ax.get_ylabel() == "$\\dot{y}$"
    assert len(rb.plot.section([run, run], "up", "y", "y'", ms=1).lines) == 2
    with pytest.raises(rb.RequestError, match="no event 'down'; there are up"):
        rb.plot.section(run, "down", "y", "y'")


def test_work_and_precision():
    measured = rb.model("quadratic-particle").converge(["dla", "rk4"], time=2, count=5)
    for over, label in (("seconds", "seconds"), ("step", "step $h$")):
        ax = rb.plot.work_precision(measured, over=over)
        assert ax.get_xlabel() == label and ax.get_xscale() == ax.get_yscale() == "log" and len(ax.lines) == 2
    errors = [p["error"] for p in measured["methods"][1]["points"]]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), errors)
    with pytest.raises(rb.RequestError, match="`over` must be"):
        rb.plot.work_precision(measured, over="steps")
