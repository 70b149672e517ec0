"""Reports and results."""

import dataclasses
import html
import json
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from ._native import Report as _Native

__all__ = ["Report", "Result"]


class Report(Mapping[str, Any]):
    """What was done to a program: a dictionary in the shape of `satir --report`, read when it is first looked at.

    >>> import satir
    >>> text = "@T.prim_func\\ndef main(A: T.Buffer((9,)), x: T.int32):\\n    A[x * x] = A[x * x + 1]\\n"
    >>> report = satir.optimize(text).report
    >>> report["functions"][0]["bindings"][0]["value"]
    'x * x'
    """

    def __init__(self, native: _Native) -> None:
        self._native = native
        self._data: Optional[dict[str, Any]] = None

    def as_dict(self) -> dict[str, Any]:
        """The report as a plain dictionary."""
        if self._data is None:
            self._data = json.loads(self._native.json())
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self.as_dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.as_dict())

    def __len__(self) -> int:
        return len(self.as_dict())

    def __repr__(self) -> str:
        shared = sum(len(function["bindings"]) for function in self["functions"])
        return f"<satir.Report: cost {self['cost_before']:g} -> {self['cost_after']:g}, {shared} values shared>"

    def _repr_html_(self) -> str:
        """For notebooks: costs and what was shared."""
        rows = []
        for function in self["functions"]:
            name = html.escape(function["name"])
            before, after = function["before"]["cost"], function["after"]["cost"]
            rows.append(f"<tr><th colspan=3>{name}: cost {before:g} &rarr; {after:g}</th></tr>")
            for binding in function["bindings"]:
                cells = (binding["name"], binding["value"], f"{binding['saved']:g}")
                rows.append("<tr>" + "".join(f"<td><code>{html.escape(cell)}</code></td>" for cell in cells) + "</tr>")
        head = "<tr><th>name</th><th>value</th><th>saves</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


@dataclasses.dataclass(frozen=True)
class Result:
    """An optimized program: its text, and the report on it."""

    text: str
    report: Report

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """For notebooks: the program and the report."""
        return f"<pre>{html.escape(self.text)}</pre>{self.report._repr_html_()}"
