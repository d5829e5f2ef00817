#!/usr/bin/env python3
"""Reference end states of the systems in models/, to compare the simulator with.

    python3 tests/mech/reference_states.py [name ...]     # all systems: six minutes

writes reference_states.json next to this file (with names: replaces only those entries).

Nothing here uses the simulator. Lagrangians, constraints and forces are written down again, by hand, and only the
parameters and initial data come from models/*.toml. Lagrange-d'Alembert

    d/dt L_v - L_q = A^T lambda + F,    A v + b = 0,    g(q) = 0

where all may contain the time, gives accelerations and multipliers from one linear system, solved at every evaluation in 80-bit arithmetic. The
integrator is Gragg's method with Bulirsch-Stoer extrapolation, of order 12, with a fixed step. A rotation is a unit
quaternion here, four coordinates and the holonomic constraint that it has length 1; what is written are the entries of
its matrix and the angular velocity in the body. Every end state is
computed with two step sizes; `digits` says to how many decimal digits the two agree,
relative to the largest number in the state or to 1. `energy` is v . L_v - L at the end.

Needs sympy, numpy with an 80-bit long double (x86), Python 3.11.
"""
import ast
import json
import math
import pathlib
import re
import sys
import tomllib

import numpy as np
import sympy as sp

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent.parent / "models"
Real = np.longdouble
assert np.finfo(Real).eps < 2e-19, "needs an 80-bit long double"

# ---- the systems: name -> function of (coordinates, velocities, parameters) returning L, constraints, holonomic and,
# ---- where there are any, applied forces

half = sp.Rational(1, 2)
sin, cos = sp.sin, sp.cos
time = sp.Symbol("t", real=True)


def particle(potential, constraint):
    def system(q, v, p):
        (x, y, z), (vx, vy, vz) = q, v
        return half * (vx**2 + vy**2 + vz**2) - potential * (x**2 + y**2), [constraint(x, y, vx, vy, vz)], []
    return system


def conformal_particle(q, v, p):
    """Garcia-Naranjo & Vermeeren (3.7): the particle with z' = y x' reduced, and its gyroscopic force."""
    (x, y), (vx, vy) = q, v
    return half * ((1 + y**2) * vx**2 + vy**2) - half * (x**2 + y**2), [], [], [y * vx * vy, -y * vx**2]


def along_y(x, y, vx, vy, vz):
    return vz - y * vx


def along_x(x, y, vx, vy, vz):
    return vz + x * vy


def along_sine(x, y, vx, vy, vz):
    return vz + sin(x) * vy


def along_both(x, y, vx, vy, vz):
    return vz - sin(y) * vx - cos(x) * vy


def contact_particle(q, v, p):
    *plane, z = v
    return half * sum(s**2 for s in v), [z - sum(y * vx for y, vx in zip(q[1:4:2], plane[::2]))], []


def knife_edge(q, v, p):
    (x, y, phi), (vx, vy, w) = q, v
    slope = p["g"] * sin(p["alpha"]) if "g" in p else 0
    return p["m"] * (half * (vx**2 + vy**2) + slope * x) + half * p["J"] * w**2, [vx * sin(phi) - vy * cos(phi)], []


def falling(q, v, p):
    return p["m"] * (half * v[0]**2 - p["g"] * q[0]), [], []


def hopping_knife_edge(q, v, p):
    fall, none, _ = falling(q[3:], v[3:], p)
    L, constraints, _ = knife_edge(q[:3], v[:3], {k: s for k, s in p.items() if k != "g"})
    return L + fall, constraints, none


def rolling_disk(q, v, p):
    (x, y, theta, phi), (vx, vy, roll, turn) = q, v
    M, R = p["M"], p["R"]
    L = M * (vx**2 + vy**2) / 2 + M * R**2 * roll**2 / 4 + M * R**2 * turn**2 / 8
    return L, [vx - R * cos(phi) * roll, vy - R * sin(phi) * roll], []


def mobile_robot(q, v, p):
    (x, y, theta, psi), (vx, vy, turn, roll) = q, v
    L = (p["m"] * (vx**2 + vy**2) + p["I"] * turn**2 + 3 * p["Iw"] * roll**2) / 2 - p["k"] * sin(psi)
    return L, [vx - p["R"] * cos(theta) * roll, vy - p["R"] * sin(theta) * roll], []


def two_wheeled_carriage(q, v, p):
    # kinetic energy of the centre of mass and about it, instead of the mixed term of the model file
    (x, y, theta, psi1, psi2), (vx, vy, w, w1, w2) = q, v
    m, l, J = p["m"], p["l"], p["J"]
    centre = (vx - l * sin(theta) * w) ** 2 + (vy + l * cos(theta) * w) ** 2
    L = half * m * centre + half * (J - m * l**2) * w**2 + half * p["Iw"] * (w1**2 + w2**2)
    constraints = [vy * cos(theta) - vx * sin(theta)]
    for side, wheel in ((1, w1), (-1, w2)):  # velocity of the axle's end, along the heading
        ex, ey = vx + side * p["c"] * cos(theta) * w, vy + side * p["c"] * sin(theta) * w
        constraints.append(ex * cos(theta) + ey * sin(theta) - p["R"] * wheel)
    return L, constraints, []


def mclachlan_perlmutter(q, v, p):
    n = p["n"]
    x, y, z = q[0], q[1:n + 1], q[n + 1:]
    potential = sum(s**2 for s in q) + z[0]**2 * z[1]**2 + sum(a**2 * b**2 for a, b in zip(y, z))
    return half * (sum(s**2 for s in v) - potential), [v[0] + sum(a * b for a, b in zip(y, v[n + 1:]))], []


