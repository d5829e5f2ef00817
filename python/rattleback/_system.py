"""Mechanical systems, and what can be asked about them."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, TypeVar

from . import _core, _display, _toml
from ._answers import Answer, ConvergedMethods, Note, ask, deliver
from ._core import Expression
from ._expressions import names_of
from ._stepper import Batch, Stepper

if TYPE_CHECKING:
    from ._ensemble import Ensemble
    from ._trajectory import Compared, Trajectory


A = TypeVar("A", bound=Answer)


def _texts(inputs: Mapping[str, Any] | None) -> dict[str, str]:
    return {str(name): str(text) for name, text in (inputs or {}).items()}


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Paths as texts; what is not given is left to the library."""
    return {k: os.fspath(v) if isinstance(v, os.PathLike) else v for k, v in arguments.items() if v is not None}


class System:
    """A mechanical system: coordinates, a Lagrangian, constraints.

    Arguments are the keys of model files (docs/models.md): texts in their notation, or expressions. A dictionary is a
    section. `step` and `time` are those of a run.

    >>> import rattleback as rb
    >>> s = rb.System(coordinates="x y z", lagrangian="0.5*(x'^2 + y'^2 + z'^2) - k*(x^2 + y^2)",
    ...               constraints=["z' - y*x'"], parameters={"k": 1},
    ...               initial={"q": [1, 0, 0], "v": [0, 1, 0]})
    >>> s
    <System of x, y, z with 1 constraint>

    The same by expressions:

    >>> x, y, z = rb.coordinates("x y z")
    >>> k = rb.symbols("k")
    >>> r = rb.vector([x, y, z])
    >>> same = rb.System(coordinates=[x, y, z], lagrangian=r.dot @ r.dot / 2 - k*(x**2 + y**2),
    ...                  constraints=[z.dot - y*x.dot], parameters={k: 1},
    ...                  initial={"q": [1, 0, 0], "v": [0, 1, 0]})
    >>> same.lagrangian == s.lagrangian
    True

    A rigid body turns by a rotation, without angles (docs/models.md):

    >>> body = rb.System(rotations="R", lagrangian="0.5*dot(R.omega, diag(1, 2, 3)*R.omega)",
    ...                  initial={"q": {"R": {"axis": [1, 0, 0], "angle": 0.1}}, "v": {"R": [0.1, 2, 0]}})
    >>> body
    <System of the rotation R>
    """

    def __init__(self, coordinates: str | Iterable[str | Expression] | None = None, lagrangian: str | Expression | None = None,
                 constraints: Iterable[Any] | None = None, *, parameters: Mapping[Any, Any] | None = None,
                 initial: Mapping[str, Any] | None = None, step: float | None = None, time: float | None = None,
                 rotations: str | Iterable[Any] | None = None, **sections: Any) -> None:
        document: dict[str, Any] = {}
        if coordinates is not None:
            document["coordinates"] = names_of(coordinates) if isinstance(coordinates, str) and "[" not in coordinates else (
                [coordinates] if isinstance(coordinates, str) else [str(q) for q in coordinates])
        if rotations is not None:
            document["rotations"] = names_of(rotations)
        if lagrangian is not None:
            document["lagrangian"] = lagrangian
        if constraints is not None:
            document["constraints"] = list(constraints)
        if parameters:
            document["parameters"] = dict(parameters)
        document |= {k: v for k, v in sections.items() if v is not None}
        if initial is not None:
            document["initial"] = dict(initial)
        run = {k: v for k, v in (("step", step), ("time", time)) if v is not None}
        if run:
            document["run"] = run
        self._become(_core.read_model(_toml.document(document), "system.toml", {}, {}))

    def _become(self, model: _core.Model) -> None:
        self._model = model
        self._described = model.describe()

    @classmethod
    def _of(cls, model: _core.Model) -> System:
        made = cls.__new__(cls)
        made._become(model)
        return made

    @classmethod
    def from_text(cls, text: str, file: str = "system.toml", set: Mapping[str, float] | None = None,
                  inputs: Mapping[str, Any] | None = None) -> System:
        """A system from the text of a model file; `file` is named in errors.

        >>> import rattleback as rb
        >>> rb.System.from_text(rb.model("knife-edge").text, set={"m": 2}).parameters["m"]
        2.0
        """
        return cls._of(_core.read_model(text, file, dict(set or {}), _texts(inputs)))

    def replace(self, set: Mapping[str, float] | None = None, inputs: Mapping[str, Any] | None = None) -> System:
        """The same with other values of parameters, or other inputs.

        >>> import rattleback as rb
        >>> rb.model("chaplygin-sleigh").replace({"m": 2}).parameters["m"]
        2.0
        """
        m = self._model
        return self.from_text(m.text, m.file, {**m.set, **(set or {})}, {**m.input_texts, **_texts(inputs)})

    def __reduce__(self) -> Any:
        m = self._model
        return System.from_text, (m.text, m.file, m.set, m.input_texts)

    # What it is.

    @property
    def text(self) -> str:
        """As a model file."""
        return self._model.text

    @property
    def name(self) -> str:
        """The short one: that of the file."""
        return str(self._described["name"])

    @property
    def title(self) -> str:
        """The name for people."""
        return str(self._described["title"])

    @property
    def description(self) -> str:
        """What it is and what is interesting about it."""
        return str(self._described["description"])

    @property
    def source(self) -> str:
        """Where it comes from."""
        return str(self._described["source"])

    @property
    def coordinates(self) -> list[Expression]:
        """As symbols."""
        return list(self._described["coordinates"])

    @property
    def rotations(self) -> list[str]:
        """The names of the coordinates that are rotations."""
        return [str(name) for name in self._described["rotations"]]

    @property
    def positions(self) -> list[str]:
        """What the numbers of a position are called: the coordinates, and R.w, R.x, R.y, R.z for a rotation R."""
        return [str(name) for name in self._described["positions"]]

    @property
    def angles(self) -> list[str]:
        """The names of the coordinates that are angles."""
        return [str(name) for name in self._described["angles"]]

    @property
    def velocities(self) -> list[Expression]:
        """As symbols, x' for x; R.omega1, R.omega2, R.omega3, in the body, for a rotation R."""
        return list(self._described["velocities"])

    @property
    def parameters(self) -> dict[str, float]:
        """Their values by name."""
        return dict(self._described["parameters"])

    @property
    def inputs(self) -> dict[str, Expression]:
        """What drives it, by name."""
        return dict(self._described["inputs"])

    @property
    def lagrangian(self) -> Expression:
        """L(q, v, t)."""
        return self._described["lagrangian"]  # type: ignore[no-any-return]

    @property
    def constraints(self) -> list[Expression]:
        """Expressions that are zero, linear or affine in the velocities."""
        return list(self._described["constraints"])

    @property
    def holonomic(self) -> list[Expression]:
        """Expressions of the coordinates that are zero."""
        return list(self._described["holonomic"])

    @property
    def forces(self) -> list[Expression]:
        """Applied forces, one for each coordinate."""
        return list(self._described["forces"])

    @property
    def energy(self) -> Expression:
        """E = v·∂L/∂v − L.

        >>> import rattleback as rb
        >>> rb.System("x", "0.5*m*x'^2 - 0.5*k*x^2", parameters={"m": 1, "k": 2}).energy
        0.5*k*x^2 + 0.5*m*x'^2
        """
        return self._described["energy"]  # type: ignore[no-any-return]

    @property
    def momenta(self) -> list[Expression]:
        """p = ∂L/∂v, one for each velocity."""
        return list(self._described["momenta"])

    @property
    def conserved(self) -> dict[str, Expression]:
        """What the model declares to be constant, by name."""
        return dict(self._described["conserved"])

    @property
    def initial(self) -> tuple[list[float], list[float], float] | None:
        """Positions, velocities and time of the start, if the model has one."""
        return self._described["initial"]  # type: ignore[no-any-return]

    # What it does. Arguments have the names of the library's requests.

    def run(self, method: str | None = None, *, progress: Any = None, **arguments: Any) -> Trajectory:
        """Integrates one trajectory.

        step, steps, time, q0, v0, t0, q1, project: the problem; what is not given is taken from the model. Numbers of
        some coordinates are given by name, `v0={"theta": 1}`: the others follow from the constraints. set, inputs:
        other values of parameters, other inputs. every: every how many steps a sample is kept. observe: what to watch
        besides, observers or expressions of the motion. output, report, resume, force: files.

        A rotation R is given as `q0={"R": …}`: a quaternion [w, x, y, z], a matrix, {"axis": …, "angle": …},
        {"euler": "zxy", "angles": …} or a Rotation of SciPy; its velocity as `v0={"R": …}`, in the body.

        >>> import rattleback as rb
        >>> s = rb.model("rattleback")
        >>> run = s.run("dla:order=4", step=0.01, time=1, v0={"R": [0, 0, 5]})
        >>> len(run)
        101
        """
        from ._trajectory import Trajectory

        raw, stop = ask(_core.run, self._model, self._given({"method": method, **arguments}), progress=progress)
        return deliver(Trajectory(self, raw.tables()[0][1], None, raw), raw, stop)

    def compare(self, methods: Iterable[str] | None = None, *, progress: Any = None, **arguments: Any) -> Compared:
        """Several methods on one problem.

        >>> import rattleback as rb
        >>> compared = rb.model("quadratic-particle").compare(["reference", "dla", "rk4"], step=0.2, time=20)
        >>> [bool(abs(run.constraint).max() < 1e-14) for run in compared.runs.values()]
        [True, True, False]
        """
        from ._trajectory import Compared

        raw, stop = ask(_core.compare, self._model, self._given({"methods": methods, **arguments}), progress=progress)
        return deliver(Compared(raw, self), raw, stop)

    def converge(self, methods: Iterable[str] | None = None, *, progress: Any = None, **arguments: Any) -> ConvergedMethods:
        """Errors and orders over a range of steps: fewest and most points in time, count of step sizes.

        >>> import rattleback as rb
        >>> rb.model("quadratic-particle").converge(["rk4"], time=5, fewest=50, most=800, count=5).orders["rk4"]
        4.0...
        """
        return self._asked(_core.converge, ConvergedMethods, {"methods": methods, **arguments}, progress)

    def analyse(self, **arguments: Any) -> Answer:
        """What this system is: symmetry, reduction, measure, multiplier, free Lagrangians.

        lagrangian: a free one to be checked. rule: also reduces the discrete equations under it. associated: how many
        associated systems are searched.

        >>> import rattleback as rb
        >>> rb.model("rubber-routh-sphere").analyse()["measure"]["exists"]
        True
        """
        return self._asked(_core.analyse, Answer, arguments, False)

    def show(self, **arguments: Any) -> Answer:
        """The model, what follows from it, and what may be wrong with it.

        >>> import rattleback as rb
        >>> "is nonholonomic" in rb.model("rolling-disk").show().text
        True
        """
        return self._asked(_core.show, Answer, arguments, False)

    def free_lagrangians(self, **arguments: Any) -> Answer:
        """Lagrangians without constraints that are known to describe the motion.

        >>> import rattleback as rb
        >>> len(rb.model("rolling-disk").free_lagrangians()["free_lagrangians"])
        2
        """
        return self._asked(_core.free_lagrangians, Answer, arguments, False)

    def modified(self, method: str | None = None, **arguments: Any) -> Answer:
        """Backward error analysis of a variational method: order, tolerance, at=(r, p), energy, formulas, equation, numbers.

        >>> import rattleback as rb
        >>> answer = rb.model("harmonic-particle").modified("hdel", order=2, step=0.25, at=([0, 0], [1, 1]))
        >>> [term["hamiltonian"]["value"] for term in answer["series"]]
        [1.0, 0.992...]
        """
        return self._asked(_core.modified, Answer, {"method": method, **arguments}, False)

    def measure(self, methods: Iterable[str] | None = None, *, progress: Any = None, **arguments: Any) -> Answer:
        """How well methods preserve the invariant measure: ells, cloud, radius, weights, every, output, points.

        >>> import rattleback as rb
        >>> answer = rb.model("harmonic-particle").measure(["conformal", "dla"], ells=[2], step=0.25, steps=20)
        >>> [table["method"] for table in answer["methods"]]
        ['conformal', 'dla']
        """
        return self._asked(_core.measure, Answer, {"methods": methods, **arguments}, progress)

    def ensemble(self, method: str | None = None, *, progress: Any = None, **arguments: Any) -> Ensemble:
        """Many trajectories at once, on all cores: arrays of starts and parameters in, arrays out.

        q0 and v0 are arrays with a row for each member, or dictionaries of names and numbers or arrays with an entry for
        each; so is set. Arguments of `run` say the rest; times: of further nodes that are kept; threads, lanes. Starts
        are not completed: `project=True` moves them onto the constraints. A member that fails is NaN, and its reason in
        `failures`.

        >>> import numpy as np, rattleback as rb
        >>> sleighs = rb.model("chaplygin-sleigh").ensemble("dla", set={"a": np.linspace(0.2, 1, 9)}, step=0.05, time=10)
        >>> sleighs.q.shape, len(sleighs), sleighs.failed
        ((9, 3), 9, 0)
        """
        from ._ensemble import Ensemble, columns_of

        nominal, names, points = columns_of(self, self._given(arguments))
        given = _given({"method": method, **nominal, "names": names, "points": points})
        raw, stop = ask(_core.sweep, self._model, given, progress=progress)
        return deliver(Ensemble(raw, self, given.get("times", ())), raw, stop)

    def stepper(self, method: str | None = None, **arguments: Any) -> Stepper:
        """A trajectory that is led step by step; arguments are those of `run`, without its end.

        >>> import rattleback as rb
        >>> sim = rb.model("rolling-disk").stepper("dla", step=0.1)
        >>> sim.step(10)
        >>> sim
        <Stepper of rolling-disk: step 10, t = 1>
        """
        given = self._given({"method": method, **arguments})
        made, stop = ask(_core.simulation, self._model, given, progress=False)
        if stop is not None:
            raise stop
        return Stepper(self, made, given)

    def batch(self, n: int, method: str | None = None, **arguments: Any) -> Batch:
        """Many trajectories that are led step by step together; all begin at the same start.

        >>> import rattleback as rb
        >>> rb.model("rolling-disk").batch(100, "dla", step=0.1)
        <Batch of 100 rolling-disk: step 0>
        """
        given = self._given({"n": n, "method": method, **arguments})
        made, stop = ask(_core.batch, self._model, given, progress=False)
        if stop is not None:
            raise stop
        return Batch(self, made)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = _given(arguments)
        if not self.rotations:
            return given
        from . import _rotations

        return _rotations.starts(self, given)

    def _asked(self, question: Any, kind: type[A], arguments: Mapping[str, Any], progress: Any) -> A:
        raw, stop = ask(question, self._model, self._given(arguments), progress=progress, depth=4)
        return deliver(kind(raw), raw, stop, depth=4)

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.coordinates[:12])) + (", …" if len(self.coordinates) > 12 else "")
        if self.rotations:
            turns = f"the rotation{'s' if len(self.rotations) > 1 else ''} {', '.join(self.rotations)}"
            names = f"{names} and {turns}" if names else turns
        count = len(self.constraints) + len(self.holonomic)
        rows = f" with {count} constraint{'s' if count != 1 else ''}" if count else ""
        title = "" if self.title == "system" else f" {self.title}:"
        return f"<System{title} of {names}{rows}>" if not title else f"<System{title} {names}{rows}>"

    def _repr_html_(self) -> str:
        latex = self.show()._repr_latex_()
        return _display.titled(self.title, latex) if latex else _display.text(self.text)


