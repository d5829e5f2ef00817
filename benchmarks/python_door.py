"""What the Python door costs, in CPU time.   PYTHONPATH=build/python python3 benchmarks/python_door.py build/rattleback"""

import resource
import subprocess
import sys
import time
import timeit

import numpy as np
import rattleback as rb


def cpu(call, repeat=3):
    """The least CPU time of a few calls."""
    best = float("inf")
    for _ in range(repeat):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def each(call, number):
    return 1e9 * min(timeit.repeat(call, number=number, repeat=5, timer=time.process_time)) / number


def command(*words):
    """CPU time of a process."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


print(f"import: {command(sys.executable, '-c', 'import rattleback'):.3f} s")

N = 10**6
particle = rb.model("quadratic-particle")
few = {"step": 0.1, "steps": N, "every": N}
particle.run("dla", **few)
line = [sys.argv[1], "run", "quadratic-particle", "-m", "dla", "--quiet", "--step", "0.1", "--steps", str(N), "--every", str(N)]
print(f"10^6 steps: run() {cpu(lambda: particle.run('dla', **few)):.4f} s, the command {command(*line):.4f} s")

sim = particle.stepper("dla", step=0.1)
inside = cpu(lambda: sim.step(N)) / N * 1e9
print(f"a step: {inside:.0f} ns, by advance() {each(sim.advance, N):.0f} ns, by step() {each(sim.step, N):.0f} ns")

sleigh = rb.model("chaplygin-sleigh")
a = np.linspace(0.2, 1, 4096)
batch = sleigh.batch(4096, "dla", step=0.05)
batch.step(10, a=a)
together = cpu(lambda: batch.step(1000))
led = cpu(lambda: [batch._batch.step(1) for _ in range(1000)])
fed = cpu(lambda: [batch.step(a=a) for _ in range(1000)])
print(f"4096 sleighs, 1000 steps: {together:.3f} s in one call, {led:.3f} s in 1000, {fed:.3f} s with inputs for each")

m, b = 1 + np.arange(89) / 100, 0.5 + np.arange(89) / 500
problem = {"step": 0.05, "time": 10}
one_by_one = cpu(lambda: [sleigh.run("dla", set={"m": x, "a": y}, **problem) for x, y in zip(m, b)])
at_once = cpu(lambda: sleigh.ensemble("dla", set={"m": m, "a": b}, **problem))
print(f"89 runs with other parameters: {one_by_one:.3f} s one by one, {at_once:.4f} s as an ensemble")