def sleigh(q, v, p):
    # kinetic energy of the centre of mass and about it
    (x, y, theta), (vx, vy, w) = q, v
    m, a, g = p["m"], p["a"], p.get("g", 0)
    cx, cy = vx - a * sin(theta) * w, vy + a * cos(theta) * w
    return half * m * (cx**2 + cy**2) + half * p["I"] * w**2 - m * g * (y + a * sin(theta)), [
        vy * cos(theta) - vx * sin(theta)], []


def snakeboard(q, v, p):
    (x, y, theta, psi, phi), (vx, vy, w, rotor, steer) = q, v
    l = p["l"]
    L = (p["m"] * (vx**2 + vy**2) + (p["J"] + 2 * p["Jw"]) * w**2 + 2 * p["Jw"] * steer**2
         + p["Jr"] * (w + rotor)**2 - p["kr"] * psi**2 - p["kw"] * phi**2) / 2
    constraints = []
    for side in (1, -1):  # the axle's end at distance l moves along the wheel
        ex, ey = vx - side * l * sin(theta) * w, vy + side * l * cos(theta) * w
        constraints.append(ey * cos(theta + side * phi) - ex * sin(theta + side * phi))
    return L, constraints, []


ahead, aside, up = sp.Matrix([1, 0, 0]), sp.Matrix([0, 1, 0]), sp.Matrix([0, 0, 1])


def turned(axes, angles, rates):
    """The rotation matrix of turns about axes that are carried along, and the angular velocity in space."""
    R, omega = sp.eye(3), sp.zeros(3, 1)
    for axis, angle, rate in zip(axes, angles, rates):
        x, y, z = axis
        cross = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        omega += R * axis * rate
        R *= sp.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross**2
    return R, omega


def rotation_matrix(w, x, y, z):
    """Of a unit quaternion."""
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def product(a, b):
    """Of quaternions."""
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def conjugate(a):
    return [a[0], -a[1], -a[2], -a[3]]


def spun(quaternion, rates):
    """The rotation matrix and the angular velocity in space, the vector of 2 q' / q."""
    return sp.Matrix(rotation_matrix(*quaternion)), 2 * sp.Matrix(product(rates, conjugate(quaternion))[1:])


def body_rate(quaternion, rates):
    return 2 * sp.Matrix(product(conjugate(quaternion), rates)[1:])


def torque(force, quaternion, rates):
    """What a torque, seen from the body, is as a force on the four coordinates."""
    omega = body_rate(quaternion, rates)
    return [sum(f * w.diff(r) for f, w in zip(force, omega)) for r in rates]


def euler(angles, rates):
    return turned((up, ahead, up), angles, rates)


def ball_on_turntable(q, v, p):
    (x, y, *angles), (vx, vy, *rates) = q, v
    R, omega = euler(angles, rates)
    m, a, Omega = p["m"], p["a"], p["Omega"]
    L = half * m * (vx**2 + vy**2) + m * a**2 / 5 * omega.dot(omega)
    contact = sp.Matrix([vx, vy, 0]) - omega.cross(a * up)
    return L, [contact[0] + Omega * y, contact[1] - Omega * x], []


def rotation_energy(R, omega, p):
    return half * sum(p[f"I{i}"] * omega.dot(R.col(i - 1))**2 for i in (1, 2, 3))


def axial_energy(axis, omega, p):
    spin = omega.dot(axis)
    return half * (p["I1"] * (omega.dot(omega) - spin**2) + p["I3"] * spin**2)


def veselova(q, v, p):
    R, omega = euler(q, v)
    return rotation_energy(R, omega, p), [omega.dot(up)], []


def veselova_on_sphere(A, g, q, v):
    # skew matrices: angular velocity W = g^g', momentum M = A W A. Euler's equations, (M' - [M, W]) g = 0, are those of
    # a Lagrangian on the sphere and a force that is -<M, [W, g^X]> in the direction X.
    turn = lambda x: g * x.T - x * g.T
    on = lambda a, b: -half * (a * b).trace()
    directions = [g.diff(s) for s in q]
    W = turn(sum((x * r for x, r in zip(directions, v)), sp.zeros(len(g), 1)))
    M = A * W * A
    return half * on(M, W), [], [], [-on(M, W * turn(x) - turn(x) * W) for x in directions]


def veselova_4d(q, v, p):
    A = sp.diag(*(p[f"a{i}"] for i in (1, 2, 3, 4)))
    g = sp.Matrix([cos(q[0]), sin(q[0]) * cos(q[1]), sin(q[0]) * sin(q[1]) * cos(q[2]),
                   sin(q[0]) * sin(q[1]) * sin(q[2])])
    return veselova_on_sphere(A, g, q, v)


def veselova_nd(q, v, p):
    square = sum(w**2 for w in q)
    g = sp.Matrix([1 - square, *(2 * w for w in q)]) / (1 + square)
    return veselova_on_sphere(sp.diag(*(1 + i * p["b"] for i in range(p["n"] + 1))), g, q, v)


def rubber_routh_sphere(q, v, p):
    (x, y, *angles), (vx, vy, *rates) = q, v
    R, omega = euler(angles, rates)
    axis = R.col(2)
    centre = sp.Matrix([vx, vy, 0])
    mass = centre + omega.cross(p["l"] * axis)
    L = half * p["m"] * mass.dot(mass) + axial_energy(axis, omega, p) - p["m"] * p["g"] * p["l"] * axis[2]
    contact = centre - omega.cross(p["R"] * up)
    return L, [contact[0], contact[1], omega.dot(up)], []


