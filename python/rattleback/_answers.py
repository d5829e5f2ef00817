"""Answers of the library as Python objects."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any, Callable, Iterator, TypeVar

from . import _core, _display
from ._progress import watcher


class Note(UserWarning):
    """Something that one should know about a request."""


class Failure(RuntimeWarning):
    """The numerics failed; the answer has everything up to there."""


NUMERICS = 3


def log() -> Any:
    """`logging.getLogger("rattleback")`; importing `logging` takes a tenth of the time of importing everything else."""
    import logging

    return logging.getLogger("rattleback")


def ask(question: Callable[..., Any], *given: Any, progress: Any = None, depth: int = 3) -> tuple[Any, BaseException | None]:
    """Puts a question; its notes become warnings of whoever called the package, and the log has what it took."""
    began = time.perf_counter()
    with watcher(progress) as bar:
        answer, notes, stop = question(*given, bar)
    if "logging" in sys.modules:  # else nobody listens
        log().info("%s took %.3g s", getattr(question, "__name__", "question"), time.perf_counter() - began)
    for note in notes:
        warnings.warn(note, Note, stacklevel=depth)
    if stop is not None and answer is None:
        raise stop
    return answer, stop


T = TypeVar("T")


def deliver(answer: T, raw: _core.Answer, stop: BaseException | None, depth: int = 3) -> T:
    """An interruption is raised with what is finished; what failed is a warning."""
    if stop is not None:
        setattr(stop, "answer", answer)
        raise stop
    complaint = raw.complaint()
    if complaint is not None and complaint[0] == NUMERICS:
        warnings.warn(complaint[1], Failure, stacklevel=depth)
    return answer


class Kept:
    """What an answer says, without the library's numbers: for pickles and copies."""

    def __init__(self, raw: Any) -> None:
        self._said = raw.text(), raw.json(), raw.latex(), raw.complaint()

    def text(self) -> str:
        return self._said[0]  # type: ignore[no-any-return]

    def json(self) -> str:
        return self._said[1]  # type: ignore[no-any-return]

    def latex(self) -> str | None:
        return self._said[2]  # type: ignore[no-any-return]

    def complaint(self) -> tuple[int, str] | None:
        return self._said[3]  # type: ignore[no-any-return]


class Answer:
    """An answer: `answer["key"]` as in the documents of `--json`, its text, its formulas.

    >>> import rattleback as rb
    >>> answer = rb.model("quadratic-particle").analyse()
    >>> answer["hamiltonizable"]["multiplier"]["expression"]
    '1/sqrt(y^2 + 1)'
    >>> answer.complaint is None
    True
    """

    def __init__(self, raw: _core.Answer) -> None:
        self.raw: _core.Answer | Kept = raw
        self._document: dict[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "raw": Kept(self.raw)}

    @property
    def document(self) -> dict[str, Any]:
        """Everything, with keys that are promised to stay."""
        if self._document is None:
            self._document = json.loads(self.raw.json())
        return self._document

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __contains__(self, key: object) -> bool:
        return key in self.document

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def keys(self) -> Any:
        """Those of the document."""
        return self.document.keys()

    @property
    def text(self) -> str:
        """For people."""
        return self.raw.text()

    @property
    def latex(self) -> str | None:
        """The formulas, where there are any."""
        return self.raw.latex()

    @property
    def complaint(self) -> str | None:
        """What is wrong with it, or why it is no, in words."""
        found = self.raw.complaint()
        return None if found is None else found[1]

    def __bool__(self) -> bool:
        return self.complaint is None

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return _display.text(self.text)

    def _repr_latex_(self) -> str | None:
        try:
            latex = self.latex
        except _core.Error:  # there is nothing to write down
            return None
        return _display.formulas(latex) if latex else None


class ConvergedMethods(Answer):
    """Errors of methods over steps.

    >>> import rattleback as rb
    >>> measured = rb.model("quadratic-particle").converge(["dla"], time=5, count=6)
    >>> [round(order, 1) for order in measured.orders.values()]
    [2.0]
    """

    @property
    def orders(self) -> dict[str, float | None]:
        """The measured orders by method."""
        return {m["method"]: m.get("order") for m in self["methods"]}

    def _repr_html_(self) -> str:
        rows = [
            [m["method"], p["step"], p["steps"], p["error"], p["energy_error"], 1e3 * p["seconds"]]
            for m in self["methods"] for p in m["points"]
        ]  # fmt: skip
        orders = [[m["method"], m.get("order"), m.get("expected_order")] for m in self["methods"]]
        return _display.table(["method", "order", "expected"], orders) + _display.table(
            ["method", "step", "steps", "error", "energy error", "ms"], rows
        )
