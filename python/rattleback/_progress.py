"""A bar while somebody waits: in a terminal and in notebooks, after a second."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator


class Bar:
    def __init__(self) -> None:
        self.shown = False

    def __call__(self, what: str, step: int, steps: int, seconds: float) -> None:
        if seconds < 1.0 and not self.shown:
            return
        self.shown = True
        done = step / max(steps, 1)
        filled = "#" * int(24 * done)
        sys.stderr.write(f"\r\033[K{what} [{filled:.<24}] {100 * done:3.0f} %  {step / max(seconds, 1e-9):.3g} steps/s")
        sys.stderr.flush()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


@contextmanager
def watcher(progress: Any) -> Iterator[Callable[[str, int, int, float], object] | None]:
    """None: a bar if somebody looks on; True and False: a bar, or none; a function: called with what, step, steps, seconds."""
    if callable(progress):
        yield progress
        return
    wanted = (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules
    if progress is False or (progress is None and not wanted):
        yield None
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.clear()