def rubber_routh_sphere_nd(q, v, p):
    """The vertical g in the body turns by W = g g'^T - g' g^T; the force of Garcia-Naranjo's multiplier."""
    square = sum(w**2 for w in q)
    g = sp.Matrix([*(2 * w for w in q), square - 1]) / (1 + square)
    gd = sum((g.diff(s) * u for s, u in zip(q, v)), sp.zeros(*g.shape))
    W = g * gd.T - gd * g.T
    n = p["n"]
    inertia = lambda i, j: p["I1"] if j == n else p["I3"]
    turning = sum(inertia(i, j) * W[i, j]**2 for i in range(n + 1) for j in range(i + 1, n + 1))
    mass = p["R"] * W * g + p["l"] * W.col(n)
    L = half * (turning + p["m"] * mass.dot(mass)) - p["m"] * p["g"] * p["l"] * g[n]
    phi = -half * sp.log(p["I3"] + (p["I1"] - p["I3"]) * g[n]**2 + p["m"] * (p["R"] + p["l"] * g[n])**2)
    m = [L.diff(u) for u in v]
    work = sum(a * u for a, u in zip(m, v))
    rate = sum(phi.diff(s) * u for s, u in zip(q, v))
    return L, [], [], [work * phi.diff(s) - rate * a for s, a in zip(q, m)]


def ball_over_sphere_4d(q, v, p):
    """The normal g in the body turns by e W = g g'^T - g' g^T; F(X) = (1/e^2 - 2/e) <I W, X g'^T - g' X^T>."""
    theta, phi, psi = q
    g = sp.Matrix([cos(theta) * cos(phi), cos(theta) * sin(phi), sin(theta) * cos(psi), sin(theta) * sin(psi)])
    gd = sum((g.diff(s) * u for s, u in zip(q, v)), sp.zeros(4, 1))
    e = p["s"] / (p["s"] + p["r"])
    J = [p["Ja"], p["Ja"], p["Jb"], p["Jb"]]
    wedge = lambda a, b: a * b.T - b * a.T
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    pairing = lambda a, b: sum((J[i] + J[j] + p["m"] * p["r"]**2) * a[i, j] * b[i, j] for i, j in pairs)
    W = wedge(g, gd) / e
    return half * pairing(W, W), [], [], [(1 / e**2 - 2 / e) * pairing(W, wedge(g.diff(s), gd)) for s in q]


def rubber_body_on_sphere(q, v, p):
    # vectors have components in the frame that goes with the point of contact
    F, turning = euler(q[:3], v[:3])
    frame = F.T * turning
    B, rolling = turned((ahead, up), q[3:], v[3:])
    omega = frame + rolling
    axis = B.col(2)
    centre = (p["a"] + p["b"]) * frame.cross(up)
    mass = centre + omega.cross(p["l"] * axis)
    contact = centre - omega.cross(p["b"] * up)
    L = half * p["m"] * mass.dot(mass) + axial_energy(axis, omega, p)
    return L, [contact[0], contact[1], omega.dot(up)], []


def rubber_spheroid(q, v, p):
    # the point of contact as seen from the centre is where the surface has the normal -up
    (x, y, *angles), (vx, vy, *rates) = q, v
    R, omega = euler(angles, rates)
    axis = R.col(2)
    squares = sp.diag(p["e"]**2, p["e"]**2, p["p"]**2)
    normal = R.T * up
    height = sp.sqrt((normal.T * squares * normal)[0])
    arm = -R * squares * normal / height
    centre = sp.Matrix([vx, vy, sum(height.diff(s) * r for s, r in zip(angles, rates))])
    mass = centre + omega.cross(p["l"] * axis)
    contact = centre + omega.cross(arm)
    L = half * p["m"] * mass.dot(mass) + axial_energy(axis, omega, p) - p["m"] * p["g"] * (height + p["l"] * axis[2])
    return L, [contact[0], contact[1], omega.dot(up)], []


def rolling(q, v, p, inertia, arm_of):
    """A body on a plane: its centre of mass, a quaternion, and the point of contact as a function of the normal."""
    (x, y, z, *quaternion), (*velocity, r0, r1, r2, r3) = q, v
    R, omega = spun(quaternion, (r0, r1, r2, r3))
    centre, body = sp.Matrix(velocity), R.T * omega
    arm = R * arm_of(R.T * up)
    contact = centre + omega.cross(arm)
    L = half * p["m"] * centre.dot(centre) + half * body.dot(inertia * body) - p["m"] * p["g"] * z
    return L, [contact[0], contact[1]], [z + arm[2]]


def ellipsoid(*axes):
    squares = sp.diag(*(a**2 for a in axes))
    return lambda normal: -squares * normal / sp.sqrt((normal.T * squares * normal)[0])


def rattleback(q, v, p):
    surface = ellipsoid(p["a1"], p["a2"], p["a3"])
    inertia = sp.Matrix([[p["I11"], p["I12"], 0], [p["I12"], p["I22"], 0], [0, 0, p["I33"]]])
    drag = torque(-p["sigma"] * body_rate(q[3:], v[3:]), q[3:], v[3:])
    return *rolling(q, v, p, inertia, lambda normal: p["d"] * up + surface(normal)), [0, 0, 0, *drag]


def disk(radius):
    return lambda n: -radius * sp.Matrix([n[0], 0, n[2]]) / sp.sqrt(n[0]**2 + n[2]**2)


def thin(p):
    return p["m"] * p["a"]**2 / 4 * sp.diag(1, 2, 1)


def coin(q, v, p):
    return rolling(q, v, p, thin(p), disk(p["a"]))


