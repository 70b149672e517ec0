"""Passes of TVM."""

from __future__ import annotations

import logging
from typing import Any, Optional

import tvm
from tvm import tirx
from tvm.error import register_error

from ..errors import (
    SatirBug,
    InvalidProgram,
    OptionError,
    ParseError,
    RulesError,
    SatirError,
    UnsupportedModule,
    ValidationError,
)
from ..options import Options
from ..report import Report
from . import config
from .convert import Optimizer

__all__ = ["Optimize", "SemanticCSE", "TVM_CSE"]

LOGGER = logging.getLogger("satir.tvm")

#: TVM's own pass, whatever stands in its place while a swap is on.
TVM_CSE = tirx.transform.CommonSubexprElim

# Registered by their names, errors stay what they are on their way through TVM's own code. So does Ctrl-C, which TVM would make a
# `RuntimeError`.
for _error in (
    KeyboardInterrupt,
    SatirError,
    OptionError,
    ParseError,
    InvalidProgram,
    RulesError,
    UnsupportedModule,
    ValidationError,
    SatirBug,
):
    register_error(_error)


class _Run:
    """What a pass does."""

    #: Options that differ from those of `satir.Options`.
    defaults: dict[str, Any] = {}

    def __init__(self, *, on_error: str = "raise", via: str = "objects", verify: bool = False, **options: Any) -> None:
        if on_error not in ("raise", "tvm"):
            raise ValueError(f"on_error must be 'raise' or 'tvm', not {on_error!r}")
        if via not in ("objects", "text"):
            raise ValueError(f"via must be 'objects' or 'text', not {via!r}")
        self.given = {**self.defaults, **options}
        self.options = Options.of(self.given)
        self.on_error = on_error
        self.via = via
        self.verify = verify
        #: Made when it is first needed: rules of files are checked then.
        self._own: Optional[Optimizer] = None
        #: A report for each part of each module that was optimized.
        self.reports: list[Report] = []
        #: The reasons for which TVM's own pass was taken.
        self.fallbacks: list[str] = []

    def transform_module(self, module: tvm.IRModule, _context: Any) -> tvm.IRModule:
        """What TVM calls."""
        try:
            result, reports = self._optimizer().run(module)
        except SatirError as error:
            if self.on_error == "raise":
                raise
            LOGGER.warning("TVM's CommonSubexprElim runs instead of satir: %s", error)
            self.fallbacks.append(str(error))
            return TVM_CSE()(module)
        self.reports.extend(reports)
        return result

    def _optimizer(self) -> Optimizer:
        """The optimizer with the options of the contexts that this thread is in."""
        context = config.current()
        if context:
            return Optimizer(Options.of({**self.given, **context}), self.via, self.verify)
        if self._own is None:
            self._own = Optimizer(self.options, self.via, self.verify)
        return self._own

    @property
    def as_pass(self) -> Any:
        """The pass object, which the pass itself is since version 0.1."""
        return tvm.transform.module_pass(self.transform_module, opt_level=0, name="satir.SemanticCSE")


@tvm.transform.module_pass(opt_level=0, name="satir.SemanticCSE")
class SemanticCSE(_Run):
    """A `tvm.transform.Pass` that shares equal computations, found by equality saturation.

    Takes the options of `satir.Options`, and `on_error`, `via` and `verify` (see `satir.tvm`). After a run, `reports` holds
    satir's reports and `fallbacks` the reasons for which TVM's own pass was taken instead.

    >>> import tvm, satir.tvm
    >>> isinstance(satir.tvm.SemanticCSE(), tvm.transform.Pass)
    True
    """


@tvm.transform.module_pass(opt_level=0, name="satir.Optimize")
class Optimize(_Run):
    """A `tvm.transform.Pass` with all that satir can do: contextual simplification, sharing, and what the code generator
    likes. The options are those of `SemanticCSE`; `level` or `passes` choose less or other.

    >>> import tvm, satir.tvm
    >>> satir.tvm.Optimize(level=1).options.level
    1
    """

    defaults = {"level": 2}

    def __init__(self, **options: Any) -> None:
        if options.get("passes") is not None:
            options.setdefault("level", None)
        super().__init__(**options)
