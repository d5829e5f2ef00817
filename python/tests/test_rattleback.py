"""What the Python door promises: the library's numbers, its messages, and manners of Python."""

import copy
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import rattleback as rb

COMMAND = os.environ.get("RATTLEBACK_COMMAND")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def particle(**more):
    return rb.System(
        coordinates="x y z", lagrangian="0.5*(x'^2 + y'^2 + z'^2) - k*(x^2 + y^2)", constraints=["z' - y*x'"],
        parameters={"k": 1}, initial={"q": [1, 0, 0], "v": [0, 1, 0]}, **more,
    )  # fmt: skip


def pushed():
    """A free particle with a force that a controller chooses."""
    return rb.System(
        coordinates="x", lagrangian="0.5*m*x'^2", forces={"x": "u"}, parameters={"m": 2, "u": 0},
        initial={"q": [0], "v": [0]},
    )  # fmt: skip


# The same bits as the command line: whole files are compared.
RUNS = [
    ("quadratic-particle", "dla:order=6", {"step": 0.1, "time": 20}, []),
    ("quadratic-particle", "dla:project=energy", {"step": 0.1, "steps": 50}, []),
    ("quadratic-particle", "hdel", {"step": 0.1, "time": 5}, []),
    ("knife-edge-incline", "pthdel:through", {"time": 3}, ["midpoint-energy"]),
    ("snakeboard", "dla:trapezoidal", {"step": 0.05, "time": 5}, ["momentum-equation"]),
    ("rattleback", "dla:order=4", {"step": 0.002, "time": 0.2, "set": {"spin": 5.0}}, []),
    ("chaplygin-sleigh", "reference", {"time": 5, "set": {"m": 1.5}}, []),
    ("chaplygin-sleigh", "gni", {"step": 0.05, "time": 5, "every": 7}, []),
    ("rolling-disk", "rk4", {"step": 0.05, "time": 5, "q0": [0.1, 0.2, 0.3, 0.4], "v0": {"theta": 1.0, "phi": 0.5}}, []),
    ("differential-drive", "dla", {"time": 2, "t0": 0.5, "inputs": {"steer": "0.02*sin(2*t)"}}, []),
    ("differential-drive", "gni", {"time": 2, "inputs": {"steer": "steer.csv"}}, []),
    ("cart-pendulum", "dla:order=4", {"step": 0.01, "time": 1}, []),
    ("bouncing-ball", "dla", {"step": 0.03, "time": 3}, []),
    ("bouncing-ball", "reference", {"step": 0.03, "time": 3}, []),
    ("quadratic-particle", "dla", {"step": 0.1, "time": 20, "stop_when": "x + 0.5"}, []),
]


def words_of(model, method, arguments, observed):
    words = ["run", model, "-m", method, "--quiet"]
    for name, value in arguments.items():
        if name in ("set", "inputs"):
            for key, item in value.items():
                words += ["--input" if name == "inputs" else "--set", f"{key}={item}"]
        elif isinstance(value, dict):
            words += [f"--{name}", ",".join(f"{key}={item!r}" for key, item in value.items())]
        elif isinstance(value, list):
            words += [f"--{name}", ",".join(map(repr, value))]
        else:
            words += [f"--{name.replace('_', '-')}", value if isinstance(value, str) else repr(value)]
    return words + (["--observe", ",".join(observed)] if observed else [])


@pytest.mark.skipif(COMMAND is None, reason="RATTLEBACK_COMMAND is not set")
@pytest.mark.parametrize("model, method, arguments, observed", RUNS)
@pytest.mark.filterwarnings("ignore::rattleback.Note")
def test_same_bytes_as_the_command(folder, model, method, arguments, observed):
    (folder / "steer.csv").write_text("time,steer\n0,0\n1,0.02\n2,-0.01\n3,0\n")
    subprocess.run([COMMAND, *words_of(model, method, arguments, observed), "-o", "command.h5"], check=True)
    run = rb.model(model).run(method, observe=observed, **arguments)
    run.save("python.h5")
    assert (folder / "python.h5").read_bytes() == (folder / "command.h5").read_bytes()
    assert sorted(os.listdir()) == ["command.h5", "python.h5", "steer.csv"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.Note)  # a table is not in the file
        opened = rb.open("command.h5")
    assert set(opened.keys()) == set(run.keys())
    for name in run.keys():
        np.testing.assert_array_equal(opened[name], run[name])
    assert opened.method == method and opened.system.parameters == run.system.replace(arguments.get("set")).parameters


