"""heyoka (https://bluescarni.github.io/heyoka.py) as a competitor of `rattleback bench`.

The benchmark starts this program and asks it, one line of JSON for each question and one for each answer: to integrate
a problem with a tolerance, to time that, or to watch the energy. heyoka integrates ordinary differential equations, so
each problem has right-hand sides written by hand, in the variables in which heyoka was found to be fastest. Starts and
ends are positions and velocities of our models; what lies between is heyoka's alone.
"""

import json
import math
import sys
import time

import heyoka as hy
import numpy as np


class Particle:
    """L = (x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2), z' = y x'. With u = x' sqrt(1 + y^2): u' = -2x/sqrt(1 + y^2)."""

    def __init__(self, size, parameters):
        x, y, z, u, vy = hy.make_vars("x", "y", "z", "u", "vy")
        inverse = (1.0 + y**2) ** -0.5
        dx = u * inverse
        self.equations = [(x, dx), (y, vy), (z, y * dx), (u, -2.0 * x * inverse), (vy, -2.0 * y)]
        self.compact = False

    def state(self, q, v):
        return [*q, v[0] * math.sqrt(1.0 + q[1] ** 2), v[1]]

    def position(self, s):
        return list(s[:3])

    def energy(self, s):
        return 0.5 * (s[..., 3] ** 2 + s[..., 4] ** 2) + s[..., 0] ** 2 + s[..., 1] ** 2


class Sleigh:
    """u is the speed along the blade: u' = a w^2 - g sin(theta), (I + m a^2) w' = -m a (u w + g cos(theta))."""

    def __init__(self, size, parameters):
        self.p = p = parameters
        self.total = p["I"] + p["m"] * p["a"] ** 2
        x, y, theta, u, w = hy.make_vars("x", "y", "theta", "u", "w")
        s, c = hy.sin(theta), hy.cos(theta)
        beta = p["m"] * p["a"] / self.total
        along = w**2 if p["a"] == 1.0 else p["a"] * w**2
        self.equations = [
            (x, u * c),
            (y, u * s),
            (theta, w),
            (u, along - p["g"] * s),
            (w, -beta * (u * w + p["g"] * c)),
        ]
        self.compact = False

    def state(self, q, v):
        return [*q, v[0] * math.cos(q[2]) + v[1] * math.sin(q[2]), v[2]]

    def position(self, s):
        return list(s[:3])

    def energy(self, s):
        p = self.p
        height = s[..., 1] + p["a"] * np.sin(s[..., 2])
        return 0.5 * (p["m"] * s[..., 3] ** 2 + self.total * s[..., 4] ** 2) + p["m"] * p["g"] * height


class Oscillators:
    """x' = -sum y z', y'' = -y(1 + z^2), z'' = -U + lambda y, lambda (1 + |y|^2) = x + y.U - y'.z'.

    x' is a variable, which saves the products of its sum; so does w = y z, which many terms have in common.
    """

    def __init__(self, size, parameters):
        self.n = n = size
        x, vx = hy.make_vars("x", "vx")
        y, z, vy, vz = ([hy.make_vars(f"{name}{i}") for i in range(n)] for name in ("y", "z", "vy", "vz"))
        w = [a * b for a, b in zip(y, z)]
        squares = [a**2 for a in y]
        pair = [z[1] ** 2, z[0] ** 2]  # what z_1^2 z_2^2 adds
        sizes = [a + b for a, b in zip(squares, pair)] + squares[2:]
        products = w + [a * b for a, b in zip(w, sizes)] + [-(a * b) for a, b in zip(vy, vz)]
        force = (x + hy.sum(products)) / (1.0 + hy.sum(squares))
        kicks = [a * (force - b) - c for a, b, c in zip(y, w, z)]
        for i in (0, 1):
            kicks[i] = kicks[i] - z[i] * pair[i]
        self.equations = [(x, vx), (vx, force - x), *zip(y, vy), *zip(z, vz)]
        self.equations += [(b, -a - c * d) for a, b, c, d in zip(y, vy, w, z)] + list(zip(vz, kicks))
        self.compact = n > 25  # larger ones would compile for minutes

    def state(self, q, v):
        return [q[0], v[0], *q[1:], *v[1:]]

    def position(self, s):
        return [s[0], *s[2 : 2 + 2 * self.n]]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turn_upright(u):
    """The shortest rotation of a unit vector to e_3."""
    middle = np.array(u) + [0.0, 0.0, 1.0]
    return np.eye(3) - np.outer(middle, middle) / (1.0 + u[2]) + 2.0 * np.outer([0.0, 0.0, 1.0], u)


