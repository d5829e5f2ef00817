#!/usr/bin/python3
"""Fernandez, Bloch & Olver (FE), section 5: their three examples by independent implementations.

RDLA      forced DEL for l with F- = F+ = (h/2) F at the midpoint
HDEL      DEL for l(r, f r') with step h_tau
PTHDEL    DEL for f (l + E)
midpoint_v, midpoint_p   implicit midpoint rule for the reduced equations in (r, r') and in (r, p = l_r')

all with the midpoint rule, 40 digits, Newton with the exact Jacobian, residuals below 1e-30. Starts: "q1" takes the
second point from the exact solution, "p0" the momentum of the exact initial velocity, "euler" the second point
r0 + h r0' (which is what reproduces FE's own energy constants). Writes fe_numbers.json.
Run it with a Python that has sympy and mpmath.
"""
import json
import os
import re

import mpmath as mp
import sympy as sp

mp.mp.dps = 40
HERE = os.path.dirname(os.path.abspath(__file__))
a, b, v, w, h, pa, pb = sp.symbols("a b v w h pa pb", real=True)
a0, b0, a1, b1 = sp.symbols("a0 b0 a1 b1", real=True)
SIN = sp.sin(sp.pi / 36)


class Example:
    """Two degrees of freedom (a, b), velocities (v, w), diagonal reduced metric (ga, gb), potential V."""

    def __init__(self, name, names, ga, gb, V, F, f, exact_t, exact_tau, fibre, constraint, hs, N, N_tau):
        self.name, self.names, self.hs, self.N, self.N_tau = name, names, hs, N, N_tau
        self.exact_t, self.exact_tau, self.fibre = exact_t, exact_tau, fibre
        self.ga, self.gb, self.V, self.F, self.f = map(sp.sympify, (ga, gb, V, sp.Matrix(F), f))
        self.l = (ga * v**2 + gb * w**2) / 2 - V
        self.E0 = self.energy_l = sp.lambdify((a, b, v, w), (ga * v**2 + gb * w**2) / 2 + V, modules="mpmath")
        self.f_num = sp.lambdify((a, b), f, modules="mpmath")
        self.metric = sp.lambdify((a, b), [ga, gb], modules="mpmath")
        self.constraint = sp.lambdify((a, b, v, w), constraint, modules="mpmath")  # fibre velocity


def am(u):
    """Jacobi amplitude am(u | -1)."""
    x = mp.mpf(u) * mp.pi / (2 * mp.ellipk(-1))
    for _ in range(60):
        d = (mp.ellipf(x, -1) - u) * mp.sqrt(1 + mp.sin(x) ** 2)
        x -= d
        if abs(d) < mp.mpf(10) ** -36:
            return x
    raise ArithmeticError("am")


ALPHA = mp.pi / 36
EXAMPLES = [
    Example("particle", ["x", "y"], sp.Integer(1), 1 + a**2, sp.Integer(0), [-a * w**2, a * v * w],
            1 / sp.sqrt(1 + a**2), lambda t: (t, mp.asinh(t)), lambda u: (mp.sinh(u), u),
            lambda t: 1 - mp.sqrt(1 + t * t), -a * w, ["0.05"], 200, 60),
    Example("sinusoidal", ["x", "y"], sp.Integer(1), 1 + sp.sin(a)**2, sp.Integer(0),
            [-sp.sin(a) * sp.cos(a) * w**2, sp.sin(a) * sp.cos(a) * v * w], 1 / sp.sqrt(1 + sp.sin(a)**2),
            lambda t: (t, mp.ellipf(t, -1)), lambda u: (am(u), u),
            lambda t: mp.asin(mp.cos(t) / mp.sqrt(2)) - mp.pi / 4, -sp.sin(a) * w, ["0.05", "0.5"], 200, 200),
    Example("knife-edge", ["x", "phi"], 1 / sp.cos(b)**2, sp.Integer(1), -a * SIN,
            [sp.tan(b) / sp.cos(b)**2 * v * w, -sp.tan(b) / sp.cos(b)**2 * v**2], sp.cos(b),
            lambda t: (mp.sin(ALPHA) * mp.sin(t)**2 / 2 + mp.sin(t), t),
            lambda u: (mp.sin(ALPHA) * u * u / 2 + u, mp.asin(u)),
            lambda t: mp.sin(ALPHA) * (t / 2 - mp.sin(2 * t) / 4) + 1 - mp.cos(t), sp.tan(b) * v, ["0.07"], 100, 100),
]