@pytest.mark.skipif(COMMAND is None, reason="RATTLEBACK_COMMAND is not set")
def test_what_is_kept_from_run_to_run_changes_no_bits(folder):
    """Numbers so different that other pivots are chosen, in one process; each command derives everything anew."""
    s = rb.model("chaplygin-sleigh")
    cases = [(m, a, method) for m, a in ((1, 0.3), (1.5, 0.3), (1e-3, 20), (1e3, 1e-4)) for method in ("dla", "gni")]
    for _ in range(2):
        ends = [s.run(method, step=0.01, steps=20, set={"m": m, "a": a}).q[-1] for m, a, method in cases]
    for (m, a, method), end in zip(cases, ends):
        numbers = ["--set", f"m={m!r}", "--set", f"a={a!r}", "--step", "0.01", "--steps", "20"]
        subprocess.run([COMMAND, "run", "chaplygin-sleigh", "-m", method, *numbers, "-o", "c.h5", "--quiet"], check=True)
        np.testing.assert_array_equal(rb.open("c.h5").q[-1], end)


@pytest.mark.skipif(COMMAND is None, reason="RATTLEBACK_COMMAND is not set")
def test_an_ensemble_has_the_bytes_of_the_command(folder):
    (folder / "few.toml").write_text(
        'model = "chaplygin-sleigh"\nmethod = "dla:order=4"\nstep = 0.05\ntime = 2\n\n'
        '[[vary]]\nof = "a"\nfrom = 0.2\nto = 0.8\ncount = 21\n'
    )
    subprocess.run([COMMAND, "ensemble", "few.toml", "-o", "command.h5", "--quiet"], check=True)
    rb.ensemble("few.toml", output="python.h5", lanes=4, threads=2)
    assert (folder / "python.h5").read_bytes() == (folder / "command.h5").read_bytes()