class Rattleback:
    """All vectors are seen from the body. With the vertical u, D = diag(a_i^2) and rho = u/sqrt(u.Du) the point of
    contact is r = d e_3 - D rho, and

        rho' = tau - rho sigma,   tau = rho x w,   sigma = rho.D tau:

    neither roots nor divisions. The angular momentum K about the point of contact is simpler than the angular velocity,

        K' = K x w + m(g r x u - r' x (r x w)),   (J + m(r^2 - r r^T)) w = K, solved by Cholesky's method without roots.

    The centre of mass as it is seen from the body moves like X' = X x w + r x w, and the heading, which is the angle
    that is left after the shortest rotation of u to e_3, like psi' = (w.u + w_3)/(1 + u_3).
    """

    def __init__(self, size, parameters):
        self.p = p = parameters
        m, g, d = p["m"], p["g"], p["d"]
        A = self.squares = [p["a1"] ** 2, p["a2"] ** 2, p["a3"] ** 2]
        rho = hy.make_vars("rho1", "rho2", "rho3")
        K = hy.make_vars("K1", "K2", "K3")
        X = hy.make_vars("X1", "X2", "X3")
        psi, s = hy.make_vars("psi", "s")  # s = sqrt(u.Du), so that u = s rho; s' = s sigma
        r = [-A[0] * rho[0], -A[1] * rho[1], d - A[2] * rho[2]]

        squares = [rho[0] ** 2, rho[1] ** 2, rho[2] ** 2]
        p01, p02, p12 = rho[0] * rho[1], rho[0] * rho[2], rho[1] * rho[2]
        rr = [A[0] ** 2 * squares[0], A[1] ** 2 * squares[1], d * d - 2.0 * d * A[2] * rho[2] + A[2] ** 2 * squares[2]]
        I11 = p["I11"] + m * (rr[1] + rr[2])
        I22 = p["I22"] + m * (rr[0] + rr[2])
        I33 = p["I33"] + m * (rr[0] + rr[1])
        I12 = p["I12"] - m * A[0] * A[1] * p01
        I13 = m * A[0] * (d * rho[0] - A[2] * p02)
        I23 = m * A[1] * (d * rho[1] - A[2] * p12)
        l21, l31 = I12 / I11, I13 / I11
        d2 = I22 - l21 * I12
        below = I23 - l21 * I13
        l32 = below / d2
        d3 = I33 - l31 * I13 - l32 * below
        k2 = K[1] - l21 * K[0]
        w3 = (K[2] - l31 * K[0] - l32 * k2) / d3
        w2 = k2 / d2 - l32 * w3
        w1 = K[0] / I11 - l21 * w2 - l31 * w3
        w = [w1, w2, w3]

        t = [[rho[i] * w[j] if i != j else None for j in range(3)] for i in range(3)]
        tau = [t[1][2] - t[2][1], t[2][0] - t[0][2], t[0][1] - t[1][0]]
        velocity = [  # r x w
            -A[1] * t[1][2] + A[2] * t[2][1] - d * w[1],
            -A[2] * t[2][0] + A[0] * t[0][2] + d * w[0],
            -A[0] * t[0][1] + A[1] * t[1][0],
        ]
        sigma = A[0] * (rho[0] * tau[0]) + A[1] * (rho[1] * tau[1]) + A[2] * (rho[2] * tau[2])
        rates = [a - b * sigma for a, b in zip(tau, rho)]
        moved = [A[i] * rates[i] for i in range(3)]  # -r'
        # r x rho
        lever = [
            (A[2] - A[1]) * p12 - d * rho[1],
            (A[0] - A[2]) * p02 + d * rho[0],
            (A[1] - A[0]) * p01,
        ]
        turned, pushed = cross(K, w), cross(moved, velocity)
        along = s * (rho[0] * w[0] + rho[1] * w[1] + rho[2] * w[2])
        self.equations = [
            *zip(rho, rates),
            *[(K[i], turned[i] + m * (g * (s * lever[i]) + pushed[i])) for i in range(3)],
            *zip(X, [a + b for a, b in zip(cross(X, w), velocity)]),
            (psi, (along + w[2]) / (1.0 + s * rho[2])),
            (s, s * sigma),
        ]
        self.compact = False

    def contact(self, rho):
        return np.array([0.0, 0.0, self.p["d"]]) - np.array(self.squares) * rho

    def state(self, q, v):
        p = self.p
        R = np.array(q[3:12]).reshape(3, 3)
        u = R[2]
        s = math.sqrt(np.dot(u, self.squares * u))
        r, w = self.contact(u / s), np.array(v[3:6])
        J = np.array([[p["I11"], p["I12"], 0.0], [p["I12"], p["I22"], 0.0], [0.0, 0.0, p["I33"]]])
        K = J @ w + p["m"] * (np.dot(r, r) * w - r * np.dot(r, w))
        heading = R @ turn_upright(u).T
        return [*(u / s), *K, *(R.T @ np.array(q[:3])), math.atan2(heading[1, 0], heading[0, 0]), s]

    def position(self, state):
        rho, psi = np.array(state[:3]), float(state[9])
        u = rho / math.sqrt(np.dot(rho, rho))
        c, s = math.cos(psi), math.sin(psi)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ turn_upright(u)
        x, y, _ = R @ np.array(state[6:9])
        return [x, y, -np.dot(u, self.contact(rho)), *R.flatten()]