class Stop(Exception):
    pass


def newton(residual, jacobian, guess, size):
    x = list(guess)
    for _ in range(60):
        try:
            r, J = mp.matrix(residual(*x)), mp.matrix(jacobian(*x))
            d = mp.lu_solve(J, r)
        except (ZeroDivisionError, ValueError) as error:
            raise Stop("Newton: " + str(error))
        x = [p - q for p, q in zip(x, d)]
        if max(map(abs, x)) > 1e6:
            raise Stop("Newton diverged")
        if max(map(abs, d)) < mp.mpf(10) ** -32:
            if max(map(abs, residual(*x))) > mp.mpf(10) ** -30:
                continue
            return x
    raise Stop("Newton did not converge in 60 iterations")


class Method:
    """Position-momentum form of a discrete Lagrangian with optional forces, symbolic derivatives."""

    def __init__(self, L, force, E=None):
        at = {a: (a0 + a1) / 2, b: (b0 + b1) / 2, v: (a1 - a0) / h, w: (b1 - b0) / h}
        Ld = h * L.subs(at, simultaneous=True)
        Fd = [h / 2 * x.subs(at, simultaneous=True) for x in force]
        first = [sp.diff(Ld, a0) + Fd[0], sp.diff(Ld, b0) + Fd[1]]
        second = [sp.diff(Ld, a1) + Fd[0], sp.diff(Ld, b1) + Fd[1]]
        jac = [[sp.diff(x, y) for y in (a1, b1)] for x in first]
        args = (h, a0, b0, a1, b1)
        self.first = sp.lambdify(args, first, modules="mpmath", cse=True)
        self.second = sp.lambdify(args, second, modules="mpmath", cse=True)
        self.jac = sp.lambdify(args, jac, modules="mpmath", cse=True)
        self.legendre = sp.lambdify((a, b, v, w), [sp.diff(L, v), sp.diff(L, w)], modules="mpmath")
        self.mass = sp.lambdify((a, b), [sp.diff(L, v, 2), sp.diff(L, w, 2)], modules="mpmath")

    def run(self, step, r0, N, r1=None, p0=None, v0=None):
        """Points, momenta, reason of an early stop."""
        if r1 is not None:
            r = [r0, r1]
            p = [[-x for x in self.first(step, *r0, *r1)], self.second(step, *r0, *r1)]
        else:
            r, p = [r0], [p0]
        while len(r) <= N:
            q, m = r[-1], p[-1]
            if len(r) == 1:
                guess = [q[0] + step * v0[0], q[1] + step * v0[1]]
            else:
                guess = [2 * x - y for x, y in zip(q, r[-2])]
            try:
                x = newton(lambda *x: [s + t for s, t in zip(self.first(step, *q, *x), m)],
                           lambda *x: self.jac(step, *q, *x), guess, 2)
            except Stop as stop:
                return r, p, "step %d: %s" % (len(r), stop)
            r.append(x)
            p.append(self.second(step, *q, *x))
        return r, p, None

    def velocity(self, r, p):
        return [x / y for x, y in zip(p, self.mass(*r))]


def implicit_midpoint(example, step, state, N, momentum):
    """z' = g(z) for z = (r, r') or (r, p); returns states."""
    e = example
    g = [e.ga, e.gb]
    p = [e.ga * v, e.gb * w]
    l_r = [sp.diff(e.l, a), sp.diff(e.l, b)]
    acceleration = [(e.F[i] + l_r[i] - sp.diff(p[i], a) * v - sp.diff(p[i], b) * w) / g[i] for i in range(2)]
    field = [v, w] + acceleration
    if momentum:
        back = {v: pa / e.ga, w: pb / e.gb}
        field = [pa / e.ga, pb / e.gb] + [(e.F[i] + l_r[i]).subs(back, simultaneous=True) for i in range(2)]
    z = (a, b, pa, pb) if momentum else (a, b, v, w)
    num = sp.lambdify(z, field, modules="mpmath", cse=True)
    jac = sp.lambdify(z, [[sp.diff(x, y) for y in z] for x in field], modules="mpmath", cse=True)
    out = [list(state)]
    for k in range(N):
        q = out[-1]
        mid = lambda x: [(s + t) / 2 for s, t in zip(q, x)]
        try:
            x = newton(lambda *x: [x[i] - q[i] - step * n for i, n in enumerate(num(*mid(x)))],
                       lambda *x: mp.eye(4) - step / 2 * mp.matrix(jac(*mid(x))),
                       [q[i] + step * n for i, n in enumerate(num(*q))], 4)
        except Stop as stop:
            return out, "step %d: %s" % (k + 1, stop)
        out.append(x)
    return out, None


