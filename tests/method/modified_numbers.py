#!/usr/bin/python3
"""Modified Hamiltonians of variational integrators, and what Garcia-Naranjo & Vermeeren (GV) do with them.

    l = 1/2 sum_i G_i(q) v_i^2 - U(q),  multiplier N(q),  Lambda_E = N (l + E),  p = N dl/dv,  K_E = N (H - E)
    L_d(q_0, q_1) = h Lambda_d,  Psi_{h,E}: p_0 = -D1 L_d, p_1 = D2 L_d
    M, MT, TM, TT, T: GV (5.1). alpha(a): Lambda_E at (1-a) q_0 + a q_1. sym(a): mean of alpha(a) and alpha(1-a).
    M = alpha(1/2), T = sym(0). The plain integrators ("del") have N = 1, E = 0.

How the coefficients are found. The step from a point z_0 = (q, p) is computed as a truncated power series in h, with
numbers for coefficients: v = (q_1 - q_0)/h is the unknown, one coefficient after the other. There is no small step and no
fit. With D the forward difference along the trajectory, h d/dt = log(1 + D), and D^k raises the order by k, so

    K_mod(z_0) = p_0 . (dq/dt)_0 - (dS/dt)_0,     h (d/dt) = sum_k (-1)^(k+1) D^k/k,     S_k = sum_{j<k} L_d(q_j, q_j+1)
    N_mod(z_0) = -(dK_mod/dE) = (dR/dt)_0,        R_k = sum_{j<k} dL_d/dE(q_j, q_j+1)

are exact to the order kept. (R: the derivative of the action S(q_0, q_1) with respect to a parameter is minus the integral
of that of the Hamiltonian.) Ecal: Newton's iteration E <- E + K_mod/N_mod on power series in h.

modified_numbers.json. Numbers are strings, points are dyadic and so exact in binary; a record has "system" and "rule".
  coefficients  the particle zdot = y xdot, harmonic and free: x y px py E, Kj(q, p; E), Ej(q, p), Nj(q, p), j = 0, 2, .. 8
  others        the same to j = 6, also rules sym(0.25) and alpha(0.3), which has odd j as well. "knife edge, incline":
                x phi p_x p_phi, alpha = 0.1; "sinusoidal, potential": zdot = -sin(x) ydot, U = cos x + y^2/2
  del           K0 .. K4 of plain variational integrators; pendulum: th p_th, kepler: x y px py
  conformal     from (0, 0, 1, 1), h = 1/4: "E(m)" = Ecal^(m), "E 13 points": K_mod = 0 with the bilinear form, and for
                E = Ecal^(ell): "state 100, ell=..", "max |H-1|, ell=.." over 200 steps
  measure       see measure_runs: "max |J-1|, m=.." over 79 steps (t < 20), "J, m=..": at some steps
  cloud         see cloud_runs: "volumes" at some steps, and "max |V/V0-1|, m=.." of the weighted volume over 79 steps

Checks made here (a failed one is an AssertionError):
  * the closed form of the bilinear weights, its order conditions in rational numbers, w = 1..6
  * K_mod of every case against the bilinear form in the same points, and the vanishing of the odd powers
  * h f_mod = log of the map, derived in sympy: J grad K2 of all rules and both potentials (GV's K2); K2 of the midpoint rule
    = -1/24 K''(f, f), exactly; K2 and K4 of the pendulum
  * N_mod against the differences of K_mod in E (K_j is a polynomial in E, so that these differences are exact)
  * K_mod by the bilinear form with 13 points on a plain numerical trajectory with small h
  * GV's 30 formulas: K2 against the power series, Ecal2 = K2/N and N2 = -dK2/dE at E = H in sympy

    python3 tests/method/modified_numbers.py     # writes modified_numbers.json and gv_appendix.json
                                                  # needs sympy, mpmath, numpy, scipy; python3-gmpy2 makes it faster
"""
import itertools
import json
import os
import time
from fractions import Fraction
from math import comb

import mpmath as mp
import numpy as np
import sympy as sp

mp.mp.dps = 50
HERE = os.path.dirname(os.path.abspath(__file__))
RULES = ("M", "MT", "TM", "TT", "T")
x, y, px, py, E, h = sp.symbols("x y px py E h", real=True)

