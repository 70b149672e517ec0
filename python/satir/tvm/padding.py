"""Layouts with padding and assumptions: what TVM's schedule cannot do any more, or does without a proof.

The functions take a module and the name of a buffer, with the conventions of `tvm.s_tir.Schedule`, and give a new module.
What is not proven is refused with a `SatirError`, which names the place; nothing is changed then. Passes that need no such
argument are `satir.tvm.Optimize(passes="overcompute")` and so on: `simplify`, `hoist`, `reduce-extents`, `remove-no-op`,
`overcompute`, `branching`, `merge-loops`, `remove-copies`, `plan`, `remove-assume`, `remove-undef`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Optional, Union

import tvm
from tvm import tirx

from ..errors import OptionError
from ..options import Options
from .convert import Optimizer
from .expressions import text

__all__ = ["cache_read", "cache_write", "choose_padding", "link", "sequential_access", "transform_layout"]

#: A layout as text (`"lambda i: [i // 4, i % 4]"`), as a function of Python, or as TVM has it.
Layout = Union[str, Callable[..., Any], tirx.IndexMap]

_INT64 = re.compile(r"T\.int64\((-?\d+)\)")


def transform_layout(
    module: tvm.IRModule, buffer: str, index_map: Layout, pad_value: Any = None, **options: Any
) -> tvm.IRModule:
    """The module with another layout of a buffer, as `tvm.s_tir.Schedule.transform_layout` makes it; the map has to be
    injective by proof.

    `pad_value` is what padding holds: nothing in particular (`None`: no access touches it), a number, an expression, a function
    of the new axes, or text, such as `"undef"`. For an input it is assumed to be there.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True)
    ... def main(A: T.Buffer((14,)), B: T.Buffer((14,))):
    ...     T.func_attr({"tirx.noalias": True})
    ...     for i in range(14):
    ...         B[i] = A[i]
    ... ''')
    >>> module = satir.tvm.transform_layout(tvm.IRModule({"main": function}), "A", lambda i: [i // 4, i % 4], 0)
    >>> "A[i // 4, i % 4]" in module.script()
    True
    """
    request = {"buffer": buffer, "map": _map(index_map), "pad": _pad(pad_value, index_map)}
    return _run(module, "transform-layout", [request], options)


def choose_padding(module: tvm.IRModule, buffer: str, index_map: Layout, **options: Any) -> tvm.IRModule:
    """As `transform_layout`, with the padding with which most conditions go.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True, s_tir=True)
    ... def main(A: T.Buffer((14,), "int32"), C: T.Buffer((1,), "int32")):
    ...     T.func_attr({"tirx.noalias": True})
    ...     C[0] = 0
    ...     for i in range(16):
    ...         if i < 14:
    ...             C[0] = C[0] + A[i]
    ... ''')
    >>> module = satir.tvm.choose_padding(tvm.IRModule({"main": function}), "A", lambda i: [i // 4, i % 4])
    >>> "T.assume" in module.script()
    True
    """
    return _run(module, "choose-padding", [{"buffer": buffer, "map": _map(index_map), "pad": "?"}], options)


def cache_read(
    module: tvm.IRModule,
    buffer: str,
    storage_scope: Optional[str] = None,
    block: Optional[str] = None,
    **options: Any,
) -> tvm.IRModule:
    """The module with a copy of a buffer, which is read in its place. For a block the copy is of the elements that it reads, and
    stands beside it.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True)
    ... def main(A: T.Buffer((14,)), B: T.Buffer((14,))):
    ...     T.func_attr({"tirx.noalias": True})
    ...     for i in range(14):
    ...         B[i] = A[i]
    ... ''')
    >>> "B[i] = A_local[i]" in satir.tvm.cache_read(tvm.IRModule({"main": function}), "A", "local").script()
    True
    """
    return _run(module, "cache-read", [{"read": buffer, "scope": storage_scope, "block": block}], options)


def cache_write(
    module: tvm.IRModule,
    buffer: str,
    storage_scope: Optional[str] = None,
    block: Optional[str] = None,
    **options: Any,
) -> tvm.IRModule:
    """The module with a copy of a buffer, which is written in its place and copied back. For a block the copy is of the elements
    that it accesses, and stands beside it.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True)
    ... def main(A: T.Buffer((14,)), B: T.Buffer((14,))):
    ...     T.func_attr({"tirx.noalias": True})
    ...     for i in range(14):
    ...         B[i] = A[i]
    ... ''')
    >>> "B_local[i] = A[i]" in satir.tvm.cache_write(tvm.IRModule({"main": function}), "B", "local").script()
    True
    """
    return _run(module, "cache-write", [{"write": buffer, "scope": storage_scope, "block": block}], options)


def sequential_access(
    module: tvm.IRModule, buffer: str, block: Optional[str] = None, **options: Any
) -> tvm.IRModule:
    """The module with loops that run over the elements of a buffer in their order: of all loops that access it, or of those
    of one block.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True)
    ... def main(A: T.Buffer((16,)), B: T.Buffer((4, 4))):
    ...     for i in range(16):
    ...         B[i // 4, i % 4] = A[i]
    ... ''')
    >>> "T.grid(4, 4)" in satir.tvm.sequential_access(tvm.IRModule({"main": function}), "B").script()
    True
    """
    return _run(module, "sequential-access", [{"buffer": buffer, "block": block}], options)


def link(module: tvm.IRModule, *edges: str, **options: Any) -> tvm.IRModule:
    """The module whose functions assume what others leave in the buffers that they get, where something rests on it. An edge
    is `"producer.B -> consumer.A"`.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> module = from_source('''@I.ir_module
    ... class Module:
    ...     @T.prim_func(private=True, s_tir=True)
    ...     def one(A: T.Buffer((16,), "int32")):
    ...         for i in range(14, 16):
    ...             A[i] = 0
    ...     @T.prim_func(private=True, s_tir=True)
    ...     def two(A: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
    ...         T.func_attr({"tirx.noalias": True})
    ...         C[0] = 0
    ...         for i in range(16):
    ...             if i < 14:
    ...                 C[0] = C[0] + A[i]
    ... ''')
    >>> "T.assume" in satir.tvm.link(module, "one.A -> two.A")["two"].script()
    True
    """
    return _run(module, "link", [{"edge": edge} for edge in edges], options)


def _run(module: tvm.IRModule, passes: str, requests: list[dict[str, Any]], options: dict[str, Any]) -> tvm.IRModule:
    """The module after passes, which are told something."""
    optimizer = Optimizer(Options.of({**options, "passes": passes, "args": requests}))
    return optimizer.run(module)[0]


def _map(index_map: Layout) -> str:
    """A map as text."""
    if isinstance(index_map, str):
        return index_map
    axes, indices = _text(index_map, None)
    return f"lambda {axes}: [{', '.join(indices)}]"


def _pad(pad_value: Any, index_map: Layout) -> Optional[str]:
    """What padding holds, as text."""
    if pad_value is None or isinstance(pad_value, str):
        return pad_value
    if isinstance(pad_value, (int, float)):
        return repr(pad_value)
    if isinstance(pad_value, tvm.ir.Expr):
        return text(pad_value)
    if isinstance(pad_value, tirx.IndexMap) or callable(pad_value):
        # Of the new axes.
        dims = None if isinstance(index_map, str) else len(_text(index_map, None)[1])
        axes, values = _text(pad_value, dims)
        return f"lambda {axes}: {', '.join(values)}"
    raise OptionError(f"pad_value: a number, an expression, a function or text, not {pad_value!r}")


def _text(index_map: Any, dims: Optional[int]) -> tuple[str, list[str]]:
    """The axes of a map and what it makes of them. TVM counts axes in 64 bits, functions in the type of their loops."""
    if not isinstance(index_map, tirx.IndexMap):
        index_map = tirx.IndexMap.from_func(index_map, ndim=dims)
    axes = ", ".join(var.name for var in index_map.initial_indices)
    return axes, [_INT64.sub(r"\1", text(index)) for index in index_map.final_indices]
