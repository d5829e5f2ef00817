"""NumPy, in a version that the compiled module knows: arrays of another would have wrong entries."""

import numpy as np

from . import _core

if int(np.__version__.split(".")[0]) > _core.newest_numpy:
    raise ImportError(
        f"NumPy {np.__version__} is newer than this build of rattleback knows (NumPy {_core.newest_numpy}): "
        "take an older NumPy, or build with pybind11 2.12 or later, as `pip install .` does"
    )

__all__ = ["np"]
