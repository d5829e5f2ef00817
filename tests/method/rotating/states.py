#!/usr/bin/env python3
"""End states of the bodies in *.toml beside this file, to compare the simulator with.

    python3 tests/method/rotating/states.py [name ...]     # two minutes

writes states.json next to this file (with names: replaces only those entries).

Nothing here uses the simulator, and nothing here is a Lagrangian: Newton's law for centres of mass and Euler's for
rotations, with the reactions of contacts, joints and guides as unknowns of a linear system. Orientations are unit
quaternions, angular velocities those in the body. Only parameters and initial data come from the model files;
velocities that follow from constraints are computed from the constraints. The integrator is that of
../../mech/reference_states.py, with 80-bit numbers and two step sizes: `digits` says to how many decimals they agree.

Needs numpy with an 80-bit long double (x86) and sympy (which reference_states.py imports), Python 3.11.
"""
import json
import math
import pathlib
import sys
import tomllib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "mech"))
from reference_states import Real, end_state, solve  # noqa: E402


def vector(*numbers):
    return np.array([Real(x) for x in numbers], dtype=Real)


def tensor(d1, d2, d3, d12="0", d13="0", d23="0"):
    return np.array([vector(d1, d12, d13), vector(d12, d2, d23), vector(d13, d23, d3)])


def exact(x):
    return Real(repr(x))  # the decimal that the file has


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=Real)


def hat(a):
    return np.array([cross(a, e) for e in np.eye(3, dtype=Real)]).T


E1, E2, E3 = np.eye(3, dtype=Real)


def matrix(q):
    """The rotation of a quaternion of any length but zero."""
    w, v = q[0], q[1:]
    return np.eye(3, dtype=Real) + 2 * (w * hat(v) + hat(v) @ hat(v)) / (q @ q)


def turned(q, omega):
    """dq/dt = q (0, omega)/2"""
    return np.concatenate([[-(q[1:] @ omega)], q[0] * omega + cross(q[1:], omega)]) / 2


def linear(size, equations):
    """Each equation: blocks {first column: matrix}, right-hand side."""
    rows = []
    for blocks, right in equations:
        block = np.zeros((len(right), size + 1), dtype=Real)
        for first, m in blocks.items():
            block[:, first:first + m.shape[1]] += m
        block[:, size] = right
        rows += [list(row) for row in block]
    return np.array(solve(rows), dtype=Real)


one = np.eye(3, dtype=Real)

# ---- each body: a function of its parameters that returns the rates of (positions, velocities, quaternions, omegas)


def free_body(p):
    J = np.diag(vector(p["J1"], p["J2"], p["J3"]))

    def rates(t, x, v, q, w):
        return [], [linear(3, [({0: J}, cross(J @ w[0], w[0]))])]
    return rates


def heavy_top(p):
    J, r = np.diag(vector(p["J1"], p["J2"], p["J3"])), vector(p["r1"], p["r2"], p["r3"])

    def rates(t, x, v, q, w):
        weight = -p["m"] * p["g"] * (matrix(q[0]).T @ E3)
        return [], [linear(3, [({0: J}, cross(J @ w[0], w[0]) + cross(r, weight))])]
    return rates


def rattleback(p):
    J = tensor(p["J11"], p["J22"], p["J33"], p["J12"])
    D = np.diag(vector(p["a1"]**2, p["a2"]**2, p["a3"]**2))

    def contact(R, w):
        """The point of contact in the body, and its rate: the normal u is at rest in space."""
        u = R.T @ E3
        du = cross(u, w)
        s = np.sqrt(u @ D @ u)
        return p["d"] * E3 - D @ u / s, -D @ du / s + (u @ D @ du) / s**3 * (D @ u)

    def rates(t, x, v, q, w):
        R, w = matrix(q[0]), w[0]
        r, dr = contact(R, w)
        # unknowns: acceleration, angular acceleration, force on the point of contact in space
        a = linear(9, [({0: p["m"] * one, 6: -one}, -p["m"] * p["g"] * E3),
                       ({3: J, 6: -hat(r) @ R.T}, cross(J @ w, w)),
                       ({0: one, 3: -R @ hat(r)}, -(R @ (cross(w, cross(w, r)) + cross(w, dr))))])
        return a[:3], [a[3:6]]

    rates.velocity = lambda v, q, w: -(matrix(q[0]) @ cross(w[0], contact(matrix(q[0]), w[0])[0]))
    return rates


