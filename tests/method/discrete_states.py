#!/usr/bin/env python3
"""End states of the nonholonomic integrators, to compare the simulator with.

    python3 tests/method/discrete_states.py     # one minute

writes discrete_states.json next to this file.

Nothing here uses the simulator. The systems are those of ../mech/reference_states.py, written down by hand;
parameters, initial data and step come from models/*.toml. A rule is a list of weights w_i and nodes s_i, and

    Ld(a, b) = h sum_i w_i L((1 - s_i) a + s_i b, (b - a)/h),    Cd(a, b) = sum_i w_i C((1 - s_i) a + s_i b, (b - a)/h)

with the constraints C(q, v) = A(q) v + b(q). With p_0 = L_v(q_0, v_0), a step from q = q_k to Q = q_{k+1} solves

    dla   D1 Ld(q, Q) + p_k = A(q)^T lambda_k + g'(q)^T mu_k,    Cd(q, Q) = 0,    g(Q) = 0,    p_{k+1} = D2 Ld(q, Q)
    gni   D1 Ld(q, Q) + p_k = A(q)^T lambda_k,  p_{k+1} = D2 Ld(q, Q) - A(Q)^T lambda_{k+1},  A(Q) M^-1 p_{k+1} = 0

where gni starts with lambda_0 = -h/2 times the continuous multiplier, d/dt L_v - L_q = A^T lambda. With
"start=reference" q_1 is the exact solution at h, p_1 = D2 Ld(q_0, q_1), and k = 1 is the first step that is solved.

Each entry is at t = steps * step: q = q_N; v = M^-1 (p_N - A^T nu - g'^T kappa), with nu and kappa such that
A v + b = 0 and g' v = 0; lambda = (lambda_{N-1}, mu_{N-1}) for dla, lambda_N for gni.
Initial data are long doubles; all else is computed with 30 digits and written with 18.

Needs sympy, mpmath, numpy with an 80-bit long double (x86), Python 3.11.
"""
import json
import pathlib
import re
import sys
import tomllib

import mpmath as mp
import sympy as sp

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mech"))
from reference_states import MODELS, SYSTEMS, initial_data  # noqa: E402

mp.mp.dps = 30
STEPS = 20
MODEL_NAMES = ["quadratic-particle", "chaplygin-sleigh", "mclachlan-perlmutter", "rolling-disk", "mobile-robot",
               "snakeboard", "cart-pendulum", "ball-on-turntable"]
STEP = {"mclachlan-perlmutter": 0.05}  # else that of the model
half = sp.Rational(1, 2)
RULES = {  # decimals as the doubles they are read as
    "midpoint": [(1, half)],
    "trapezoidal": [(half, 0), (half, 1)],
    "alpha=0": [(1, 0)],
    "alpha=0.3": [(1, sp.Rational(0.3))],
    "sym=0.25": [(half, half / 2), (half, 1 - half / 2)],
}


def exactly(x):
    """A long double as an mpmath number."""
    return mp.mpf(float(x)) + mp.mpf(float(x - float(x)))


class System:
    def __init__(self, name):
        self.name = name
        parameters, q, v = initial_data(name)
        self.start = [exactly(x) for x in q + v]
        self.n = n = len(q)
        run = tomllib.loads((MODELS / f"{name}.toml").read_text())["run"]
        self.step = STEP.get(name, run["step"])
        self.h = mp.mpf(self.step)

        self.q, self.v = (sp.Matrix(sp.symbols(f"{c}:{n}", real=True)) for c in "qv")
        symbols = {k: p if k == "n" else sp.Symbol(f"p_{k}", real=True) for k, p in parameters.items()}
        self.values = {symbols[k]: mp.mpf(p) for k, p in parameters.items() if k != "n"}
        L, constraints, holonomic = SYSTEMS[name](list(self.q), list(self.v), symbols)
        self.L, self.C, self.g = sp.Matrix([L]), sp.Matrix(constraints), sp.Matrix(len(holonomic), 1, holonomic)

        # A v + b = 0 and g' v = 0 together, and Lagrange-d'Alembert
        rates = self.C.col_join(self.g.jacobian(self.q) * self.v)
        self.rows, momentum = rates.jacobian(self.v), self.L.jacobian(self.v).T
        at_rest = lambda f: f.subs(dict.fromkeys(self.v, 0))
        self.linear = not holonomic and not any(at_rest(rates))
        state = [*self.q, *self.v]
        saddle = sp.BlockMatrix([[momentum.jacobian(self.v), self.rows.T], [self.rows, sp.zeros(rates.rows)]])
        force = self.L.jacobian(self.q).T - momentum.jacobian(self.q) * self.v
        self.momentum = self.function(momentum, state)
        self.transpose = self.function(self.rows.T, self.q)
        self.saddle = self.function(saddle.as_explicit(), self.q)
        self.at_rest = self.function(at_rest(momentum.col_join(rates)), self.q)
        self.right = self.function(force.col_join(-rates.jacobian(self.q) * self.v), state)

    def function(self, matrix, arguments):
        f = sp.lambdify([*arguments, *self.values], matrix.tolist(), "mpmath", cse=True)
        return lambda *numbers: mp.matrix(f(*numbers, *self.values.values()))

    def velocity(self, q, p):
        """The admissible velocity of the momentum p, and the multipliers nu."""
        x = mp.lu_solve(self.saddle(*q), mp.matrix([*p] + [0] * self.rows.rows) - self.at_rest(*q))
        return x[:self.n], x[self.n:]

    def multiplier(self, q, v):
        """lambda of the continuous system."""
        return -mp.lu_solve(self.saddle(*q), self.right(*q, *v))[self.n:]

    def exact_step(self):
        """The exact solution after one step, by Taylor series."""
        n = self.n

        def derivative(t, y):
            a = mp.lu_solve(self.saddle(*y[:n]), self.right(*y))
            return [*y[n:], *a[:n]]
        return mp.matrix(mp.odefun(derivative, 0, self.start, tol=mp.mpf(10)**-24)(self.h)[:n])