@pytest.mark.skipif(COMMAND is None, reason="RATTLEBACK_COMMAND is not set")
@pytest.mark.parametrize("method", ["dla:order=4", "reference"])
def test_a_run_that_is_resumed_has_the_numbers_of_the_command(folder, method):
    s, words = rb.model("rolling-disk"), ["run", "rolling-disk", "-m", method, "--quiet", "--step", "0.05", "--every", "100"]

    def stop(what, step, steps, seconds):
        if step > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        s.run(method, step=0.05, steps=2**40, every=100, output="python.h5", progress=stop)
    steps = 100 * (caught.value.answer.document["steps"] // 100 + 5)
    with pytest.warns(rb.Note, match="resumed at step"):
        s.run(method, step=0.05, steps=steps, every=100, output="python.h5", resume=True)
    subprocess.run([COMMAND, *words, "--steps", str(steps), "-o", "command.h5"], check=True)
    whole, resumed = rb.open("command.h5"), rb.open("python.h5")
    for name in whole.keys():
        np.testing.assert_array_equal(resumed[name], whole[name])


# Systems.


def test_system_by_expressions_is_the_one_by_text():
    x, y, z = rb.coordinates("x y z")
    k = rb.symbols("k")
    s = rb.System(
        coordinates=[x, y, z], lagrangian=(x.dot**2 + y.dot**2 + z.dot**2) / 2 - k * (x**2 + y**2),
        constraints=[z.dot - y * x.dot], parameters={k: 1}, initial={"q": np.array([1, 0, 0]), "v": [0, 1, 0]},
    )  # fmt: skip
    arguments = {"method": "dla", "step": 0.1, "time": 2}
    np.testing.assert_array_equal(s.run(**arguments).q, particle().run(**arguments).q)


def test_vectors_of_a_system():
    x, y = rb.coordinates("x y")
    r = rb.vector([x, y])
    s = rb.System([x, y], r.dot @ r.dot / 2 - 9.81 * y, holonomic=[r @ r - 1], initial={"q": [0, -1], "v": [1, 0]})
    run = s.run("dla", step=0.01, time=1)
    np.testing.assert_allclose(run["x"] ** 2 + run["y"] ** 2, 1, atol=1e-12)


def test_forces_that_contain_multipliers():
    rub = "-2*mu*abs(wire)/sqrt(x'^2 + y'^2)"
    s = rb.System(
        "x y", "0.5*(x'^2 + y'^2) - y", holonomic=[{"wire": "x^2 + y^2 - 1"}], parameters={"mu": 0.2},
        forces={"x": rub + "*x'", "y": rub + "*y'"}, initial={"q": [0, -1], "v": [3, 0]},
    )  # fmt: skip
    assert "abs(wire)" in str(s.forces[0])
    run = s.run("reference", step=0.01, time=0.6)
    angle = np.arctan2(run.q[-1, 0], -run.q[-1, 1])

    def part(a):  # the square of the speed is C exp(-2 mu a) + part(a)
        return (1.84 * np.cos(a) - 1.2 * np.sin(a)) / 1.16

    speed = (9 - part(0)) * np.exp(-0.4 * angle) + part(angle)
    np.testing.assert_allclose(np.sum(run.v[-1] ** 2), speed, rtol=1e-9)


def test_load_and_replace(folder):
    (folder / "mine.toml").write_text(particle().text)
    s = rb.load("mine.toml", set={"k": 2})
    assert s.parameters == {"k": 2.0} and s.replace({"k": 3}).parameters == {"k": 3.0}
    direct = particle().run("dla", step=0.1, time=1, set={"k": 2})
    np.testing.assert_array_equal(s.run("dla", step=0.1, time=1).q, direct.q)


def test_pickled_by_source():
    s = particle().replace({"k": 2})
    again = pickle.loads(pickle.dumps(s))
    assert again.text == s.text and again.parameters == s.parameters
    assert copy.deepcopy(s).lagrangian == s.lagrangian
    x = rb.coordinates("x")
    assert pickle.loads(pickle.dumps(rb.sin(x.dot))) == rb.sin(x.dot)


# Expressions.


def test_derivatives_against_closed_forms():
    x, y = rb.symbols("x y")
    assert (x**3 * y).diff(x, 2) == 6 * x * y
    point = {x: 0.3, "y": 0.7}
    assert rb.atan2(y, x).diff(x).evaluate(point) == pytest.approx(-0.7 / (0.3**2 + 0.7**2), rel=1e-14)
    assert (x + 2 * y).substitute({x: y, y: x}) == y + 2 * x
    assert np.float64(2) * x == x * 2 and (1 / x).evaluate({x: 4}) == 0.25
    with pytest.raises(rb.RequestError, match="no value for y"):
        (x + y).evaluate({x: 1})
    with pytest.raises(TypeError):
        x + "text"


def test_sympy_and_back():
    sympy = pytest.importorskip("sympy")
    x, y = rb.symbols("x y")
    e = (rb.sin(x) ** 2 / (1 + rb.exp(-y)) + rb.sqrt(x**2 + y) * rb.atan2(y, x) - x**0.3) * 2.5
    s = rb.to_sympy(e)
    point = {"x": 0.37, "y": 1.9}
    assert float(s.subs(point)) == pytest.approx(e.evaluate(point), rel=1e-14)
    assert rb.from_sympy(s).evaluate(point) == pytest.approx(e.evaluate(point), rel=1e-14)
    with pytest.raises(rb.ExpressionError, match="no counterpart"):
        rb.from_sympy(sympy.gamma(sympy.Symbol("x")))


# Runs.


def test_columns_are_views():
    run = rb.model("rolling-disk").run("dla", step=0.1, time=1)
    assert run["theta"].base is not None and not run["theta"].flags.owndata and not run["theta"].flags.writeable
    assert run.q.shape == (11, 4) and run.multipliers.shape == (11, 2) and run.q.names == ["x", "y", "theta", "phi"]
    np.testing.assert_array_equal(run.p["theta"], run["p_theta"])
    assert type(run.q[0]) is np.ndarray and type(run.q + 1) is np.ndarray
    with pytest.raises(KeyError, match="there are x, y, theta, phi"):
        run.q["thta"]


def test_table(folder):
    pandas = pytest.importorskip("pandas")
    frame = particle().run("dla", step=0.1, time=1).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and frame["x"].iloc[0] == 1


def test_failed_run_keeps_what_it_has():
    s = rb.System("x", "0.5*x'^2 + x^4", initial={"q": [1], "v": [1]})
    with pytest.warns(rb.Failure, match="the run failed in step"):
        run = s.run("dla", step=0.2, time=100)
    assert run.outcome == "failed" and run.failure and 2 < len(run) < 500 and np.isfinite(run.q).all()


def test_notes_are_warnings():
    with pytest.warns(rb.Note, match="not a multiple of the step") as caught:
        particle().run("dla", step=0.3, time=1)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "kind, match, act",
    [
        (rb.ModelError, "did you mean 'rattleback'", lambda: rb.model("ratleback")),
        (rb.ModelError, "system.toml:2:.*unknown name 'z'", lambda: rb.System("x", "x'^2 - z")),
        (rb.MethodError, "dlaa", lambda: particle().run("dlaa", step=1, time=1)),
        (rb.RequestError, "`step` must be positive, found -1", lambda: particle().run(step=-1, time=1)),
        (rb.RequestError, "`steps` and `time` say the same", lambda: particle().run(step=1, steps=1, time=1)),
        (rb.InconsistentStart, "`project`", lambda: particle().run(step=1, time=1, v0=[0, 1, 1])),
        (rb.ModelError, "no parameter 'kk'", lambda: particle().run(step=1, time=1, set={"kk": 1})),
        (rb.FileError, "is not the result of a run", lambda: rb.open(__file__)),
        (rb.FileError, "there is no file", lambda: rb.open("nowhere.h5")),
        (rb.ParseError, "expression:1:3", lambda: rb.parse("x+*y")),
        (TypeError, "did you mean 'steps'", lambda: particle().run(stps=1)),
        (TypeError, "step cannot be 'a'", lambda: particle().run(step="a", time=1)),
        (rb.RequestError, "drop `time`", lambda: particle().stepper(step=1, time=1)),
        (rb.RequestError, "a request needs|has no parameter", lambda: pushed().stepper(step=1).set(w=1)),
    ],
)
def test_errors_have_the_words_of_the_library(kind, match, act):
    with pytest.raises(kind, match=match) as caught:
        act()
    assert not issubclass(kind, rb.Error) or isinstance(caught.value, rb.Error)