def euler_disk(q, v, p):
    """Rayleigh's dissipation function c/2 times the square of the rate of the angle of the contact on the rim."""
    normal = sp.Matrix(rotation_matrix(*q[3:])).T * up
    angle = sp.atan2(normal[2], normal[0])
    rate = sum(angle.diff(s) * u for s, u in zip(q, v))
    return *coin(q, v, p), [-p["c"] * rate * angle.diff(s) for s in q]


def principal(p):
    return sp.diag(p["I1"], p.get("I2", p["I1"]), p["I3"])


def offset_ball(*centre):
    return lambda q, v, p: rolling(q, v, p, principal(p),
                                   lambda n: sp.Matrix([p.get(s, 0) for s in centre]) - p["a"] * n)


def tippe_top(q, v, p):
    """Sliding, with the friction mu N along the velocity of the point of contact, smooth below the speed eps."""
    L, contact, ground = offset_ball("", "", "d")(q, v, p)
    R, omega = spun(q[3:], v[3:])
    force = -p["mu"] * force_of_contact(0) * sp.Matrix([*contact, 0]) / sp.sqrt(
        contact[0]**2 + contact[1]**2 + p["eps"]**2)
    arm = p["d"] * up - p["a"] * R.T * up
    return L, [], ground, [force[0], force[1], 0, *torque(arm.cross(R.T * force), q[3:], v[3:])]


def force_of_contact(row):
    return sp.Symbol(f"lambda{row}", real=True)


def turning(q, v, inertia):
    body = body_rate(q[-4:], v[-4:])
    return half * body.dot(inertia * body)


def rigid_body(q, v, p):
    return turning(q, v, principal(p)), [], []


def heavy_top(q, v, p):
    axis = sp.Matrix(rotation_matrix(*q)).col(2)
    return turning(q, v, principal(p)) - p["m"] * p["g"] * p["l"] * axis[2], [], []


def kovalevskaya_top(q, v, p):
    axis = sp.Matrix(rotation_matrix(*q)).col(0)
    return turning(q, v, p["J"] * sp.diag(2, 2, 1)) - p["w"] * axis[2], [], []


def satellite_rotor(q, v, p):
    spin = body_rate(q[1:], v[1:])[1] + v[0]
    return turning(q, v, principal(p)) + half * p["Jr"] * spin**2, [], []


def suslov(q, v, p):
    inertia = sp.Matrix([[p["I1"], 0, p["I13"]], [0, p["I2"], p["I23"]], [p["I13"], p["I23"], p["I3"]]])
    return turning(q, v, inertia), [body_rate(q, v)[2]], []


def veselova_so3(q, v, p):
    return turning(q, v, principal(p)), [spun(q, v)[1][2]], []


def ball_so3(q, v, p):
    omega = spun(q[2:], v[2:])[1]
    contact = sp.Matrix([v[0], v[1], 0]) - omega.cross(p["a"] * up)
    return half * p["m"] * (v[0]**2 + v[1]**2) + turning(q, v, principal(p)), [contact[0], contact[1]], []


def rubber_ball(q, v, p):
    L, contact, none = ball_so3(q, v, p)
    return L, [*contact, spun(q[2:], v[2:])[1][2]], none


def rubber_ellipsoid(q, v, p):
    a = [p[f"a{i}"]**2 for i in (1, 2, 3)]
    inertia = p["m"] / 5 * sp.diag(a[1] + a[2], a[2] + a[0], a[0] + a[1])
    L, contact, ground = rolling(q, v, p, inertia, ellipsoid(p["a1"], p["a2"], p["a3"]))
    return L, [*contact, spun(q[3:], v[3:])[1][2]], ground


def rubber_ball_on_sphere(q, v, p):
    centre, omega = sp.Matrix(v[:3]), spun(q[3:], v[3:])[1]
    normal = sp.Matrix(q[:3]) / (p["a"] + p["b"])
    L = half * p["m"] * centre.dot(centre) + turning(q, v, principal(p))
    return L, [*(centre - omega.cross(p["a"] * normal)), omega.dot(normal)], []


def ball_in_rotating_bowl(q, v, p):
    place, centre, omega = sp.Matrix(q[:3]), sp.Matrix(v[:3]), spun(q[3:], v[3:])[1]
    arm = p["a"] * place / (p["b"] - p["a"])
    bowl = (p["Omega"] * up).cross(place + arm)
    L = half * p["m"] * centre.dot(centre) + turning(q, v, p["m"] * p["a"]**2 * sp.eye(3) * 2 / 5)
    return L - p["m"] * p["g"] * q[2], list(centre + omega.cross(arm) - bowl), []


