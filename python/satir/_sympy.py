"""Expressions of sympy, as PyTorch Inductor and others write them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import sympy

from ._text import convert
from .errors import ParseError

if TYPE_CHECKING:
    from .context import Context

__all__ = ["simplify", "text"]


def simplify(context: Context, expr: Any) -> Any:
    """The cheapest equal expression, over the same symbols."""
    expr = sympy.sympify(expr)
    symbols = {symbol.name: symbol for symbol in expr.free_symbols}
    return convert(context._native.simplify(text(expr)), _Sympy(symbols))


#: Functions of other projects by name: PyTorch's.
_NAMED = {
    "FloorDiv": "({0} // {1})",
    "CleanDiv": "({0} // {1})",
    "PythonMod": "({0} % {1})",
    "ModularIndexing": "(({0} // {1}) % {2})",
}


def text(expr: Any) -> str:
    """The expression as TVMScript. All symbols are taken for integers.

    >>> from sympy import Mod, floor, symbols
    >>> x, y = symbols("x y", integer=True)
    >>> text(floor(x / 4) * 3)
    '(3 * (x // 4))'
    """
    expr = sympy.sympify(expr)
    if expr is sympy.true or expr is sympy.false:
        return f"T.bool({expr is sympy.true})"
    if expr.is_Integer:
        return str(int(expr)) if expr >= 0 else f"({int(expr)})"
    if expr.is_Symbol:
        return str(expr.name)
    name = type(expr).__name__
    if expr.is_Add:
        return "(" + " + ".join(map(text, expr.args)) + ")"
    if expr.is_Mul:
        numerator, denominator = expr.as_numer_denom()
        if denominator != 1:
            raise ParseError(f"{expr} is no integer")
        return "(" + " * ".join(map(text, expr.args)) + ")"
    if expr.is_Pow and expr.exp.is_Integer and 0 < expr.exp <= 16:
        return "(" + " * ".join([text(expr.base)] * int(expr.exp)) + ")"
    if isinstance(expr, (sympy.floor, sympy.ceiling)):
        numerator, denominator = sympy.fraction(sympy.together(expr.args[0]))
        above, below = text(numerator), text(denominator)
        return f"({above} // {below})" if isinstance(expr, sympy.floor) else f"(({above} + {below} - 1) // {below})"
    if isinstance(expr, sympy.Mod):
        return f"({text(expr.args[0])} % {text(expr.args[1])})"
    if isinstance(expr, (sympy.Min, sympy.Max)):
        result = text(expr.args[0])
        for arg in expr.args[1:]:
            result = f"T.{name.lower()}({result}, {text(arg)})"
        return result
    if isinstance(expr, sympy.Piecewise):
        *pieces, (last, condition) = expr.args
        if condition != sympy.true:
            raise ParseError(f"{expr} has no value for some arguments")
        result = text(last)
        for value, condition in reversed(pieces):
            result = f"T.Select({text(condition)}, {text(value)}, {result})"
        return result
    if expr.is_Relational:
        return f"({text(expr.lhs)} {expr.rel_op} {text(expr.rhs)})"
    if isinstance(expr, (sympy.And, sympy.Or)):
        return "(" + f" {name.lower()} ".join(map(text, expr.args)) + ")"
    if isinstance(expr, sympy.Not):
        return f"(not {text(expr.args[0])})"
    if name in _NAMED and len(expr.args) == _NAMED[name].count("{"):
        return _NAMED[name].format(*map(text, expr.args))
    raise ParseError(f"{name} of sympy is not known: {expr}")


def _floor_div(a: Any, b: Any) -> Any:
    return sympy.floor(a / b)


class _Sympy:
    """How sympy builds expressions."""

    operators = {
        "Add": operator.add,
        "Sub": operator.sub,
        "Mult": operator.mul,
        "FloorDiv": _floor_div,
        "Mod": sympy.Mod,
        "USub": operator.neg,
        "Eq": sympy.Eq,
        "NotEq": sympy.Ne,
        "Lt": sympy.Lt,
        "LtE": sympy.Le,
        "Gt": sympy.Gt,
        "GtE": sympy.Ge,
        "And": sympy.And,
        "Or": sympy.Or,
        "Not": sympy.Not,
    }
    functions = {
        "min": sympy.Min,
        "max": sympy.Max,
        "Select": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
        "if_then_else": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
        "bool": sympy.sympify,
        "int64": lambda value: value,
    }

    def __init__(self, symbols: dict[str, Any]) -> None:
        self.symbols = symbols

    def variable(self, name: str) -> Any:
        return self.symbols.get(name) or sympy.Symbol(name, integer=True)

    def constant(self, value: Any) -> Any:
        return sympy.sympify(value)
