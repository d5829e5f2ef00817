"""Expressions, vectors and matrices of them."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Iterator, Sequence, SupportsFloat, overload

from . import _core
from ._core import Expression

Scalar = Expression | SupportsFloat
pi = math.pi


def _expression(value: Any) -> Expression:
    return value if isinstance(value, Expression) else Expression(value)


def names_of(text: str | Iterable[str | Expression]) -> list[str]:
    """The names in "x y z", "x, y, z" or a list."""
    if isinstance(text, str):
        return text.replace(",", " ").split()
    return [str(name) for name in text]


@overload
def symbols(names: str) -> Any: ...
@overload
def symbols(names: Iterable[str]) -> Any: ...
def symbols(names: str | Iterable[str]) -> Any:
    """Symbols for parameters; one of them, or a tuple.

    >>> import rattleback as rb
    >>> m, g = rb.symbols("m g")
    >>> m*g
    g*m
    """
    made = tuple(_core.symbol(name) for name in names_of(names))
    return made[0] if len(made) == 1 else made


def coordinates(names: str | Iterable[str]) -> Any:
    """Symbols for coordinates, whose velocities are `x.dot`.

    >>> import rattleback as rb
    >>> x, y, z = rb.coordinates("x y z")
    >>> (x.dot**2 + y.dot**2)/2 - x**2
    -x^2 + 0.5*(x'^2 + y'^2)
    """
    return symbols(names)


def parse(text: str) -> Expression:
    """Reads the notation of model files.

    >>> import rattleback as rb
    >>> rb.parse("m*a*cos(theta)").diff(rb.symbols("theta"))
    -a*m*sin(theta)
    """
    return _core.parse(text)


class Vector(Sequence[Expression]):
    """Components that are expressions; `@` is the scalar product.

    >>> import rattleback as rb
    >>> x, y, z = rb.coordinates("x y z")
    >>> r = rb.vector([x, y, z])
    >>> r @ r
    x^2 + y^2 + z^2
    >>> rb.cross(r, [0, 0, 1])
    vector([y, -x, 0])
    >>> r.dot[0]
    x'
    """

    __array_ufunc__ = None

    def __init__(self, components: Iterable[Any]) -> None:
        self._components = [_expression(c) for c in components]

    @overload
    def __getitem__(self, index: int) -> Expression: ...
    @overload
    def __getitem__(self, index: slice) -> Vector: ...
    def __getitem__(self, index: int | slice) -> Expression | Vector:
        return Vector(self._components[index]) if isinstance(index, slice) else self._components[index]

    def __len__(self) -> int:
        return len(self._components)

    def __iter__(self) -> Iterator[Expression]:
        return iter(self._components)

    def _with(self, other: Iterable[Any]) -> Iterator[tuple[Expression, Expression]]:
        others = Vector(other)
        if len(others) != len(self):
            raise _core.ExpressionError(f"vectors of {len(self)} and {len(others)} components do not fit")
        return zip(self, others)

    def __add__(self, other: Iterable[Any]) -> Vector:
        return Vector(a + b for a, b in self._with(other))

    def __radd__(self, other: Iterable[Any]) -> Vector:
        return self + other

    def __sub__(self, other: Iterable[Any]) -> Vector:
        return Vector(a - b for a, b in self._with(other))

    def __rsub__(self, other: Iterable[Any]) -> Vector:
        return Vector(b - a for a, b in self._with(other))

    def __neg__(self) -> Vector:
        return Vector(-a for a in self)

    def __mul__(self, factor: Scalar) -> Vector:
        return Vector(a * factor for a in self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Vector:
        return Vector(a / divisor for a in self)

    def __matmul__(self, other: Iterable[Any]) -> Expression:
        return _core.dot(list(self), list(Vector(other)))

    __rmatmul__ = __matmul__

    @property
    def dot(self) -> Vector:
        """The velocities of coordinates."""
        return Vector(a.dot for a in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self._components == other._components

    def __hash__(self) -> int:
        return hash(tuple(self._components))

    def __repr__(self) -> str:
        return f"vector([{', '.join(map(repr, self))}])"

    def _repr_latex_(self) -> str:
        return "$\\begin{pmatrix}" + " \\\\ ".join(a.latex() for a in self) + "\\end{pmatrix}$"


class Matrix:
    """A matrix of expressions.

    >>> import rattleback as rb
    >>> a = rb.symbols("a")
    >>> rb.rotz(a) @ [1, 0, 0]
    vector([cos(a), sin(a), 0])
    """

    __array_ufunc__ = None

    def __init__(self, rows: Iterable[Iterable[Any]]) -> None:
        self.rows = [Vector(row) for row in rows]

    def _lists(self) -> list[list[Expression]]:
        return [list(row) for row in self.rows]

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    @property
    def T(self) -> Matrix:
        """The transpose."""
        return Matrix(zip(*self.rows))

    def __getitem__(self, index: int | tuple[int, int]) -> Any:
        return self.rows[index[0]][index[1]] if isinstance(index, tuple) else self.rows[index]

    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    @overload
    def __matmul__(self, other: Iterable[Any]) -> Vector: ...
    def __matmul__(self, other: Matrix | Iterable[Any]) -> Matrix | Vector:
        if isinstance(other, Matrix):
            return Matrix(_core.matrix_product(self._lists(), other._lists()))
        return Vector(_core.product(self._lists(), list(Vector(other))))

    def __add__(self, other: Matrix) -> Matrix:
        return Matrix(a + b for a, b in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: Matrix) -> Matrix:
        return Matrix(a - b for a, b in zip(self.rows, other.rows, strict=True))

    def __mul__(self, factor: Scalar) -> Matrix:
        return Matrix(row * factor for row in self.rows)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(tuple(self.rows))

    def __repr__(self) -> str:
        return "matrix([" + ", ".join(f"[{', '.join(map(repr, row))}]" for row in self.rows) + "])"

    def _repr_latex_(self) -> str:
        rows = [" & ".join(a.latex() for a in row) for row in self.rows]
        return "$\\begin{pmatrix}" + " \\\\ ".join(rows) + "\\end{pmatrix}$"


class Rotation(Matrix):
    """The symbols of a coordinate that is a rotation: a matrix, and `omega`, its angular velocity in the body.

    It takes vectors of the body to vectors of space, `R @ v`; `R.T` takes them back. R[0, 1] is R[1,2] in texts, which
    count from 1.

    >>> import rattleback as rb
    >>> R = rb.rotations("R")
    >>> R.T @ [0, 0, 1]
    vector([R[3,1], R[3,2], R[3,3]])
    >>> R.dot[0, 0]
    -R.omega2*R[1,3] + R.omega3*R[1,2]
    """

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__([[_core.symbol(f"{name}[{i},{j}]") for j in (1, 2, 3)] for i in (1, 2, 3)])
        self.omega = Vector(_core.symbol(f"{name}.omega{i}") for i in (1, 2, 3))

    @property
    def dot(self) -> Matrix:
        """How the matrix changes: every row by its vector product with omega."""
        return Matrix(cross(row, self.omega) for row in self.rows)

    def __str__(self) -> str:
        return self.name


def rotations(names: str | Iterable[str]) -> Any:
    """Symbols for rotations; one of them, or a tuple.

    >>> import rattleback as rb
    >>> x, y, z = rb.coordinates("x y z")
    >>> R = rb.rotations("R")
    >>> s = rb.System([x, y, z], 0.5*rb.vector([x, y, z]).dot @ rb.vector([x, y, z]).dot + 0.5*R.omega @ R.omega,
    ...               constraints=list(rb.vector([x, y, z]).dot + R @ rb.cross(R.omega, R.T @ [0, 0, -1])), rotations=[R])
    >>> s
    <System of x, y, z and the rotation R with 3 constraints>
    """
    made = tuple(Rotation(name) for name in names_of(names))
    return made[0] if len(made) == 1 else made


def vector(components: Iterable[Any]) -> Vector:
    """A vector of expressions and numbers."""
    return Vector(components)


def matrix(rows: Iterable[Iterable[Any]]) -> Matrix:
    """A matrix by its rows."""
    return Matrix(rows)


def cross(a: Iterable[Any], b: Iterable[Any]) -> Vector:
    """The vector product.

    >>> import rattleback as rb
    >>> rb.cross([1, 0, 0], [0, 1, 0])
    vector([0, 0, 1])
    """
    return Vector(_core.cross(list(Vector(a)), list(Vector(b))))


def norm(a: Iterable[Any]) -> Expression:
    """The length of a vector."""
    return sqrt(Vector(a) @ a)


def rotx(angle: Scalar) -> Matrix:
    """The rotation about the first axis."""
    return Matrix(_core.rotx(angle))


def roty(angle: Scalar) -> Matrix:
    """The rotation about the second axis."""
    return Matrix(_core.roty(angle))


def rotz(angle: Scalar) -> Matrix:
    """The rotation about the third axis: it takes (1, 0, 0) to (cos a, sin a, 0)."""
    return Matrix(_core.rotz(angle))


def angular(rotation: Matrix, coordinates: Iterable[Expression]) -> Vector:
    """The angular velocity, in the body, of a rotation that depends on coordinates.

    >>> import rattleback as rb
    >>> psi = rb.coordinates("psi")
    >>> rb.angular(rb.rotz(psi), [psi])
    vector([0, 0, psi'])
    """
    return Vector(_core.angular(rotation._lists(), list(coordinates)))


def contact_ellipsoid(u: Iterable[Any], a: Scalar, b: Scalar, c: Scalar) -> Vector:
    """Where an ellipsoid with these semi-axes touches the ground, from its centre; u is the vertical, seen from the body.

    >>> import rattleback as rb
    >>> rb.contact_ellipsoid([0, 0, 1], 3, 2, 1)
    vector([0, 0, -1])
    """
    return Vector(_core.contact_ellipsoid(list(Vector(u)), a, b, c))


def contact_disk(u: Iterable[Any], radius: Scalar, axis: Iterable[Any] = (0, 1, 0)) -> Vector:
    """Where a thin disk about an axis of length 1 touches the ground."""
    return Vector(_core.contact_disk(list(Vector(u)), radius, list(Vector(axis))))


def contact_sphere(u: Iterable[Any], radius: Scalar) -> Vector:
    """Where a ball touches the ground."""
    return Vector(_core.contact_sphere(list(Vector(u)), radius))


def contact_torus(u: Iterable[Any], radius: Scalar, tube: Scalar, axis: Iterable[Any] = (0, 1, 0)) -> Vector:
    """Where a wheel with a round tyre touches the ground; `radius` is that of the middle of the tyre, `tube` its own."""
    return Vector(_core.contact_torus(list(Vector(u)), radius, tube, list(Vector(axis))))


def contact_support(h: Callable[[Vector], Expression], u: Iterable[Any]) -> Vector:
    """Where a body with the support function h(n), the greatest n @ p of its points p, touches the ground.

    >>> import rattleback as rb
    >>> rb.contact_support(lambda n: 2*rb.norm(n) + 0.5*n[2], [0, 0, 1])
    vector([0, 0, -1.5])
    """
    n = Vector(_core.symbol(f"n({i})") for i in (1, 2, 3))
    return Vector(_core.contact_support(h(n), list(n), list(Vector(u))))


def time_derivative(what: Any, coordinates: Iterable[Expression | Rotation]) -> Any:
    """The total time derivative of an expression, a vector or a matrix of the coordinates, some of them rotations.

    >>> import rattleback as rb
    >>> x, y = rb.coordinates("x y")
    >>> rb.time_derivative(x*y, [x, y])
    x*y' + x'*y
    """
    given = list(coordinates)
    q = [c for c in given if isinstance(c, Expression)]
    turning = [c for c in given if isinstance(c, Rotation)]

    def of(functions: list[Expression]) -> Vector:
        result = Vector(_core.time_derivative(functions, q))
        for r in turning:
            entries = [e for row in r.rows for e in row]
            rates = [e for row in r.dot.rows for e in row]
            result = result + jacobian(functions, entries) @ rates
        return result

    if isinstance(what, Expression):
        return of([what])[0]
    if isinstance(what, Matrix):
        return Matrix(of(list(row)) for row in what.rows)
    return of(list(Vector(what)))


def gradient(f: Expression, variables: Iterable[Expression]) -> Vector:
    """All first derivatives.

    >>> import rattleback as rb
    >>> x, y = rb.coordinates("x y")
    >>> rb.gradient(x**2*y, [x, y])
    vector([2*x*y, x^2])
    """
    return Vector(_core.gradient(f, list(variables)))


def jacobian(functions: Iterable[Expression], variables: Iterable[Expression]) -> Matrix:
    """All first derivatives of several functions, a row for each.

    >>> import rattleback as rb
    >>> x, y = rb.coordinates("x y")
    >>> rb.jacobian([x*y, x + y], [x, y])
    matrix([[y, x], [1, 1]])
    """
    return Matrix(_core.jacobian(list(functions), list(variables)))


def function(name: str, *arguments: Scalar) -> Expression:
    """An elementary function of the notation by its name.

    >>> import rattleback as rb
    >>> rb.function("max", rb.symbols("x"), 0)
    max(0, x)
    """
    return _core.call(name, *arguments)


def sin(x: Scalar) -> Expression:
    """The sine."""
    return _core.call("sin", x)


def cos(x: Scalar) -> Expression:
    """The cosine."""
    return _core.call("cos", x)


def tan(x: Scalar) -> Expression:
    """The tangent."""
    return _core.call("tan", x)


def asin(x: Scalar) -> Expression:
    """The angle between −π/2 and π/2 with this sine."""
    return _core.call("asin", x)


def acos(x: Scalar) -> Expression:
    """The angle between 0 and π with this cosine."""
    return _core.call("acos", x)


def atan(x: Scalar) -> Expression:
    """The angle between −π/2 and π/2 with this tangent."""
    return _core.call("atan", x)


def atan2(y: Scalar, x: Scalar) -> Expression:
    """The angle of the point (x, y)."""
    return _core.call("atan2", y, x)


def sinh(x: Scalar) -> Expression:
    """The hyperbolic sine."""
    return _core.call("sinh", x)


def cosh(x: Scalar) -> Expression:
    """The hyperbolic cosine."""
    return _core.call("cosh", x)


def tanh(x: Scalar) -> Expression:
    """The hyperbolic tangent."""
    return _core.call("tanh", x)


def asinh(x: Scalar) -> Expression:
    """The inverse of the hyperbolic sine."""
    return _core.call("asinh", x)


def exp(x: Scalar) -> Expression:
    """The exponential function."""
    return _core.call("exp", x)


def log(x: Scalar) -> Expression:
    """The natural logarithm."""
    return _core.call("log", x)


def sqrt(x: Scalar) -> Expression:
    """The square root."""
    return _core.call("sqrt", x)
