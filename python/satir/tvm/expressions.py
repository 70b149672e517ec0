"""Single expressions of TVM: by themselves, and for `satir.Context`."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import tvm
from tvm import tirx

from .. import _native
from .._text import convert
from ..options import Options

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["explain", "prove", "simplify", "simplify_under", "text"]


def simplify(context: Context, expr: Any) -> Any:
    """The cheapest equal expression, over the same variables, which the context knows by their names."""
    variables = {var.name: var for var in _variables([expr])}
    return convert(context._native.simplify(text(expr)), _Tirx(variables))


def prove(context: Context, condition: Any) -> str:
    """What a condition comes to, as TVMScript."""
    return context._native.simplify(text(condition))


def explain(context: Context, expr: Any) -> tuple[str, str]:
    """The result as TVMScript, and the steps that lead there."""
    return context._native.explain(text(expr))


def text(expr: Any) -> str:
    """The expression as TVMScript.

    >>> import tvm
    >>> text(tvm.tirx.Var("i", "int32") * 4 + 1)
    'i * 4 + 1'
    """
    # Held while satir reads it.
    function = _function(expr, [])
    return _native.as_text(function.__chandle__(), "main").rstrip().rpartition("\n")[2].partition(" = ")[2]


def simplify_under(expr: Any, given: tuple[Any, ...], ranges: Mapping[Any, tuple[int, int]]) -> Any:
    """See `satir.tvm.simplify`."""
    from .convert import Optimizer

    conditions = list(given)
    for var, (low, high) in ranges.items():
        conditions += [tirx.LE(tirx.const(low, var.ty.dtype), var), tirx.LT(var, tirx.const(high, var.ty.dtype))]
    optimizer = Optimizer(Options(passes="fixpoint(simplify)", target="neutral"))
    result, _ = optimizer.run(tvm.IRModule({"main": _function(expr, conditions)}))
    stmt = result["main"].body
    while isinstance(stmt, tirx.IfThenElse):
        stmt = stmt.then_case
    return stmt.value if isinstance(stmt, tirx.BufferStore) else expr


def _function(expr: Any, conditions: list[Any]) -> Any:
    """A function that stores the expression where all conditions hold."""
    sink = tirx.decl_buffer((1,), expr.ty.dtype, name="result", layout=None)
    body: Any = tirx.BufferStore(sink, expr, [tirx.const(0, "int32")])
    for condition in reversed(conditions):
        body = tirx.IfThenElse(condition, body, None)
    return tirx.PrimFunc([sink, *_variables([expr, *conditions])], body).with_attr("s_tir", True)


def _variables(exprs: list[Any]) -> list[Any]:
    """The variables of expressions, each once."""
    found: dict[int, Any] = {}
    for expr in exprs:
        for var in tirx.analysis.undefined_vars(expr):
            found.setdefault(var.__chandle__(), var)
    return list(found.values())


class _Tirx:
    """How TVM builds expressions."""

    operators = {
        "Add": operator.add,
        "Sub": operator.sub,
        "Mult": operator.mul,
        "Div": tirx.div,
        "FloorDiv": tirx.floordiv,
        "Mod": tirx.floormod,
        "USub": operator.neg,
        "Eq": tirx.EQ,
        "NotEq": tirx.NE,
        "Lt": tirx.LT,
        "LtE": tirx.LE,
        "Gt": tirx.GT,
        "GtE": tirx.GE,
        "And": tirx.And,
        "Or": tirx.Or,
        "Not": tirx.Not,
    }
    functions = {
        "min": tirx.min,
        "max": tirx.max,
        "Select": tirx.Select,
        "if_then_else": tirx.if_then_else,
        "truncdiv": tirx.truncdiv,
        "truncmod": tirx.truncmod,
        "Cast": lambda dtype, value: tirx.Cast(str(dtype), value),
        **{name: lambda value, name=name: tirx.const(value.value, name) for name in ("int64", "float32", "float64", "bool")},
    }

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables

    def variable(self, name: str) -> Any:
        return self.variables[name]

    def constant(self, value: Any) -> Any:
        return value if isinstance(value, str) else tirx.const(value, "float32" if isinstance(value, float) else "int32")