def shown(x):
    return "#" + mp.nstr(x, 20, strip_zeros=True, min_fixed=-3, max_fixed=6) + "#"


def series(r, energy_mid, energy_node, E, exact, rows=(1, 2, 3, 4, 5)):
    n = len(r) - 1
    errors = [mp.sqrt(sum((x - y) ** 2 for x, y in zip(r[i], exact(i)))) for i in range(n + 1)
              if exact(i) is not None]
    worst = max(range(len(errors)), key=lambda i: errors[i])
    d = dict(steps=n, final=[shown(x) for x in r[-1]], rmsd_max=shown(errors[worst]), rmsd_max_at=worst,
             rmsd_end=shown(errors[-1]), rmsd_defined_to=len(errors) - 1)
    mid = [x - E for x in energy_mid]
    node = [x - E for x in energy_node]
    for key, s in (("energy_midpoint", mid), ("energy_node", node)):
        if s:
            k = max(range(len(s)), key=lambda i: abs(s[i]))
            d[key] = dict(max_error=shown(abs(s[k])), at=k, first=shown(s[0]), end=shown(s[-1]))
    d["first_points"] = [[shown(x) for x in r[i]] for i in rows if i <= n]
    return d, errors


def newton_cotes(values, step, rule):
    n = len(values) - 1
    weights = dict(trapezoidal=[1, 1], simpson=[1, 4, 1], boole=[7, 32, 12, 32, 7])[rule]
    scale = dict(trapezoidal=mp.mpf(1) / 2, simpson=mp.mpf(1) / 3, boole=mp.mpf(2) / 45)[rule]
    k = len(weights) - 1
    assert n % k == 0
    return step * scale * sum(weights[j] * values[i + j] for i in range(0, n, k) for j in range(k + 1))


