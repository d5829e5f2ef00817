#!/usr/bin/python3
"""Reference numbers for Chaplygin reduction, computed without any reduction formula.

For each system and each of three points (r, r', s) this script solves the full Lagrange-d'Alembert equations
(one linear system for accelerations and multipliers) and differentiates the reduced Lagrangian
l(r, r') = L(horizontal lift) numerically:

    force   F_i = d/dt l_r' - l_r with the true r''
    theta   Theta_j r'^j = - sum_i dF_i/dp_i at fixed r, p = l_r'  (e^sigma dr dp is invariant iff d sigma = Theta)
    dphi    Theta/(m - 1); the multiplier is N = e^phi when the system is phi-simple and Theta is closed
    curl    d_i Theta_j - d_j Theta_i for i < j
    phi_simple_defect   F - (<p,r'> dphi - <dphi,r'> p) at the point

Every printed digit is meant to be right: the work is done with 160 digits. The points are multiples of 1/64.
Run it with a Python that has sympy and mpmath; it writes reduction_states.json next to itself.
"""
import json
import os
import random
import re
import sys

import mpmath as mp
import sympy as sp

mp.mp.dps = 160
STEP = mp.mpf(10) ** -40
SHOWN = 36  # significant digits written

EULER_BODY = """
O1 = psi'*sin(theta)*sin(phi) + theta'*cos(phi);
O2 = psi'*sin(theta)*cos(phi) - theta'*sin(phi);
O3 = psi'*cos(theta) + phi';
"""
EULER_SPACE = """
wx = theta'*cos(psi) + phi'*sin(psi)*sin(theta);
wy = theta'*sin(psi) - phi'*cos(psi)*sin(theta);
wz = psi' + phi'*cos(theta);
"""
ROUTH_COM = """
cx = x' + l*(psi'*cos(psi)*sin(theta) + theta'*sin(psi)*cos(theta));
cy = y' + l*(psi'*sin(psi)*sin(theta) - theta'*cos(psi)*cos(theta));
cz = -l*theta'*sin(theta);
"""
BODY_ON_SPHERE = """
wx = alpha'*sin(beta)*sin(psi) + beta'*cos(psi);
wy = alpha'*sin(beta)*cos(psi) - beta'*sin(psi);
wz = alpha'*cos(beta) + psi';
ox = wx + theta';
oy = wy - phi'*sin(theta);
oz = wz + phi'*cos(theta);
vx = (a + b)*wy + l*(oy*cos(theta) + oz*sin(theta));
vy = -(a + b)*wx - l*ox*cos(theta);
vz = -l*ox*sin(theta);
spin = -oy*sin(theta) + oz*cos(theta);
"""

