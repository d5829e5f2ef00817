"""SymPy in and out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import _core
from ._core import Expression


def to_sympy(expression: Expression) -> Any:
    """The same in SymPy; the velocity of x is the symbol x'.

    >>> import rattleback as rb
    >>> x = rb.coordinates("x")
    >>> rb.to_sympy(rb.sin(x)**2 + x.dot)
    x' + sin(x)**2
    """
    sympy: Any = import_module("sympy")

    made: dict[Expression, Any] = {}

    def number(value: float) -> Any:
        return sympy.Integer(int(value)) if value == int(value) and abs(value) < 2**53 else sympy.Float(value, 17)

    def build(kind: str, value: float, name: str, operands: list[tuple[Expression, float]]) -> Any:
        parts = [(made[e], weight) for e, weight in operands]
        if kind == "constant":
            return number(value)
        if kind == "symbol":
            return sympy.Symbol(name)
        if kind == "function":
            called = getattr(sympy, {"abs": "Abs", "min": "Min", "max": "Max"}.get(name, name), None)
            if called is None:
                raise _core.ExpressionError(f"{name} has no counterpart in SymPy")
            return called(*(e for e, _ in parts))
        if kind == "power":
            return parts[0][0] ** parts[1][0]
        if kind == "product":
            return sympy.Mul(number(value), *(e ** number(weight) for e, weight in parts))
        return sympy.Add(number(value), *(number(weight) * e for e, weight in parts))

    stack = [expression]  # not by recursion: expressions may be deep
    while stack:
        top = stack[-1]
        kind, value, name, operands = top.structure
        missing = [e for e, _ in operands if e not in made]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if top not in made:
            made[top] = build(kind, value, name, operands)
    return made[expression]


def from_sympy(expression: Any) -> Expression:
    """An expression of SymPy. Symbols keep their names; x(t) is x, and its derivative by t is x.dot.

    >>> import rattleback as rb, sympy
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> theta = dynamicsymbols("theta")
    >>> rb.from_sympy(sympy.cos(theta)*theta.diff()**2/2)
    0.5*theta'^2*cos(theta)
    """
    sympy: Any = import_module("sympy")

    if expression.is_Number:
        return Expression(float(expression))
    if expression.is_Symbol:
        return _core.parse(expression.name)
    if expression.is_NumberSymbol:
        return Expression(float(expression))
    if isinstance(expression, sympy.Derivative):
        inner = expression.expr
        if isinstance(inner, sympy.core.function.AppliedUndef) and expression.derivative_count == 1:
            return _core.symbol(str(inner.func)).dot
        raise _core.ExpressionError(f"{expression} has no counterpart: only first derivatives of coordinates by time have")
    if isinstance(expression, sympy.core.function.AppliedUndef):
        return _core.symbol(str(expression.func))
    arguments = [from_sympy(a) for a in expression.args]
    if expression.is_Add or expression.is_Mul:
        result = arguments[0]
        for a in arguments[1:]:
            result = result + a if expression.is_Add else result * a
        return result
    if expression.is_Pow:
        return arguments[0] ** arguments[1]
    name = {"Abs": "abs", "Min": "min", "Max": "max"}.get(expression.func.__name__, expression.func.__name__)
    if name in _core.functions():
        return _core.call(name, *arguments)
    raise _core.ExpressionError(f"{expression} has no counterpart: the functions are {', '.join(_core.functions())}")
