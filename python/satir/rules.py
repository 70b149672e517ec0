"""Rewrite rules: what there is, whether they are sound, what they do to programs. Results are plain dictionaries and lists,
of the shapes that `satir rules … --json` prints. Programs are texts, or pairs of a name and a text.

    >>> from satir import rules
    >>> any(rule["set"] == "identity" for rule in rules.load())
    True
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Union

from . import _native
from .options import Paths, _names, _paths

__all__ = ["ablate", "check", "load", "stats", "suggest"]

#: Programs: texts, or pairs of a name and a text.
Programs = Iterable[Union[str, tuple[str, str]]]


def load(paths: Paths = ()) -> list[dict[str, Any]]:
    """The built-in rules and those of files and folders. Raises `RulesError` with the place of a mistake.

    >>> load()[0].keys() >= {"name", "set"}
    True
    """
    return json.loads(_native.rules_list(_paths(paths)))  # type: ignore[no-any-return]


def check(paths: Paths = (), *, only: Union[str, Iterable[str]] = (), quick: bool = False) -> dict[str, Any]:
    """Tests whether rules are sound: those of files, or else the built-in ones; `only` names rules or sets.

    The result has `sound`, a `summary`, and for each of the `rules` what was found, with counterexamples.

    >>> check(only="identity", quick=True)["sound"]
    True
    """
    return json.loads(_native.rules_check(_paths(paths), _names(only), quick))  # type: ignore[no-any-return]


def stats(programs: Programs, *, rules: Paths = ()) -> dict[str, Any]:
    """How often each rule matches in programs, and what the results owe to it.

    >>> text = "@T.prim_func\\ndef main(A: T.Buffer((8,), 'int32'), x: T.int32):\\n    A[0] = T.bitwise_and(x, x)\\n"
    >>> sum(rule["unions"] for rule in stats([text])["rules"]) > 0
    True
    """
    return json.loads(_native.rules_stats(_programs(programs), _paths(rules)))  # type: ignore[no-any-return]


def ablate(programs: Programs, *, rules: Paths = (), by: str = "rule") -> dict[str, Any]:
    """What happens to programs without each rule, or with `by="set"` without each set.

    >>> text = "@T.prim_func\\ndef main(A: T.Buffer((8,), 'int32'), x: T.int32):\\n    A[0] = T.bitwise_and(x, x)\\n"
    >>> ablate([text], by="set")["programs"]
    1
    """
    if by not in ("rule", "set"):
        raise ValueError(f"by must be 'rule' or 'set', not {by!r}")
    return json.loads(_native.rules_ablate(_programs(programs), _paths(rules), by == "set"))  # type: ignore[no-any-return]


def suggest(
    ops: Union[str, Iterable[str]] = (), *, programs: Programs = (), rules: Paths = (), limit: int = 20
) -> list[str]:
    """Rules over these operators that hold and that satir does not know, as texts for a rule file. Those that occur in the
    programs come first.

    >>> suggest("bitwise_and", limit=1)[0].startswith("(rule")
    True
    """
    return _native.rules_suggest(_names(ops), _programs(programs), _paths(rules), limit)


def _programs(programs: Programs) -> list[tuple[str, str]]:
    named = []
    for at, program in enumerate(programs):
        named.append((f"<program {at}>", program) if isinstance(program, str) else program)
    return named
