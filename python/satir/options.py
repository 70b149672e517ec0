"""The options of the optimizer, as the program `satir` has them."""

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from .errors import OptionError

__all__ = ["Options", "Paths"]

#: One path, or several.
Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]

_CHOICES = {
    "mode": ("semantic", "syntactic"),
    "index_bits": ("same", "32", "64", "auto"),
    "extract": ("greedy", "auto", "exact"),
    "target": ("auto", "cpu", "gpu", "neutral"),
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What the optimizer is told. Each option has the default of the program `satir`.

    >>> Options(mode="syntactic", binds={"n": 64}).binds
    {'n': 64}
    >>> Options(mode="magic")
    Traceback (most recent call last):
    satir.errors.OptionError: mode must be one of semantic, syntactic, not 'magic'
    """

    #: `semantic` finds what is equal by meaning, `syntactic` what is written alike.
    mode: str = "semantic"
    #: A whole pipeline instead of common subexpression elimination: 0 only verifies, 1 simplifies and shares what is written
    #: alike, 2 is all that satir can do.
    level: Optional[int] = None
    #: A pipeline as text, such as `"fixpoint(simplify),syntactic-cse"`; see `satir opt --list`.
    passes: Optional[str] = None
    #: What passes are told: which buffer, which layout; what `satir opt --args` reads, as dictionaries.
    args: Iterable[Mapping[str, Any]] = ()
    #: Take all elements of parameters to be readable, also those that a function does not read.
    readable_parameters: bool = False
    #: Take no float that a function is given to be infinite or NaN.
    finite: bool = False
    #: Values of symbolic sizes, for estimating how often loops run. The result is right for all other values too. Names that a
    #: program does not have are for others.
    binds: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: More rewrite rules: a path of a file or folder, or several.
    rules: Paths = ()
    #: Rules or sets of rules to switch on.
    on: Iterable[str] = ()
    #: Rules or sets of rules to switch off.
    off: Iterable[str] = ()
    #: Use rules from files without the check that they are sound.
    unchecked: bool = False
    #: A cost profile (JSON) that replaces the built-in weights: a path.
    cost: Union[None, str, "os.PathLike[str]"] = None
    #: Compute floats as if they were real numbers: reassociate and distribute them. Their last bits change.
    fast_math: bool = False
    #: The width of index arithmetic in the result: 32 (`same` as in the input), 64, or `auto`: 64 in functions for the CPU.
    index_bits: Union[int, str] = "auto"
    #: Simplify under what each place guarantees first.
    simplify: bool = True
    #: How much is done to find the cheapest choice: `greedy`, `auto` or `exact`.
    extract: str = "auto"
    #: Keep each binding of the input at its place.
    keep_lets: bool = False
    #: Take every dimension of a parameter's buffer to be at least 1.
    assume_positive_dims: bool = False
    #: What the result is compiled for: `auto`, `cpu`, `gpu` or `neutral`.
    target: str = "auto"
    #: Stop searching for more after so many seconds for a function. Without it results are the same on every machine.
    time_limit: Optional[float] = None
    #: Stop growing an e-graph at this number of nodes.
    node_limit: Optional[int] = None
    #: Take functions three times as long as this in windows of about this length.
    window: Optional[int] = None
    #: Run program and result on small inputs, and refuse a result that does something else.
    validate: bool = False

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if str(value) not in choices:
                raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
        if self.level is not None and self.level not in (0, 1, 2):
            raise OptionError(f"level must be 0, 1 or 2, not {self.level!r}")
        if self.level is not None and self.passes is not None:
            raise OptionError("level and passes do not go together")
        if self.args and self.passes is None:
            raise OptionError("args are for passes")
        for name in ("node_limit", "window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} must be at least 1, not {value!r}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Options":
        """Options from keyword arguments; an unknown one is an `OptionError`."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(options) - known)
        if unknown:
            raise OptionError(f"there is no option {unknown[0]}; the options are {', '.join(sorted(known))}")
        return cls(**options)

    def json(self) -> str:
        """The options as the extension reads them."""
        fields = dataclasses.asdict(self)
        fields["binds"] = {str(name): int(value) for name, value in self.binds.items()}
        fields["rules"] = _paths(self.rules)
        try:
            fields["args"] = json.dumps([dict(request) for request in self.args])
        except (TypeError, ValueError) as error:
            raise OptionError(f"args must be dictionaries of what JSON has: {error}") from None
        fields["on"], fields["off"] = _names(self.on), _names(self.off)
        fields["cost"] = None if self.cost is None else os.fspath(self.cost)
        # A pipeline has passes of its own for this.
        whole = self.level is not None or self.passes is not None
        fields["index_bits"] = "same" if whole else str(self.index_bits)
        return json.dumps(fields)


def _paths(paths: Paths) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def _names(names: Union[str, Iterable[str]]) -> list[str]:
    return [name for name in names.split(",") if name] if isinstance(names, str) else list(names)