# ---------------------------------------------------------------------------------------------- GV, appendix A
d96 = "1/(96*(y^2+1)^(5/2))*"
m96 = "-1/(96*(y^2+1)^(5/2))*"
n_m_harmonic = "-(2*(py^2-1)*y^2-py^2)/(24*(y^2+1)^(3/2))"
n_t_harmonic = "((2*py^2+1)*y^2-py^2)/(12*(y^2+1)^(3/2))"
n_m_free = "-(2*py^2*y^2-py^2)/(24*(y^2+1)^(3/2))"
n_t_free = "(2*py^2*y^2-py^2)/(12*(y^2+1)^(3/2))"
APPENDIX = {
    "harmonic": {
        "M": {
            "K2": d96 + "((3*py^4+2*py^2-1)*y^6"
                  "+2*(2*py^4-(3*px^2-6*E-4)*py^2-(3*py^2-1)*x^2+px^2-2*E-2)*y^4"
                  "-(px^4+py^4+x^4-4*E*px^2+2*(2*px^2-4*E-1)*py^2+2*(px^2+2*py^2-2*E)*x^2+4*E^2+8*E+4)*y^2"
                  "-2*py^4+2*(px^2-2*E-2)*py^2+2*(py^2-2)*x^2-4*px^2)",
            "E2": "(2*py^4*y^4+py^4*y^2+py^2*y^4-py^4-y^4-px^2-py^2-x^2-y^2)/(24*(y^2+1))",
            "N2": n_m_harmonic},
        "MT": {
            "K2": d96 + "((3*py^4+14*py^2-1)*y^6"
                  "+2*(2*py^4-(9*px^2-6*E-22)*py^2-(3*py^2-1)*x^2+px^2-2*E-2)*y^4"
                  "-(px^4+py^4+x^4-4*(E+3)*px^2+2*(14*px^2-4*E-19)*py^2+2*(px^2+2*py^2-2*E)*x^2+4*E^2+8*E+4)*y^2"
                  "-2*py^4-2*(5*px^2+2*E-4)*py^2+2*(py^2-2)*x^2+8*px^2)",
            "E2": "(2*py^4*y^4-3*px^2*py^2*y^2+py^4*y^2+4*py^2*y^4-3*px^2*py^2-py^4+6*py^2*y^2-y^4+2*px^2+2*py^2"
                  "-x^2-y^2)/(24*(y^2+1))",
            "N2": n_m_harmonic},
        "TM": {
            "K2": m96 + "((9*py^4-14*py^2+1)*y^6"
                  "+2*(7*py^4+(9*px^2+6*E-7)*py^2-(3*py^2+1)*x^2-px^2+2*E+2)*y^4"
                  "+(px^4+py^4+x^4-4*E*px^2+2*(5*px^2+2*E+2)*py^2+2*(px^2-py^2-2*E)*x^2+4*E^2+8*E+4)*y^2"
                  "-4*py^4-4*(2*px^2+2*E-1)*py^2+4*(py^2+1)*x^2+4*px^2)",
            "E2": "-(4*py^4*y^4+6*px^2*py^2*y^2+2*py^4*y^2-py^2*y^4-3*px^2*py^2-2*py^4+y^4+px^2+py^2+x^2+y^2)"
                  "/(24*(y^2+1))",
            "N2": n_t_harmonic},
        "TT": {
            "K2": m96 + "((9*py^4-26*py^2+1)*y^6"
                  "+2*(7*py^4+(15*px^2+6*E-25)*py^2-(3*py^2+1)*x^2-px^2+2*E+2)*y^4"
                  "+(px^4+py^4+x^4-4*(E+3)*px^2+2*(17*px^2+2*E-16)*py^2+2*(px^2-py^2-2*E)*x^2+4*E^2+8*E+4)*y^2"
                  "-4*py^4+4*(px^2-2*E-2)*py^2+4*(py^2+1)*x^2-8*px^2)",
            "E2": "-(4*py^4*y^4+9*px^2*py^2*y^2+2*py^4*y^2-4*py^2*y^4-2*py^4-6*py^2*y^2+y^4-2*px^2-2*py^2+x^2+y^2)"
                  "/(24*(y^2+1))",
            "N2": n_t_harmonic},
        "T": {
            "K2": m96 + "((9*py^4-2*py^2+1)*y^6+24*px*py*x*y^3"
                  "+2*(7*py^4+(3*px^2+6*E-1)*py^2-(3*py^2+1)*x^2-px^2+2*E+2)*y^4"
                  "+(px^4+py^4+x^4-4*(E+3)*px^2+2*(5*px^2+2*E-4)*py^2+2*(px^2-py^2-2*E)*x^2+4*E^2+8*E+4)*y^2"
                  "-4*py^4+24*px*py*x*y+4*(px^2-2*E-2)*py^2+4*(py^2+1)*x^2-8*px^2)",
            "E2": "-(4*py^4*y^4+3*px^2*py^2*y^2+2*py^4*y^2+2*py^2*y^4-2*py^4+6*px*py*x*y+y^4-2*px^2-2*py^2+x^2+y^2)"
                  "/(24*(y^2+1))",
            "N2": n_t_harmonic},
    },
    "free": {
        "M": {
            "K2": d96 + "(3*py^4*y^6+2*(2*py^4-3*(px^2-2*E)*py^2)*y^4-2*py^4+2*(px^2-2*E)*py^2"
                  "-(px^4+py^4-4*E*px^2+4*(px^2-2*E)*py^2+4*E^2)*y^2)",
            "E2": "1/12*py^4*y^2-1/24*py^4",
            "N2": n_m_free},
        "MT": {
            "K2": d96 + "(3*py^4*y^6+2*(2*py^4-3*(3*px^2-2*E)*py^2)*y^4-2*py^4-2*(5*px^2+2*E)*py^2"
                  "-(px^4+py^4-4*E*px^2+4*(7*px^2-2*E)*py^2+4*E^2)*y^2)",
            "E2": "1/12*py^4*y^2-1/8*px^2*py^2-1/24*py^4",
            "N2": n_m_free},
        "TM": {
            "K2": m96 + "(9*py^4*y^6+2*(7*py^4+3*(3*px^2+2*E)*py^2)*y^4-4*py^4-8*(px^2+E)*py^2"
                  "+(px^4+py^4-4*E*px^2+2*(5*px^2+2*E)*py^2+4*E^2)*y^2)",
            "E2": "-(4*py^4*y^4-3*px^2*py^2-2*py^4+2*(3*px^2*py^2+py^4)*y^2)/(24*(y^2+1))",
            "N2": n_t_free},
        "TT": {
            "K2": m96 + "(9*py^4*y^6+2*(7*py^4+3*(5*px^2+2*E)*py^2)*y^4-4*py^4+4*(px^2-2*E)*py^2"
                  "+(px^4+py^4-4*E*px^2+2*(17*px^2+2*E)*py^2+4*E^2)*y^2)",
            "E2": "-(4*py^4*y^4-2*py^4+(9*px^2*py^2+2*py^4)*y^2)/(24*(y^2+1))",
            "N2": n_t_free},
        "T": {
            "K2": m96 + "(9*py^4*y^6+2*(7*py^4+3*(px^2+2*E)*py^2)*y^4-4*py^4+4*(px^2-2*E)*py^2"
                  "+(px^4+py^4-4*E*px^2+2*(5*px^2+2*E)*py^2+4*E^2)*y^2)",
            "E2": "-(4*py^4*y^4-2*py^4+(3*px^2*py^2+2*py^4)*y^2)/(24*(y^2+1))",
            "N2": n_t_free},
    },
}