def bicycle(q, v, p):
    """Meijaard, Papadopoulos, Ruina & Schwab 2007, with x ahead, y to the left and z up."""
    R, omega = spun(q[6:], v[6:])
    centre, velocity = sp.Matrix(q[:3]), sp.Matrix(v[:3])
    steering = sp.Matrix([-sin(p["lambda"]), 0, cos(p["lambda"])])
    S, relative = turned((steering,), q[3:4], v[3:4])
    fork, turning_fork = R * S, omega + R * relative
    hinge = sp.Matrix([p["w"] + p["trail"], 0, -p["rR"]])
    to_front, front_arm = sp.Matrix([p["w"], 0, p["rF"] - p["rR"]]) - hinge, R * hinge
    to_fork = sp.Matrix([p["xH"], 0, p["zH"] - p["rR"]]) - hinge
    to_rider = sp.Matrix([p["xB"], 0, p["zB"] - p["rR"]])
    inertia = lambda s: sp.Matrix([[p[f"I{s}xx"], 0, p[f"I{s}xz"]], [0, p[f"I{s}yy"], 0], [p[f"I{s}xz"], 0, p[f"I{s}zz"]]])
    wheel = lambda s: sp.diag(p[f"I{s}xx"], p[f"I{s}yy"], p[f"I{s}xx"])
    at = lambda arm: velocity + omega.cross(front_arm) + turning_fork.cross(fork * arm)
    rear_spin, front_spin = omega + R.col(1) * v[4], turning_fork + fork.col(1) * v[5]
    bodies = [("B", centre + R * to_rider, velocity + omega.cross(R * to_rider), R.T * omega, inertia("B")),
              ("R", centre, velocity, R.T * rear_spin, wheel("R")),
              ("H", centre + front_arm + fork * to_fork, at(to_fork), fork.T * turning_fork, inertia("H")),
              ("F", centre + front_arm + fork * to_front, at(to_front), fork.T * front_spin, wheel("F"))]
    L = sum(half * p["m" + s] * u.dot(u) + half * w.dot(J * w) - p["m" + s] * p["g"] * x[2] for s, x, u, w, J in bodies)
    rear, front = R * disk(p["rR"])(R.T * up), fork * disk(p["rF"])(fork.T * up)
    slip = velocity + rear_spin.cross(rear), at(to_front) + front_spin.cross(front)
    return L, [s[i] for s in slip for i in (0, 1)], [q[2] + rear[2], bodies[3][1][2] + front[2]]


def skateboard(q, v, p):
    R, omega = spun(q[2:], v[2:])
    board, velocity, heading = R.T * up, sp.Matrix([v[0], v[1], 0]), R.col(0)
    sine = -board[1] / sp.sqrt(board[1]**2 + board[2]**2)
    rider = velocity + omega.cross(p["h"] * R.col(2))
    L = half * p["m"] * rider.dot(rider) + turning(q, v, principal(p)) - p["m"] * p["g"] * p["h"] * R[2, 2]
    L -= half * p["k"] * sp.atan2(board[1], board[2])**2
    steered = sin(p["pivot"]) / cos(p["pivot"]) * sine * velocity.dot(heading)
    side = velocity.dot(up.cross(heading))
    return L, [side + p["l"] * omega[2] - steered, side - p["l"] * omega[2] + steered], [board[0]]


def chaplygin_ball(q, v, p):
    (x, y, *angles), (vx, vy, *rates) = q, v
    R, omega = euler(angles, rates)
    contact = sp.Matrix([vx, vy, 0]) - omega.cross(p["R"] * up)
    return half * p["m"] * (vx**2 + vy**2) + rotation_energy(R, omega, p), [contact[0], contact[1]], []


def cart_pendulum(q, v, p):
    (x, y, theta, *r), (vx, vy, w, *rv) = q, v
    mast = (vx - p["b"] * sin(theta) * w, vy + p["b"] * cos(theta) * w, 0)
    bob = sum((s + u)**2 for s, u in zip(mast, rv))
    L = half * (p["M"] * (vx**2 + vy**2) + p["J"] * w**2 + p["m"] * bob) - p["m"] * p["g"] * r[2]
    return L, [vy * cos(theta) - vx * sin(theta)], [sum(s**2 for s in r) - p["l"]**2]


def forced_pendulum(q, v, p):
    (theta,), (w,) = q, v
    return half * w**2 + cos(theta), [], [], [p["T0"] * cos(p["w"] * time) - p["c"] * w]


def rotor_sleigh(q, v, p):
    (x, y, theta, phi), (vx, vy, w, spin) = q, v
    L, constraints, none = sleigh(q[:3], v[:3], p)
    drag = -p["drag"]
    return L + p["J"] * (w + spin)**2 / 2, constraints, none, [drag * vx, drag * vy, 0, p["T0"] * cos(p["w"] * time)]


def ball_on_rocking_table(q, v, p):
    return ball_on_turntable(q, v, p | {"Omega": p["Omega"] * cos(p["w"] * time)})


def differential_drive(q, v, p):
    drive, steer = p["forward"] * (1 - sp.exp(-time)), p["turn"] * sin(p["w"] * time)
    forces = [0, 0, 0, drive + steer - p["friction"] * v[3], drive - steer - p["friction"] * v[4]]
    return *two_wheeled_carriage(q, v, p), forces


def velocity(point, q, v):
    return sp.Matrix([sum(c.diff(s) * u for s, u in zip(q, v)) for c in point])


def towards(angle):
    return sp.Matrix([cos(angle), sin(angle)])


def across(moves, angle):
    """The velocity sideways of an axle whose wheels point along the angle."""
    return moves.dot(towards(angle + sp.pi / 2))


def jointed(q, v, p, bodies, wheels):
    """Bodies (mass, moment, centre, angle) and wheels (point, angle) in a plane; the points are functions of q."""
    turning = lambda angle: sum(angle.diff(s) * u for s, u in zip(q, v))
    L = sum(half * m * velocity(c, q, v).dot(velocity(c, q, v)) + half * J * turning(a)**2 for m, J, c, a in bodies)
    return L, [across(velocity(point, q, v), angle) for point, angle in wheels], []


def car(q, v, p):
    x, y, theta, phi = q
    rear, ahead_ = sp.Matrix([x, y]), towards(theta)
    bodies = [(p["m"], p["I"], rear + p["a"] * ahead_, theta), (0, p["J"], rear, theta + phi)]
    parts = jointed(q, v, p, bodies, [(rear, theta), (rear + p["l"] * ahead_, theta + phi)])
    push = p["push"] * (1 - sp.exp(-time)) * ahead_ - p["drag"] * sp.Matrix(v[:2])
    servo = p["k"] * (p["swing"] * sin(p["w"] * time) - phi) - p["c"] * v[3]
    return *parts, [push[0], push[1], 0, servo]


