#!/usr/bin/python3
"""Trajectories of the two integrators of Mestdag, Bloch & Fernandez (ME) from free Lagrangians, and of DLA.

ME's class: coordinates r1, r2, s_b, L = 1/2 (I1 r1'^2 + I2 r2'^2 + sum I_b s_b'^2), s_b' = -A_b(r1) r2',
N(r1) = (I2 + sum I_b A_b^2)^(-1/2). Free Lagrangians:

    (6)  1/2 I1 r1'^2 + (C2 r2'^2/r1' + sum C_b s_b'^2/(A_b r1'))/(2N)
    (7)  1/2 I1 r1'^2 + 1/2 I2 r2'^2 + sum a_b s_b'^2/(A_b r1')/(2N)        (N constant)

With F_d(q, Q) = F((1 - alpha) q + alpha Q, (Q - q)/h) and L_d = h times the discretised free Lagrangian:

    free            D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) = 0
    free-modified   the same equations for r1, r2 alone, and the discrete constraints for the s_b,
                    s_b(k+1) - s_b(k) = -A_b((1 - alpha) r1(k) + alpha r1(k+1)) (r2(k+1) - r2(k))
    dla             D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) = A(q_k)^T lambda, A_d(q_k, q_k+1) = 0, L_d from L itself

Start: q_0; r1 advances by h r1'(0). Form (7): r2 advances by h r2'(0). Form (6) and dla: r2 advances by
kappa N((1 - alpha) r1(0) + alpha r1(1)) h r1'(0), kappa = r2'(0)/(N(r1(0)) r1'(0)). s_1 from the discrete constraint.

The equations are solved as they stand, by Newton with the exact Jacobian and 50 digits; the last change is below 1e-38
and the residual below 1e-30 ("residual": the largest). The initial guess of "free" uses that the momenta of s_b (and of
r2) are conserved: one scalar equation for r1(k+1) remains, and s_b(k+1) - s_b(k) = p_b N A_b (r1(k+1) - r1(k))/C_b; this
is smooth where A_b = 0, and "guess" is the largest distance of the guess from the solution (Newton hardly moves).

"constraint" is the largest |s_b(k+1) - s_b(k) + A_b (r2(k+1) - r2(k))|/h, the discrete constraint along the run: zero for
form (6), where the conserved momenta keep p_b/C_b = -p_2/C_2, which is the discrete constraint.

knife edge: A = -tan phi, and N = (1 + tan^2 phi)^(-1/2) = |cos phi| is not smooth at phi = pi/2. "N=cos" takes N = cos phi,
the smooth continuation, for all phi (1/N and 1/(N A) are then 1/cos phi and -1/sin phi); "N=root" is the definition as
it stands, whose solution leaves the circle at phi = pi/2 (the equations of r2 and s change sign there). N A jumps there:
the equations of that one step can have several solutions (for alpha = 1/2 those of q_191 have three), so "N=root" is a
record of what happens, not a reference for other solvers after phi = pi/2.

"states": q at steps 1, 2, 20, 100, 200, by name. "circle" (disk): the circle through (x, y) at steps 0 to 200; "geometric"
minimises the sum of (distance - radius)^2, "algebraic" that of (distance^2 - radius^2)^2; "deviation" is the largest
|distance - radius|. A run that fails has "failed": step number and reason.

    python3 tests/method/free_states.py     # writes free_states.json; needs sympy and mpmath
"""
import json
import os

import mpmath as mp
import sympy as sp

mp.mp.dps = 50
HERE = os.path.dirname(os.path.abspath(__file__))
STEPS, STORED = 200, (1, 2, 20, 100, 200)
R = sp.Rational
h, al = sp.symbols("h alpha", positive=True)


def exact(x):
    """A rational or an expression as a 50-digit number."""
    return mp.mpf(sp.sympify(x).evalf(60)._mpf_ if not sp.sympify(x).is_Rational else
                  mp.mpf(sp.Rational(x).p) / sp.Rational(x).q)