# log_density: sigma with d sigma = Theta; multiplier: N, when the system is phi-simple; theta: Theta itself when it
# is not closed. All three are closed forms that the numbers are checked against.
SYSTEMS = [
    dict(name="free-particle-x", coordinates="x y z", fibre="z", parameters={},
         lagrangian="0.5*(x'^2 + y'^2 + z'^2)", constraints=["z' + x*y'"],
         multiplier="(1 + x^2)^(-1/2)"),
    dict(name="sinusoidal-particle", coordinates="x y z", fibre="z", parameters={},
         lagrangian="0.5*(x'^2 + y'^2 + z'^2)", constraints=["z' + sin(x)*y'"],
         multiplier="(1 + sin(x)^2)^(-1/2)"),
    dict(name="quadratic-particle", coordinates="x y z", fibre="z", parameters={},
         lagrangian="0.5*(x'^2 + y'^2 + z'^2) - (x^2 + y^2)", constraints=["z' - y*x'"],
         multiplier="(1 + y^2)^(-1/2)"),
    dict(name="knife-edge-incline", coordinates="x y phi", fibre="y",
         parameters=dict(m="1", J="1", g="1", alpha="pi/36"),
         lagrangian="0.5*m*(x'^2 + y'^2) + 0.5*J*phi'^2 + m*g*x*sin(alpha)",
         constraints=["x'*sin(phi) - y'*cos(phi)"], multiplier="cos(phi)"),
    dict(name="rolling-disk", coordinates="x y theta phi", fibre="x y", parameters=dict(M="1", R="1"),
         lagrangian="I = 0.5*M*R^2; J = 0.25*M*R^2; 0.5*M*(x'^2 + y'^2) + 0.5*I*theta'^2 + 0.5*J*phi'^2",
         constraints=["x' - R*cos(phi)*theta'", "y' - R*sin(phi)*theta'"], multiplier="1"),
    dict(name="mobile-robot", coordinates="x y theta psi", fibre="x y",
         parameters=dict(m="2", I="1.3", Iw="0.7", R="0.5", k="10"),
         lagrangian="0.5*m*(x'^2 + y'^2) + 0.5*I*theta'^2 + 1.5*Iw*psi'^2 - k*sin(psi)",
         constraints=["x' - R*cos(theta)*psi'", "y' - R*sin(theta)*psi'"], multiplier="1"),
    dict(name="veselova", coordinates="psi theta phi", fibre="psi", parameters=dict(I1="1", I2="2", I3="2.5"),
         lagrangian=EULER_BODY + "0.5*(I1*O1^2 + I2*O2^2 + I3*O3^2)", constraints=["psi' + phi'*cos(theta)"],
         multiplier="(sin(theta)^2*sin(phi)^2/I1 + sin(theta)^2*cos(phi)^2/I2 + cos(theta)^2/I3)^(-1/2)"),
    dict(name="rubber-routh-sphere", coordinates="x y psi theta phi", fibre="x y psi",
         parameters=dict(m="1", R="1", l="0.3", I1="0.5", I3="0.4", g="1"),
         lagrangian=ROUTH_COM + "0.5*m*(cx^2 + cy^2 + cz^2) + 0.5*I1*(theta'^2 + psi'^2*sin(theta)^2)"
                                " + 0.5*I3*(phi' + psi'*cos(theta))^2 - m*g*l*cos(theta)",
         constraints=[EULER_SPACE + "x' - R*wy", EULER_SPACE + "y' + R*wx", EULER_SPACE + "wz"],
         multiplier="(I1*cos(theta)^2 + I3*sin(theta)^2 + m*(R + l*cos(theta))^2)^(-1/2)"),
    dict(name="rubber-body-on-sphere", coordinates="alpha beta psi theta phi", fibre="alpha beta psi",
         parameters=dict(m="1", a="2", b="1", l="0.2", I1="0.5", I3="0.3"),
         lagrangian=BODY_ON_SPHERE + "0.5*m*(vx^2 + vy^2 + vz^2) + 0.5*(I1*(ox^2 + oy^2 + oz^2) + (I3 - I1)*spin^2)",
         constraints=[BODY_ON_SPHERE + "a*wx - b*theta'", BODY_ON_SPHERE + "a*wy + b*phi'*sin(theta)",
                      BODY_ON_SPHERE + "wz + phi'*cos(theta)"],
         multiplier="(I1*cos(theta)^2 + I3*sin(theta)^2 + m*(b + l*cos(theta))^2)^((b/a - 1)/2)"),
    dict(name="chaplygin-ball", coordinates="x y psi theta phi", fibre="x y",
         parameters=dict(m="1", R="1", I1="1", I2="2", I3="2.5"),
         lagrangian=EULER_BODY + "0.5*m*(x'^2 + y'^2) + 0.5*(I1*O1^2 + I2*O2^2 + I3*O3^2)",
         constraints=[EULER_SPACE + "x' - R*wy", EULER_SPACE + "y' + R*wx"],
         log_density="-0.5*log(1 - m*R^2*(sin(theta)^2*sin(phi)^2/(I1 + m*R^2)"
                     " + sin(theta)^2*cos(phi)^2/(I2 + m*R^2) + cos(theta)^2/(I3 + m*R^2)))"),
    dict(name="contact-particle", coordinates="x1 y1 x2 y2 z", fibre="z", parameters={},
         lagrangian="0.5*(x1'^2 + y1'^2 + x2'^2 + y2'^2 + z'^2)", constraints=["z' - y1*x1' - y2*x2'"],
         log_density="-0.5*log(1 + y1^2 + y2^2)"),
    dict(name="two-wheeled-carriage", coordinates="x y theta psi1 psi2", fibre="x y theta",
         parameters=dict(m="2", l="0.25", J="1", Iw="0.1", c="0.5", R="0.5"),
         lagrangian="0.5*m*(x'^2 + y'^2) + m*l*theta'*(y'*cos(theta) - x'*sin(theta)) + 0.5*J*theta'^2"
                    " + 0.5*Iw*(psi1'^2 + psi2'^2)",
         constraints=["y'*cos(theta) - x'*sin(theta)", "x'*cos(theta) + y'*sin(theta) + c*theta' - R*psi1'",
                      "x'*cos(theta) + y'*sin(theta) - c*theta' - R*psi2'"],
         multiplier="exp(m*l/(J + 2*Iw*c^2/R^2)*R*(psi1 + psi2)/2)",
         note="N is not a function on the torus of the wheel angles: it grows with the distance travelled"),
    dict(name="chaplygin-sleigh-horizontal", coordinates="x y theta", fibre="y",
         parameters=dict(m="1", I="1", a="1"),
         lagrangian="0.5*(m*(x'^2 + y'^2) + (I + m*a^2)*theta'^2 + 2*m*a*theta'*(y'*cos(theta) - x'*sin(theta)))",
         constraints=["y'*cos(theta) - x'*sin(theta)"],
         theta=["m*a/((I + m*a^2)*cos(theta))", "-sin(theta)/cos(theta)"],
         note="Theta is not closed unless a = 0 (then N = cos(theta)): no invariant measure with a density of r alone"),
    dict(name="snakeboard", coordinates="x y theta psi phi", fibre="x y",
         parameters=dict(m="4", J="0.2", Jr="0.1", Jw="0.05", l="0.5", kr="0.3", kw="0.2"),
         lagrangian="0.5*m*(x'^2 + y'^2) + 0.5*J*theta'^2 + 0.5*Jr*(theta' + psi')^2 + 0.5*Jw*(theta' + phi')^2"
                    " + 0.5*Jw*(theta' - phi')^2 - 0.5*kr*psi^2 - 0.5*kw*phi^2",
         constraints=["-sin(theta + phi)*x' + cos(theta + phi)*y' + l*cos(phi)*theta'",
                      "-sin(theta - phi)*x' + cos(theta - phi)*y' - l*cos(phi)*theta'"],
         log_density="-0.5*log(m*l^2*cos(phi)^2/sin(phi)^2 + J + 2*Jw)"),
]


