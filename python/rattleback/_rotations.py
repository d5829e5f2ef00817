"""Rotations as numbers: how starts are given, and what trajectories have of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from numpy.typing import NDArray

from . import _core
from ._numpy import np

if TYPE_CHECKING:
    from ._system import System

Array = NDArray[np.float64]

_WAYS = (
    'a quaternion [w, x, y, z], a 3 by 3 matrix, {"axis": [x, y, z], "angle": a}, {"euler": "zxy", "angles": [a, b, c]}, '
    "or a Rotation of SciPy"
)


def _columns(names: list[str], values: Any, what: str) -> dict[str, Any]:
    """The last axis under names; those before it are members of an ensemble."""
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim == 0 or numbers.shape[-1] != len(names):
        raise _core.RequestError(f"{what} has the shape {numbers.shape}, expected {len(names)} numbers: {', '.join(names)}")
    return {name: numbers[..., i] if numbers.ndim > 1 else float(numbers[i]) for i, name in enumerate(names)}


def _numbered(stem: str) -> list[str]:
    return [f"{stem}{i}" for i in (1, 2, 3)]


def _attitude(name: str, given: Any) -> dict[str, Any]:
    """A rotation by the names of its numbers: R.w …, R[1,1] …, R.turn1 …, R.zxy1 …"""
    if hasattr(given, "as_matrix"):  # scipy.spatial.transform.Rotation
        given = given.as_matrix()
    if isinstance(given, Mapping):
        keys = set(given)
        if keys == {"axis", "angle"}:
            axis = np.asarray(given["axis"], dtype=float)
            lengths = np.linalg.norm(axis, axis=-1, keepdims=True)
            if not (lengths > 0).all():
                raise _core.RequestError(f"the axis of {name} is zero")
            turn = np.asarray(given["angle"], dtype=float)[..., np.newaxis] * axis / lengths
            return _columns(_numbered(f"{name}.turn"), turn, f"the axis of {name}")
        if keys == {"euler", "angles"}:
            return _columns(_numbered(f"{name}.{given['euler']}"), given["angles"], f"angles of {name}")
        if keys != {"quaternion"} and keys != {"matrix"}:
            raise _core.RequestError(f"{name} is given by {', '.join(map(str, given))}; a rotation is {_WAYS}")
        given = given["quaternion"] if "quaternion" in given else given["matrix"]
    numbers = np.asarray(given, dtype=float)
    if numbers.shape[-2:] == (3, 3):
        entries = [f"{name}[{i},{j}]" for i in (1, 2, 3) for j in (1, 2, 3)]
        return _columns(entries, numbers.reshape(*numbers.shape[:-2], 9), f"the matrix of {name}")
    if numbers.ndim == 0 or numbers.shape[-1] != 4:
        raise _core.RequestError(f"{name} has the shape {numbers.shape}; a rotation is {_WAYS}")
    return _columns([f"{name}.{c}" for c in "wxyz"], numbers, f"the quaternion of {name}")


def starts(system: System, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments in which rotations of q0 and v0 have the names of their numbers."""
    result = dict(arguments)
    if not system.rotations:
        return result
    for argument in ("q0", "v0"):
        given = result.get(argument)
        if not isinstance(given, Mapping):
            continue
        named: dict[str, Any] = {}
        for key, value in given.items():
            name = str(key)
            if name not in system.rotations:
                named[name] = value
            elif argument == "q0":
                named.update(_attitude(name, value))
            else:
                named.update(_columns(_numbered(f"{name}.omega"), value, f"the angular velocity of {name}"))
        result[argument] = named
    return result


def matrices(quaternions: Array) -> Array:
    """The matrices of quaternions (w, x, y, z), which are the last axis."""
    return _core.attitudes(quaternions.reshape(-1, 4), "matrix").reshape(*quaternions.shape[:-1], 3, 3)
