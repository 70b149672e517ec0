"""Single expressions of TVM: by themselves, and for `satir.Context`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

import tvm
from tvm import tirx

from .. import _native
from ..options import Options

# Connects the extension with TVM.
from . import convert

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["egraph", "explain", "prove", "simplify", "simplify_under", "text"]


def simplify(context: Context, expr: Any) -> Any:
    """The cheapest equal expression, over the same variables, which the context knows by their names."""
    return context._native.simplify_object(expr)


def prove(context: Context, condition: Any) -> Optional[bool]:
    """Whether a condition always holds, never (`False`), or neither was found (`None`)."""
    return context._native.prove_object(condition)


def explain(context: Context, expr: Any) -> tuple[str, str]:
    """The result as TVMScript, and the steps that lead there."""
    return context._native.explain_object(expr)


def egraph(context: Context, expr: Any) -> tuple[str, str, str]:
    """The e-graph, in all ways in which it is drawn."""
    return context._native.egraph_object(expr)


def text(expr: Any) -> str:
    """The expression as TVMScript.

    >>> import tvm
    >>> text(tvm.tirx.Var("i", "int32") * 4 + 1)
    'i * 4 + 1'
    """
    return _native.expression_text(expr)


def simplify_under(expr: Any, given: tuple[Any, ...], ranges: Mapping[Any, tuple[int, int]]) -> Any:
    """See `satir.tvm.simplify`."""
    conditions = list(given)
    for var, (low, high) in ranges.items():
        conditions += [tirx.LE(tirx.const(low, var.ty.dtype), var), tirx.LT(var, tirx.const(high, var.ty.dtype))]
    optimizer = convert.Optimizer(Options(passes="fixpoint(simplify)", target="neutral"))
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
