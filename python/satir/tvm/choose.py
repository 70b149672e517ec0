"""Choosing among treatments of a function by what the compiler makes of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Callable, Optional, Union

import tvm
import tvm_ffi
from tvm import tirx

from ..errors import OptionError, SatirError
from ..options import Options
from ..report import Report
from . import config, machine, trial
from .convert import Optimizer
from .passes import LOGGER, TVM_CSE


__all__ = ["CANDIDATES", "Choice", "Choose", "Measure"]

#: The treatments, each with its options; `None` stands for TVM's own pass. Where nothing tells two apart the earlier one is taken.
CANDIDATES: dict[str, Optional[dict[str, Any]]] = {
    "semantic": {},
    "semantic-32": {"index_bits": 32},
    "full": {"level": 2},
    "syntactic": {"mode": "syntactic"},
    "tvm": None,
    "none": {"level": 0},
}

#: What chooses: a number for each candidate (modules of one function, as they leave the place of `CommonSubexprElim`), the less
#: the better. It leaves out what it cannot measure.
Measure = Callable[[Mapping[str, tvm.IRModule]], Mapping[str, float]]

#: By what part a candidate must be better than an earlier one: times are not exact, and estimates are only a hint.
MARGINS = {"static": 0.05, "run": 0.01}

#: Options that the candidates differ in.
DECIDED = ("mode", "level", "passes", "index_bits")


@dataclasses.dataclass(frozen=True)
class Choice:
    """What was taken for a function."""

    #: The name of the function.
    function: str
    #: The name of the candidate.
    taken: str
    #: What was measured, by candidate; candidates with the same result share a number. Empty if nothing was.
    figures: dict[str, float]
    #: Why nothing, or not everything, was measured.
    notes: list[str]


@tvm.transform.module_pass(opt_level=0, name="satir.Choose")
class Choose:
    """A `tvm.transform.Pass` that treats each function in several ways and keeps what the compiler makes most of.

    `how` is `"static"`: an estimate from the machine code, its instructions weighted by the loops around them; `"run"`: the
    time of a run in a process of its own, on the sizes that `binds` gives, with integer inputs that are 0 and random floats;
    or a function (`Measure`). A candidate that computes something else than the input is never taken. Functions that
    are not compiled by LLVM for a CPU, or whose sizes are not all bound, are treated as without choosing. The other
    options are those of `SemanticCSE`, without those that the candidates differ in. After a run, `choices` tells what was
    taken, and why.

    >>> import tvm, satir.tvm
    >>> satir.tvm.Choose("static").choices
    []
    """

    def __init__(self, how: Union[str, Measure], *, on_error: str = "raise", **options: Any) -> None:
        if not callable(how) and how not in MARGINS:
            raise OptionError(f"choose must be 'static', 'run' or a function, not {how!r}")
        if on_error not in ("raise", "tvm"):
            raise ValueError(f"on_error must be 'raise' or 'tvm', not {on_error!r}")
        for name in DECIDED:
            if options.get(name) is not None:
                raise OptionError(f"{name} and choose do not go together")
        self.how = how
        self.on_error = on_error
        self.given = {name: value for name, value in options.items() if name not in DECIDED}
        Options.of(self.given)
        #: What was taken for each function.
        self.choices: list[Choice] = []
        #: The reports on what was taken from satir.
        self.reports: list[Report] = []
        #: The reasons for which a candidate was left out.
        self.fallbacks: list[str] = []

    def transform_module(self, module: tvm.IRModule, _context: Any) -> tvm.IRModule:
        """What TVM calls."""
        result = module
        for var, func in module.functions_items():
            if not isinstance(func, tirx.PrimFunc):
                continue
            treated, reports = self._treat(tvm.IRModule({var: func}, attrs=module.attrs), var.name_hint)
            choice = self._choose(var.name_hint, treated)
            self.choices.append(choice)
            self.reports.extend(reports.get(choice.taken, []))
            chosen = treated[choice.taken][var.name_hint]
            if not chosen.same_as(func):
                if result is module:
                    result = module.clone()
                result.update_func(var, chosen)
        return result

    def _treat(self, module: tvm.IRModule, name: str) -> tuple[dict[str, tvm.IRModule], dict[str, list[Report]]]:
        """The module of one function after each treatment, and satir's reports."""
        treated: dict[str, tvm.IRModule] = {}
        reports: dict[str, list[Report]] = {}
        for candidate, options in CANDIDATES.items():
            try:
                if options is None:
                    treated[candidate] = TVM_CSE()(module)
                elif candidate == "none":
                    treated[candidate] = module
                else:
                    merged = Options.of({**self.given, **config.current(), **options})
                    treated[candidate], reports[candidate] = Optimizer(merged).run(module)
            except SatirError as error:
                if self.on_error == "raise":
                    raise
                LOGGER.warning("function %s: %s is no candidate: %s", name, candidate, error)
                self.fallbacks.append(f"{name}: {candidate}: {error}")
        return treated, reports

    def _choose(self, name: str, treated: Mapping[str, tvm.IRModule]) -> Choice:
        """What is taken for a function."""
        default = next(iter(treated))
        twins = _twins(treated, name)
        different = {candidate: treated[candidate] for candidate in dict.fromkeys(twins.values())}
        if len(different) == 1:
            return Choice(name, default, {}, ["all candidates are the same"])
        notes: list[str] = []
        figures: Mapping[str, float] = {}
        try:
            if callable(self.how):
                figures = self.how(different)
            elif (why := machine.unsuited(different[default][name])) is not None:
                notes.append(why)
            elif self.how == "static":
                figures = machine.estimates(different, name, notes)
            else:
                figures = trial.times(different, name, {**self.given, **config.current()}.get("binds") or {}, notes)
        except Exception as error:  # what is not measured is treated as without choosing
            notes.append(f"{type(error).__name__}: {str(error).strip()[-300:]}")
        if default not in figures:
            return Choice(name, default, dict(figures), notes or [f"{default} was not measured"])
        margin = 0.0 if callable(self.how) else MARGINS[self.how]
        least = min(figures[candidate] for candidate in different if candidate in figures)
        taken = next(candidate for candidate in different if figures.get(candidate, float("inf")) * (1 - margin) <= least)
        return Choice(name, taken, {c: figures[twin] for c, twin in twins.items() if twin in figures}, notes)


def _twins(treated: Mapping[str, tvm.IRModule], name: str) -> dict[str, str]:
    """For each candidate the first one with the same result."""
    twins: dict[str, str] = {}
    for candidate, module in treated.items():
        same = (
            earlier
            for earlier in dict.fromkeys(twins.values())
            if tvm_ffi.structural_equal(treated[earlier][name], module[name], map_free_vars=True)
        )
        twins[candidate] = next(same, candidate)
    return twins