def test_saving_replaces_only_results(folder):
    run = particle().run("dla", step=0.1, time=1)
    (folder / "other.h5").write_text("mine")
    with pytest.raises(rb.Error, match="`force`"):
        run.save("other.h5")
    run.save("other.h5", force=True)
    assert rb.open("other.h5")["x"][0] == 1
    with pytest.raises(rb.RequestError, match=".csv"):
        run.save("other.txt")


def test_page(folder):
    if not os.path.exists(os.path.join(os.path.dirname(rb.__file__), "report.html")):
        pytest.skip("this build has no pages")
    particle().run("dla", step=0.1, time=1).report("run.html")
    assert "dla" in (folder / "run.html").read_text()


# Other questions.


def test_answers():
    s = rb.model("quadratic-particle")
    converged = s.converge(["dla", "rk4"], time=2, count=5)
    assert converged.orders["dla"] == pytest.approx(2, abs=0.1) and converged.orders["rk4"] == pytest.approx(4, abs=0.2)
    assert "N = 1/sqrt(y^2 + 1)" in s.analyse().text and "\\" in s.show().latex
    no = s.analyse(lagrangian="0.5*x'^2")
    assert not no and no.complaint
    modified = rb.model("free-particle").modified("conformal:M", order=2, formulas=True)
    assert "formulas" in modified.document
    assert s.compare(["dla", "rk4"], step=0.2, time=2)["rk4"].q.shape == (11, 3)


def test_ensemble_of_a_file(folder):
    (folder / "few.toml").write_text(
        'model = "quadratic-particle"\nmethod = "dla"\nstep = 0.1\ntime = 2\n\n'
        '[[vary]]\nof = "x"\nfrom = 0.5\nto = 1.5\ncount = 9\n'
    )
    answer = rb.ensemble("few.toml", threads=2)
    assert answer and os.path.exists("few.h5")


# Controllers.


def test_stepper_has_the_bits_of_a_run():
    s = rb.model("rattleback")
    sim = s.stepper("dla:order=4", step=0.002)
    run = s.run("dla:order=4", step=0.002, steps=20)
    for i in range(1, 21):
        sim.step()
        np.testing.assert_array_equal(sim.q, run.q[i])
        np.testing.assert_array_equal(sim.v, run.v[i])
    assert sim.t == run.t[-1]


def test_controlled_particle_against_the_closed_form():
    sim = pushed().stepper("dla", step=0.1)
    sim.step(10, u=3)  # 1 s with a = 1.5, then 1 s with a = -1.5
    assert sim.v[0] == pytest.approx(1.5, rel=1e-13) and sim.q[0] == pytest.approx(0.75, rel=1e-13)
    sim.step(10, inputs={"u": -3})
    assert sim.v[0] == pytest.approx(0, abs=1e-13) and sim.q[0] == pytest.approx(1.5, rel=1e-13)
    assert sim.parameters["u"] == -3
    sim.set(m=4, u=0)  # the momentum stays
    sim.step()
    assert sim.v[0] == pytest.approx(0, abs=1e-13)


