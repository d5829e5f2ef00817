"""What goes wrong on purpose: arguments that are none, threads in the way, interpreters that end."""

import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import rattleback as rb


def cart():
    return rb.System("x", "0.5*m*x'^2", forces={"x": "u"}, parameters={"m": 2, "u": 0}, initial={"q": [0], "v": [1]})


def process(code, **more):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, **more)


@pytest.mark.parametrize(
    "kind, match, act",
    [
        (rb.RequestError, "cannot be negative, found -3", lambda: cart().stepper(step=0.1).step(-3)),
        (rb.RequestError, "cannot be negative, found -1", lambda: cart().batch(3, step=0.1).step(-1)),
        (TypeError, "the parameter u cannot be 'much'", lambda: cart().stepper(step=0.1).step(u="much")),
        (TypeError, "the parameter u cannot be", lambda: cart().stepper(step=0.1).step(u=np.zeros(2))),
        (rb.RequestError, "must be finite, found nan", lambda: cart().stepper(step=0.1).set(u=np.nan)),
        (rb.RequestError, "must be finite", lambda: cart().batch(3, step=0.1).set(u=[0, np.inf, 0])),
        (rb.RequestError, r"shape \(2,\), expected a number or 3", lambda: cart().batch(3, step=0.1).set(u=[0, 1])),
        (rb.RequestError, "no member 3", lambda: cart().batch(3, step=0.1).restart(3)),
        (rb.RequestError, "no member -1", lambda: cart().batch(3, step=0.1).restart(-1)),
        (rb.RequestError, "is not finite", lambda: cart().batch(3, step=0.1).restart(1, q=[np.nan])),
        (rb.RequestError, "1 numbers for each of 2", lambda: cart().batch(3, step=0.1).restart([0, 1], q=[1, 2, 3])),
        (rb.RequestError, "`n` must be positive", lambda: cart().batch(0, step=0.1)),
        (rb.OutOfMemory, "smaller `n`", lambda: cart().batch(10**13, step=0.1)),
        (rb.RequestError, "has no entries", lambda: cart().ensemble("dla", set={"u": []}, step=0.1, time=1)),
        (rb.RequestError, "has no rows", lambda: cart().ensemble("dla", q0=np.empty((0, 1)), step=0.1, time=1)),
        (rb.RequestError, "2 columns, expected 1", lambda: cart().ensemble("dla", q0=np.ones((3, 2)), step=0.1, time=1)),
        (rb.RequestError, "`step` must be a finite number, found nan", lambda: cart().run("dla", step=np.nan, time=1)),
        (rb.RequestError, "`steps` must be positive, found -5", lambda: cart().run("dla", step=0.1, steps=-5)),
        (TypeError, "steps cannot be 2.5", lambda: cart().run("dla", step=0.1, steps=2.5)),
        (TypeError, "set cannot be", lambda: cart().run("dla", step=0.1, time=1, set={"u": 1j})),
        (rb.RequestError, "`q0` has 2 entries, expected 1", lambda: cart().run("dla", step=0.1, time=1, q0=[1, 2])),
        (rb.MethodError, "no motion between them", lambda: cart().run("dla", step=0.1, time=1).at(0.5)),
        (rb.RequestError, "no state at t = 2", lambda: cart().run("reference", step=0.1, time=1).at([0.5, 2])),
        (rb.RequestError, "no state at t = nan", lambda: cart().run("reference", step=0.1, time=1).at(np.nan)),
    ],
)
def test_wrong_arguments(kind, match, act):
    with pytest.raises(kind, match=match):
        act()


def test_arrays_of_all_sorts():
    s = rb.model("quadratic-particle")
    want = s.run("dla", step=0.5, time=1, q0=[1, 2, 3], v0=[1, 0, 2]).q
    spread = np.array([1, 9, 2, 9, 3, 9], dtype=np.float32)[::2]  # neither contiguous nor double
    got = s.run("dla", step=np.float32(0.5), time=np.array(1.0), q0=spread, v0=np.array([1, 0, 2]))
    np.testing.assert_array_equal(got.q, want)
    batch = cart().batch(4, step=0.1)
    u = np.arange(8, dtype=np.int16)[::-2]
    batch.step(10, u=u)
    np.testing.assert_allclose(batch.v[:, 0], 1 + u / 2, rtol=1e-13)