def run(example, text_h, results, raw):
    e, step = example, mp.mpf(text_h)
    r0, v0 = [mp.mpf(0), mp.mpf(0)], [mp.mpf(1), mp.mpf(1)]
    E = e.energy_l(*r0, *v0)
    f = e.f
    scaled = e.l.subs({v: f * v, w: f * w}, simultaneous=True)
    zero = [sp.Integer(0)] * 2
    methods = dict(RDLA=Method(sp.simplify(e.l), list(e.F)), HDEL=Method(sp.simplify(scaled), zero),
                   PTHDEL=Method(f * (e.l + sp.Rational(1)), zero))
    assert E == 1
    exact_at = {}

    def exact(tau, i):
        key = (tau, i)
        if key not in exact_at:
            x = (e.exact_tau if tau else e.exact_t)(i * step)
            exact_at[key] = None if any(isinstance(y, mp.mpc) and abs(y.imag) > 0 for y in map(mp.mpmathify, x)) else \
                [mp.re(y) for y in x]
        return exact_at[key]

    for name, method in methods.items():
        tau = name == "HDEL"
        N = e.N_tau if tau else e.N
        speed = [x / e.f_num(*r0) for x in v0] if tau else v0
        for start in ("q1", "euler", "p0"):
            if start == "q1":
                r, p, stop = method.run(step, r0, N, r1=exact(tau, 1))
            elif start == "euler":
                r, p, stop = method.run(step, r0, N, r1=[x + step * y for x, y in zip(r0, speed)])
            else:
                r, p, stop = method.run(step, r0, N, p0=method.legendre(*r0, *speed), v0=speed)
            mids, lambdas = [], []
            for x, y in zip(r, r[1:]):
                m = [(s + t) / 2 for s, t in zip(x, y)]
                u = [(t - s) / step for s, t in zip(x, y)]
                if tau:
                    u = [e.f_num(*m) * s for s in u]
                mids.append(e.energy_l(*m, *u))
                lambdas.append(e.f_num(*m) * (mids[-1] - E))
            nodes = []
            for x, q in zip(r, p):
                u = method.velocity(x, q)
                nodes.append(e.energy_l(*x, *([e.f_num(*x) * s for s in u] if tau else u)))
            d, errors = series(r, mids, nodes, E, lambda i: exact(tau, i))
            if stop:
                d["stopped"] = stop
            if e.name == "knife-edge":  # behind the singular angle Newton may land on a root far away
                good = 0
                while good + 1 < len(errors) and errors[good + 1] < mp.mpf("0.05"):
                    good += 1
                d["meaningful"] = dict(steps=good, r=[shown(x) for x in r[good]],
                                       rmsd_max=shown(max(errors[:good + 1])),
                                       energy_midpoint_max=shown(max(abs(x - E) for x in mids[:good])),
                                       energy_node_max=shown(max(abs(x - E) for x in nodes[:good + 1])))
            if name == "PTHDEL":
                k = max(range(len(lambdas)), key=lambda i: abs(lambdas[i]))
                d["energy_altered_midpoint"] = dict(max_error=shown(abs(lambdas[k])), at=k, first=shown(lambdas[0]),
                                                    end=shown(lambdas[-1]))
            # FE's "constraint error": exact fibre, computed r
            c = []
            for i in range(len(r) - 1):
                if tau and exact(True, i + 1) is None:
                    break
                times = [i * step, (i + 1) * step]
                if tau:
                    times = [mp.sinh(x) if e.name == "particle" else am(x) if e.name == "sinusoidal" else mp.asin(x)
                             for x in times]
                m = [(s + t) / 2 for s, t in zip(r[i], r[i + 1])]
                u = [(t - s) / step for s, t in zip(r[i], r[i + 1])]
                c.append((e.fibre(times[1]) - e.fibre(times[0])) / step - e.constraint(*m, *u))
            if c:
                d["constraint_with_exact_fibre_max"] = shown(max(map(abs, c)))
            results.setdefault(name, {})[start] = d
            raw[name, start] = (r, p, errors, mids, nodes)
    for name, momentum in (("midpoint_v", False), ("midpoint_p", True)):
        g = e.metric(*r0)
        z, stop = implicit_midpoint(e, step, r0 + ([v0[0] * g[0], v0[1] * g[1]] if momentum else v0), e.N, momentum)
        r = [x[:2] for x in z]
        nodes = [e.energy_l(*x[:2], *([s / t for s, t in zip(x[2:], e.metric(*x[:2]))] if momentum else x[2:])) for x in z]
        mids = [e.energy_l(*[(s + t) / 2 for s, t in zip(x, y)], *[(t - s) / step for s, t in zip(x, y)])
                for x, y in zip(r, r[1:])]
        d, errors = series(r, mids, nodes, E, lambda i: exact(False, i))
        if stop:
            d["stopped"] = stop
        results[name] = dict(p0=d)
        raw[name, "p0"] = (r, None, errors, mids, nodes)


def time_map(example, step, raw):
    """FE's bound with the estimates (60), and the quadratures at tau_60."""
    out = {}
    for start in ("q1", "euler", "p0"):
        r = raw["HDEL", start][0]
        xs = [x[0] for x in r]
        C = [(xs[i] - xs[i - 1]) ** 2 / (step**2 * mp.sqrt(1 + xs[i - 1] ** 2)) for i in range(1, len(xs))]
        bound = lambda i: step**3 / 12 * sum(C[:i])
        d = dict(bound_1=shown(bound(1)), bound_2=shown(bound(2)), bound_60=shown(bound(60)))
        F = [1 / example.f_num(*x) for x in r]
        for rule in ("trapezoidal", "simpson", "boole"):
            t = newton_cotes(F, step, rule)
            d[rule] = dict(t_60=shown(t), error=shown(t - mp.sinh(60 * step)))
        out[start] = d
    F = [mp.cosh(i * step) for i in range(61)]
    exact = dict(t_60=shown(mp.sinh(60 * step)), bound_60_with_cosh=shown(step**3 / 12 * sum(F[1:])))
    for rule in ("trapezoidal", "simpson", "boole"):
        t = newton_cotes(F, step, rule)
        exact[rule] = dict(t_60=shown(t), error=shown(t - mp.sinh(60 * step)))
    out["exact_nodes"] = exact
    return out


