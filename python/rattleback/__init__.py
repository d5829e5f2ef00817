"""Structure-preserving simulation of nonholonomic mechanics.

>>> import rattleback as rb
>>> sleigh = rb.model("chaplygin-sleigh")
>>> run = sleigh.run("dla:order=4", step=0.12, time=30)
>>> run["theta"][-1].round(6)
-1.636125
>>> bool(abs(run.constraint).max() < 1e-14)
True
"""

from typing import TYPE_CHECKING, Any

from ._answers import Answer, ConvergedMethods, Failure, Note
from ._core import (
    CompilerError,
    EnsembleError,
    Error,
    Expression,
    ExpressionError,
    FileError,
    FlowError,
    GeometryError,
    InconsistentStart,
    MethodError,
    ModelError,
    NumericalError,
    OutOfMemory,
    ParseError,
    RequestError,
    ResumeError,
    StartError,
    SystemError,
    SystemFailure,
)
from ._core import version as __version__
from ._expressions import (
    Matrix,
    Rotation,
    Vector,
    acos,
    angular,
    asin,
    asinh,
    atan,
    atan2,
    contact_disk,
    contact_ellipsoid,
    contact_sphere,
    contact_support,
    contact_torus,
    coordinates,
    cos,
    cosh,
    cross,
    exp,
    function,
    gradient,
    jacobian,
    log,
    matrix,
    norm,
    parse,
    pi,
    rotations,
    rotx,
    roty,
    rotz,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
    time_derivative,
    vector,
)
from ._stepper import Batch, Stepper
from ._sympy import from_sympy, to_sympy
from ._system import (
    System,
    ensemble,
    experiments,
    load,
    methods,
    model,
    models,
    observers,
    open,
    reproduce,
)

if TYPE_CHECKING:
    from . import plot
    from ._ensemble import Ensemble
    from ._trajectory import Columns, Compared, Trajectory

__all__ = [
    "__version__",
    "acos",
    "angular",
    "Answer",
    "Batch",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "Columns",
    "Compared",
    "CompilerError",
    "contact_disk",
    "contact_ellipsoid",
    "contact_sphere",
    "contact_support",
    "contact_torus",
    "ConvergedMethods",
    "coordinates",
    "cos",
    "cosh",
    "cross",
    "Ensemble",
    "ensemble",
    "EnsembleError",
    "Error",
    "exp",
    "experiments",
    "Expression",
    "ExpressionError",
    "Failure",
    "FileError",
    "FlowError",
    "from_sympy",
    "function",
    "GeometryError",
    "gradient",
    "InconsistentStart",
    "jacobian",
    "load",
    "log",
    "matrix",
    "Matrix",
    "MethodError",
    "methods",
    "model",
    "ModelError",
    "models",
    "norm",
    "Note",
    "NumericalError",
    "observers",
    "open",
    "OutOfMemory",
    "parse",
    "ParseError",
    "pi",
    "plot",
    "reproduce",
    "RequestError",
    "ResumeError",
    "Rotation",
    "rotations",
    "rotx",
    "roty",
    "rotz",
    "sin",
    "sinh",
    "sqrt",
    "StartError",
    "Stepper",
    "symbols",
    "System",
    "SystemError",
    "SystemFailure",
    "tan",
    "tanh",
    "time_derivative",
    "to_sympy",
    "Trajectory",
    "Vector",
    "vector",
]


def __getattr__(name: str) -> Any:
    """What needs numpy is imported when it is needed: to import that takes four times as long as all the rest."""
    if name in ("Columns", "Compared", "Trajectory"):
        from . import _trajectory

        return getattr(_trajectory, name)
    if name == "Ensemble":
        from . import _ensemble

        return _ensemble.Ensemble
    if name == "plot":
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'rattleback' has no attribute {name!r}")