def braked_ball(p):
    J, centre = np.diag(vector("0.02", "0.03", "0.035")), vector("0.01", "0.02", "0.03")

    def rates(t, x, v, q, w):
        R, w = matrix(q[0]), w[0]
        u = R.T @ E3
        r, dr = centre - p["a"] * u, -p["a"] * cross(u, w)
        brake = p["brake"] * w / np.sqrt(w @ w + 1)
        # unknowns: as those of the rattleback
        a = linear(9, [({0: p["m"] * one, 6: -one}, -p["m"] * p["g"] * E3),
                       ({3: J, 6: -hat(r) @ R.T + np.outer(brake, E3)}, cross(J @ w, w)),
                       ({0: one, 3: -R @ hat(r)}, -(R @ (cross(w, cross(w, r)) + cross(w, dr))))])
        return a[:3], [a[3:6]]

    rates.velocity = lambda v, q, w: -(matrix(q[0]) @ cross(w[0], centre - p["a"] * (matrix(q[0]).T @ E3)))
    return rates


def chaplygin_ball(p):
    J, down = np.diag(vector(p["J1"], p["J2"], p["J3"])), -p["a"] * E3

    def rates(t, x, v, q, w):
        R, w = matrix(q[0]), w[0]
        plane = np.array([E1, E2])
        # unknowns: acceleration in the plane, angular acceleration, friction in the plane
        a = linear(7, [({0: p["m"] * np.eye(2, dtype=Real), 5: -np.eye(2, dtype=Real)}, vector(0, 0)),
                       ({2: J, 5: -R.T @ hat(down) @ plane.T}, cross(J @ w, w)),
                       ({0: np.eye(2, dtype=Real), 2: -plane @ hat(down) @ R}, vector(0, 0))])
        return a[:2], [a[2:5]]

    rates.velocity = lambda v, q, w: -cross(matrix(q[0]) @ w[0], down)[:2]
    return rates


def suslov(p):
    J = tensor(p["J11"], p["J22"], p["J33"], p["J12"], p["J13"], p["J23"])
    r, a = vector("0.3", "0.5", "0.4"), vector("0.1", "-0.2", "1")

    def rates(t, x, v, q, w):
        weight = -p["k"] * (matrix(q[0]).T @ E3)
        both = linear(4, [({0: J, 3: -a[:, None]}, cross(J @ w[0], w[0]) + cross(r, weight)),
                          ({0: a[None, :]}, vector(0))])
        return [], [both[:3]]
    return rates


def driven_body(p):
    J, r = np.diag(vector(p["J1"], p["J2"], p["J3"])), vector(p["r1"], p["r2"], p["r3"])

    def rates(t, x, v, q, w):
        R, w = matrix(q[0]), w[0]
        push = p["push"] * np.cos(t) - p["friction"] * v[0] - p["k"] * (1 + p["b"] * np.sin(p["w"] * t)) * x[0]
        torque = p["torque"] * np.cos(p["w"] * t) * (R.T @ E1) - p["drag"] * np.sqrt(w @ w) * w
        # unknowns: acceleration of the cart, angular acceleration, force of the cart on the body
        a = linear(7, [({0: vector(p["M"])[None, :], 4: E1[None, :]}, np.array([push])),
                       ({1: J, 4: hat(r) @ R.T}, cross(J @ w, w) + torque),
                       ({0: p["m"] * E1[:, None], 1: -p["m"] * R @ hat(r), 4: -one},
                        -p["m"] * p["g"] * E3 - p["m"] * (R @ cross(w, cross(w, r))))])
        return a[:1], [a[1:4]]
    return rates