def tractor_trailers(q, v, p):
    tractor, angles = sp.Matrix(q[:2]), q[2:]
    bodies, axle = [(p["M"], p["J"], tractor, angles[0])], tractor
    wheels = [(tractor, angles[0])]
    for angle in angles[1:]:
        axle = axle - p["d"] * towards(angle)
        bodies.append((p["m"], p["I"], axle, angle))
        wheels.append((axle, angle))
    return jointed(q, v, p, bodies, wheels)


def driven_snakeboard(q, v, p):
    L, constraints, none = snakeboard(q, v, p | {"kr": 0, "kw": 0})
    servo = lambda wanted, i: p["k"] * (wanted * sin(p["w"] * time) - q[i]) - p["c"] * v[i]
    return L, constraints, none, [0, 0, 0, servo(p["swing"], 3), servo(p["turn"], 4)]


def roller_racer(q, v, p):
    x, y, theta, phi = q
    axle = sp.Matrix([x, y])
    bar = axle + p["d1"] * towards(theta) - p["d2"] * towards(theta + phi)
    bodies = [(p["m"], p["I1"], axle, theta), (0, p["I2"], bar, theta + phi)]
    parts = jointed(q, v, p, bodies, [(axle, theta), (bar, theta + phi)])
    arms = p["k"] * (p["swing"] * sin(p["w"] * time) - phi) - p["c"] * v[3]
    return *parts, [-p["drag"] * v[0], -p["drag"] * v[1], 0, arms]


def twistcar(q, v, p):
    x, y, theta, phi = q
    rear = sp.Matrix([x, y])
    front = rear + p["l"] * towards(theta) + p["b"] * towards(theta + phi)
    bodies = [(p["m1"], p["I1"], rear + p["a"] * towards(theta), theta), (p["m2"], p["I2"], front, theta + phi)]
    L, constraints, _ = jointed(q, v, p, bodies, [(rear, theta), (front, theta + phi)])
    return L, constraints, [phi - p["swing"] * sin(p["w"] * time)]


SYSTEMS = {
    "free-particle": particle(0, along_y),
    "free-particle-x": particle(0, along_x),
    "harmonic-particle": particle(half, along_y),
    "harmonic-particle-x": particle(half, along_x),
    "conformal-particle": conformal_particle,
    "quadratic-particle": particle(1, along_y),
    "quadratic-particle-x": particle(1, along_x),
    "sinusoidal-particle": particle(0, along_sine),
    "knife-edge": knife_edge,
    "knife-edge-incline": knife_edge,
    "rolling-disk": rolling_disk,
    "mobile-robot": mobile_robot,
    "two-wheeled-carriage": two_wheeled_carriage,
    "mclachlan-perlmutter": mclachlan_perlmutter,
    "chaplygin-sleigh": sleigh,
    "chaplygin-sleigh-horizontal": sleigh,
    "snakeboard": snakeboard,
    "ball-on-turntable": ball_on_turntable,
    "cart-pendulum": cart_pendulum,
    "veselova": veselova,
    "veselova-4d": veselova_4d,
    "veselova-nd": veselova_nd,
    "rubber-routh-sphere": rubber_routh_sphere,
    "rubber-routh-sphere-nd": rubber_routh_sphere_nd,
    "ball-over-sphere-4d": ball_over_sphere_4d,
    "rubber-body-on-sphere": rubber_body_on_sphere,
    "rubber-spheroid": rubber_spheroid,
    "chaplygin-ball": chaplygin_ball,
    "rattleback": rattleback,
    "coin": coin,
    "euler-disk": euler_disk,
    "chaplygin-ball-so3": ball_so3,
    "chaplygin-top": offset_ball("d1", "d2", "d3"),
    "routh-sphere": offset_ball("", "", "d"),
    "tippe-top": tippe_top,
    "rigid-body": rigid_body,
    "heavy-top": heavy_top,
    "kovalevskaya-top": kovalevskaya_top,
    "satellite-rotor": satellite_rotor,
    "suslov": suslov,
    "veselova-so3": veselova_so3,
    "rubber-ball": rubber_ball,
    "rubber-ellipsoid": rubber_ellipsoid,
    "rubber-ball-on-sphere": rubber_ball_on_sphere,
    "ball-in-rotating-bowl": ball_in_rotating_bowl,
    "bicycle": bicycle,
    "skateboard": skateboard,
    "contact-particle": contact_particle,
    "generic-connection": particle(0, along_both),
    "forced-pendulum": forced_pendulum,
    "rotor-sleigh": rotor_sleigh,
    "ball-on-rocking-table": ball_on_rocking_table,
    "differential-drive": differential_drive,
    "car": car,
    "tractor-trailers": tractor_trailers,
    "driven-snakeboard": driven_snakeboard,
    "roller-racer": roller_racer,
    "twistcar": twistcar,
    "bouncing-ball": falling,
    "hopping-knife-edge": hopping_knife_edge,
}
# end times besides t = 50
MORE = {"quadratic-particle": 250, "chaplygin-sleigh": 30, "mclachlan-perlmutter": 10}
# and instead of it: errors grow fast when it rattles
# (and a fall without ground leads far; impacts are in tests/flow/event_test.cpp); bodies that turn fast turn enough
ONLY = {"rattleback": 2, "bouncing-ball": 2, "hopping-knife-edge": 2, "coin": 5, "euler-disk": 1, "routh-sphere": 5,
        "chaplygin-top": 5, "rubber-ellipsoid": 5, "ball-in-rotating-bowl": 5, "heavy-top": 1, "tippe-top": 0.25,
        "rigid-body": 10, "chaplygin-ball-so3": 10, "suslov": 10, "veselova-so3": 10, "rubber-ball": 10,
        "rubber-ball-on-sphere": 10, "satellite-rotor": 10, "kovalevskaya-top": 10, "bicycle": 2,
        "skateboard": 5}