# After a failure.


def test_a_state_that_cannot_be_restored_changes_nothing():
    sim = cart().stepper("dla", step=0.1)
    sim.step(3, u=1)
    saved, q = sim.state, sim.q[0]
    for bad in ([], [1.0], saved[:-1], saved + [0.0], [np.nan] * len(saved), [*saved[:-3], np.nan, *saved[-2:]],
                [*saved[:-3], 1e300, *saved[-2:]]):  # fmt: skip
        with pytest.raises(rb.Error):
            sim.state = bad
        assert sim.q[0] == q and sim.steps == 3 and sim.parameters == {"m": 2, "u": 1} and sim.state == saved
    sim.step()


def test_a_stepper_that_failed_can_go_back():
    s = rb.System("x", "0.5*x'^2 + x^4", initial={"q": [1], "v": [1]})
    sim = s.stepper("dla", step=0.2)
    start = sim.state
    with pytest.raises(rb.NumericalError):
        sim.step(1000)
    stuck = sim.q[0]
    with pytest.raises(rb.NumericalError):
        sim.step()
    assert sim.q[0] == stuck and np.isfinite(stuck)
    sim.state = start
    sim.step(2)
    assert sim.steps == 2


def test_a_member_that_cannot_start_stays():
    s = rb.System("x y", "0.5*(x'^2 + y'^2) - sqrt(x)", constraints=["y' - x*y*x'"], initial={"q": [1, 0], "v": [0, 0]})
    batch = s.batch(9, "dla", step=0.01)
    batch.step(3)
    before = batch.q.copy()
    with pytest.raises(rb.StartError, match="outside the domain"):
        batch.restart(2, q=[-1.0, 0.0], v=[0, 0])
    with pytest.raises(rb.InconsistentStart):
        batch.restart(2, q=[1.0, 0.0], v=[1, 5])
    np.testing.assert_array_equal(batch.q, before)
    twin = s.batch(9, "dla", step=0.01)
    twin.step(13)
    batch.step(10)
    np.testing.assert_array_equal(batch.q, twin.q)


# Memory and threads.


def test_views_outlive_what_they_show():
    def views():
        sim, batch, run = cart().stepper(step=0.1), cart().batch(100, step=0.1), cart().run("dla", step=0.1, time=10)
        sim.step(u=1)
        batch.step(u=1)
        ensemble = cart().ensemble("dla", set={"u": np.ones(50)}, step=0.1, time=1)
        return sim.q, batch.q, run["x"], ensemble.q, run.q

    kept = views()
    sums = [float(v.sum()) for v in kept]
    gc.collect()
    rubbish = [np.full(10_000, 7.0) for _ in range(200)]
    assert [float(v.sum()) for v in kept] == sums and rubbish
    for view in kept:
        with pytest.raises(ValueError):
            view[0] = 1


@pytest.mark.parametrize("make", [lambda: cart().stepper(step=1e-6), lambda: cart().batch(64, step=1e-6)])
def test_two_threads_cannot_lead_one_trajectory(make):
    sim = make()
    stop = threading.Event()
    refused = []

    def lead():
        while not stop.is_set():
            sim.step(200_000)

    thread = threading.Thread(target=lead)
    thread.start()
    limit = time.monotonic() + 30
    while not refused and time.monotonic() < limit:
        try:
            sim.set(u=0.0)
        except rb.RequestError as error:
            refused.append(str(error))
    stop.set()
    thread.join()
    assert refused and "another thread is stepping" in refused[0]
    sim.step()


def test_ctrl_c_ends_steps_of_a_batch():
    batch = cart().batch(1000, step=1e-9)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        batch.step(2**40)
    assert 0 < batch.steps < 2**40
    assert len(np.unique(batch.q)) == 1  # all have taken the same steps