# --- Knife edge at cos(phi) = 0 -------------------------------------------------------------------------------------
# In both DEL systems x can be eliminated: what remains is one scalar equation for D = phi_{k+1} - phi_k without poles.
# All its roots with |D| < 1 are found by a scan; the one nearest to the last D is taken.

def scalar_pthdel(x, phi, px, pphi, step, D):
    s, c, S = mp.sin(ALPHA), mp.cos(phi + D / 2), mp.sin(phi + D / 2)
    u = px + step / 2 * c * s  # sec(phi) dx/h at the midpoint
    m, q = x + step * c * u / 2, D / step
    half = step / 2 * (S * (u * u - q * q) / 2 - S * (m * s + 1))
    return half - c * q + pphi, dict(x=x + step * c * u, px=u + step / 2 * c * s, pphi=half + c * q,
                                     E=(u * u + q * q) / 2 - m * s)


def scalar_hdel(x, phi, px, pphi, step, D):
    s, c, S = mp.sin(ALPHA), mp.cos(phi + D / 2), mp.sin(phi + D / 2)
    u, q = px + step / 2 * s, D / step
    half = -step / 2 * c * S * q * q
    m = x + step * u / 2
    return half - c * c * q + pphi, dict(x=x + step * u, px=u + step / 2 * s, pphi=half + c * c * q,
                                         E=(u * u + c * c * q * q) / 2 - m * s)


def scan(g):
    n, found = 800, []
    xs = [mp.mpf(2 * i - n) / n for i in range(n + 1)]
    with mp.workdps(15):
        values = [g(x) for x in xs]
    for i in range(n):
        if values[i] * values[i + 1] < 0:
            found.append(mp.findroot(g, (xs[i], xs[i + 1]), solver="anderson", tol=mp.mpf(10) ** -60))
    return found


def continuation(scalar, start, steps, exact):
    N = len(steps)
    one = mp.mpf(1)
    s = mp.sin(ALPHA)
    errors, energies, crossings, stop = [mp.mpf(0)], [], [], None
    if start == "p0":
        x, phi, px, pphi, first, D = mp.mpf(0), mp.mpf(0), one, one, 0, steps[0]
    else:
        x1, phi = exact(1) if start == "q1" else [steps[0], steps[0]]
        D, first, step = phi, 1, steps[0]
        # momenta p_1 = D_2 L_d(r_0, r_1)
        if scalar is scalar_pthdel:
            px0 = x1 / step / mp.cos(phi / 2) - step / 2 * mp.cos(phi / 2) * s
        else:
            px0 = x1 / step - step / 2 * s
        _, d = scalar(mp.mpf(0), mp.mpf(0), px0, mp.mpf(0), step, D)
        x, px, pphi = d["x"], d["px"], d["pphi"]
        energies.append(d["E"] - 1)
        errors.append(mp.hypot(x - exact(1)[0], phi - exact(1)[1]))
    points = {}
    for k in range(first, N):
        roots = scan(lambda y: scalar(x, phi, px, pphi, steps[k], y)[0])
        near = abs(mp.cos(phi)) < mp.mpf("0.11")
        if near or not roots:
            crossings.append(dict(step=k + 1, roots_phi=[shown(phi + y) for y in roots],
                                  exact_phi=shown(exact(k + 1)[1]) if exact(k + 1) else None))
        if not roots:
            stop = "step %d: no root with |phi_{k+1} - phi_k| < 1" % (k + 1)
            break
        D = min(roots, key=lambda y: abs(y - D))
        _, d = scalar(x, phi, px, pphi, steps[k], D)
        x, phi, px, pphi = d["x"], phi + D, d["px"], d["pphi"]
        energies.append(d["E"] - 1)
        errors.append(mp.hypot(x - exact(k + 1)[0], phi - exact(k + 1)[1]) if exact(k + 1) else mp.inf)
        if k + 1 in (10, 20, 22, 23, 24, 25, 45, 66, 67, 68, 69, 100):
            points[str(k + 1)] = [shown(x), shown(phi)]
    worst = max(range(len(errors)), key=lambda i: errors[i])
    high = max(range(len(energies)), key=lambda i: abs(energies[i]))
    d = dict(steps=len(errors) - 1, final=[shown(x), shown(phi)], rmsd_max=shown(errors[worst]), rmsd_max_at=worst,
             rmsd_end=shown(errors[-1]), energy_midpoint=dict(max_error=shown(abs(energies[high])), at=high,
                                                              end=shown(energies[-1])),
             points=points, near_singular=crossings)
    if stop:
        d["stopped"] = stop
    return d


