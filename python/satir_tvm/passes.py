"""The pass: a module goes through the program `satir` as TVMScript, and back."""

import logging

import tvm
import tvm_ffi
from tvm import tirx
from tvm.error import register_error
from tvm.script import from_source

from .binary import Options, SatirError, cse

LOGGER = logging.getLogger("satir_tvm")

# TVM's own pass, whatever stands in its place while a swap is on.
TVM_CSE = tirx.transform.CommonSubexprElim


@register_error
class UnsupportedModule(SatirError):
    """A module that cannot go through text: TVM does not read back what it printed, or satir does not know it."""


class SemanticCSE:
    """A module pass that shares equal computations, found by equality saturation.

    Call it with a module, or put it in a list of passes. Options are in the README. After a run, `reports` holds
    satir's report for each module and `fallbacks` the reasons for which TVM's own pass was taken instead.
    """

    def __init__(self, *, on_error="raise", **options):
        if on_error not in ("raise", "tvm"):
            raise ValueError(f"on_error must be 'raise' or 'tvm', not {on_error!r}")
        self.options = Options(**options)
        self.on_error = on_error
        self.reports = []
        self.fallbacks = []
        self._pass = tvm.transform.module_pass(self._run, opt_level=0, name="satir.SemanticCSE")

    def __call__(self, module):
        return self._pass(module)

    @property
    def as_pass(self):
        """The pass object, for `tvm.ir.transform.Sequential`."""
        return self._pass

    def _run(self, module, _context):
        try:
            result, report = optimize(module, self.options)
        except SatirError as error:
            if self.on_error == "raise":
                raise
            LOGGER.warning("TVM's CommonSubexprElim runs instead of satir: %s", error)
            self.fallbacks.append(str(error))
            return TVM_CSE()(module)
        if report is not None:
            self.reports.append(report)
        return result


def optimize(module, options):
    """The optimized module and satir's report; `None` for a module without a `PrimFunc`."""
    funcs = {var: func for var, func in module.functions_items() if isinstance(func, tirx.PrimFunc)}
    if not funcs:
        return module, None
    text = tvm.IRModule(funcs).script()
    reread(funcs, text)
    optimized, report = cse(text, options)
    parsed = parse(optimized, "what satir printed")
    result = module.clone()
    for var in funcs:
        result.update_func(var, function(parsed, var))
    return result, report


def parse(text, what):
    """The module of a text."""
    try:
        parsed = from_source(text)
    except Exception as error:  # the parser has no exception of its own
        raise UnsupportedModule(f"TVM does not read {what}: {str(error).strip()[-300:]}") from error
    if not isinstance(parsed, tvm.IRModule):
        raise UnsupportedModule(f"TVM does not read {what} as a module")
    return parsed


def function(module, var):
    """The function of that name."""
    try:
        return module[var.name_hint]
    except Exception as error:
        raise UnsupportedModule(f"the function {var.name_hint} lost its name as TVMScript") from error


def reread(funcs, text):
    """Raises if what TVM printed is not, by its own parser, what it printed."""
    parsed = parse(text, "back what it printed")
    for var, func in funcs.items():
        again = function(parsed, var)
        # Some aliases of buffers compare unequal although nothing that is printed differs.
        if not tvm_ffi.structural_equal(func, again, map_free_vars=True) and func.script() != again.script():
            raise UnsupportedModule(f"TVM reads back another function than the {var.name_hint} that it printed")