@pytest.mark.parametrize(
    "work",
    [
        "s.run('dla', step=1e-9, steps=2**40, every=2**30)",
        "s.stepper('dla', step=1e-9).step(2**40)",
        "s.batch(64, 'dla', step=1e-9).step(2**40)",
        "s.ensemble('dla', q0={'x': [0.1*i for i in range(64)]}, step=1e-9, steps=2**40)",
    ],
)
def test_the_interpreter_may_end_meanwhile(work):
    code = f"""
import rattleback as rb, threading, time
s = rb.model("quadratic-particle")
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.5)
"""
    ended = process(code)
    assert ended.returncode == 0 and "terminate" not in ended.stderr and "Fatal" not in ended.stderr, ended.stderr


def in_child(queue):
    queue.put(cart().run("dla", step=0.1, time=1, set={"u": 3}).q[-1, 0])


def test_fork():
    here = cart().run("dla", step=0.1, time=1, set={"u": 3}).q[-1, 0]  # the compiler is loaded
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == here
    child.join()


def test_two_threads_have_the_bits_of_one():
    s = rb.model("chaplygin-sleigh")
    values = [1 + 0.1 * i for i in range(8)]

    def end(m):
        return s.run("dla", step=0.05, time=5, set={"m": m}).q[-1]

    alone = [end(m) for m in values]
    together = [None] * len(values)

    def work(first):
        for i in range(first, len(values), 2):
            together[i] = end(values[i])

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_array_equal(together, alone)


# Copies.


def test_answers_are_pickled_without_their_machinery(tmp_path):
    s = rb.model("chaplygin-sleigh")
    run = s.run("reference", step=0.5, time=2)
    again = pickle.loads(pickle.dumps(run))
    assert again.keys() == run.keys() and again.document == run.document and again.method == "reference"
    np.testing.assert_array_equal(again.q, run.q)
    with pytest.raises(rb.RequestError, match="not of a copy"):
        again.save(tmp_path / "x.h5")
    for answer in (s.show(), s.converge(["dla"], time=1, count=4), s.compare(["dla", "rk4"], step=0.1, time=1),
                   s.ensemble("dla", set={"a": [0.2, 0.3]}, step=0.1, time=1)):  # fmt: skip
        copied = copy.deepcopy(answer)
        assert copied.text == answer.text and copied.document == answer.document and type(copied) is type(answer)
    np.testing.assert_array_equal(copied.q, answer.q)


def test_an_opened_run_replaces_nothing(tmp_path):
    cart().run("dla", step=0.1, time=1).save(tmp_path / "run.h5")
    opened = rb.open(tmp_path / "run.h5")
    (tmp_path / "other.h5").write_text("mine")
    with pytest.raises(rb.RequestError, match="`force` replaces it"):
        opened.save(tmp_path / "other.h5")
    assert (tmp_path / "other.h5").read_text() == "mine"
    opened.save(tmp_path / "other.h5", force=True)
    assert (rb.open(tmp_path / "other.h5").q == opened.q).all()


# The motion between nodes.


def test_motion_between_nodes_against_the_closed_form():
    s = rb.System("x", "0.5*x'^2 - 0.5*x^2", initial={"q": [1], "v": [0]})
    run = s.run("reference", step=1, time=10)
    times = np.array([9.99, 0.123, 5.0, 0.0, 10.0, 3.21, 3.21])
    between = run.at(times)
    np.testing.assert_array_equal(between.t, times)
    np.testing.assert_allclose(between["x"], np.cos(times), atol=1e-13)
    np.testing.assert_allclose(between.v["x"], -np.sin(times), atol=1e-13)
    np.testing.assert_allclose(between.energy, 0.5, atol=1e-13)
    np.testing.assert_array_equal(run.at(run.t).q, run.q)
    late = s.run("reference", step=1, time=3, t0=2)
    assert late.at(2.5)["x"][0] == pytest.approx(np.cos(0.5), abs=1e-13)
    impact = rb.System("x", "0.5*x'^2 - x", initial={"q": [1], "v": [0]},
                       events={"ground": {"when": "x", "direction": "falling", "set": {"v": {"x": "-0.5*x'"}}}})  # fmt: skip
    with pytest.raises(rb.MethodError, match="the event ground changes velocities"):
        impact.run("reference", step=0.1, time=2).at(1.0)


def test_logging(caplog):
    with caplog.at_level("DEBUG", logger="rattleback"):
        cart().run("dla", step=0.1, time=1)
    assert any(r.name == "rattleback" and r.getMessage().startswith("run took ") for r in caplog.records)
