"""E-graphs as pictures."""

import dataclasses
import json
import os
from typing import Any, Union

__all__ = ["EGraph"]


@dataclasses.dataclass(frozen=True)
class EGraph:
    """The e-graph of an expression or of a function: a box for each class, its nodes inside, those of the cheapest form
    marked. Notebooks show the picture.

    >>> import satir
    >>> graph = satir.Context(i=(0, 16), j=(0, 4)).egraph("(i * 4 + j) // 4")
    >>> graph.svg.startswith("<svg"), graph.dot.startswith("digraph")
    (True, True)
    """

    #: The picture, as SVG.
    svg: str
    #: The same as text for Graphviz.
    dot: str
    #: The same as JSON.
    json: str

    @property
    def data(self) -> Any:
        """Classes and nodes as dictionaries and lists."""
        return json.loads(self.json)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        """For notebooks."""
        return self.svg

    def __repr__(self) -> str:
        return f"<satir.EGraph: {len(self.svg)} bytes of SVG>"