def hinged_bodies(p):
    J1, J2 = np.diag(vector("0.3", "0.2", "0.25")), np.diag(vector("0.1", "0.15", "0.2"))
    c1, joint, c2 = vector("0.1", "0.2", "-0.3"), vector("0.2", "-0.1", "-0.6"), vector("0.4", "0.1", "-0.2")
    m1, m2, g = p["m1"], p["m2"], p["g"]

    def rates(t, x, v, q, w):
        (R, S), (a, b) = map(matrix, q), w
        turning = lambda omega, r: cross(omega, cross(omega, r))
        across = np.array([R @ E1, R @ E2])  # fixed in the first body
        spin = S @ b - R @ a
        # unknowns: two angular accelerations in the bodies; the force of the ground on the first body and of the first
        # on the second, in space; the torque of the hinge on the second along `across`
        solution = linear(14, [
            ({0: -m1 * R @ hat(c1), 6: -one, 9: one}, -m1 * g * E3 - m1 * (R @ turning(a, c1))),
            ({0: -m2 * R @ hat(joint), 3: -m2 * S @ hat(c2), 9: -one},
             -m2 * g * E3 - m2 * (R @ turning(a, joint) + S @ turning(b, c2))),
            ({0: J1, 6: hat(c1) @ R.T, 9: hat(joint - c1) @ R.T, 12: R.T @ across.T}, cross(J1 @ a, a)),
            ({3: J2, 9: hat(c2) @ S.T, 12: -S.T @ across.T}, cross(J2 @ b, b)),
            ({0: -across @ R, 3: across @ S}, -np.array([spin @ cross(R @ a, n) for n in across])),
        ])
        return [], [solution[:3], solution[3:6]]
    return rates


BODIES = {"free-body": free_body, "heavy-top": heavy_top, "rattleback": rattleback, "chaplygin-ball": chaplygin_ball,
          "suslov": suslov, "braked-ball": braked_ball,
          "driven-body": driven_body, "hinged-bodies": hinged_bodies}
STEPS = {"rattleback": 1000, "braked-ball": 64}  # per unit of time; else 16


def reference(name):
    model = tomllib.loads((HERE / f"{name}.toml").read_text())
    rates = BODIES[name]({k: exact(p) for k, p in model.get("parameters", {}).items()})
    initial, coordinates, rotations = model["initial"], model.get("coordinates", []), model["rotations"]
    n, k = len(coordinates), len(rotations)
    T, start = Real(model["run"]["time"]), exact(initial.get("t", 0.0))

    quaternions = [vector(*map(repr, initial["q"][r]["quaternion"])) for r in rotations]
    quaternions = [q / np.sqrt(q @ q) for q in quaternions]
    omegas = [vector(*map(repr, initial["v"][r])) for r in rotations]
    position = vector(*(repr(initial["q"].get(x, 0.0)) for x in coordinates))
    velocity = vector(*(repr(initial["v"].get(x, 0.0)) for x in coordinates))
    if hasattr(rates, "velocity"):
        velocity = rates.velocity(velocity, quaternions, omegas)

    def split(y):
        return (y[:n], y[n:2 * n], [y[2 * n + 4 * i:2 * n + 4 * i + 4] for i in range(k)],
                [y[2 * n + 4 * k + 3 * i:2 * n + 4 * k + 3 * i + 3] for i in range(k)])

    def derivative(t, y):
        x, v, q, w = split(y)
        a, dw = rates(start + t, x, v, q, w)
        return np.concatenate([v, a, *map(turned, q, w), *dw]).astype(Real)

    y = np.concatenate([position, velocity, *quaternions, *omegas]).astype(Real)
    steps = math.ceil(STEPS.get(name, 16) * T)
    coarse, fine = (end_state(derivative, y, T, s, 6) for s in (steps, 3 * steps // 2))
    difference = float(abs(coarse - fine).max())
    print(f"{name:16} t = {float(T):4}  two resolutions differ by {difference:.1e}", flush=True)
    x, v, q, w = split(fine)
    numbers = lambda list: [float(s) for s in list]
    return {"time": float(T), "q": numbers(x) + [s for r in q for s in numbers(matrix(r).flatten())],
            "v": numbers(v) + [s for o in w for s in numbers(o)],
            "digits": min(16, math.floor(-math.log10(max(difference, 1e-19))))}


def main(names):
    path = HERE / "states.json"
    states = json.loads(path.read_text()) if path.exists() else {}
    for name in names or BODIES:
        states[name] = reference(name)
        path.write_text(json.dumps(states, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
