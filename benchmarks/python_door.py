"""What the Python door costs beside the command line and C++, as the table of docs/python.md.

ninja -C build rattleback rattleback_python door_benchmark
PYTHONPATH=build/python python3 benchmarks/python_door.py build

Shortest times of several turns, in which the doors take part one after the other: ratios hold on a machine that has
something else to do, seconds do not.
"""

import json
import resource
import subprocess
import sys
import threading
import time

import numpy as np
import rattleback as rb

BUILD = sys.argv[1]
COMMAND = f"{BUILD}/rattleback"


def row(what, numbers):
    print(f"| {what} | {numbers} |", flush=True)


def cpu(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def wall(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def best(turns, *measures):
    """The least of each, measured in turns."""
    return [min(times) for times in zip(*([m() for m in measures] for _ in range(turns)))]


def in_cpp(what):
    return float(subprocess.run([f"{BUILD}/door_benchmark", what], check=True, capture_output=True, text=True).stdout)


def importing():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import rattleback"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def a_long_run():
    n = 10**6
    words = f"run quadratic-particle -m dla --json --step 0.1 --steps {n}".split()

    def command():
        done = subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)["seconds"]

    def here():
        return rb.model("quadratic-particle").run("dla", step=0.1, steps=n, every=n).document["seconds"]

    ours, theirs = best(20, here, command)
    row("10⁶ steps by `run()`, by the command: the time that each reports", f"{1e3 * ours:.1f} ms, {1e3 * theirs:.1f} ms, ratio {ours / theirs:.3f}")


def one_step():
    n = 10**6
    sim = rb.model("quadratic-particle").stepper("dla", step=0.1)
    many = range(n)

    def advance():
        go = sim.advance
        for _ in many:
            go()

    def step():
        go = sim.step
        for _ in many:
            go()

    plain, quick, usual = best(5, lambda: in_cpp("step"), lambda: cpu(advance) / n, lambda: cpu(step) / n)
    row("one step: in C++, by `advance()`, by `step()`; beyond C++", f"{1e9 * plain:.0f}, {1e9 * quick:.0f}, {1e9 * usual:.0f} ns; {1e9 * (quick - plain):.0f}, {1e9 * (usual - plain):.0f} ns")


def a_batch():
    a = np.linspace(0.2, 1, 4096)
    batch = rb.model("chaplygin-sleigh").batch(4096, "dla", step=0.05)

    def fed():
        for _ in range(1000):
            batch.step(a=a)

    ours, theirs = best(5, lambda: cpu(fed), lambda: in_cpp("batch"))
    row("4096 sleighs, 1000 steps, each with an input for each: `batch.step()`, C++", f"{ours:.3f} s, {theirs:.3f} s, ratio {ours / theirs:.2f}")


def a_fit():
    sleigh = rb.model("chaplygin-sleigh")
    m, b = 1 + np.arange(89) / 100, 0.5 + np.arange(89) / 500
    problem = {"step": 0.05, "time": 10}

    def one_by_one():
        for x, y in zip(m, b):
            sleigh.run("dla", set={"m": x, "a": y}, **problem)

    def at_once():
        sleigh.ensemble("dla", set={"m": m, "a": b}, **problem)

    first = wall(one_by_one)
    runs, theirs, together = best(5, lambda: wall(one_by_one), lambda: in_cpp("fit"), lambda: wall(at_once))
    row("89 runs of 200 steps with other parameters: the first time, and again; in C++; as an ensemble", f"{first:.3f}, {runs:.3f}; {theirs:.3f}; {together:.4f} s")


def two_threads():
    def ensemble():
        starts = {"x": np.linspace(0.5, 1.5, 4000)}
        rb.model("quadratic-particle").ensemble("dla", q0=starts, step=0.1, steps=40_000, threads=1, progress=False)

    def both():
        threads = [threading.Thread(target=ensemble) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    used = []

    def side_by_side():
        begin = time.process_time()
        seconds = wall(both)
        used.append((time.process_time() - begin) / seconds)
        return seconds

    after, beside = best(3, lambda: wall(lambda: [ensemble(), ensemble()]), side_by_side)
    row("two ensembles, of one thread each: one after the other, from two Python threads", f"{after:.2f}, {beside:.2f} s; {max(used):.2f} cores busy")


print("| | |\n|---|---|")
row("`import rattleback`, CPU time", f"{best(5, importing)[0]:.3f} s")
a_fit()  # before anything else is compiled
a_long_run()
one_step()
a_batch()
two_threads()