def model(name: str, set: Mapping[str, float] | None = None, inputs: Mapping[str, Any] | None = None) -> System:
    """A system of the catalogue.

    >>> import rattleback as rb
    >>> rb.model("chaplygin-sleigh").parameters["m"]
    1.0
    """
    return System._of(_core.load_model(name, dict(set or {}), _texts(inputs)))


def load(file: str | os.PathLike[str], set: Mapping[str, float] | None = None,
         inputs: Mapping[str, Any] | None = None) -> System:
    """A system from a model file."""
    return System._of(_core.load_model(os.fspath(file), dict(set or {}), _texts(inputs)))


def models() -> dict[str, str]:
    """The catalogue: names and titles.

    >>> import rattleback as rb
    >>> "rattleback" in rb.models()
    True
    """
    return {m["name"]: m["title"] for m in json.loads(_core.models())}


def methods() -> dict[str, str]:
    """The integrators and what they are.

    >>> import rattleback as rb
    >>> {"dla", "gni", "reference"} <= set(rb.methods())
    True
    """
    return {name: summary for name, summary, _ in _core.methods()}


def observers() -> dict[str, str]:
    """What a run can watch besides energy and constraints.

    >>> import rattleback as rb
    >>> "momentum" in rb.observers()
    True
    """
    return dict(_core.observers())