def formula(text):
    return sp.sympify(text.replace("^", "**"), locals={"x": x, "y": y, "px": px, "py": py, "E": E})


def appendix_consistent():
    """Ecal2 = K2/N and N2 = -dK2/dE at E = H, exactly."""
    N = 1 / sp.sqrt(1 + y**2)
    for name, U in (("harmonic", (x**2 + y**2) / 2), ("free", sp.Integer(0))):
        H = (px**2 + (1 + y**2) * py**2) / 2 + U
        for rule in RULES:
            K2, E2, N2 = (formula(APPENDIX[name][rule][k]) for k in ("K2", "E2", "N2"))
            assert sp.simplify(K2.subs(E, H) / N - E2) == 0, (name, rule, "E2")
            assert sp.simplify(-sp.diff(K2, E).subs(E, H) - N2) == 0, (name, rule, "N2")


def write(name, data):
    with open(os.path.join(HERE, name), "w") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


# ---------------------------------------------------------------------------------------------- power series in h
class Series:
    """c[0] + c[1] h + ...; the c are numbers (mpf) or numpy arrays (one entry per point)."""
    __array_ufunc__ = None

    def __init__(self, c):
        self.c = list(c)

    def cut(self, n):
        return Series(self.c[:n])

    def grown(self, n):
        return Series(self.c + [self.c[0] * 0] * (n - len(self.c)))

    def times_h(self):
        return Series([self.c[0] * 0] + self.c[:-1])

    def __add__(self, other):
        if isinstance(other, Series):
            return Series([a + b for a, b in zip(self.c, other.c)])
        return Series([self.c[0] + other] + self.c[1:])

    def __neg__(self):
        return Series([-a for a in self.c])

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        if not isinstance(other, Series):
            return Series([a * other for a in self.c])
        a, b = self.c, other.c
        return Series([sum((a[i] * b[n - i] for i in range(1, n + 1)), a[0] * b[n])
                       for n in range(min(len(a), len(b)))])

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        return self * (other**-1 if isinstance(other, Series) else 1 / other)

    def __rtruediv__(self, other):
        return self**-1 * other

    def __pow__(self, r):
        if isinstance(r, int) and r > 0:
            half = self**(r // 2) if r > 1 else None
            return self if r == 1 else (half * half * self if r % 2 else half * half)
        a = self.c
        b = [1 / a[0]**(-r) if isinstance(r, int) else root(a[0])**int(2 * r)]      # r: integer or half-integer
        for n in range(1, len(a)):
            b.append(sum((a[k] * b[n - k] * (r * k - (n - k)) for k in range(1, n + 1)), a[0] * 0) / (a[0] * n))
        return Series(b)

    def sine_cosine(self):
        a = self.c
        s, c = [sine(a[0])], [cosine(a[0])]
        for n in range(1, len(a)):
            s.append(sum((a[k] * c[n - k] * k for k in range(1, n + 1)), a[0] * 0) / n)
            c.append(-sum((a[k] * s[n - k] * k for k in range(1, n + 1)), a[0] * 0) / n)
        return Series(s), Series(c)


def root(a):
    return a**0.5 if isinstance(a, Series) else mp.sqrt(a) if isinstance(a, mp.mpf) else np.sqrt(a)


def sine(a):
    return a.sine_cosine()[0] if isinstance(a, Series) else mp.sin(a) if isinstance(a, mp.mpf) else np.sin(a)


def cosine(a):
    return a.sine_cosine()[1] if isinstance(a, Series) else mp.cos(a) if isinstance(a, mp.mpf) else np.cos(a)


FUNCTIONS = {"sqrt": root, "sin": sine, "cos": cosine}


# ---------------------------------------------------------------------------------------------- systems and rules
class System:
    """G, U, N: functions of the coordinates and of the constants; constants: names and values."""

    def __init__(self, names, G, U, N, constants=()):
        self.names, self.n = names, len(names)
        self.q = sp.symbols(names, real=True)
        self.constants = dict(constants)
        c = [sp.Symbol(k, real=True) for k in self.constants]
        self.G, self.U, self.N = G(*self.q, *c), U(*self.q, *c), N(*self.q, *c)
        self.steppers = {}

    def stepper(self, rule):
        if rule not in self.steppers:
            self.steppers[rule] = Stepper(self, rule)
        return self.steppers[rule]


class Stepper:
    """Lambda_d as a function of a = q_0, b = q_1, v = (q_1 - q_0)/h, and the map."""

    def __init__(self, system, rule):
        n, self.n, self.system, self.rule = system.n, system.n, system, rule
        a, b, v = (sp.symbols(["%s%d" % (k, i) for i in range(n)], real=True) for k in "abv")
        al = sp.Symbol("al", real=True)
        lag = sum(g * u**2 for g, u in zip(system.G, v)) / 2 - system.U

        def at(f, t):
            return sp.sympify(f).subs(dict(zip(system.q, [(1 - t) * i + t * j for i, j in zip(a, b)])), simultaneous=True)

        def mean(f):
            return (at(f, 0) + at(f, 1)) / 2

        half = sp.Rational(1, 2)
        values = dict(system.constants)
        if rule in RULES:
            F = {"M": lambda: at(system.N, half) * (at(lag, half) + E), "MT": lambda: at(system.N, half) * (mean(lag) + E),
                 "TM": lambda: mean(system.N) * (at(lag, half) + E), "TT": lambda: mean(system.N) * (mean(lag) + E),
                 "T": lambda: mean(system.N * (lag + E))}[rule]()
        else:
            kind, value = rule[:-1].split("(")
            values["al"] = value
            whole = system.N * (lag + E)
            F = at(whole, al) if kind == "alpha" else (at(whole, al) + at(whole, 1 - al)) / 2
        self.symmetric = not rule.startswith("alpha(")
        Fa, Fb, Fv = ([sp.diff(F, s) for s in k] for k in (a, b, v))
        self.F, self.symbols = F, (a, b, v)
        names = [sp.Symbol(k, real=True) for k in values]
        self.values = [mp.mpf(k) for k in values.values()]
        self.floats = [float(k) for k in self.values]
        arguments = [*a, *b, *v, E, *names]

        def function(outputs, args=arguments):
            return sp.lambdify(args, outputs, modules=[FUNCTIONS], cse=True)

        self.equation = function([Fa[i] for i in range(n)] + Fv)
        self.outputs = function([F, sp.diff(F, E)] + Fb + Fv)
        residual = [Fv[i] - h * Fa[i] for i in range(n)]
        jacobian = [sp.diff(r, v[j]) + h * sp.diff(r, b[j]) for r in residual for j in range(n)]
        self.newton = function(residual + jacobian, [h] + arguments)
        self.mass = function([m * system.N for m in system.G], [*system.q, *names])
        p = sp.symbols(["p%d" % i for i in range(n)], real=True)
        self.H = function(sum(k**2 / (g * system.N**2) for k, g in zip(p, system.G)) / 2 + system.U, [*system.q, *p, *names])

    def given(self, sample):
        return self.values if isinstance(sample, mp.mpf) else self.floats

    def hamiltonian(self, z):
        return self.H(*z, *self.given(z[0]))

    def trajectory(self, z, energy, order):
        """q_k, p_k, v_k, Lambda_d and dLambda_d/dE of the cells; order + 1 steps; power series to h^order in all of them."""
        n, T, given = self.n, order + 1, self.given(z[0])
        energy = energy.grown(T).cut(T)
        q, p = [Series([c]).grown(T) for c in z[:n]], [Series([c]).grown(T) for c in z[n:]]
        mass = self.mass(*z[:n], *given)
        nodes, cells = [(q, p)], []
        for _ in range(T):
            v = [Series([]) for _ in range(n)]
            for m in range(1, T + 1):
                v = [Series(u.c + [z[0] * 0]) for u in v]
                a = [s.cut(m) for s in q]
                r = self.equation(*a, *[s + u.times_h() for s, u in zip(a, v)], *v, energy.cut(m), *given)
                for i in range(n):
                    rest = p[i].c[m - 1] - r[n + i].c[m - 1] + (r[i].c[m - 2] if m > 1 and isinstance(r[i], Series) else 0)
                    v[i].c[m - 1] = rest / mass[i]
            b = [s + u.times_h() for s, u in zip(q, v)]
            out = self.outputs(*q, *b, *v, energy, *given)
            out = [s if isinstance(s, Series) else Series([z[0] * 0 + s]).grown(T) for s in out]
            p = [s.times_h() + u for s, u in zip(out[2:2 + n], out[2 + n:])]
            q = b
            nodes.append((q, p))
            cells.append((v, out[0], out[1]))
        return nodes, cells

    def modified(self, z, energy, order):
        """K_mod(z; h, E) and N_mod = -dK_mod/dE as power series to h^order; E is a power series too."""
        nodes, cells = self.trajectory(z, energy, order)

        def rate(values):
            """(1/h) log(1 + D) of a sum over cells h (value): sum_k (-1)^(k+1)/k D^(k-1) value."""
            total, row = values[0], list(values)
            for k in range(2, order + 2):
                row = [t - s for s, t in zip(row, row[1:])]
                total = total + row[0] * ((z[0] * 0 + (-1)**(k + 1)) / k)
            return total

        K = -rate([c[1] for c in cells])
        for i in range(self.n):
            K = K + rate([c[0][i] for c in cells]) * z[self.n + i]
        return K, rate([c[2] for c in cells]), nodes, cells

    def conformal(self, z, order):
        """Ecal and N_mod as power series in h, to h^order."""
        energy, known = Series([self.hamiltonian(z)]), 1
        while known <= order:
            known = min(2 * known, order + 1)
            K, N, _, _ = self.modified(z, energy, known - 1)
            energy = energy.grown(known) + K / N
        K, N, _, _ = self.modified(z, energy, order)
        return energy, N, K

    def step(self, z, energy, h):
        """One step with plain numbers (mpf) or arrays of numbers. The step may be negative (symmetric rules)."""
        n, given = self.n, self.given(z[0])
        q, p = z[:n], z[n:]
        v = [m / k for m, k in zip(p, self.mass(*q, *given))]
        goal = mp.eps * 64 if isinstance(z[0], mp.mpf) else 1e-14
        for iteration in range(60):
            b = [s + h * u for s, u in zip(q, v)]
            out = self.newton(h, *q, *b, *v, energy, *given)
            r = [out[i] - p[i] for i in range(n)]
            if n == 1:
                d = [r[0] / out[1]]
            else:
                j = out[2:]
                det = j[0] * j[3] - j[1] * j[2]
                d = [(r[0] * j[3] - r[1] * j[1]) / det, (r[1] * j[0] - r[0] * j[2]) / det]
            v = [u - k for u, k in zip(v, d)]
            if np.max(np.abs(d)) < goal:
                break
        else:
            raise ArithmeticError("no convergence")
        b = [s + h * u for s, u in zip(q, v)]
        out = self.outputs(*q, *b, *v, energy, *given)
        return b + [h * out[2 + i] + out[2 + n + i] for i in range(n)], h * out[0]


PARTICLE = {name: System(("x", "y"), lambda x, y: (1 + y**2, sp.Integer(1)), U, lambda x, y: 1 / sp.sqrt(1 + y**2))
            for name, U in (("harmonic", lambda x, y: (x**2 + y**2) / 2), ("free", lambda x, y: sp.Integer(0)))}
OTHERS = {
    "knife edge, incline": System(("x", "phi"), lambda x, phi, s: (1 / sp.cos(phi)**2, sp.Integer(1)),
                                  lambda x, phi, s: -x * s, lambda x, phi, s: sp.cos(phi),
                                  {"sin_alpha": mp.sin(mp.mpf(1) / 10)}),
    "sinusoidal, potential": System(("x", "y"), lambda x, y: (sp.Integer(1), 1 + sp.sin(x)**2),
                                    lambda x, y: sp.cos(x) + y**2 / 2, lambda x, y: 1 / sp.sqrt(1 + sp.sin(x)**2)),
}
PLAIN = {
    "pendulum": System(("th",), lambda th: (sp.Integer(1),), lambda th: -sp.cos(th), lambda th: sp.Integer(1)),
    "kepler": System(("x", "y"), lambda x, y: (sp.Integer(1),) * 2, lambda x, y: -1 / sp.sqrt(x**2 + y**2),
                     lambda x, y: sp.Integer(1)),
}


# ---------------------------------------------------------------------------------------------- the bilinear form
def bilinear_weights(w):
    """A(a, b) for -w <= a < b <= w, G(j) for the cells j = -w .. w - 1."""
    A = {(a, b): Fraction((1 if (a + b) % 2 else -1) * comb(2 * w, w + a) * comb(2 * w, w + b), comb(4 * w, 2 * w) * (b - a))
         for a in range(-w, w + 1) for b in range(a + 1, w + 1)}
    G = {j: 2 * sum(A[k] for k in A if k[0] <= j < k[1]) for j in range(-w, w)}
    return A, G


def bilinear_weights_right():
    """With beta' = (p q' - q p')/2 - K the form is exact for curves z = sum z_i t^i when sum G = 1 and, for i < k,
    sum A_ab (a^i b^k - a^k b^i) = (1/2) sum_j G_j (k - i)/(i + k) ((j+1)^(i+k) - j^(i+k)); it must hold for i + k <= 4w."""
    for w in range(1, 7):
        A, G = bilinear_weights(w)
        assert sum(G.values()) == 1
        failed = []
        for i, k in itertools.combinations(range(4 * w + 2), 2):
            if i + k > 4 * w + 1:
                continue
            left = sum(c * (a**i * b**k - a**k * b**i) for (a, b), c in A.items())
            right = sum(g * ((j + 1)**(i + k) - j**(i + k)) for j, g in G.items()) * Fraction(k - i, 2 * (i + k))
            if left != right:
                failed.append((i, k))
        assert all(i + k == 4 * w + 1 for i, k in failed) and failed, (w, failed)     # order 4w, not more


def dot(p, q):
    total = p[0] * q[0]
    for s, t in zip(p[1:], q[1:]):
        total = total + s * t
    return total


def bilinear_form(nodes, actions, w):
    """h K_mod from the 2w + 1 nodes (q, p) and the 2w values of L_d."""
    A, G = bilinear_weights(w)
    value = lambda c: mp.mpf(c.numerator) / c.denominator
    total = None
    for (a, b), c in A.items():
        (qa, pa), (qb, pb) = nodes[w + a], nodes[w + b]
        term = (dot(pa, qb) - dot(qa, pb)) * value(c)
        total = term if total is None else total + term
    for j, g in G.items():
        (qa, pa), (qb, pb) = nodes[w + j], nodes[w + j + 1]
        total = total - (actions[w + j] - (dot(pb, qb) - dot(pa, qa)) * (mp.mpf(1) / 2)) * value(g)
    return total


def bilinear_number(stepper, z, energy, step, w):
    """K_mod(z) from a numerical trajectory with z in its middle (symmetric rules)."""
    nodes, actions = {0: z}, {}
    for k in range(w):
        nodes[k + 1], actions[k] = stepper.step(nodes[k], energy, step)
        nodes[-k - 1], back = stepper.step(nodes[-k], energy, -step)
        actions[-k - 1] = -back                 # h Lambda_d is odd in h when the end points are exchanged
    n = stepper.n
    return bilinear_form([(nodes[k][:n], nodes[k][n:]) for k in range(-w, w + 1)],
                         [actions[k] for k in range(-w, w)], w) / step


# ---------------------------------------------------------------------------------------------- symbolic checks
def log_of_the_map_particle(name, rule, point):
    """The h^2 term of f_mod = (1/h) log of the map, d3 - (1/6) D0 D0 f0, against J grad K2 of GV; sympy alone."""
    system = PARTICLE[name]
    stepper = system.stepper(rule)
    a, b, v = stepper.symbols
    state = (x, y, px, py)
    mass = [g * system.N for g in system.G]
    KE = system.N * (sum(k**2 / (m * system.N) for k, m in zip((px, py), mass)) / 2 + system.U - E)
    f0 = [sp.diff(KE, px), sp.diff(KE, py), -sp.diff(KE, x), -sp.diff(KE, y)]
    lie = lambda g: sum(sp.diff(g, s) * f for s, f in zip(state, f0))
    DDf = [lie(lie(f)) for f in f0]
    at = dict(zip((*state, E), point))
    q, p = [at[x], at[y]], [at[px], at[py]]
    velocity = [k / m.subs(at) for k, m in zip(p, mass)]
    u = [sp.Symbol("u%d" % i) for i in range(2)]
    F = stepper.F.subs(E, at[E])
    place = lambda e, w: e.subs({**dict(zip(a, q)), **{k: s + h * t for k, s, t in zip(b, q, w)}, **dict(zip(v, w))},
                                simultaneous=True)
    for order in (1, 2):                                  # v = v0 + h v1 + h^2 v2 from p_0 = F_v - h F_a
        trial = [s + h**order * t for s, t in zip(velocity, u)]
        equations = [place(sp.diff(F, v[i]) - h * sp.diff(F, a[i]), trial) for i in range(2)]
        equations = [sp.diff(e, h, order).subs(h, 0) for e in equations]
        solution = sp.solve(equations, u, dict=True)[0]
        velocity = [s.subs(solution) for s in trial]
    force = [sp.diff(place(sp.diff(F, a[i]) + sp.diff(F, b[i]), velocity), h, 2).subs(h, 0) / 2 for i in range(2)]
    third = [sp.diff(s, h, 2) / 2 for s in velocity] + force            # p_1 = p_0 + h (F_a + F_b)
    K2 = formula(APPENDIX[name][rule]["K2"])
    gradient = [sp.diff(K2, px), sp.diff(K2, py), -sp.diff(K2, x), -sp.diff(K2, y)]
    for i in range(4):
        error = sp.N(third[i] - DDf[i].subs(at) / 6 - gradient[i].subs(at), 40)
        assert abs(error) < 1e-30, (name, rule, i, error)


def midpoint_exact(name):
    """Rule M is the implicit midpoint rule of K_E, whose K2 is -1/24 K''(f, f)."""
    system = PARTICLE[name]
    state = (x, y, px, py)
    KE = system.N * (sum(k**2 / (g * system.N**2) for k, g in zip((px, py), system.G)) / 2 + system.U - E)
    f = [sp.diff(KE, px), sp.diff(KE, py), -sp.diff(KE, x), -sp.diff(KE, y)]
    K2 = -sum(sp.diff(KE, s, t) * i * j for s, i in zip(state, f) for t, j in zip(state, f)) / 24
    assert sp.simplify(K2 - formula(APPENDIX[name]["M"]["K2"])) == 0


def log_of_the_map_pendulum(rule, point):
    """K2 and K4 of the pendulum from the symbolic logarithm of the map, integrated along the ray from the equilibrium."""
    th, p = sp.symbols("th p", real=True)
    V = lambda e: -sp.cos(e)
    new = lambda v: th + h * v
    if rule == "M":
        push = lambda v: -V(sp.Symbol("s")).diff().subs(sp.Symbol("s"), th + h * v / 2) / 2
        first = second = push
    else:
        force = lambda e: -sp.sin(e)
        first, second = (lambda v: force(th) / 2), (lambda v: force(new(v)) / 2)
    v = p
    for order in range(1, 5):                             # p = v - h F_a, one order after the other
        v = sp.expand(sp.series(p + h * first(v), h, 0, order + 1).removeO())
    kick = sp.expand(sp.series(first(v) + second(v), h, 0, 5).removeO())
    d = {k: (v.coeff(h, k - 1), kick.coeff(h, k - 1)) for k in range(1, 6)}
    D = lambda f: lambda g: tuple(sp.expand(f[0] * sp.diff(e, th) + f[1] * sp.diff(e, p)) for e in g)
    add = lambda *rows: tuple(sp.expand(sum(e)) for e in zip(*rows))
    scale = lambda c, row: tuple(c * e for e in row)
    f0 = d[1]
    assert all(sp.simplify(e) == 0 for e in add(d[2], scale(-sp.Rational(1, 2), D(f0)(f0))))
    f2 = add(d[3], scale(-sp.Rational(1, 6), D(f0)(D(f0)(f0))))
    D0, D2 = D(f0), D(f2)
    f4 = add(d[5], scale(-sp.Rational(1, 6), add(D0(D0(f2)), D0(D2(f0)), D2(D0(f0)))),
             scale(-sp.Rational(1, 120), D0(D0(D0(D0(f0))))))
    result = []
    for f in (f2, f4):
        assert sp.simplify(sp.diff(f[0], th) + sp.diff(f[1], p)) == 0              # Hamiltonian
        along = sp.lambdify((th, p), f, "mpmath")
        result.append(mp.quad(lambda s: point[1] * along(s * point[0], s * point[1])[0]
                              - point[0] * along(s * point[0], s * point[1])[1], [0, 1]))
    return result


# ---------------------------------------------------------------------------------------------- the numbers
def digits(c, n=20):
    return "0" if abs(c) < mp.mpf(10)**-30 else mp.nstr(mp.mpf(c), n, strip_zeros=True)


def dyadic(*values):
    return [mp.mpf(k) / 64 for k in values]


def coefficients(system, rule, point, order, conformal=True):
    """A record: the point, K_j(q, p; E), and Ecal_j(q, p), N_j(q, p); odd j only for rules that are not symmetric."""
    stepper, n = system.stepper(rule), system.n
    z, energy = point[:2 * n], (point[2 * n] if conformal else mp.mpf(0))
    K, N, nodes, cells = stepper.modified(z, Series([energy]), order + 1)
    other = bilinear_form(nodes, [c[1].times_h() for c in cells], 3)       # seven points, order 12 >= order + 1
    assert max(abs(s - t) for s, t in zip(other.c[1:], K.c)) < 1e-35, (rule, other.c, K.c)
    record = {"rule": rule}
    momenta = ["px", "py"] if system.names == ("x", "y") else ["p_" + k for k in system.names]
    record.update({k: digits(c) for k, c in zip([*system.names, *momenta], z)})
    if conformal:
        record["E"] = digits(energy)
        Ecal, Nmod, rest = stepper.conformal(z, order)
        assert max(abs(c) for c in rest.c) < 1e-35
        nodes_in_E = [stepper.modified(z, Series([energy + k]), order)[0] for k in range(-5, 6)]
        for j in range(order + 1):                       # derivative of the polynomial of degree <= 10 through 11 values
            slope = sum((mp.mpf((-1)**(k + 1)) * mp.factorial(5)**2 / (k * mp.factorial(5 - k) * mp.factorial(5 + k)))
                        * (nodes_in_E[5 + k].c[j] - nodes_in_E[5 - k].c[j]) for k in range(1, 6))
            assert abs(slope + N.c[j]) < 1e-33, (rule, j, slope, N.c[j])
    for j in range(order + 1):
        if j % 2 and stepper.symmetric:
            assert abs(K.c[j]) < 1e-35 and (not conformal or max(abs(Ecal.c[j]), abs(Nmod.c[j])) < 1e-35)
            continue
        record["K%d" % j] = digits(K.c[j])
    if conformal:
        for name, series in (("E", Ecal), ("N", Nmod)):
            for j in range(0, order + 1, 2 if stepper.symmetric else 1):
                record["%s%d" % (name, j)] = digits(series.c[j])
    return record


POINTS = (dyadic(17, -23, 40, 31, 38), dyadic(-37, 45, -21, 52, 11), dyadic(29, 13, 58, -35, -19))
OTHER_POINTS = (dyadic(21, -33, 47, 26, 35), dyadic(-44, 19, -30, 55, -13))
PLAIN_POINTS = {"pendulum": (dyadic(39, 27), dyadic(-22, 58)),
                "kepler": (dyadic(50, -36, 28, 59), dyadic(-41, -55, 60, -17))}


def all_coefficients(log):
    out = {"coefficients": [], "others": [], "del": []}
    for name, system in PARTICLE.items():
        for rule in RULES:
            K2 = sp.lambdify((x, y, px, py, E), formula(APPENDIX[name][rule]["K2"]), "mpmath")
            for point in POINTS:
                record = coefficients(system, rule, point, 8)
                assert abs(mp.mpf(record["K2"]) - K2(*point)) < 1e-18
                out["coefficients"].append({"system": name, **record})
        log("coefficients, " + name)
    for name, system in OTHERS.items():
        for rule in (*RULES, "sym(0.25)", "alpha(0.3)"):
            for point in OTHER_POINTS:
                out["others"].append({"system": name, **coefficients(system, rule, point, 6)})
        log("coefficients, " + name)
    for name, system in PLAIN.items():
        for rule, key in (("midpoint", "M"), ("trapezoidal", "T"), ("alpha(0.3)", "alpha(0.3)")):
            for point in PLAIN_POINTS[name]:
                record = coefficients(system, key, point, 4, conformal=False)
                if name == "pendulum" and key in RULES:
                    for j, c in zip((2, 4), log_of_the_map_pendulum(key, point)):
                        assert abs(mp.mpf(record["K%d" % j]) - c) < 1e-18, (rule, j, c, record)
                out["del"].append({"system": name, **record, "rule": rule})
    log("coefficients, del")
    return out


def small_steps():
    """The remainder of K^(8), from numerical trajectories and 13 points, must fall like h^10."""
    old, mp.mp.dps = mp.mp.dps, 80
    try:
        for name, rule in (("harmonic", "TT"), ("free", "M"), ("harmonic", "T")):
            stepper, point = PARTICLE[name].stepper(rule), POINTS[0]
            K = stepper.modified(point[:4], Series([point[4]]), 8)[0]
            rest = []
            for step in (mp.mpf(1) / 64, mp.mpf(1) / 128):
                series = sum(c * step**j for j, c in enumerate(K.c))
                rest.append(bilinear_number(stepper, point[:4], point[4], step, 6) - series)
            order = mp.log(abs(rest[0] / rest[1]), 2)
            assert abs(order - 10) < 0.1, (name, rule, order, rest)
    finally:
        mp.mp.dps = old


START = [mp.mpf(0), mp.mpf(0), mp.mpf(1), mp.mpf(1)]
QUARTER = mp.mpf(1) / 4


def truncated(series, order, step=QUARTER):
    return sum((series.c[j] * step**j for j in range(1, order + 1)), series.c[0])


def conformal_runs(log):
    out = []
    for name, system in PARTICLE.items():
        for rule in RULES:
            stepper = system.stepper(rule)
            Ecal, _, _ = stepper.conformal(START, 6)
            record = {"system": name, "rule": rule, "h": "0.25", "x": "0", "y": "0", "px": "1", "py": "1"}
            for order in (0, 2, 4, 6):
                record["E(%d)" % order] = digits(truncated(Ecal, order), 25)
            guess = truncated(Ecal, 4)
            record["E 13 points"] = digits(mp.findroot(lambda e: bilinear_number(stepper, START, e, QUARTER, 6),
                                                       (guess, guess + mp.mpf(10)**-6), solver="secant", tol=1e-60), 25)
            for order in (0, 4):
                z, energy, largest = START, truncated(Ecal, order), mp.mpf(0)
                for k in range(1, 201):
                    z, _ = stepper.step(z, energy, QUARTER)
                    largest = max(largest, abs(stepper.hamiltonian(z) - 1))
                    if k == 100:
                        record["state 100, ell=%d" % order] = [digits(c, 25) for c in z]
                record["max |H-1|, ell=%d" % order] = digits(largest, 20)
            out.append(record)
        log("conformal, " + name)
    return out


def measure_runs(log):
    """J_k = det(dz_k/dz_0) N^(m)(z_0)/N^(m)(z_k), z_k the k-th point with E = Ecal^(ell)(z_0) frozen at the start, and
    N^(m) = N + h^2 N2 + ... + h^m Nm at the point itself; the derivative by central differences, delta = 1e-10."""
    out, steps, delta = [], 79, mp.mpf(10)**-10
    for rule in RULES:
        stepper = PARTICLE["harmonic"].stepper(rule)
        for ell in (4, 0):
            def run(z):
                energy = truncated(stepper.conformal(z, ell)[0], ell)
                points = [z]
                for _ in range(steps):
                    points.append(stepper.step(points[-1], energy, QUARTER)[0])
                return points
            centre, columns = run(START), []
            for i in range(4):
                ends = [run([c + s * delta * (i == j) for j, c in enumerate(START)]) for s in (1, -1)]
                columns.append([[(s - t) / (2 * delta) for s, t in zip(a, b)] for a, b in zip(*ends)])
            N = [stepper.conformal(z, 4)[1] for z in centre]
            record = {"system": "harmonic", "rule": rule, "ell": ell, "h": "0.25", "steps": steps}
            determinants = [mp.det(mp.matrix([columns[i][k] for i in range(4)])) for k in range(steps + 1)]
            for m in (0, 2, 4):
                J = [d * truncated(N[0], m) / truncated(n, m) for d, n in zip(determinants, N)]
                record["max |J-1|, m=%d" % m] = digits(max(abs(j - 1) for j in J), 12)
                record["J, m=%d" % m] = {str(k): digits(J[k], 15) for k in (1, 20, 40, 60, 79)}
            out.append(record)
    log("measure")
    return out


def six_hundred_cell():
    golden = (1 + 5**0.5) / 2
    points = [[s * (i == j) for j in range(4)] for i in range(4) for s in (1.0, -1.0)]
    points += [list(c) for c in itertools.product((0.5, -0.5), repeat=4)]
    for order in itertools.permutations(range(4)):
        if sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4)) % 2 == 0:
            for a, b, c in itertools.product((1, -1), repeat=3):
                values = (a * golden / 2, b * 0.5, c / (2 * golden), 0.0)
                points.append([values[k] for k in order])
    points = np.array(points)
    assert points.shape == (120, 4) and np.allclose(np.sum(points**2, axis=1), 1)
    inner = np.sort(points @ points.T, axis=1)
    assert np.allclose(inner[:, -13:-1], golden / 2) and np.allclose(points.sum(axis=0), 0)      # twelve neighbours each
    return points