PROBLEMS = {"particle": Particle, "sleigh": Sleigh, "oscillators": Oscillators, "rattleback": Rattleback}


class Motion:
    """An integrator of one problem, compiled for a tolerance, a mode and a number of lanes."""

    def __init__(self, question):
        make = PROBLEMS[question["problem"]]
        lanes = question.get("lanes", 1)
        hy.llvm_state.clear_memcache()  # what another integrator compiled is no merit of this one
        begin = time.process_time()
        problem = make(question.get("size", 0), question["parameters"])
        options = dict(
            tol=question["tolerance"], fast_math=question.get("fast", False), compact_mode=problem.compact
        )
        self.starts = np.array([problem.state(q, v) for q, v in zip(question["q"], question["v"])], float)
        if lanes == 1:
            self.start = self.starts[0]
            self.integrator = hy.taylor_adaptive(problem.equations, list(self.start), **options)
        else:
            self.start = np.ascontiguousarray(self.starts.T)
            self.integrator = hy.taylor_adaptive_batch(problem.equations, self.start, **options)
        self.build = time.process_time() - begin
        self.problem, self.lanes = problem, lanes

    def begin(self):
        if self.lanes == 1:
            self.integrator.time = 0.0
        else:
            self.integrator.set_time(0.0)
        self.integrator.state[:] = self.start

    def go(self, end):
        """Whether the motion reaches that time, and in how many steps: those of the first lane."""
        result = self.integrator.propagate_until(end)
        outcome, steps = (result[0], result[3]) if self.lanes == 1 else self.integrator.propagate_res[0][0:4:3]
        return outcome == hy.taylor_outcome.time_limit and bool(np.all(np.isfinite(self.integrator.state))), int(steps)

    def end(self, question):
        self.begin()
        finished, steps = self.go(question["time"])
        if not finished:
            return {"failed": "the integration ends early"}
        first = self.integrator.state if self.lanes == 1 else self.integrator.state[:, 0]
        return {"q": [float(value) for value in self.problem.position(first)], "steps": steps, "build": self.build}

    def seconds(self, question):
        """The shortest of several turns, without what a call from Python costs that has nothing to do."""
        turns, idle, total = [], math.inf, 0.0
        while total < question.get("seconds", 0.0) or len(turns) < question.get("turns", 3):
            self.begin()
            processor, begin = time.thread_time(), time.perf_counter()
            finished, _ = self.go(question["time"])
            taken = time.perf_counter() - begin
            processor = time.thread_time() - processor
            if not finished:
                return {"failed": "the integration ends early"}
            # As the benchmark measures ours (undisturbed_seconds): what takes long is interrupted by others.
            turns.append(taken if taken < 1e-3 else min(taken, processor))
            begin = time.perf_counter()
            self.go(question["time"])
            idle = min(idle, time.perf_counter() - begin)
            total += taken
        typical = sorted(turns)[len(turns) // 2]
        shortest = min(turn for turn in turns if turn >= 0.5 * typical)
        return {"seconds": shortest - min(idle, 0.5 * shortest), "build": self.build}

    def hold(self, question):
        """The energy at equidistant times, until it leaves the bound: how far, how well and how often it was looked at."""
        self.begin()
        time_between, bound = question["between"], question["bound"]
        nodes = round(question["time"] / time_between)
        initial = float(self.problem.energy(self.start))
        scale = 1.0 / max(1.0, abs(initial))
        begin = time.perf_counter()
        worst, done, block = 0.0, 0, 64
        while done < nodes:
            count = min(block, nodes - done)
            grid = np.arange(done, done + count + 1) * time_between
            result = self.integrator.propagate_grid(grid)
            states = result[-1]
            if result[0] != hy.taylor_outcome.time_limit:
                return {"nodes": done, "worst": 1e300, "lost": True, "given_up": False}
            errors = np.abs(self.problem.energy(states) - initial) * scale
            outside = np.flatnonzero(~(errors <= bound))
            if outside.size:
                first = int(outside[0])
                return {"nodes": done + first, "worst": float(np.nan_to_num(errors[first], nan=1e300)), "lost": True, "given_up": False}
            worst = max(worst, float(errors.max()))
            done += count
            block = min(2 * block, 8192)
            if time.perf_counter() - begin > question["limit"]:
                return {"nodes": done, "worst": worst, "lost": False, "given_up": done < nodes}
        return {"nodes": done, "worst": worst, "lost": False, "given_up": False}


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr  # what libraries print is no answer
    hy.llvm_state.set_diskcache_enabled(False)  # what is compiled is compiled here
    motions = {}

    def motion(question):
        names = ("problem", "size", "tolerance", "fast", "lanes", "q", "v", "parameters")
        key = json.dumps([question.get(name) for name in names])
        if key not in motions:
            motions[key] = Motion(question)
        return motions[key]

    print(json.dumps({"version": hy.__version__}), file=answers, flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = getattr(motion(question), question["do"])(question)
        except Exception as error:  # whatever it is, the benchmark says it
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
