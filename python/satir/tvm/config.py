"""Options by `PassContext`: keys that begin with `satir.`."""

from __future__ import annotations

import threading
from typing import Any, Optional

import tvm

from ..options import Options

__all__ = ["PassContext", "current"]

_PREFIX = "satir."
_LOCAL = threading.local()


class PassContext(tvm.transform.PassContext):  # type: ignore[misc]
    """A `tvm.transform.PassContext` that also takes `satir.<option>` in its `config`; TVM's own refuses keys that are not
    registered in C++. Within it the passes of `satir.tvm` have these options, over their own; inner contexts add to outer
    ones.

    >>> import satir.tvm
    >>> with satir.tvm.PassContext(config={"satir.mode": "syntactic", "tirx.disable_vectorize": True}) as context:
    ...     satir.tvm.config.current()
    {'mode': 'syntactic'}
    >>> satir.tvm.config.current()
    {}
    """

    # Objects of TVM have no attributes but those that are declared.
    __slots__ = ("_satir_options",)

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Optional[list[str]] = None,
        disabled_pass: Optional[list[str]] = None,
        instruments: Optional[list[Any]] = None,
        config: Optional[dict[str, Any]] = None,
    ) -> None:
        config = dict(config or {})
        options = {key[len(_PREFIX) :]: config.pop(key) for key in list(config) if key.startswith(_PREFIX)}
        # An unknown one is told here, where it was written.
        Options.of(options)
        super().__init__(opt_level, required_pass, disabled_pass, instruments, config)
        self._satir_options = options

    def __enter__(self) -> PassContext:
        _stack().append(self._satir_options)
        return super().__enter__()  # type: ignore[no-any-return]

    def __exit__(self, *error: object) -> None:
        _stack().pop()
        super().__exit__(*error)


def _stack() -> list[dict[str, Any]]:
    if not hasattr(_LOCAL, "stack"):
        _LOCAL.stack = []
    return _LOCAL.stack  # type: ignore[no-any-return]


def current() -> dict[str, Any]:
    """The options of the contexts that this thread is in, those of inner ones over those of outer ones."""
    options: dict[str, Any] = {}
    for entered in _stack():
        options.update(entered)
    return options