# more steps for fast oscillations
FINER = {"rattleback": 40, "coin": 2, "euler-disk": 8, "heavy-top": 8, "tippe-top": 40}

# ---- parameters and initial data ----


def number(text, names):
    """The value, in long double, of a formula in the parameters."""
    def value(node):
        match node:
            case ast.Expression(): return value(node.body)
            case ast.Constant(): return Real(node.value)
            case ast.Name(): return names[node.id]
            case ast.UnaryOp(ast.USub()): return -value(node.operand)
            case ast.Call(): return getattr(np, node.func.id)(value(node.args[0]))
            case ast.BinOp():
                a, b = value(node.left), value(node.right)
                match node.op:
                    case ast.Add(): return a + b
                    case ast.Sub(): return a - b
                    case ast.Mult(): return a * b
                    case ast.Div(): return a / b
                    case ast.Pow(): return a**b
        raise ValueError(f"cannot evaluate {text}")
    return value(ast.parse(str(text).replace("^", "**"), mode="eval"))


def initial_data(name):
    model = tomllib.loads((MODELS / f"{name}.toml").read_text())
    parameters = model.get("parameters", {})
    names = {"pi": 4 * np.arctan(Real(1))}
    for k, p in parameters.items():
        parameters[k] = p if isinstance(p, (int, float)) else float(number(p, names))
        names[k] = Real(parameters[k])

    def values(entries):
        for entry in entries:
            repeated = re.fullmatch(r"\[(\w+) = (\d)\.\.(\w+)\] (.*)", str(entry))
            if repeated:
                index, first, count, formula = repeated.groups()
                for i in range(int(first), parameters[count] + 1):
                    yield number(formula, names | {index: Real(i)})
            else:
                yield number(entry, names)
    def entries(given, missing):
        if isinstance(given, list):
            return list(values(given))
        return [number(given[s], names) if s in given else missing for s in model.get("coordinates", [])]
    start = model["initial"]
    # the momenta of conformal-particle are velocities where y = 0
    velocities = start["v" if "v" in start else "p"]
    q, v = entries(start["q"], None), entries(velocities, None)
    rotations = model.get("rotations", [])
    for name in rotations:
        turn = attitude(start["q"].get(name, {"quaternion": [1, 0, 0, 0]}), lambda text: number(text, names))
        q += turn
        v += [s / 2 for s in product(turn, [Real(0), *(number(s, names) for s in velocities[name])])]
    return parameters, q, v, len(rotations)


def attitude(given, number):
    """A unit quaternion."""
    about = lambda axis, angle: [np.cos(angle / 2), *(np.sin(angle / 2) * s for s in axis)]
    if "euler" in given:
        q = [Real(1), Real(0), Real(0), Real(0)]
        for axis, angle in zip(given["euler"], given["angles"]):
            q = product(q, about([Real(axis == s) for s in "xyz"], number(angle)))
    elif "axis" in given:
        axis = [number(s) for s in given["axis"]]
        length = np.sqrt(sum(s * s for s in axis))
        q = about([s / length for s in axis], number(given["angle"]))
    else:
        q = [number(s) for s in given["quaternion"]]
    length = np.sqrt(sum(s * s for s in q))
    return [s / length for s in q]


def completed(values, rows):
    """What is not given, 0 or what the rows say, which are linear in it."""
    free = [i for i, s in enumerate(values) if s is None]
    values = [Real(0) if s is None else s for s in values]
    none = rows(values)
    columns = [(i, rows([Real(1) if j == i else s for j, s in enumerate(values)])) for i in free]
    columns = [(i, c) for i, c in columns if any(a != b for a, b in zip(c, none))]
    found = solve([[c[k] - none[k] for _, c in columns] + [-none[k]] for k in range(len(none))])
    for (i, _), s in zip(columns, found):
        values[i] = s
    return values


# ---- equations of motion ----


def solve(rows):
    """Gaussian elimination with row pivoting; rows = [matrix | right-hand side] as lists, overwritten. There may be more
    rows than unknowns, which then follow from the others."""
    n = len(rows[0]) - 1 if rows else 0
    for k in range(n):
        pivot = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top = rows[k]
        for i in range(k + 1, len(rows)):
            row = rows[i]
            if row[k]:
                factor = row[k] / top[k]
                for j in range(k + 1, n + 1):
                    if top[j]:
                        row[j] -= factor * top[j]
    x = [None] * n
    for k in reversed(range(n)):
        s = rows[k][n]
        for j in range(k + 1, n):
            if rows[k][j]:
                s = s - rows[k][j] * x[j]
        x[k] = s / rows[k][k]
    return x