def knife_edge_continuation():
    e, step = EXAMPLES[2], mp.mpf("0.07")
    exact_t = lambda i: list(e.exact_t(i * step))
    exact_tau = lambda i: list(e.exact_tau(i * step)) if i * step <= 1 else None
    signed = [mp.sin((i + 1) * step) - mp.sin(i * step) for i in range(100)]
    out = dict(
        about="x eliminated, all roots scanned, nearest to the last increment taken. PTHDEL: step 0.07 in t. "
              "HDEL_uniform: step 0.07 in tau. HDEL_signed: steps sin(t_{i+1}) - sin(t_i), t_i = 0.07 i, compared at t_i.",
        PTHDEL={s: continuation(scalar_pthdel, s, [step] * 100, exact_t) for s in ("q1", "euler", "p0")},
        HDEL_uniform={s: continuation(scalar_hdel, s, [step] * 100, exact_tau) for s in ("q1", "euler", "p0")},
        HDEL_signed={s: continuation(scalar_hdel, s, signed, exact_t) for s in ("q1", "p0")})
    for name in ("PTHDEL", "HDEL_uniform", "HDEL_signed"):
        for start, d in out[name].items():
            print("knife edge", name, start, "steps", d["steps"], "rmsd max", d["rmsd_max"][1:9] + d["rmsd_max"][-5:-1],
                  "@", d["rmsd_max_at"], "end", d["rmsd_end"][1:9], "E", d["energy_midpoint"], d.get("stopped", ""))
    return out


def write(data, path):
    text = json.dumps(data, indent=1)
    text = re.sub(r'"#([^#"]*)#"', r"\1", text)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda g: "[" + re.sub(r",\s+", ", ", g.group(1)) + "]", text)
    json.loads(text)
    with open(path, "w") as out:
        out.write(text + "\n")


def main():
    data = dict(about="FE section 5 by independent implementations; see fe_numbers.py", examples={})
    keep = {}
    for e in EXAMPLES:
        for text_h in e.hs:
            key = e.name if len(e.hs) == 1 else e.name + " h=" + text_h
            entry = dict(coordinates=e.names, h="#" + text_h + "#", N=e.N, N_tau=e.N_tau, E="#1#", methods={})
            raw = keep[key] = {}
            run(e, text_h, entry["methods"], raw)
            if e.name == "particle":
                entry["time_map"] = time_map(e, mp.mpf(text_h), raw)
            data["examples"][key] = entry
            print(key)
            for name, starts in entry["methods"].items():
                for start, d in starts.items():
                    u = lambda s: mp.nstr(mp.mpf(s.strip("#")), 5)
                    print("  %-10s %s  steps %3d rmsd max %s @%d end %s  E mid %s @%d node %s @%d %s %s  c %s" % (
                        name, start, d["steps"], u(d["rmsd_max"]), d["rmsd_max_at"], u(d["rmsd_end"]),
                        u(d["energy_midpoint"]["max_error"]), d["energy_midpoint"]["at"],
                        u(d["energy_node"]["max_error"]), d["energy_node"]["at"],
                        "Lambda " + u(d["energy_altered_midpoint"]["max_error"]) if "energy_altered_midpoint" in d else "",
                        d.get("stopped", ""), u(d.get("constraint_with_exact_fibre_max", "#0#"))), flush=True)
    data["knife_edge_continuation"] = knife_edge_continuation()
    write(data, os.path.join(HERE, "fe_numbers.json"))
    return keep


if __name__ == "__main__":
    main()