class System:
    def __init__(self, names, I, A, N, rows, start, rates):
        """A, N: functions of r1. rows: constraint covectors at q. start: q_0. rates: r1'(0), r2'(0)."""
        self.names, self.n = names, len(names)
        self.q = sp.symbols(names, real=True)
        self.v = sp.symbols(["d" + x for x in names], real=True)
        self.Q = sp.symbols([x + "_next" for x in names], real=True)
        self.I = [sp.sympify(x) for x in I]
        self.A, self.N = [a(self.q[0]) for a in A], N(self.q[0])
        self.rows = sp.Matrix(rows(*self.q))
        self.start, self.rates = [exact(x) for x in start], [exact(x) for x in rates]

    def discrete(self, F):
        at = {x: (1 - al) * x + al * y for x, y in zip(self.q, self.Q)}
        at.update({v: (y - x) / h for v, x, y in zip(self.v, self.q, self.Q)})
        return sp.sympify(F).subs(at, simultaneous=True)

    def function(self, F, *arguments):
        return sp.lambdify(arguments, F, "mpmath", cse=True)

    def free(self, form, C2, Cs):
        v = self.v
        tail = sum(c * s**2 / (a * v[0]) for c, s, a in zip(Cs, v[2:], self.A))
        if form == 6:
            return self.I[0] * v[0]**2 / 2 + (C2 * v[1]**2 / v[0] + tail) / (2 * self.N)
        return self.I[0] * v[0]**2 / 2 + self.I[1] * v[1]**2 / 2 + tail / (2 * self.N)


class Stop(Exception):
    pass


def newton(residual, jacobian, x):
    x = list(x)
    for _ in range(50):
        try:
            change = mp.lu_solve(mp.matrix(jacobian(x)), mp.matrix(residual(x)))
        except (ZeroDivisionError, ValueError) as error:
            raise Stop("Newton: " + str(error))
        x = [a - b for a, b in zip(x, change)]
        if not all(mp.isfinite(a) and abs(a) < 1e8 for a in x):
            raise Stop("Newton diverged")
        if max(map(abs, change)) < mp.mpf(10) ** -38:
            rest = max(map(abs, residual(x)))
            if rest < mp.mpf(10) ** -30:
                return x, rest
    raise Stop("Newton did not converge in 50 iterations")


class Scheme:
    """Derivatives of L_d for one Lagrangian."""

    def __init__(self, system, L):
        s = self.system = system
        q, Q = sp.Matrix(s.q), sp.Matrix(s.Q)
        Ld = h * s.discrete(L)
        first = sp.Matrix([sp.diff(Ld, x) for x in q])
        arguments = [h, al, *s.q, *s.Q]
        self.first = s.function(list(first), *arguments)
        self.second = s.function([sp.diff(Ld, x) for x in Q], *arguments)
        self.slope = s.function(first.jacobian(Q).tolist(), *arguments)
        jumps = [Q[2 + k] - q[2 + k] + s.discrete(a) * (Q[1] - q[1]) for k, a in enumerate(s.A)]
        self.jumps = s.function(jumps, *arguments)
        admissible = {Q[2 + k]: q[2 + k] - s.discrete(a) * (Q[1] - q[1]) for k, a in enumerate(s.A)}
        reduced = sp.Matrix([x.subs(admissible, simultaneous=True) for x in first[:2]])
        self.fibre = s.function([admissible[Q[2 + k]] for k in range(len(s.A))], *arguments[:-len(s.A)])
        self.reduced = s.function(list(reduced), *arguments[:-len(s.A)])
        self.reduced_slope = s.function(reduced.jacobian(Q[:2]).tolist(), *arguments[:-len(s.A)])
        rows = s.discrete(s.rows * sp.Matrix(s.v))
        self.transpose = s.function(s.rows.T.tolist(), *s.q)
        self.rows = s.function(list(rows), *arguments)
        self.rows_slope = s.function(rows.jacobian(Q).tolist(), *arguments)

    def start(self, step, alpha, form):
        s = self.system
        q0, (u1, u2) = s.start, s.rates
        N = s.function(s.N, s.q[0])
        r1 = q0[0] + step * u1
        if form == 6:
            r2 = q0[1] + u2 / (N(q0[0]) * u1) * N((1 - alpha) * q0[0] + alpha * r1) * (r1 - q0[0])
        else:
            r2 = q0[1] + step * u2
        return [q0, [r1, r2, *self.fibre(step, alpha, *q0, r1, r2)]]