def equations(name, parameters, n, rotations):
    """Functions of the state: its derivative, the constraints, the energy."""
    q, v = list(sp.symbols(f"q:{n}", real=True)), list(sp.symbols(f"v:{n}", real=True))
    symbols = {k: p if k == "n" else sp.Symbol(f"p_{k}", real=True) for k, p in parameters.items()}
    L, constraints, holonomic, *forces = SYSTEMS[name](q, v, symbols)
    L = sp.sympify(L)
    holonomic = holonomic + [sum(s**2 for s in q[i:i + 4]) - 1 for i in range(n - 4 * rotations, n, 4)]
    forces = [sp.sympify(f) for f in forces[0]] if forces else [sp.Integer(0)] * n  # linear in forces of contacts

    along = lambda f: sum(f.diff(s) * u for s, u in zip(q, v)) + f.diff(time)
    momentum = [L.diff(u) for u in v]
    rates = constraints + [along(g) for g in holonomic]
    m = len(rates)
    none = {force_of_contact(k): 0 for k in range(m)}
    system = sp.zeros(n + m, n + m + 1)
    for i in range(n):
        for j in range(n):
            system[i, j] = momentum[i].diff(v[j])
        for k in range(m):
            system[i, n + k] = -rates[k].diff(v[i]) - forces[i].diff(force_of_contact(k))
            system[n + k, i] = rates[k].diff(v[i])
        system[i, n + m] = L.diff(q[i]) - along(momentum[i]) + forces[i].subs(none)
    for k in range(m):
        system[n + k, n + m] = -along(rates[k])

    free = [s for k, s in symbols.items() if k != "n"]
    values = [Real(p) for k, p in parameters.items() if k != "n"]

    def function(expressions):
        # numbers become long doubles, so that no operation is done in double precision
        shared, formulas = sp.cse(expressions)
        lines = [f"{a} = {b}" for a, b in shared] + [f"return [{', '.join(map(str, formulas))}]"]
        text = re.sub(r"(?<![\w.])\d+(?![\w.])(?<!\*\*\d)", lambda k: f"Real({k[0]})", "\n    ".join(lines))
        scope = {"Real": Real, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "exp": np.exp,
                 "atan2": np.arctan2}
        exec(f"def f({', '.join(map(str, [time] + q + v + free))}):\n    {text}", scope)
        return lambda t, state: scope["f"](t, *state, *values)

    entries = function(list(system))
    width = n + m + 1

    def derivative(t, state):
        flat = entries(t, state)
        a = solve([flat[i * width:(i + 1) * width] for i in range(n + m)])
        return np.array([*state[n:], *a[:n]], dtype=Real)

    return derivative, function(rates), function(holonomic), function([sum(p * u for p, u in zip(momentum, v)) - L])


# ---- Gragg-Bulirsch-Stoer extrapolation ----


def gragg(f, t, y, start, H, substeps):
    """The increment over H; y itself is never added to, which keeps rounding errors small."""
    h = H / substeps
    before, now = Real(0), h * start
    for k in range(1, substeps):
        before, now = now, before + 2 * h * f(t + k * h, y + now)
    return (before + 2 * now + (before + 2 * h * f(t + H, y + now))) / 4  # smoothing step


def end_state(f, y, T, steps, columns):
    H = Real(T) / steps
    error = np.zeros_like(y)
    for step_number in range(steps):
        t = step_number * H
        start = f(t, y)
        table = []  # row k of the extrapolation in h^2 to 0, by Aitken's and Neville's rule
        for k in range(1, columns + 1):
            row = [gragg(f, t, y, start, H, 2 * k)]
            for i, above in enumerate(table, 1):
                row.append(row[-1] + (row[-1] - above) * (k - i)**2 / Real(k**2 - (k - i)**2))
            table = row
        step = table[-1] + error  # compensated summation
        new = y + step
        error = step - (new - y)
        y = new
    return y


def shown(q, v, rotations):
    """Matrices and angular velocities in the body instead of quaternions."""
    n = len(q) - 4 * rotations
    matrices, rates = q[:n], v[:n]
    for i in range(n, len(q), 4):
        matrices += sum(rotation_matrix(*q[i:i + 4]), [])
        rates += [2 * s for s in product(conjugate(q[i:i + 4]), v[i:i + 4])[1:]]
    return matrices, rates


def reference(name, T):
    parameters, q, v, rotations = initial_data(name)
    n = len(q)
    f, rates, holonomic, energy = equations(name, parameters, n, rotations)
    q = completed(q, lambda q: holonomic(Real(0), q + [Real(0)] * n))
    v = completed(v, lambda v: rates(Real(0), q + v))
    constraints = lambda t, y: rates(t, y) + holonomic(t, y)
    y = np.array(q + v, dtype=Real)
    assert max(map(abs, constraints(Real(0), y)), default=0) < 1e-16, f"{name}: initial data off the constraints"
    finer = FINER.get(name, 1)
    coarse = end_state(f, y, T, round(32 * T * finer), 6)
    fine = end_state(f, y, T, round(48 * T * finer), 6)
    scale = max(1, abs(fine).max())
    difference = abs(coarse - fine).max() / scale
    drift = max(map(abs, constraints(Real(T), fine)), default=0)
    print(f"{name:28} t = {T:3}  two resolutions differ by {float(difference):.1e}, constraints {float(drift):.1e}",
          flush=True)
    q, v = shown(list(fine[:n]), list(fine[n:]), rotations)
    return {"t": T, "q": [float(s) for s in q], "v": [float(s) for s in v],
            "energy": float(energy(Real(T), fine)[0]), "digits": min(16, math.floor(-math.log10(max(difference, 1e-19))))}


def main(names):
    path = HERE / "reference_states.json"
    states = json.loads(path.read_text()) if path.exists() else {}
    for name in names or SYSTEMS:
        states[name] = [reference(name, T) for T in sorted({ONLY.get(name, 50), MORE.get(name, ONLY.get(name, 50))})]
        path.write_text(json.dumps(states, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
