"""What can go wrong.

All exceptions are `SatirError`. Where one is about a place in a text, `file`, `line` and `column` say where (lines and
columns count from 1); otherwise they are `None`.

    >>> import satir
    >>> try:
    ...     satir.optimize("@T.prim_func\\ndef main(x: T.int32):\\n    T.evaluate(y)\\n", name="my.py")
    ... except satir.ParseError as error:
    ...     print(error.file, error.line, error.column)
    my.py 3 16
"""

from typing import Optional

__all__ = [
    "SatirBug",
    "InvalidProgram",
    "OptionError",
    "ParseError",
    "RulesError",
    "SatirError",
    "UnsupportedModule",
    "ValidationError",
]


class SatirError(Exception):
    """satir could not do what was asked for."""

    file: Optional[str]
    line: Optional[int]
    column: Optional[int]

    def __init__(
        self, message: str = "", file: Optional[str] = None, line: Optional[int] = None, column: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class OptionError(SatirError, ValueError):
    """An option makes no sense."""


class ParseError(SatirError):
    """A text is no program or no expression."""


class InvalidProgram(SatirError):
    """A program breaks a rule of the language."""


class RulesError(SatirError):
    """Rewrite rules cannot be read, or are not sound."""


class UnsupportedModule(SatirError):
    """A module of TVM has something that satir does not know, or that TVM does not read back from text."""


class ValidationError(SatirError):
    """A result does something else than the program: a bug in satir, or a wrong rule. It was dropped."""


class SatirBug(SatirError):
    """A bug in satir. (Errors are known to TVM by the names of their classes, and it has an `InternalError` of its own.)"""
