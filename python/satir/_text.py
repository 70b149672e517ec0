"""Expressions of TVMScript as expressions of another library."""

from __future__ import annotations

import ast
from typing import Any, Callable, Protocol

from .errors import ParseError

__all__ = ["TRUTH", "Target", "convert"]

#: What conditions that are decided come to.
TRUTH = {"T.bool(True)": True, "T.bool(False)": False}


class Target(Protocol):
    """How a library builds expressions."""

    #: By the name of the node in Python's syntax (`Add`, `FloorDiv`, `Lt`, …).
    operators: dict[str, Callable[..., Any]]
    #: By name, as in `T.<name>(…)`.
    functions: dict[str, Callable[..., Any]]

    def variable(self, name: str) -> Any: ...

    def constant(self, value: Any) -> Any: ...


def convert(text: str, target: Target) -> Any:
    """The expression of a text that satir printed."""
    return _node(ast.parse(text, mode="eval").body, target)


def _node(node: ast.expr, target: Target) -> Any:
    if isinstance(node, ast.Constant):
        return target.constant(node.value)
    if isinstance(node, ast.Name):
        return target.variable(node.id)
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return target.constant(-node.operand.value)  # type: ignore[operator]
        return _operator(target, type(node.op).__name__)(_node(node.operand, target))
    if isinstance(node, ast.BinOp):
        return _operator(target, type(node.op).__name__)(_node(node.left, target), _node(node.right, target))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        operator = _operator(target, type(node.ops[0]).__name__)
        return operator(_node(node.left, target), _node(node.comparators[0], target))
    if isinstance(node, ast.BoolOp):
        operator = _operator(target, type(node.op).__name__)
        values = [_node(value, target) for value in node.values]
        result = values[0]
        for value in values[1:]:
            result = operator(result, value)
        return result
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        function = target.functions.get(node.func.attr)
        if function is not None:
            return function(*[_node(arg, target) for arg in node.args])
    raise ParseError(f"{ast.unparse(node)} has no counterpart")


def _operator(target: Target, name: str) -> Callable[..., Any]:
    operator = target.operators.get(name)
    if operator is None:
        raise ParseError(f"the operator {name} has no counterpart")
    return operator
