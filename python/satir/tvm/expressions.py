"""Single expressions of TVM: as functions of one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import tirx

from ..options import Options

__all__ = ["simplify"]


def simplify(expr: Any, given: tuple[Any, ...], ranges: Mapping[Any, tuple[int, int]]) -> Any:
    """See `satir.tvm.simplify`."""
    from .convert import Optimizer

    sink = tirx.decl_buffer((1,), expr.ty.dtype, name="result", layout=None)
    body: Any = tirx.BufferStore(sink, expr, [tirx.const(0, "int32")])
    conditions = list(given)
    for var, (low, high) in ranges.items():
        conditions += [tirx.LE(tirx.const(low, var.ty.dtype), var), tirx.LT(var, tirx.const(high, var.ty.dtype))]
    for condition in reversed(conditions):
        body = tirx.IfThenElse(condition, body, None)
    params = [sink, *_variables([expr, *conditions])]
    func = tirx.PrimFunc(params, body).with_attr("s_tir", True)
    optimizer = Optimizer(Options(passes="fixpoint(simplify)", target="neutral"))
    result, _ = optimizer.run(tvm.IRModule({"main": func}))
    found: list[Any] = []
    tirx.stmt_functor.post_order_visit(
        result["main"].body, lambda node: found.append(node.value) if isinstance(node, tirx.BufferStore) else None
    )
    return found[0] if found else expr


def _variables(exprs: list[Any]) -> list[Any]:
    """The variables of expressions, each once."""
    found: dict[int, Any] = {}

    def visit(node: Any) -> None:
        if isinstance(node, tirx.Var):
            found.setdefault(node.__chandle__(), node)

    for expr in exprs:
        tirx.stmt_functor.post_order_visit(expr, visit)
    return list(found.values())
