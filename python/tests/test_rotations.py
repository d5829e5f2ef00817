"""Rotations as coordinates."""

import math
import pickle

import numpy as np
import pytest
import rattleback as rb

BODY = """rotations = ["R"]
lagrangian = "0.5*dot(R.omega, diag(1, 2, 3)*R.omega)"
[initial]
q = { R = { axis = [1, 2, 2], angle = 0.7 } }
v = { R = [0.3, 1, 0.2] }
"""


def rodrigues(axis, angle):
    """The matrix of a rotation, by the exponential series."""
    n = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    hat = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + math.sin(angle) * hat + (1 - math.cos(angle)) * hat @ hat


def about(axis, angle):
    return rodrigues({"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}[axis], angle)


@pytest.fixture(scope="module")
def body():
    return rb.System.from_text(BODY)


@pytest.fixture(scope="module")
def run(body):
    return body.run("del", step=0.1, time=2)


def test_a_trajectory_has_matrices_and_vectors(body, run):
    assert body.coordinates == [] and body.rotations == ["R"] and body.positions == ["R.w", "R.x", "R.y", "R.z"]
    assert run["R"].shape == (21, 3, 3) and run.q["R"].shape == (21, 3, 3)
    assert np.allclose(run["R"][0], rodrigues([1, 2, 2], 0.7), atol=1e-15)
    assert np.allclose(run["R"] @ run["R"].transpose(0, 2, 1), np.eye(3), atol=1e-14)
    assert np.allclose(run.v["R"][0], [0.3, 1, 0.2], atol=1e-15)
    assert np.allclose(run.p["R"], run.v["R"] * [1, 2, 3], atol=1e-15)
    momentum = np.einsum("nij,nj->ni", run["R"], run.p["R"])
    assert abs(momentum - momentum[0]).max() < 1e-14
    assert (run.evaluate("R[1,2] + R.omega[3]") == run["R"][:, 0, 1] + run.v["R"][:, 2]).all()
    with pytest.raises(KeyError, match="there is no rotation 'Q'; there are R"):
        run.quaternion("Q")


def test_quaternions_and_angles(run):
    w, x, y, z = run.quaternion("R").T
    assert (run.quaternion("R", scalar_last=True).T == [x, y, z, w]).all()
    assert np.allclose(w, run["R.w"]) and np.allclose(run["R"][:, 0, 1], 2 * (x * y - w * z), atol=1e-14)
    for order in ("zxy", "xyz", "zxz", "yxy"):
        for matrix, angles in zip(run["R"][::7], run.euler("R", order)[::7]):
            product = np.linalg.multi_dot([about(axis, angle) for axis, angle in zip(order, angles)])
            assert np.allclose(product, matrix, atol=1e-14)
    with pytest.raises(rb.RequestError, match="'zzx' is no order of Euler angles"):
        run.euler("R", "zzx")


class Scipy:
    """As scipy.spatial.transform.Rotation."""

    def as_matrix(self):
        return rodrigues([1, 2, 2], 0.7)


@pytest.mark.parametrize(
    "start",
    [
        {"axis": [1, 2, 2], "angle": 0.7},
        {"matrix": rodrigues([1, 2, 2], 0.7)},
        rodrigues([1, 2, 2], 0.7).tolist(),
        [2 * math.cos(0.35), 2 * math.sin(0.35) / 3, 4 * math.sin(0.35) / 3, 4 * math.sin(0.35) / 3],
        Scipy(),
    ],
)
def test_starts(body, run, start):
    other = body.run("del", step=0.1, time=0.1, q0={"R": start}, v0={"R": [0.3, 1, 0.2]})
    assert np.allclose(other["R"][:2], run["R"][:2], atol=1e-14)


def test_starts_by_angles(body):
    other = body.run("del", step=0.1, time=0.1, q0={"R": {"euler": "zxy", "angles": [0.1, 0.2, 0.3]}})
    assert np.allclose(other["R"][0], about("z", 0.1) @ about("x", 0.2) @ about("y", 0.3), atol=1e-15)
    assert np.allclose(other.euler("R", "zxy")[0], [0.1, 0.2, 0.3], atol=1e-15)


@pytest.mark.parametrize(
    "q0, says",
    [
        ({"R": 1}, "a rotation is a quaternion"),
        ({"R": [1, 0, 0]}, "a rotation is a quaternion"),
        ({"R": {"axis": [0, 0, 0], "angle": 1}}, "the axis of R is zero"),
        ({"R": {"angle": 1}}, "R is given by angle; a rotation is"),
        ({"R": {"euler": "zz", "angles": [1, 2, 3]}}, "'R.zz1', which is not a coordinate"),
        ({"R": [0, 0, 0, 0]}, "a quaternion is zero"),
        ({"R": np.diag([1, 1, -1])}, "no rotation"),
    ],
)
def test_starts_that_are_none(body, q0, says):
    with pytest.raises(rb.RequestError, match=says):
        body.run("del", step=0.1, time=0.1, q0=q0)


def test_steppers_and_batches_have_quaternions(body, run):
    sim = body.stepper("del", step=0.1)
    sim.step(20)
    assert sim.q.shape == (4,) and (sim.q == run.q[-1]).all() and (sim.v == run.v[-1]).all()
    again = pickle.loads(pickle.dumps(sim))
    again.step(3)
    sim.step(3)
    assert (again.q == sim.q).all()
    batch = body.batch(3, "del", step=0.1)
    batch.restart(1, q=[1, 0, 0, 0], v=[0, 0, 2])
    batch.step(20)
    assert batch.q.shape == (3, 4) and batch.v.shape == (3, 3) and (batch.q[0] == run.q[-1]).all()
    # A step about a principal axis turns by 4 atan ζ, with the momentum (1 + ζ²)·4ζ/h per moment of inertia.
    zeta = min(np.roots([1, 0, 1, -0.05]), key=lambda z: abs(z.imag)).real
    angle = 4 * math.atan(zeta) * 20
    assert np.allclose(batch.q[1], [math.cos(angle / 2), 0, 0, math.sin(angle / 2)], atol=1e-14)


def test_ensembles_of_starts(body):
    tilts = np.linspace(0, 0.5, 6)
    angles = np.column_stack([np.zeros(6), tilts, np.zeros(6)])
    many = body.ensemble("del", q0={"R": {"euler": "zxy", "angles": angles}}, v0={"R": [[0, 0, 1]] * 6}, step=0.1, time=1,
                         times=[0])
    assert many.q.shape == (6, 4) and many.failed == 0 and many.at["q"].shape == (6, 1, 4)
    assert np.allclose(many.at["q"][:, 0], np.column_stack([np.cos(tilts / 2), np.sin(tilts / 2), 0 * tilts, 0 * tilts]),
                       atol=1e-15)
    one = body.run("del", q0={"R": {"euler": "zxy", "angles": [0, tilts[3], 0]}}, v0={"R": [0, 0, 1]}, step=0.1, time=1)
    assert (many.q[3] == one.q[-1]).all()


def test_files_and_copies(body, run, tmp_path):
    body.run("del", step=0.1, time=2, output=tmp_path / "run.h5", observe=["R[3,3]", "tilt=euler_zxy(R)"])
    opened = rb.open(tmp_path / "run.h5")
    assert (opened["R"] == run["R"]).all() and (opened.q == run.q).all()
    assert np.allclose(opened["R[3,3]"], run["R"][:, 2, 2], atol=1e-15)
    assert np.allclose(opened["tilt2"], run.euler("R", "zxy")[:, 1], atol=1e-14)
    copied = pickle.loads(pickle.dumps(run))
    assert (copied["R"] == run["R"]).all() and copied.v["R"].shape == (21, 3)


def test_expressions():
    x, y, z = rb.coordinates("x y z")
    R = rb.rotations("R")
    r = rb.vector([x, y, z])
    assert R.T[0, 1] == rb.parse("R[2,1]")
    rate = rb.time_derivative(R @ [1, 2, 3], [R])
    wanted = R @ rb.cross(R.omega, [1, 2, 3])
    values = {str(s): 0.1 * k + 0.3 for k, s in enumerate([*R[0], *R[1], *R[2], *R.omega])}
    for a, b in zip(rate, wanted):
        assert abs(a.evaluate(values) - b.evaluate(values)) < 1e-14
    s = rb.System([x, y, z], 0.5 * r.dot @ r.dot + 0.5 * R.omega @ R.omega - z, rotations=[R],
                  constraints=list(r.dot + R @ rb.cross(R.omega, R.T @ [0, 0, -1])), initial={"q": {"z": 1}, "v": {"R": [1, 0, 0]}})
    assert repr(s) == "<System of x, y, z and the rotation R with 3 constraints>"
    with pytest.warns(rb.Note, match="integrable"):
        run = s.run("reference", step=0.1, time=1)
    assert np.allclose(run["y"], -run.t, atol=1e-9)  # it rolls along −y at the speed 1
    html = s._repr_html_()
    assert "omega_{R,1}" in html and "R_{12}" in html


def test_sympy():
    sympy = pytest.importorskip("sympy")
    R = rb.rotations("R")
    out = rb.to_sympy(R[0, 1] * R.omega[2])
    assert out == sympy.Symbol("R[1,2]") * sympy.Symbol("R.omega3")
    assert rb.from_sympy(out) == R[0, 1] * R.omega[2]
