"""Trajectories that somebody else leads step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from . import _core

if TYPE_CHECKING:
    from ._system import System


class Stepper:
    """A trajectory on its way, for controllers: `step()`, look at `q`, `v` and `t`, `set(torque=…)`.

    `q` and `v` are always the same arrays; copy what is to be kept. `system.positions` and `system.velocities` are
    the names of their numbers; a rotation is a quaternion (w, x, y, z) there.

    >>> import rattleback as rb
    >>> s = rb.System(coordinates="x", lagrangian="0.5*x'^2", forces={"x": "u"}, parameters={"u": 0},
    ...               initial={"q": [1], "v": [0]})
    >>> sim = s.stepper("dla", step=0.01)
    >>> for _ in range(1000):
    ...     sim.step(u=-2*sim.q[0] - 2*sim.v[0])
    >>> bool(abs(sim.q[0]) < 1e-3)
    True
    >>> sim.steps, round(sim.t, 9)
    (1000, 10.0)
    """

    def __init__(self, system: System, simulation: _core.Simulation, given: dict[str, Any]) -> None:
        self.system = system
        self._simulation = simulation
        self._given = given
        from . import _numpy as _numpy  # arrays are made now

        self.q = simulation.q
        self.v = simulation.v
        self.advance = simulation.step  # without arguments, the quickest way

    def step(self, count: int = 1, inputs: Mapping[str, float] | None = None, **values: float) -> None:
        """Takes steps, with other values of parameters from here on. Raises NumericalError if one fails."""
        if inputs:
            values = {**inputs, **values}
        if values:
            self._simulation.set(values)
        self._simulation.step(count)

    def set(self, values: Mapping[str, float] | None = None, **more: float) -> None:
        """Other values of parameters from here on. Momenta stay."""
        self._simulation.set({**(values or {}), **more})

    @property
    def t(self) -> float:
        """The time."""
        return self._simulation.t

    @property
    def steps(self) -> int:
        """Taken so far."""
        return self._simulation.steps

    @property
    def step_size(self) -> float:
        """h, the same for all steps."""
        return self._simulation.step_size

    @property
    def parameters(self) -> dict[str, float]:
        """Their values now."""
        return self._simulation.parameters

    @property
    def state(self) -> list[float]:
        """All numbers the rest depends on; assigned, the trajectory continues from there to the same bits."""
        return self._simulation.save()

    @state.setter
    def state(self, saved: list[float]) -> None:
        self._simulation.restore(saved)

    def copy(self) -> Stepper:
        """Another trajectory that is where this one is.

        >>> import rattleback as rb
        >>> sim = rb.model("chaplygin-sleigh").stepper("dla", step=0.1)
        >>> sim.step(10)
        >>> ahead = sim.copy()
        >>> ahead.step(5)
        >>> sim.steps, ahead.steps
        (10, 15)
        """
        made = self.system.stepper(**self._given)
        made.state = self.state
        return made

    __copy__ = copy

    def __reduce__(self) -> Any:
        return _restored, (self.system, self._given, self.state)

    def __repr__(self) -> str:
        return f"<Stepper of {self.system.name}: step {self.steps}, t = {self.t:.10g}>"


class Batch:
    """Many trajectories that are led together, in the lanes of compiled code: for learning and predictive control.

    `q` and `v` have a row for each member and are always the same arrays. A member that fails stays where it is; its
    reason is in `failures`, and `restart` brings it back.

    >>> import numpy as np, rattleback as rb
    >>> s = rb.System(coordinates="x", lagrangian="0.5*x'^2", forces={"x": "u"}, parameters={"u": 0},
    ...               initial={"q": [1], "v": [0]})
    >>> batch = s.batch(100, "dla", step=0.01)
    >>> gain = np.linspace(1, 2, 100)
    >>> for _ in range(1000):
    ...     batch.step(u=-gain*batch.q[:, 0] - 2*batch.v[:, 0])
    >>> bool(abs(batch.q).max() < 1e-2)
    True
    """

    def __init__(self, system: System, batch: _core.Batch) -> None:
        self.system = system
        self._batch = batch
        from . import _numpy as _numpy  # arrays are made now

        self.q = batch.q.reshape(-1, len(system.positions))
        self.v = batch.v.reshape(-1, len(system.velocities))

    def __len__(self) -> int:
        return len(self.q)

    def step(self, count: int = 1, inputs: Mapping[str, Any] | None = None, **values: Any) -> None:
        """Takes steps, with other values of parameters from here on: one for all members, or one for each."""
        self.set(inputs, **values)
        self._batch.step(count)

    def set(self, values: Mapping[str, Any] | None = None, **more: Any) -> None:
        """Other values of parameters from here on: one for all members, or one for each."""
        from ._numpy import np

        for name, value in {**(values or {}), **more}.items():
            numbers = np.asarray(value, dtype=float)
            if numbers.shape not in ((), (len(self),)):
                raise _core.RequestError(f"{name} has the shape {numbers.shape}, expected a number or {len(self)} of them")
            self._batch.set(str(name), np.broadcast_to(numbers, (len(self),)))

    def restart(self, members: Any, q: Any = None, v: Any = None) -> None:
        """A member begins anew, or many: where the batch began, or at q and v, which may have a row for each.

        >>> import rattleback as rb
        >>> batch = rb.model("quadratic-particle").batch(5, "dla", step=0.1)
        >>> batch.step(3)
        >>> batch.restart([1, 4], q=[0.5, 0, 0])
        >>> [float(x) for x in batch.q[[1, 4], 0]]
        [0.5, 0.5]
        """
        from ._numpy import np

        which = np.asarray(members)
        which = np.flatnonzero(which) if which.dtype == bool else which.reshape(-1)
        widths = (self.q.shape[1], self.v.shape[1])
        try:
            rows = [None if x is None else np.broadcast_to(np.asarray(x, dtype=float), (len(which), width)).tolist()
                    for x, width in zip((q, v), widths)]  # fmt: skip
        except ValueError:
            need = f"{widths[0]}" if widths[0] == widths[1] else f"{widths[0]} and {widths[1]}"
            raise _core.RequestError(f"q and v need {need} numbers for each of {len(which)} members") from None
        for k, member in enumerate(which.tolist()):
            self._batch.start(member, rows[0] and rows[0][k], rows[1] and rows[1][k])

    @property
    def steps(self) -> int:
        """Taken so far."""
        return self._batch.steps

    @property
    def failures(self) -> list[str]:
        """Why members have failed; empty for those that have not."""
        return self._batch.failures

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} {self.system.name}: step {self.steps}>"


def _restored(system: System, given: dict[str, Any], state: list[float]) -> Stepper:
    made = system.stepper(**given)
    made.state = state
    return made