def experiments() -> Any:
    """What can be reproduced.

    >>> import rattleback as rb
    >>> "cm/1-particle" in [e["experiment"] for e in rb.experiments()]
    True
    """
    return json.loads(_core.experiments())


def reproduce(*what: str, progress: Any = None, **arguments: Any) -> Answer:
    """The experiments of papers, with their claims beside what is measured: output, markdown, csv, force."""
    raw, stop = ask(_core.reproduce, _given({"what": list(what), **arguments}), progress=progress)
    return deliver(Answer(raw), raw, stop)


def ensemble(spec: str | os.PathLike[str], *, progress: Any = None, **arguments: Any) -> Answer:
    """Many trajectories, described by a file (docs/ensembles.md): output, lanes, threads, resume, force."""
    raw, stop = ask(_core.ensemble, _given({"spec": spec, **arguments}), progress=progress)
    return deliver(Answer(raw), raw, stop)


def open(file: str | os.PathLike[str]) -> Trajectory:
    """A run out of its HDF5 file."""
    from ._trajectory import Trajectory

    path = os.fspath(file)
    opened, columns, document, notes = _core.open(path)
    for note in notes:
        warnings.warn(note, Note, stacklevel=2)
    return Trajectory(System._of(opened), columns, json.loads(document), None, path)