class Guess:
    """The conserved momenta leave one scalar equation for r1."""

    def __init__(self, system, form, C2, Cs):
        s, r1 = system, system.q[0]
        p = sp.symbols(["p%d" % k for k in range(len(Cs) + 1)])
        # Routh: (1/2N) c w^2/(a v) = v/2 * p^2 N a/c for w = p N a v/c
        F = s.N * sum(x**2 * a / c for x, a, c in zip(p[1:], s.A, Cs))
        rates = [x * s.N * a / c for x, a, c in zip(p[1:], s.A, Cs)]
        if form == 6:
            F += s.N * p[0]**2 / C2
            rates = [p[0] * s.N / C2] + rates
        self.form, self.I1 = form, exact(s.I[0])
        self.F = s.function([F, sp.diff(F, r1)], r1, *p)
        self.rates = s.function(rates, r1, *p)

    def next(self, p, step, alpha, before, now):
        between = lambda a, b: (1 - alpha) * a + alpha * b
        d = now[0] - before[0]
        F0, G0 = self.F(between(before[0], now[0]), *p)

        def equation(e):
            F1, G1 = self.F(between(now[0], now[0] + e), *p)
            return self.I1 * (e - d) / step - (F1 - F0) / 2 + (alpha * d * G0 + (1 - alpha) * e * G1) / 2

        a, b = d, d * (1 + mp.mpf(10) ** -10)
        x, y = equation(a), equation(b)
        for _ in range(60):
            if x == y:
                break
            a, b, x = b, b - y * (b - a) / (y - x), y
            y = equation(b)
            if abs(b - a) < mp.mpf(10) ** -42:
                break
        rates = self.rates(between(now[0], now[0] + b), *p)
        if self.form == 7:
            return [now[0] + b, 2 * now[1] - before[1], *(x + r * b for x, r in zip(now[2:], rates))]
        return [now[0] + b, *(x + r * b for x, r in zip(now[1:], rates))]