class Rule:
    def __init__(self, system, rule):
        self.system = system
        a, b = system.q, sp.Matrix(sp.symbols(f"b:{system.n}", real=True))
        l, h = sp.Matrix(sp.symbols(f"l:{system.rows.rows}", real=True)), sp.Symbol("h")

        def average(f):
            at = lambda node: dict(zip([*system.q, *system.v], [*((1 - node) * a + node * b), *((b - a) / h)]))
            return sum((w * f.subs(at(node), simultaneous=True) for w, node in rule), sp.zeros(*f.shape))
        Ld = h * average(system.L)
        equations = sp.Matrix([*(Ld.jacobian(a).T - system.rows.T * l), *average(system.C),
                               *system.g.subs(dict(zip(a, b)), simultaneous=True)])
        self.residual = system.function(equations, [*a, *b, *l, h])
        self.jacobian = system.function(equations.jacobian([*b, *l]), [*a, *b, *l, h])
        self.momentum = system.function(Ld.jacobian(b).T, [*a, *b, h])

    def step(self, q, v, p, constrained):
        """(Q, lambda) by Newton's method: all equations, or D1 Ld(q, Q) + p = 0 alone."""
        n, m, h = self.system.n, self.system.rows.rows, self.system.h
        size = n + m if constrained else n
        x = mp.matrix([*(q + h * v)] + [0] * m)
        p = mp.matrix([*p] + [0] * m)
        for _ in range(30):
            value, slope = self.residual(*q, *x, h) + p, self.jacobian(*q, *x, h)
            change = mp.lu_solve(slope[:size, :size], value[:size])
            x -= mp.matrix([*change] + [0] * (n + m - size))
            if mp.norm(change, mp.inf) < mp.mpf(10)**-25:
                return x[:n], x[n:]
        raise ArithmeticError(f"{self.system.name}: Newton's method does not converge")


def trajectory(system, rule, gni=False, exact_start=False):
    """The positions q_0 ... q_N, the velocity at the end, the last multipliers."""
    state = mp.matrix(system.start)
    q, v = state[:system.n], state[system.n:]
    p, l = system.momentum(*state), None
    if gni:
        l = -system.h / 2 * system.multiplier(q, v)
    path = [q]
    for k in range(STEPS):
        if exact_start and k == 0:
            Q = system.exact_step()
        elif gni:
            Q, _ = rule.step(q, v, p - system.transpose(*q) * l, constrained=False)
        else:
            Q, l = rule.step(q, v, p, constrained=True)
        p = rule.momentum(*q, *Q, system.h)
        v, nu = system.velocity(Q, p)
        if gni:
            l = nu
            p -= system.transpose(*Q) * l
        q = Q
        path.append(q)
    return path, v, l


def states(name):
    system = System(name)
    rules = {key: Rule(system, rule) for key, rule in RULES.items()}
    runs = {f"dla:{key}": (rule, {}) for key, rule in rules.items()}
    runs["dla:midpoint:start=reference"] = rules["midpoint"], {"exact_start": True}
    if system.linear:
        runs |= {f"gni:{key}": (rules[key], {"gni": True}) for key in ("midpoint", "trapezoidal")}
    digits = lambda x: [f"#{mp.nstr(mp.chop(s, mp.mpf(10)**-25), 18)}#" for s in x]
    entries = {}
    for key, (rule, options) in runs.items():
        path, v, l = trajectory(system, rule, **options)
        entries[key] = {"step": system.step, "steps": STEPS, "q": digits(path[-1]), "v": digits(v), "lambda": digits(l)}
    print(f"{name}: {', '.join(entries)}", flush=True)
    return entries


def main():
    text = json.dumps({name: states(name) for name in MODEL_NAMES}, indent=1)
    text = re.sub('"#|#"', "", text)  # numbers, not strings: floats would lose the last digit
    (HERE / "discrete_states.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
