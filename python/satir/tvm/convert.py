"""The way of a module through satir: as objects, and as text where that does not go."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Optional

import tvm
import tvm_ffi
from tvm import tirx
from tvm.script import from_source

from .. import _native
from ..errors import SatirError, UnsupportedModule, ValidationError
from ..options import Options
from ..report import Report

__all__ = ["Optimizer", "optimize", "simplify"]

#: Passes that look at several functions of a module at once.
_ACROSS = ("choose-padding", "link", "tensor-cse")

_native.connect(tvm_ffi.libinfo.find_libtvm_ffi())


def optimize(module: tvm.IRModule, *, via: str = "objects", verify: bool = False, **options: Any) -> tuple[Any, Any]:
    """The optimized module and the reports on it: one for the functions that went over as objects, one for those that went
    as text. Functions that are no `PrimFunc` are left alone.

    `via="text"` takes all functions as text; with `verify` both ways are taken, and it is an error if they give different
    functions. The options are those of `satir.Options`.

    >>> import tvm, satir.tvm
    >>> from tvm.script import from_source
    >>> function = from_source('''@T.prim_func(private=True)
    ... def main(A: T.Buffer((9,)), x: T.int32):
    ...     A[x - x] = A[x]
    ... ''')
    >>> module, reports = satir.tvm.optimize(tvm.IRModule({"main": function}), level=1)
    >>> list(module["main"].body.indices)
    [0]
    """
    return Optimizer(Options.of(options), via, verify).run(module)


def simplify(expr: Any, *, given: tuple[Any, ...] = (), ranges: Optional[Mapping[Any, tuple[int, int]]] = None) -> Any:
    """The cheapest expression that is found to equal a `tirx` expression, over the same variables.

    `given` are conditions that hold, `ranges` the values of variables as half-open ranges.

    >>> import tvm, satir.tvm
    >>> i = tvm.tirx.Var("i", "int32")
    >>> satir.tvm.simplify((i * 4 + 3) // 4, ranges={i: (0, 16)}).same_as(i)
    True
    """
    from .expressions import simplify_under

    return simplify_under(expr, given, ranges or {})


class Optimizer:
    """satir with its options, for any number of modules; several threads may use it."""

    def __init__(self, options: Options, via: str = "objects", verify: bool = False) -> None:
        if via not in ("objects", "text"):
            raise ValueError(f"via must be 'objects' or 'text', not {via!r}")
        self.via = via
        self.verify = verify
        # What becomes of a function may rest on the others: all of them go the same way.
        self._together = any(name in _ACROSS for name in re.findall(r"[\w-]+", options.passes or ""))
        self._native = _optimizer(options.json())

    def run(self, module: tvm.IRModule) -> tuple[tvm.IRModule, list[Report]]:
        """The optimized module, and the reports."""
        functions = [(var, func) for var, func in module.functions_items() if isinstance(func, tirx.PrimFunc)]
        if not functions:
            return module, []
        results: dict[str, Any] = {}
        reports: list[Report] = []
        rest = functions
        mistakes: list[SatirError] = []
        if self.via == "objects":
            rest = self._objects(functions, results, reports, mistakes)
            if rest and self._together:
                rest = functions
                results.clear()
                reports.clear()
        if rest:
            try:
                self._text(rest, results, reports)
            except UnsupportedModule:
                # A mistake is told without its place then.
                if mistakes:
                    raise mistakes[0] from None
                raise
        if self.verify and self.via == "objects":
            again: dict[str, Any] = {}
            self._text(functions, again, [])
            for var, _ in functions:
                _same(var.name_hint, results[var.name_hint], again[var.name_hint])
        changed = [(var, func) for var, func in functions if not results[var.name_hint].same_as(func)]
        if not changed:
            return module, reports
        result = module.clone()
        for var, _ in changed:
            result.update_func(var, results[var.name_hint])
        return result, reports

    def _objects(
        self, functions: list[Any], results: dict[str, Any], reports: list[Report], mistakes: list[SatirError]
    ) -> list[Any]:
        """Takes functions as objects; gives those for which that does not go, and what is wrong in them."""
        try:
            built, report = self._native.run_objects([(func, var.name_hint) for var, func in functions])
        except SatirError as error:
            # A mistake in a function is told with its place in the text, if it is one there too.
            if len(functions) > 1 and not self._together:
                return [one for each in functions for one in self._objects([each], results, reports, mistakes)]
            mistakes.append(error)
            return functions
        rest = []
        for (var, func), (result, _) in zip(functions, built):
            if result is None:
                rest.append((var, func))
            else:
                results[var.name_hint] = result
        if report is not None:
            reports.append(Report(report))
        return rest

    def _text(self, functions: list[Any], results: dict[str, Any], reports: list[Report]) -> None:
        funcs = dict(functions)
        text = tvm.IRModule(funcs).script()
        _reread(funcs, text)
        optimized, report = self._native.run_text(text, "<TVM>")
        parsed = _parse(optimized, "what satir printed")
        for var in funcs:
            results[var.name_hint] = _function(parsed, var)
        reports.append(Report(report))


@functools.lru_cache(maxsize=64)
def _optimizer(options: str) -> _native.Optimizer:
    return _native.Optimizer(options)


def _same(name: str, objects: Any, text: Any) -> None:
    """Raises if the two ways gave different functions."""
    # Some aliases of buffers compare unequal although nothing that is printed differs.
    if not tvm_ffi.structural_equal(objects, text, map_free_vars=True) and objects.script() != text.script():
        raise ValidationError(f"function {name}: going over as objects gives another result than as text")


def _parse(text: str, what: str) -> tvm.IRModule:
    try:
        parsed = from_source(text)
    except Exception as error:  # the parser has no exception of its own
        raise UnsupportedModule(f"TVM does not read {what}: {str(error).strip()[-300:]}") from error
    if not isinstance(parsed, tvm.IRModule):
        raise UnsupportedModule(f"TVM does not read {what} as a module")
    return parsed


def _function(module: tvm.IRModule, var: Any) -> Any:
    try:
        return module[var.name_hint]
    except Exception as error:
        raise UnsupportedModule(f"the function {var.name_hint} lost its name as TVMScript") from error


def _reread(funcs: Mapping[Any, Any], text: str) -> None:
    """Raises if what TVM printed is not, by its own parser, what it printed."""
    parsed = _parse(text, "back what it printed")
    for var, func in funcs.items():
        again = _function(parsed, var)
        if not tvm_ffi.structural_equal(func, again, map_free_vars=True) and func.script() != again.script():
            raise UnsupportedModule(f"TVM reads back another function than the {var.name_hint} that it printed")