def run(scheme, guess, method, form, step, alpha, steps=STEPS):
    s, n = scheme.system, scheme.system.n
    path = scheme.start(step, alpha, form)
    worst, moved, failed, l = mp.mpf(0), mp.mpf(0), None, [mp.mpf(0)] * s.rows.rows
    m = scheme.second(step, alpha, *path[0], *path[1])
    p = m[1:] if method == "free" else None
    while len(path) <= steps:
        before, now = path[-2:]
        m = scheme.second(step, alpha, *before, *now)
        try:
            if method == "free":
                x0 = guess.next(p, step, alpha, before, now)
                x, rest = newton(lambda x: [a + b for a, b in zip(scheme.first(step, alpha, *now, *x), m)],
                                 lambda x: scheme.slope(step, alpha, *now, *x), x0)
                moved = max(moved, *(abs(a - b) for a, b in zip(x, x0)))
            elif method == "free-modified":
                x, rest = newton(lambda x: [a + b for a, b in zip(scheme.reduced(step, alpha, *now, *x), m)],
                                 lambda x: scheme.reduced_slope(step, alpha, *now, *x),
                                 [2 * a - b for a, b in zip(now[:2], before[:2])])
                x += scheme.fibre(step, alpha, *now, *x)
                literal = [a + b for a, b in zip(scheme.first(step, alpha, *now, *x), m)]
                rest = max(rest, abs(literal[0]), abs(literal[1]))
            else:
                T = mp.matrix(scheme.transpose(*now))

                def residual(x):
                    f = mp.matrix(scheme.first(step, alpha, *now, *x[:n])) + mp.matrix(m) - T * mp.matrix(x[n:])
                    return [*f, *scheme.rows(step, alpha, *now, *x[:n])]

                def jacobian(x):
                    size = len(x)
                    J = mp.zeros(size)
                    J[:n, :n] = mp.matrix(scheme.slope(step, alpha, *now, *x[:n]))
                    J[:n, n:] = -T
                    J[n:, :n] = mp.matrix(scheme.rows_slope(step, alpha, *now, *x[:n]))
                    return J
                x, rest = newton(residual, jacobian, [2 * a - b for a, b in zip(now, before)] + l)
                x, l = x[:n], x[n:]
        except Stop as stop:
            failed = {"step": len(path), "reason": str(stop)}
            break
        worst = max(worst, rest)
        path.append(x)
    jumps = [scheme.jumps(step, alpha, *a, *b) for a, b in zip(path, path[1:])]
    out = {"states": {str(k): {name: mp.nstr(x, 25) for name, x in zip(s.names, path[k])}
                      for k in STORED if k < len(path)},
           "residual": mp.nstr(worst, 3), "constraint": mp.nstr(max(abs(x) for j in jumps for x in j) / step, 10)}
    if method == "free":
        out["guess"] = mp.nstr(moved, 3)
    if failed:
        out["failed"] = failed
    return path, out


def circle(points):
    """Least-squares circles."""
    n = len(points)
    M, b = mp.zeros(3), mp.zeros(3, 1)
    for x, y in points:  # x^2 + y^2 = 2 a x + 2 b y + c
        row = [2 * x, 2 * y, mp.mpf(1)]
        for i in range(3):
            b[i] += row[i] * (x * x + y * y)
            for j in range(3):
                M[i, j] += row[i] * row[j]
    a, c, d = mp.lu_solve(M, b)
    out = {"algebraic": (a, c, mp.sqrt(d + a * a + c * c))}
    for _ in range(500):  # Gauss-Newton on the sum of squares of distance - radius; r is the mean distance
        J, e = mp.zeros(3), mp.zeros(3, 1)
        r = sum(mp.hypot(x - a, y - c) for x, y in points) / n
        for x, y in points:
            rho = mp.hypot(x - a, y - c)
            row, value = [(a - x) / rho, (c - y) / rho, mp.mpf(-1)], rho - r
            for i in range(3):
                e[i] += row[i] * value
                for j in range(3):
                    J[i, j] += row[i] * row[j]
        change = mp.lu_solve(J, e)
        a, c = a - change[0], c - change[1]
        if max(abs(change[0]), abs(change[1])) < mp.mpf(10) ** -32:
            break
    else:
        raise ArithmeticError("circle")
    r = sum(mp.hypot(x - a, y - c) for x, y in points) / n
    out["geometric"] = (a, c, r)
    out["deviation"] = max(abs(mp.hypot(x - a, y - c) - r) for x, y in points)
    name = lambda t: dict(zip(("x", "y", "radius"), (mp.nstr(x, 25) for x in t)))
    return {"geometric": name(out["geometric"]), "algebraic": name(out["algebraic"]),
            "deviation": mp.nstr(out["deviation"], 10)}


half = R(1, 2)
disk = System(["phi", "theta", "x", "y"], [R(1, 4), half, 1, 1], [lambda p: -sp.cos(p), lambda p: -sp.sin(p)],
              lambda p: sp.sqrt(R(2, 3)), lambda p, t, x, y: [[0, -sp.cos(p), 1, 0], [0, -sp.sin(p), 0, 1]],
              [R(3, 10), 0, 2 * sp.sin(R(3, 10)), -2 * sp.cos(R(3, 10))], [half, 1])
