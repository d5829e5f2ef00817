"""Many trajectories as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from numpy.typing import NDArray

from . import _core
from ._answers import Answer
from ._numpy import np

if TYPE_CHECKING:
    from ._system import System

Array = NDArray[np.float64]


def _require_fixed_start(system: System, fixed: Mapping[str, float], varied: Mapping[str, Array]) -> None:
    """Members share the numbers of the start, so these must not depend on what is varied."""
    for name, values in varied.items():
        ends = [system.replace({**fixed, name: float(value)}).initial for value in (np.min(values), np.max(values))]
        if ends[0] != ends[1]:
            raise _core.RequestError(
                f"the start of {system.name} depends on {name}, which is varied: give q0 and v0 with a row for each member, "
                f"those of one are `system.replace({{{name!r}: …}}).initial`"
            )


def columns_of(system: System, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str], Array]:
    """What is varied, by the names of the library, with a row for each member; and the rest of the arguments, in which
    the first member stands for what is varied."""
    positions = system.positions
    velocities = [str(v) for v in system.velocities]
    short = [str(q) for q in system.coordinates] + velocities[len(system.coordinates):]
    nominal = dict(arguments)
    varied: dict[str, Array] = {}

    def take(argument: str, names: list[str], called: Mapping[str, str]) -> None:
        given = arguments.get(argument)
        if given is None:
            return
        if isinstance(given, Mapping):
            first: dict[str, float] = {}
            for name, numbers in given.items():
                values = np.asarray(numbers, dtype=float)
                if values.ndim > 1:
                    raise _core.RequestError(f"{argument} of {name} has {values.ndim} dimensions, expected a number or a row")
                if values.size == 0:
                    raise _core.RequestError(f"{argument} of {name} has no entries: an ensemble needs members")
                if values.ndim == 1:
                    varied[called.get(str(name), str(name))] = values
                first[str(name)] = float(values.reshape(-1)[0])
            nominal[argument] = first
            return
        values = np.asarray(given, dtype=float)
        if values.ndim == 2:
            if len(values) == 0:
                raise _core.RequestError(f"{argument} has no rows: an ensemble needs members")
            if values.shape[1] != len(names):
                raise _core.RequestError(f"{argument} has {values.shape[1]} columns, expected {len(names)}: {', '.join(names)}")
            varied.update((called[name], values[:, i]) for i, name in enumerate(names))
            nominal[argument] = values[0]

    take("q0", positions, dict(zip(positions, positions)))
    take("v0", short, dict(zip(short, velocities)))
    take("set", [], {})
    step = arguments.get("step")
    if step is not None and np.ndim(step) == 1 and np.size(step) > 0:
        varied["step"] = np.asarray(step, dtype=float)
        nominal["step"] = float(varied["step"][0])
    if arguments.get("q0") is None or arguments.get("v0") is None:
        _require_fixed_start(system, nominal.get("set") or {}, {k: v for k, v in varied.items() if k in system.parameters})
    lengths = {len(values) for values in varied.values()}
    if not lengths:
        raise _core.RequestError("nothing is varied: give arrays for q0, v0, set or step")
    if len(lengths) > 1:
        sizes = ", ".join(f"{name}: {len(values)}" for name, values in varied.items())
        raise _core.RequestError(f"all arrays need an entry for each member, found {sizes}")
    return nominal, list(varied), np.column_stack(list(varied.values()))


class Ensemble(Answer):
    """What became of many trajectories: `t q v p energy` of their last nodes, and `at` the times that were asked for.

    `at["q"]` has the axes member, time, coordinate. The numbers of q are those of `system.positions`: a rotation is a
    quaternion (w, x, y, z) there.
    """

    def __init__(self, raw: _core.Answer, system: System, times: Sequence[float]) -> None:
        super().__init__(raw)
        self.system = system
        arrays = raw.arrays()
        width = {"q": len(system.positions), "v": len(system.velocities), "p": len(system.velocities)}
        last = {name: a.reshape(-1, width[name]) if name in width else a for name, a in arrays["last"].items()}
        self.t: Array = last["t"]
        self.q: Array = last["q"]
        self.v: Array = last["v"]
        self.p: Array = last["p"]
        self.energy: Array = last["energy"]
        count = len(self.t)
        shape = (count, len(times))
        self.at: dict[str, Array] = {
            name: a.reshape(*shape, width[name]) if name in width else a.reshape(shape)
            for name, a in arrays["at_times"].items()
        }
        self.steps = np.asarray(arrays["steps"])
        self.failures: list[str] = arrays["failures"]

    @property
    def failed(self) -> int:
        """How many members."""
        return int(self["failed"])

    def __len__(self) -> int:
        return len(self.t)