def test_parameters_that_follow_and_those_that_cannot_change():
    s = rb.System(
        coordinates="x", lagrangian="0.5*J*x'^2", parameters={"m": 2, "J": "3*m", "n": 2},
        initial={"q": [0], "v": [1]}, forces={"x": "sum(i = 1..n, 0.5*i)"},
    )  # fmt: skip
    sim = s.stepper("dla", step=0.1)
    sim.set(m=4)
    assert sim.parameters["J"] == 12 and sim.v[0] == pytest.approx(0.5)
    sim.set(m=2)
    assert sim.parameters["J"] == 6 and sim.v[0] == pytest.approx(1)
    with pytest.raises(rb.RequestError, match="decides about the shape"):
        sim.set(n=3)
    with pytest.raises(rb.MethodError, match="cannot take other values"):
        s.stepper("reference", step=0.1).set(m=3)


def test_stepper_goes_back_and_is_copied():
    sim = pushed().stepper("dla", step=0.1)
    sim.step(5, u=1)
    there, saved = sim.q[0], sim.state
    other = pickle.loads(pickle.dumps(sim))
    sim.step(5, u=-7)
    sim.state = saved
    assert sim.q[0] == there and sim.steps == 5 and sim.parameters["u"] == 1
    sim.step(3)
    other.step(3)
    twin = sim.copy()
    assert twin.q[0] == sim.q[0] == other.q[0]