edge_row = lambda p, x, y: [[0, sp.sin(p), -sp.cos(p)]]
edge_start = [R(1, 5), 0, 0], [half, sp.cos(R(1, 5))]
edge = System(["phi", "x", "y"], [1, 1, 1], [lambda p: -sp.tan(p)], sp.cos, edge_row, *edge_start)
edge_root = System(["phi", "x", "y"], [1, 1, 1], [lambda p: -sp.tan(p)], lambda p: 1 / sp.sqrt(1 + sp.tan(p)**2),
                   edge_row, *edge_start)
particle = System(["x", "y", "z"], [1, 1, 1], [lambda x: x], lambda x: 1 / sp.sqrt(1 + x**2),
                  lambda x, y, z: [[0, x, 1]], [R(-103, 100), 0, 0], [1, 1])
ALPHAS = {"0": R(0), "1/3": R(1, 3), "1/2": half, "1": R(1)}
DLA_ALPHAS = {"0": R(0), "1/5": R(1, 5), "1/3": R(1, 3), "1/2": half, "2/3": R(2, 3), "4/5": R(4, 5)}
FREE = [("disk (7) C=1/1000", disk, 7, R(1, 1000), ["free", "free-modified"]),
        ("disk (7) C=-1/100", disk, 7, R(-1, 100), ["free", "free-modified"]),
        ("disk (6) C=1/100", disk, 6, R(1, 100), ["free"]),
        ("knife edge (6) C=1/100 N=cos", edge, 6, R(1, 100), ["free"]),
        ("knife edge (6) C=1/100 N=root", edge_root, 6, R(1, 100), ["free"]),
        ("particle (6) C=1/100", particle, 6, R(1, 100), ["free"]),
        ("particle (6) C=1", particle, 6, R(1), ["free"])]


def main():
    step = mp.mpf(1) / 10
    out = {"h": "1/10", "cases": {}, "dla": {}}
    for name, system, form, C, methods in FREE:
        Cs = [C] * (system.n - 2)
        scheme, guess = Scheme(system, system.free(form, C, Cs)), Guess(system, form, C, Cs)
        for method in methods:
            for key, alpha in ALPHAS.items():
                path, case = run(scheme, guess, method, form, step, exact(alpha))
                if system is disk and len(path) == STEPS + 1:
                    case["circle"] = circle([q[2:] for q in path])
                out["cases"][f"{name} {method} alpha={key}"] = case
                end = ", ".join(f"{n} {mp.nstr(x, 8)}" for n, x in zip(system.names, path[-1]))
                extra = ""
                if "circle" in case:
                    g = case["circle"]["geometric"]
                    extra = "circle " + " ".join(mp.nstr(mp.mpf(g[k]), 7) for k in g) + " dev " + case["circle"]["deviation"][:9]
                print(f"{name} {method} alpha={key}: {end}; residual {case['residual']} constraint {case['constraint']} "
                      f"guess {case.get('guess', '')} {extra} {case.get('failed', '')}", flush=True)
    for name, system in (("particle", particle), ("knife edge", edge)):
        L = sum(i * v**2 for i, v in zip(system.I, system.v)) / 2
        scheme = Scheme(system, L)
        for key, alpha in DLA_ALPHAS.items():
            path, case = run(scheme, None, "dla", 6, step, exact(alpha), steps=100)
            case["states"] = {k: case["states"][k] for k in ("1", "100") if k in case["states"]}
            out["dla"][f"{name} alpha={key}"] = case
            print(f"dla {name} alpha={key}: {[mp.nstr(x, 10) for x in path[-1]]} {case}", flush=True)
    with open(os.path.join(HERE, "free_states.json"), "w") as file:
        json.dump(out, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
