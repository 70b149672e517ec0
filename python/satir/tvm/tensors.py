"""What a forward function keeps for its backward function, and what that computes again.

Both are functions of blocks, as Relax makes them of a module for training: `Gradient`, `LegalizeOps`, and `FuseTIR` on the loss and
on its adjoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import tvm
from tvm import tirx

from ..errors import OptionError
from ..options import Options
from .convert import Optimizer

__all__ = ["Shared", "tensor_cse"]

_STASH = "satir.stash"


class Shared(NamedTuple):
    """What `tensor_cse` made."""

    #: The module with both functions.
    module: tvm.IRModule
    #: For each parameter that the backward function got the parameter of the forward function whose contents it needs: names,
    #: the forward function's first. The latter are the last ones of the backward function, in this order. Those of the forward
    #: function are results that it had, or new ones at its end.
    stash: list[tuple[str, str]]


def tensor_cse(
    module: tvm.IRModule,
    forward: str,
    backward: str,
    budget: Optional[int] = None,
    *,
    shared: Optional[Mapping[str, str]] = None,
    recompute_limit: Optional[int] = None,
    **options: Any,
) -> Shared:
    """The module with equal tensors of two functions computed once where that pays, within `budget` bytes that are kept between
    them.

    `shared` names parameters of the forward function and those of the backward function that are the same tensors; parameters of
    one name are, if it is `None`. A reduction that reads each element more than `recompute_limit` times (1) is done again only if
    the budget leaves no other way. Other functions of the module are optimized each by itself. Who calls the two functions is not
    changed: `Shared.stash` says what to pass.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> module = from_source('''@I.ir_module
    ... class Module:
    ...     @T.prim_func
    ...     def f(x: T.Buffer((64,)), y: T.Buffer((64,))):
    ...         T.func_attr({"tirx.noalias": True})
    ...         for i in range(64):
    ...             y[i] = T.tanh(x[i])
    ...     @T.prim_func
    ...     def g(x: T.Buffer((64,)), dy: T.Buffer((64,)), dx: T.Buffer((64,))):
    ...         T.func_attr({"tirx.noalias": True})
    ...         for i in range(64):
    ...             dx[i] = dy[i] * (T.float32(1) - T.tanh(x[i]) * T.tanh(x[i]))
    ... ''')
    >>> made = satir.tvm.tensor_cse(module, "f", "g")
    >>> made.stash
    [('y', 'stash_1')]
    >>> made.module.script().count("T.tanh")
    1
    """
    if shared is None:
        names = _names(module, forward)
        shared = {name: name for name in _names(module, backward) if name in names}
    pairs = [list(pair) for pair in shared.items()]
    request: dict[str, Any] = {"forward": forward, "backward": backward, "shared": pairs}
    if budget is not None:
        request["stash_budget"] = budget
    if recompute_limit is not None:
        request["recompute_limit"] = recompute_limit
    optimizer = Optimizer(Options.of({**options, "passes": "tensor-cse", "args": [request]}))
    made = optimizer.run(module)[0]
    function = made[backward]
    stash = [(str(one), str(other)) for one, other in function.attrs.get(_STASH, [])] if function.attrs else []
    if stash:
        made = tvm.IRModule({**made.functions, made.get_global_var(backward): function.without_attr(_STASH)}, attrs=made.attrs)
    return Shared(made, stash)


def _names(module: tvm.IRModule, name: str) -> list[str]:
    """The names of a function's parameters."""
    if name not in [variable.name_hint for variable in module.get_global_vars()]:
        raise OptionError(f"there is no function `{name}`")
    function = module[name]
    if not isinstance(function, tirx.PrimFunc):
        raise OptionError(f"`{name}` is no function of blocks or loops")
    return [parameter.name for parameter in function.params]