def test_batch_is_made_of_steppers():
    s = rb.model("chaplygin-sleigh")
    batch = s.batch(11, "dla", step=0.05)
    a = np.linspace(0.2, 1, 11)
    batch.set(a=a)
    batch.step(40)
    for i in (0, 7, 10):
        sim = s.stepper("dla", step=0.05)
        sim.step(40, a=a[i])
        np.testing.assert_allclose(batch.q[i], sim.q, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(batch.v[i], sim.v, rtol=1e-11, atol=1e-11)


def test_controlled_batch_against_the_closed_form():
    batch = pushed().batch(13, "dla", step=0.1)
    u = np.arange(13.0)
    batch.step(10, u=u)
    np.testing.assert_allclose(batch.v[:, 0], u / 2, rtol=1e-13)
    np.testing.assert_allclose(batch.q[:, 0], u / 4, rtol=1e-13)
    batch.restart(12, q=[5.0], v=[1.0])
    batch.step(10, inputs={"u": 0})
    np.testing.assert_allclose(batch.q[:12, 0], 3 * u[:12] / 4, rtol=1e-13)
    assert batch.q[12, 0] == pytest.approx(6, rel=1e-13)
    with pytest.raises(rb.RequestError, match="no parameter 'w'"):
        batch.set(w=1)
    with pytest.raises(rb.MethodError, match="cannot step in lanes"):
        pushed().batch(2, "reference", step=0.1)


def test_members_of_a_batch_fail_alone():
    s = rb.System("x", "0.5*x'^2 + c*x^4", parameters={"c": 0}, initial={"q": [1], "v": [1]})
    batch = s.batch(9, "dla", step=0.2)
    batch.set(c=np.where(np.arange(9) == 4, 1.0, 0.0))
    batch.step(50)
    assert [bool(f) for f in batch.failures] == [i == 4 for i in range(9)]
    np.testing.assert_allclose(np.delete(batch.q[:, 0], 4), 11, rtol=1e-12)
    assert np.isfinite(batch.q[4]).all()
    batch.restart(4)
    assert not batch.failures[4] and batch.q[4, 0] == 1


# Manners.


def test_importing_is_light():
    code = "import rattleback, sys; assert 'numpy' not in sys.modules; assert 'LLVM' not in open('/proc/self/maps').read() and 'jit' not in open('/proc/self/maps').read()"
    subprocess.run([sys.executable, "-c", code], check=True)


class CtrlC:
    """A progress function: the signal comes soon after the work has begun to move, whatever else the machine does."""

    sent = 0.0

    def __call__(self, what, step, steps, seconds):
        if step > 0 and not self.sent:
            self.sent = math.inf
            threading.Timer(0.05, self.send).start()

    def send(self):
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def was_prompt(self):
        """A second is promised of a machine that has nothing else to do."""
        return time.monotonic() - self.sent < 5


def test_ctrl_c_ends_a_run_with_what_is_finished():
    ctrl_c = CtrlC()
    with pytest.raises(KeyboardInterrupt) as caught:
        particle().run("dla", step=0.01, steps=2**40, every=10000, progress=ctrl_c)
    assert ctrl_c.was_prompt()
    run = caught.value.answer
    assert run.outcome == "interrupted" and len(run) > 1


def test_ctrl_c_ends_steps():
    sim = particle().stepper("dla", step=0.01)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(2**40)
    assert sim.steps > 0


def test_progress_and_its_exceptions():
    seen = []

    def watch(what, step, steps, seconds):
        seen.append((step, steps))
        if len(seen) == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        particle().run("dla", step=0.01, steps=2**40, every=100000, progress=watch)
    assert seen[0][1] == 2**40 and caught.value.answer.outcome == "interrupted"


def test_other_threads_run_meanwhile():
    done = threading.Event()

    def work():
        particle().run("dla", step=0.01, steps=100_000_000, every=100_000_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    count = 0
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


def test_representations():
    s = particle()
    assert "3" in repr(s.run("dla", step=0.5, time=1)) and "$$" in s._repr_html_()
    assert rb.coordinates("theta")._repr_latex_() == "$\\theta$"
    assert math.isclose(rb.pi, math.pi) and rb.__version__


# Ensembles of arrays.


def test_ensemble_is_made_of_runs():
    s = rb.model("chaplygin-sleigh")
    a = np.linspace(0.2, 1, 11)
    few = s.ensemble("dla", set={"a": a, "m": 1.5}, step=0.05, time=4, times=[2, 4], threads=2)
    for i in (0, 5, 10):
        run = s.run("dla", set={"a": a[i], "m": 1.5}, step=0.05, time=4)
        np.testing.assert_allclose(few.q[i], run.q[-1], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(few.at["v"][i, 0], run.v[40], rtol=1e-11, atol=1e-11)
    again = s.ensemble("dla", set={"a": a, "m": 1.5}, step=0.05, time=4, lanes=1, threads=1)
    np.testing.assert_array_equal(again.q, few.q)


def test_ensemble_against_the_closed_form():
    s = rb.System("x", "0.5*x'^2 - 0.5*w^2*x^2", parameters={"w": 1})
    rng = np.random.default_rng(1)
    q0, v0, w = rng.normal(size=(20, 1)), rng.normal(size=20), rng.uniform(1, 2, 20)
    e = s.ensemble("dla:order=6", q0=q0, v0={"x": v0}, set={"w": w}, step=0.05, time=3)
    exact = q0[:, 0] * np.cos(3 * w) + v0 / w * np.sin(3 * w)
    np.testing.assert_allclose(e.q[:, 0], exact, atol=1e-7)


def test_members_that_fail_say_why():
    e = particle().ensemble("dla", v0={"x": np.array([0.0, 1.0]), "z": [0.0, 1.0]}, step=0.1, time=1)
    assert e.failed == 1 and not e.failures[0] and "constraints" in e.failures[1] and np.isnan(e.q[1]).all()
    with pytest.raises(rb.RequestError, match="an entry for each member"):
        particle().ensemble("dla", v0={"x": [1, 2], "z": [1, 2, 3]}, step=0.1, time=1)
    with pytest.raises(rb.RequestError, match="nothing is varied"):
        particle().ensemble("dla", step=0.1, time=1)


def test_ctrl_c_ends_an_ensemble_with_what_is_finished():
    ctrl_c = CtrlC()
    with pytest.raises(KeyboardInterrupt) as caught:
        particle().ensemble("dla", q0={"x": np.linspace(0.5, 1.5, 2_000_000)}, step=0.1, steps=10_000, progress=ctrl_c)
    assert ctrl_c.was_prompt()
    e = caught.value.answer
    assert e["interrupted"] and 0 < e["done"] < 2_000_000 and np.isfinite(e.q).all(axis=1).sum() == e["done"] - e.failed


def test_events_are_kept_in_files(tmp_path):
    run = rb.model("bouncing-ball").run("dla", step=0.01, time=2)
    run.save(tmp_path / "run.h5")
    again = rb.open(tmp_path / "run.h5")
    assert len(run.events["bounce"]["time"]) > 1
    for name in ("time", "z", "z'"):
        np.testing.assert_array_equal(again.events["bounce"][name], run.events["bounce"][name])
    assert again.document["events"]["counts"] == run.document["events"]["counts"]
