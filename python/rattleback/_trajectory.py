"""Trajectories as numbers under names."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any, Iterator

from numpy.typing import NDArray

from . import _core, _display, _rotations
from ._answers import Answer
from ._numpy import np

if TYPE_CHECKING:
    from ._system import System

Array = NDArray[np.float64]


class Columns(np.ndarray):  # type: ignore[type-arg]
    """Numbers with a row for each sample, and a name for each column: `q[-1]`, `q[:, 0]`, `q["theta"]`.

    >>> import rattleback as rb
    >>> q = rb.model("rolling-disk").run("dla", step=0.1, time=1).q
    >>> q.names, q.shape
    (['x', 'y', 'theta', 'phi'], (11, 4))
    >>> bool((q["phi"] == q[:, 3]).all())
    True
    """

    names: list[str]
    _columns: dict[str, Array]

    @staticmethod
    def of(columns: dict[str, Array], aliases: dict[str, str], more: dict[str, Array] | None = None) -> Columns:
        """Puts columns together, some of them under second names; and more that is no column, as rotations."""
        stacked = np.column_stack(list(columns.values())) if columns else np.empty((0, 0))
        made = stacked.view(Columns)
        made.flags.writeable = False
        made.names = list(columns)
        made._columns = {**columns, **{short: columns[name] for short, name in aliases.items()}, **(more or {})}
        return made

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            try:
                return self._columns[index]
            except (KeyError, AttributeError):
                raise KeyError(f"there is no column {index!r}; there are {', '.join(getattr(self, 'names', []))}") from None
        return self.view(np.ndarray)[index]

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if array.ndim == 0 else array.view(np.ndarray)


class Trajectory:
    """A run: `t`, `q`, `v`, `p`, `energy`, `constraint`, `multipliers`, and every column by its name.

    Columns are views of the library's numbers. What is wrong with a run that failed is in `failure`, and everything
    up to there in the columns.

    >>> import rattleback as rb
    >>> run = rb.model("rolling-disk").run("dla", step=0.1, time=1)
    >>> run.q.shape, run.t.shape
    ((11, 4), (11,))
    >>> bool((run["theta"] == run.q["theta"]).all()), run.v["theta"] is run["theta'"]
    (True, True)
    """

    def __init__(self, system: System, columns: list[_core.Column], document: dict[str, Any] | None,
                 raw: _core.Answer | None, file: str | None = None) -> None:
        self.system = system
        self._document = document
        self._raw = raw
        self._file = file
        self._all = {name: values for name, _, values in columns}
        self._groups: dict[str, dict[str, Array]] = {}
        for name, group, values in columns:
            self._groups.setdefault(group, {})[name] = values
        self._stacked: dict[str, Columns] = {}

    @property
    def document(self) -> dict[str, Any]:
        """Everything but the samples, with the keys of `--json`."""
        if self._document is None:
            assert self._raw is not None
            self._document = json.loads(self._raw.json())
        return self._document

    @property
    def method(self) -> str:
        """With its options."""
        return str(self.document["method"])

    @property
    def outcome(self) -> str:
        """finished, failed or interrupted"""
        return str(self.document["outcome"])

    @property
    def failure(self) -> str | None:
        """When and why a failed run failed."""
        return self.document.get("failure")

    def __getitem__(self, name: str) -> Array:
        """A column; of a rotation R the matrices, which take vectors of the body to vectors of space: (n, 3, 3)."""
        try:
            return self._all[str(name)]
        except KeyError:
            if str(name) in self.system.rotations:
                return self.q[str(name)]  # type: ignore[no-any-return]
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._all)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def keys(self) -> list[str]:
        """The names of all columns."""
        return list(self._all)

    def __len__(self) -> int:
        return len(self.t)

    def _group(self, name: str) -> Columns:
        if name not in self._stacked:
            columns = self._groups.get(name, {})
            coordinates = [str(q) for q in self.system.coordinates]
            aliases = dict(zip(coordinates, columns)) if name in ("v", "p") else {}
            more = self._of_rotations(list(columns.values())) if name in ("q", "v", "p") else {}
            self._stacked[name] = Columns.of(columns, {a: c for a, c in aliases.items() if a not in columns}, more)
        return self._stacked[name]

    def _of_rotations(self, columns: list[Array]) -> dict[str, Array]:
        """Of q the matrices, of v and p the vectors in the body."""
        rotations, found = self.system.rotations, {}
        first = len(self.system.coordinates)
        for name in rotations:
            width = (len(columns) - len(self.system.coordinates)) // len(rotations)
            numbers = np.column_stack(columns[first : first + width])
            found[name] = _rotations.matrices(numbers) if width == 4 else numbers
            found[name].flags.writeable = False
            first += width
        return found

    def quaternion(self, rotation: str, scalar_last: bool = False) -> Array:
        """A rotation as quaternions (w, x, y, z), a row for each sample, which change continuously.

        SciPy has the scalar last: `Rotation.from_quat(run.quaternion("R", scalar_last=True))`.

        >>> import rattleback as rb
        >>> body = rb.System(rotations="R", lagrangian="0.5*dot(R.omega, diag(1, 2, 3)*R.omega)",
        ...                  initial={"q": {}, "v": {"R": [0, 0, 1]}})
        >>> run = body.run("del", step=0.1, time=1)
        >>> run.quaternion("R")[0], run["R"].shape, run.v["R"].shape
        (array([1., 0., 0., 0.]), (11, 3, 3), (11, 3))
        """
        if rotation not in self.system.rotations:
            names = ", ".join(self.system.rotations) or "none"
            raise KeyError(f"there is no rotation {rotation!r}; there are {names}")
        return np.column_stack([self._all[f"{rotation}.{c}"] for c in ("xyzw" if scalar_last else "wxyz")])

    def euler(self, rotation: str, order: str) -> Array:
        """Euler angles of a rotation, a row for each sample: "zxy" are the angles of rotz(a)*rotx(b)*roty(c).

        Each turns about an axis of the body as those before have left it (intrinsic; SciPy writes "ZXY"). The second is
        between −π/2 and π/2, or between 0 and π where the first axis is also the last.

        >>> import rattleback as rb
        >>> body = rb.System(rotations="R", lagrangian="0.5*dot(R.omega, diag(1, 2, 3)*R.omega)",
        ...                  initial={"q": {}, "v": {"R": [0, 0, 1]}})
        >>> body.run("reference", step=0.5, time=1).euler("R", "zxy")[:, 0].round(9) + 0
        array([0. , 0.5, 1. ])
        """
        return _core.attitudes(self.quaternion(rotation), order)

    @property
    def t(self) -> Array:
        """Times of the samples."""
        return self._all["time"]

    @property
    def q(self) -> Columns:
        """Positions, a row for each sample: `q[-1]`, `q["x"]`."""
        return self._group("q")

    @property
    def v(self) -> Columns:
        """Velocities."""
        return self._group("v")

    @property
    def p(self) -> Columns:
        """Momenta, ∂L/∂v."""
        return self._group("p")

    @property
    def energy(self) -> Array:
        """At the samples."""
        return self._all["energy"]

    @property
    def work(self) -> Array:
        """Done on the system since the start, where its energy is not conserved."""
        return self["work"]

    @property
    def constraint(self) -> Columns:
        """Residuals of the constraints that the method keeps."""
        return self._group("constraint")

    @property
    def multipliers(self) -> Columns:
        """Forces of constraint: λ of the equations of motion."""
        return self._group("multipliers")

    @property
    def conserved(self) -> Columns:
        """What the model declares to be constant."""
        return self._group("conserved")

    @property
    def observed(self) -> Columns:
        """What `observe` asked for."""
        return self._group("observed")

    def evaluate(self, what: _core.Expression | str) -> Array:
        """An expression of coordinates, velocities, parameters and t at all samples.

        >>> import rattleback as rb
        >>> run = rb.model("rolling-disk").run(step=0.1, time=10)
        >>> bool(abs(run.evaluate("sqrt(x^2 + y^2)") - 2).max() < 1e-10)
        True
        """
        expression = _core.parse(what) if isinstance(what, str) else what
        used = [str(name) for name in expression.symbols]
        parameters = self.system.parameters
        columns = {name: self.t if name == "t" and name not in self._all else self._numbers(name)
                   for name in used if name not in parameters}  # fmt: skip
        fixed = {name: value for name, value in parameters.items() if name in used and name not in columns}
        rows = zip(*columns.values()) if columns else iter([()] * len(self))
        return np.array([expression.evaluate({**fixed, **dict(zip(columns, row))}) for row in rows])

    def _numbers(self, name: str) -> Array:
        """A column, or an entry of a rotation: R[1,2]."""
        rotation, bracket, indices = name.partition("[")
        if bracket and rotation in self.system.rotations:
            i, j = indices.rstrip("]").split(",")
            return self[rotation][:, int(i) - 1, int(j) - 1]
        return self[name]

    @property
    def events(self) -> dict[str, Columns]:
        """Where the events of the model happened (docs/events.md): time, positions and velocities, a row for each.

        >>> import rattleback as rb
        >>> ball = rb.System("z", "0.5*z'^2 - 10*z", initial={"q": [5], "v": [0]},
        ...                  events={"ground": {"when": "z", "action": "stop"}})
        >>> run = ball.run("dla", step=0.01, time=2)
        >>> run.events["ground"]["time"].round(12), run.events["ground"]["z'"].round(12)
        (array([1.]), array([-10.]))

        The first ten thousand are there; `document["events"]["counts"]` counts all.
        """
        if "events" not in self.document:
            return {}
        q = self.system.positions
        v = [str(name) for name in self.system.velocities]
        found: dict[str, Columns] = {}
        for event in self.document["events"]["counts"]:
            rows = [e for e in self.document["events"]["list"] if e["event"] == event]
            numbers = np.array([[e["time"], *e["q"], *e["v"]] for e in rows]).reshape(-1, 1 + len(q) + len(v))
            found[event] = Columns.of(dict(zip(["time", *q, *v], numbers.T)), {})
        return found

    def at(self, times: Any) -> Trajectory:
        """The motion at any time of the run, or at many: of methods that know it between their nodes (reference).

        >>> import rattleback as rb
        >>> run = rb.model("chaplygin-sleigh").run("reference", step=0.5, time=2)
        >>> between = run.at([0.3, 1.7])
        >>> between.q.shape, bool((run.at(1.5).q[0] == run.q[3]).all())
        ((2, 3), True)
        """
        if self._raw is None:
            raise _core.RequestError("a file or a copy has samples, and no motion between them: run it again")
        given = np.asarray(times, dtype=float)
        columns = self._raw.at([float(t) for t in given.reshape(-1)])
        return Trajectory(self.system, columns, self.document, None)

    def to_pandas(self) -> Any:
        """A DataFrame over time."""
        import pandas

        frame = pandas.DataFrame({name: values for name, values in self._all.items() if name != "time"})
        frame.index = pandas.Index(self.t, name="time")
        return frame

    def to_xarray(self) -> Any:
        """A Dataset over time."""
        import xarray

        data = {name: ("time", values) for name, values in self._all.items() if name != "time"}
        return xarray.Dataset(data, coords={"time": self.t}, attrs={"model": self.system.name, "method": self.method})

    def __reduce__(self) -> Any:
        """A copy has the samples and the document; the library's own numbers stay where they are."""
        group = {name: group for group, columns in self._groups.items() for name in columns}
        columns = [(name, group[name], np.array(values)) for name, values in self._all.items()]
        return Trajectory, (self.system, columns, self.document, None, self._file)

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the file that the run would have written: .h5, .hdf5 or .csv. `rattleback.open` reads HDF5."""
        if self._raw is not None:
            self._raw.save(os.fspath(path), force)
        elif self._file is None:
            raise _core.RequestError("a file is made of a run, not of a copy: save the run itself")
        elif os.path.splitext(self._file)[1] != os.path.splitext(path)[1]:
            raise _core.RequestError(f"this run is in {self._file}; only a file of the same format can be made of it")
        elif os.path.exists(path) and not force:
            raise _core.RequestError(f"{os.fspath(path)} is there already; `force` replaces it")
        else:
            shutil.copyfile(self._file, path)

    def report(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Makes a page with figures and the motion, .html."""
        if self._raw is None:
            raise _core.RequestError("a page is made of a run, not of its file or of a copy: run it again")
        self._raw.report(os.fspath(path), force, "")

    def page(self, height: int = 640) -> _display.Page:
        """The same page inside of a notebook, where the motion plays."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.report(path)
            with open(path, encoding="utf-8") as file:
                return _display.Page(file.read(), height)

    def plot(self, *names: str, ax: Any = None, **style: Any) -> Any:
        """Columns over time, the positions if none are named (needs matplotlib)."""
        from . import plot

        return plot.columns(self, *names, ax=ax, **style)

    @property
    def text(self) -> str:
        """What the command line says of it."""
        return self._raw.text() if self._raw is not None else repr(self)

    def __repr__(self) -> str:
        return f"<Trajectory of {self.system.name}: {self.method}, {len(self)} samples to t = {self.t[-1]:.10g}, {self.outcome}>"

    def _repr_html_(self) -> str:
        try:
            return _display.text(self.text) + self.page()._repr_html_()
        except _core.Error:  # of a run out of a file, and of builds without pages
            return _display.text(self.text)


class Compared(Answer):
    """Several methods on one problem: `compared["dla"]` is a trajectory, the table is in `text` and `document`.

    >>> import rattleback as rb
    >>> compared = rb.model("rolling-disk").compare(["dla", "rk4"], step=0.1, time=10)
    >>> compared["dla"]
    <Trajectory of rolling-disk: dla, 101 samples to t = 10, finished>
    """

    def __init__(self, raw: _core.Answer, system: System) -> None:
        super().__init__(raw)
        documents = {d["method"]: {**d, "model": system.name} for d in self.document["methods"]}
        self.runs = {
            method: Trajectory(system, columns, documents[method], None) for method, columns in raw.tables()
        }

    def __getitem__(self, key: str) -> Any:
        return self.runs[key] if key in self.runs else super().__getitem__(key)

    def _repr_html_(self) -> str:
        head = ["method", "energy error", "constraint", "from reference", "ns per step", "outcome"]
        rows = [
            [m["method"], m["energy"].get("max_error"), m["constraint"].get("max"), m.get("from_reference"),
             float(m["ns_per_step"]), m["outcome"]]
            for m in self.document["methods"]
        ]  # fmt: skip
        return _display.table(head, rows)