def cloud_runs(log):
    """Convex hulls of the cloud, in double precision. Weighted: each simplex (centroid of the 120 points, facet) counts its
    volume times the mean of 1/N^(m) at its five vertices."""
    from scipy.spatial import ConvexHull
    out, radius, step = [], 0.01, 0.25
    start = np.array([0.0, 0.0, 1.0, 1.0]) + radius * six_hundred_cell()
    for rule in ("M", "TT"):
        stepper = PARTICLE["harmonic"].stepper(rule)
        for ell in (4, 0):
            z = list(start.T.copy())
            energy = truncated(stepper.conformal(z, ell)[0], ell, step)
            record = {"system": "harmonic", "rule": rule, "ell": ell, "h": "0.25", "radius": "0.01", "volumes": []}
            first, largest = {}, {0: 0.0, 2: 0.0, 4: 0.0}
            for k in range(80):
                points = np.array(z).T
                centre = points.mean(axis=0)
                hull = ConvexHull(points)
                volume = np.abs(np.linalg.det(points[hull.simplices] - centre)) / 24
                assert abs(volume.sum() / hull.volume - 1) < 1e-10
                N = stepper.conformal(list(np.vstack([points, centre]).T), 4)[1]
                row = {"step": k, "hull": digits(hull.volume, 12), "vertices": len(hull.vertices)}
                for m in (0, 2, 4):
                    inverse = 1 / truncated(N, m, step)
                    weight = (inverse[:-1][hull.simplices].sum(axis=1) + inverse[-1]) / 5
                    value = np.sum(volume * weight)
                    row["weighted, m=%d" % m] = digits(value, 12)
                    largest[m] = max(largest[m], abs(value / first.setdefault(m, value) - 1))
                if k in (0, 20, 40, 60, 79):
                    record["volumes"].append(row)
                z = stepper.step(z, energy, step)[0]
            for m in (0, 2, 4):
                record["max |V/V0-1|, m=%d" % m] = digits(largest[m], 10)
            out.append(record)
    log("cloud")
    return out


def main():
    begin = time.time()
    log = lambda text: print("%7.1f s  %s" % (time.time() - begin, text), flush=True)
    appendix_consistent()
    for name in PARTICLE:
        midpoint_exact(name)
        for rule in RULES:
            log_of_the_map_particle(name, rule, [sp.Rational(k, 64) for k in (17, -23, 40, 31, 38)])
    write("gv_appendix.json", APPENDIX)
    log("appendix")
    bilinear_weights_right()
    log("weights")
    small_steps()
    log("small steps")
    data = all_coefficients(log)
    data["conformal"] = conformal_runs(log)
    data["measure"] = measure_runs(log)
    data["cloud"] = cloud_runs(log)
    write("modified_numbers.json", data)
    log("written")


if __name__ == "__main__":
    main()
