"""What notebooks and logs show, and what trajectories tell besides their columns."""

import base64
import gzip
import html
import logging
import os
import re

import numpy as np
import pytest
import rattleback as rb

PAGES = os.path.exists(os.path.join(os.path.dirname(rb.__file__), "report.html"))


def ball(**more):
    return rb.System(
        "z", "0.5*z'^2 - 10*z", initial={"q": [5], "v": [0]}, **more,
        events={"bounce": {"when": "z", "direction": "falling", "set": {"v": {"z": "-0.5*z'"}}}, "top": {"when": "z'", "direction": "falling"}},
    )  # fmt: skip


def test_systems_are_formulas():
    shown = rb.model("rolling-disk")._repr_html_()
    assert shown.startswith("<b>Vertical rolling disk</b>$$") and "\\begin{aligned}" in shown and "align*" not in shown
    assert "&amp;=" in shown and "%" not in shown


def test_answers_are_text_and_formulas():
    answer = rb.model("quadratic-particle").analyse()
    assert "<pre>" in answer._repr_html_() and "N = 1/sqrt(y^2 + 1)" in answer._repr_html_()
    assert answer._repr_latex_().startswith("$$\\begin{aligned}") and "&amp;" not in answer._repr_latex_()
    assert rb.model("mclachlan-perlmutter").analyse()._repr_latex_() is None  # there is nothing to write down


def test_tables():
    s = rb.model("quadratic-particle")
    shown = s.compare(["dla", "rk4"], step=0.2, time=2)._repr_html_()
    assert shown.count("<tr>") == 3 and "energy error" in shown and "rk4" in shown
    shown = s.converge(["dla"], time=2, count=5)._repr_html_()
    assert shown.count("<table>") == 2 and "expected" in shown


@pytest.mark.skipif(not PAGES, reason="this build has no pages")
def test_runs_are_pages():
    run = rb.model("rolling-disk").run("dla", step=0.1, time=1)
    shown = run._repr_html_()
    inside = html.unescape(re.search(r'<iframe srcdoc="([^"]*)"', shown)[1])
    page = gzip.decompress(base64.b64decode(re.search(r'atob\("([^"]*)"\)', inside)[1])).decode()
    assert page == run.page().content and "</html>" in page and "Vertical rolling disk" in page
    assert len(shown) < len(page)


def test_runs_out_of_files_are_text(tmp_path):
    rb.model("rolling-disk").run("dla", step=0.1, time=1).save(tmp_path / "run.h5")
    assert rb.open(tmp_path / "run.h5")._repr_html_().startswith("<pre>&lt;Trajectory of rolling-disk")


def test_log(caplog):
    with caplog.at_level(logging.INFO, "rattleback"):
        rb.model("rolling-disk").run("dla", step=0.1, time=1)
    assert any(re.fullmatch(r"run took \S+ s", record.message) for record in caplog.records)


def test_events_against_the_closed_form():
    """A ball from 5 m that loses half of its speed: it bounces at t = 1, 2 and 2.5, and is on top between."""
    run = ball().run("dla", step=0.01, time=2.6)
    assert list(run.events) == ["bounce", "top"]
    np.testing.assert_allclose(run.events["bounce"]["time"], [1, 2, 2.5], rtol=1e-9)
    np.testing.assert_allclose(run.events["bounce"]["z'"], [-10, -5, -2.5], rtol=1e-9)
    np.testing.assert_allclose(run.events["top"]["z"], [1.25, 0.3125], rtol=1e-9)
    assert rb.model("rolling-disk").run("dla", step=0.1, time=1).events == {}


def test_expressions_along_a_run():
    s = rb.System("x", "0.5*m*x'^2 - 0.5*k*x^2", parameters={"m": 2, "k": 8}, initial={"q": [1], "v": [0]})
    run = s.run(step=0.1, time=3)
    np.testing.assert_allclose(run.evaluate("x - cos(sqrt(k/m)*t)"), 0, atol=1e-10)
    np.testing.assert_allclose(run.evaluate(s.energy), run.energy, rtol=1e-14)
    assert (run.evaluate("k/m") == 4).all() and len(run.evaluate("k/m")) == len(run)
    with pytest.raises(KeyError, match="there is no column 'y'"):
        run.evaluate("y")


def test_ensembles_whose_start_would_depend_on_what_is_varied():
    """Members share the numbers of the start: they would be those of the first."""
    s = rb.System("x", "0.5*x'^2", parameters={"u": 1, "c": 2}, initial={"q": ["c"], "v": ["u"]})
    with pytest.raises(rb.RequestError, match="depends on u, which is varied: give q0 and v0"):
        s.ensemble("dla", set={"u": [1.0, 2.0]}, step=0.1, time=1)
    given = s.ensemble("dla", set={"u": [1.0, 2.0]}, q0=[[2.0], [2.0]], v0=[[1.0], [2.0]], step=0.1, time=1)
    np.testing.assert_allclose(given.q[:, 0], [3, 4], rtol=1e-13)