def number(text):
    return sp.nsimplify(text.replace("pi", "(pi)"), rational=False) if "pi" in text else sp.Rational(text)


def parse(text, names, parameters):
    """'a = ...; b = ...; expression' with x' for velocities and ^ for powers."""
    scope = {n: sp.Symbol(n, real=True) for n in names}
    scope.update({n + "_dot": sp.Symbol(n + "_dot", real=True) for n in names})
    scope.update({k: number(v) for k, v in parameters.items()})
    scope.update(sin=sp.sin, cos=sp.cos, log=sp.log, exp=sp.exp, Rational=sp.Rational)
    parts = [p.strip() for p in text.split(";") if p.strip()]
    for part in parts:
        target, expression = None, part
        if "=" in part:
            target, expression = [s.strip() for s in part.split("=")]
        expression = expression.replace("'", "_dot").replace("^", "**")
        expression = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])", r"Rational('\1')", expression)
        value = sp.sympify(eval(expression, {"__builtins__": {}}, scope))
        if target:
            scope[target] = value
    return value


class System:
    def __init__(self, d):
        self.d = d
        self.names = d["coordinates"].split()
        self.fibre = d["fibre"].split()
        self.base = [n for n in self.names if n not in self.fibre]
        self.ir = [self.names.index(n) for n in self.base]
        self.is_ = [self.names.index(n) for n in self.fibre]
        self.m = len(self.base)
        par = d["parameters"]
        q = [sp.Symbol(n, real=True) for n in self.names]
        v = [sp.Symbol(n + "_dot", real=True) for n in self.names]
        L = parse(d["lagrangian"], self.names, par)
        rows = [parse(c, self.names, par) for c in d["constraints"]]
        A = sp.Matrix([[sp.diff(c, x) for x in v] for c in rows])
        Lv = [sp.diff(L, x) for x in v]
        M = sp.Matrix([[sp.diff(p, x) for x in v] for p in Lv])
        rhs = [sp.diff(L, q[i]) - sum(sp.diff(Lv[i], q[j]) * v[j] for j in range(len(q))) for i in range(len(q))]
        rhs += [-sum(sp.diff(A[k, i], q[j]) * v[i] * v[j] for i in range(len(q)) for j in range(len(q)))
                for k in range(len(rows))]
        compile_ = lambda e: sp.lambdify(q + v, e, modules="mpmath", cse=True)
        self.f_L = compile_(L)
        self.f_A = compile_(list(A))
        self.f_M = compile_(list(M))
        self.f_rhs = compile_(rhs)
        self.n, self.k = len(q), len(rows)
        self.sigma = None
        log_density = d.get("log_density")
        if "multiplier" in d:
            log_density = "%d*log(%s)" % (self.m - 1, d["multiplier"])
        if log_density:
            s = parse(log_density, self.names, par)
            self.f_sigma = sp.lambdify([q[i] for i in self.ir], [sp.diff(s, q[i]) for i in self.ir], modules="mpmath")
            self.sigma = log_density
        elif "theta" in d:
            s = [parse(x, self.names, par) for x in d["theta"]]
            self.f_sigma = sp.lambdify([q[i] for i in self.ir], s, modules="mpmath")

    def q(self, r, s):
        q = [mp.mpf(0)] * self.n
        for i, x in zip(self.ir, r):
            q[i] = x
        for i, x in zip(self.is_, s):
            q[i] = x
        return q

    def lift(self, r, s, v):
        """q and the horizontal velocity."""
        q = self.q(r, s)
        A = mp.matrix(self.k, self.n)
        for t, x in enumerate(self.f_A(*q, *([mp.mpf(0)] * self.n))):
            A[t // self.n, t % self.n] = x
        S = mp.matrix(self.k, self.k)
        b = mp.matrix(self.k, 1)
        for i in range(self.k):
            for j in range(self.k):
                S[i, j] = A[i, self.is_[j]]
            b[i] = -sum(A[i, self.ir[j]] * v[j] for j in range(self.m))
        return q, self.q(v, list(mp.lu_solve(S, b)))

    def l(self, r, s, v):
        q, w = self.lift(r, s, v)
        return mp.mpf(self.f_L(*q, *w))

    def acceleration(self, r, s, v):
        q, w = self.lift(r, s, v)
        n, k = self.n, self.k
        K = mp.matrix(n + k, n + k)
        M, A, rhs = self.f_M(*q, *w), self.f_A(*q, *w), self.f_rhs(*q, *w)
        for i in range(n):
            for j in range(n):
                K[i, j] = M[i * n + j]
        for i in range(k):
            for j in range(n):
                K[n + i, j] = A[i * n + j]
                K[j, n + i] = -A[i * n + j]
        x = mp.lu_solve(K, mp.matrix(rhs))
        return list(x)[:n], list(x)[n:]

    # derivatives of l by differences: l is a quadratic polynomial in r', so unit steps in r' are exact
    def momentum(self, r, s, v):
        p = []
        for i in range(self.m):
            up, down = list(v), list(v)
            up[i] += 1
            down[i] -= 1
            p.append((self.l(r, s, up) - self.l(r, s, down)) / 2)
        return p

    def metric(self, r, s):
        m = self.m
        G = mp.matrix(m, m)
        for j in range(m):
            e = [mp.mpf(i == j) for i in range(m)]
            for i, p in enumerate(self.momentum(r, s, e)):
                G[i, j] = p
        return G

    def force(self, r, s, v, G):
        m = self.m
        a, _ = self.acceleration(r, s, v)
        a = [a[i] for i in self.ir]
        forth = self.momentum([x + STEP * y for x, y in zip(r, v)], s, v)
        back = self.momentum([x - STEP * y for x, y in zip(r, v)], s, v)
        F = []
        for i in range(m):
            up, down = list(r), list(r)
            up[i] += STEP
            down[i] -= STEP
            l_r = (self.l(up, s, v) - self.l(down, s, v)) / (2 * STEP)
            F.append((forth[i] - back[i]) / (2 * STEP) + sum(G[i, j] * a[j] for j in range(m)) - l_r)
        return F

    def theta(self, r, s):
        m = self.m
        G = self.metric(r, s)
        inverse = G ** -1
        result = []
        for j in range(m):
            total = mp.mpf(0)
            for k in range(m):  # dF/dr'^k at r' = e_j; F is a quadratic polynomial in r'
                up = [mp.mpf((i == j) + (i == k)) for i in range(m)]
                down = [mp.mpf((i == j) - (i == k)) for i in range(m)]
                Fu, Fd = self.force(r, s, up, G), self.force(r, s, down, G)
                total -= sum((Fu[i] - Fd[i]) / 2 * inverse[k, i] for i in range(m))
            result.append(total)
        return result

    def theta_derivative(self, r, s, i):
        up, down = list(r), list(r)
        up[i] += STEP
        down[i] -= STEP
        return [(x - y) / (2 * STEP) for x, y in zip(self.theta(up, s), self.theta(down, s))]


def clean(x):
    return mp.mpf(0) if abs(x) < mp.mpf(10) ** -60 else x


def shown(x):
    return "#" + mp.nstr(clean(x), SHOWN, strip_zeros=True) + "#"


def shown_list(xs):
    return [shown(x) for x in xs]


def record(d):
    S = System(d)
    rng = random.Random("rattleback " + d["name"])
    dyadic = lambda low, high: mp.mpf(rng.randint(int(low * 64), int(high * 64))) / 64
    points, worst = [], {}

    def note(key, value):
        worst[key] = max(worst.get(key, mp.mpf(0)), abs(value))

    for _ in range(3):
        r = [dyadic(0.25, 1.25) for _ in range(S.m)]  # away from cos = 0, sin = 0
        v = [dyadic(-1.5, 1.5) for _ in range(S.m)]
        s = [dyadic(0.25, 1.25) for _ in S.fibre]
        other = [x + mp.mpf(1) / 2 for x in s]
        G = S.metric(r, s)
        q, w = S.lift(r, s, v)
        a, multipliers = S.acceleration(r, s, v)
        acceleration = [a[i] for i in S.ir]
        F, theta, p = S.force(r, s, v, G), S.theta(r, s), S.momentum(r, s, v)
        note("F.r'", sum(x * y for x, y in zip(F, v)))
        note("dependence on the fibre", S.l(r, s, v) - S.l(r, other, v))
        b, _ = S.acceleration(r, other, v)
        note("dependence on the fibre", max(abs(b[i] - a[i]) for i in S.ir))
        derivative = [S.theta_derivative(r, s, i) for i in range(S.m)]
        curl = {"%s,%s" % (S.base[i], S.base[j]): derivative[i][j] - derivative[j][i]
                for i in range(S.m) for j in range(i + 1, S.m)}
        dphi = [x / (S.m - 1) for x in theta]
        pr, dr = sum(x * y for x, y in zip(p, v)), sum(x * y for x, y in zip(dphi, v))
        defect = [F[i] - (pr * dphi[i] - dr * p[i]) for i in range(S.m)]
        note("curl", max(abs(x) for x in curl.values()))
        note("phi_simple_defect", max(abs(x) for x in defect))
        note("theta", max(abs(x) for x in theta))
        if S.sigma or "theta" in d:
            note("closed form", max(abs(x - y) for x, y in zip(theta, S.f_sigma(*r))))
        points.append(dict(
            r=shown_list(r), r_dot=shown_list(v), s=shown_list(s), q=shown_list(q), v=shown_list(w),
            acceleration=shown_list(a), multipliers=shown_list(multipliers), r_ddot=shown_list(acceleration),
            s_dot=shown_list([w[i] for i in S.is_]), reduced_lagrangian=shown(S.l(r, s, v)),
            reduced_metric=[shown_list([G[i, j] for j in range(S.m)]) for i in range(S.m)], p=shown_list(p),
            force=shown_list(F), theta=shown_list(theta), dphi=shown_list(dphi),
            curl={k: shown(x) for k, x in curl.items()}, phi_simple_defect=shown_list(defect)))
    small = mp.mpf(10) ** -50
    assert worst["F.r'"] < small, worst
    assert worst["dependence on the fibre"] < small, worst
    if worst.get("closed form", 0) > small:
        sys.exit("%s: the closed form is wrong by %s" % (d["name"], mp.nstr(worst["closed form"], 5)))
    if S.sigma:
        assert worst["curl"] < small, worst
    closed = bool(worst["curl"] < small)
    result = dict(
        name=d["name"], coordinates=S.names, base=S.base, fibre=S.fibre, parameters=d["parameters"],
        lagrangian=" ".join(d["lagrangian"].split()), constraints=[" ".join(c.split()) for c in d["constraints"]],
        theta_zero=bool(worst["theta"] < small), theta_closed=closed,
        phi_simple_form=bool(worst["phi_simple_defect"] < small),
        hamiltonizable=bool(closed and worst["phi_simple_defect"] < small), points=points)
    if "multiplier" in d:
        assert result["hamiltonizable"], worst
        result["multiplier"] = d["multiplier"]
    if S.sigma:
        result["log_density"] = S.sigma
    if "theta" in d:
        result["theta"] = d["theta"]
    if "note" in d:
        result["note"] = d["note"]
    print("%-28s m=%d  theta %-8s closed %-5s (%s)  phi-simple form %-5s (%s)  closed form %s" % (
        d["name"], S.m, mp.nstr(worst["theta"], 3), closed, mp.nstr(worst["curl"], 3), result["phi_simple_form"],
        mp.nstr(worst["phi_simple_defect"], 3), mp.nstr(worst["closed form"], 3)), flush=True)
    return result


def main():
    chosen = sys.argv[1:]
    systems = [record(d) for d in SYSTEMS if not chosen or d["name"] in chosen]
    if chosen:
        return
    text = json.dumps(dict(
        about="Chaplygin reduction by brute force; see reduction_states.py. Numbers have %d significant digits." % SHOWN,
        systems=systems), indent=1)
    text = re.sub(r'"#([^#"]*)#"', r"\1", text)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda g: "[" + re.sub(r",\s+", ", ", g.group(1)) + "]", text)
    json.loads(text)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reduction_states.json"), "w") as out:
        out.write(text + "\n")


main()
