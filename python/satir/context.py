"""Single expressions, over variables of which something is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Optional, Union

from . import _native
from ._text import TRUTH
from .errors import OptionError
from .options import Paths, _paths
from .picture import EGraph

__all__ = ["Context", "Dim", "Expr", "dim"]


@dataclasses.dataclass(frozen=True)
class Dim:
    """A variable: its data type, and the least and the most of its values (`None`: no bound)."""

    dtype: str = "int32"
    least: Optional[int] = None
    most: Optional[int] = None


def dim(least: Optional[int] = 0, most: Optional[int] = None, dtype: str = "int32") -> Dim:
    """A size: not negative, unless something else is said.

    >>> Context(n=dim()).prove("n + 1 > 0")
    True
    """
    return Dim(dtype, least, most)


#: What a variable may be declared as: a `Dim`, a half-open range like that of `range`, or a data type.
Declared = Union[Dim, tuple[int, int], range, str]


class Context:
    """Variables, and conditions that hold.

    Variables are given by name: `dim()` or a `Dim`, `(0, 16)` for values from 0 up to but not 16, or a data type. A name of
    which nothing is said is an `int32`. `given` are conditions that hold, `rules` more rewrite rules (paths). Expressions are
    texts, `Expr` of this module, `sympy` expressions or `tvm.tirx` ones; what comes back is of the same kind. Contexts do
    not change, and several threads may use one.

    >>> ctx = Context(n=dim(), i=(0, 16), j=(0, 4))
    >>> ctx.simplify("(i * 4 + j) // 4")
    'i'
    >>> i, j = ctx.vars("i", "j")
    >>> ctx.simplify((i * 4 + j) % 4)
    j
    """

    def __init__(
        self,
        *,
        given: Union[str, Iterable[str]] = (),
        rules: Paths = (),
        fast_math: bool = False,
        **variables: Declared,
    ) -> None:
        #: The variables by name.
        self.variables: dict[str, Dim] = {name: _declared(name, what) for name, what in variables.items()}
        #: The conditions that hold.
        self.given: tuple[str, ...] = (given,) if isinstance(given, str) else tuple(map(str, given))
        declared = [(name, var.dtype, var.least, var.most) for name, var in self.variables.items()]
        self._native = _native.Simplifier(declared, list(self.given), _paths(rules), fast_math)

    def vars(self, *names: str) -> tuple[Expr, ...]:
        """Variables as expressions, to compute with.

        >>> x, y = Context().vars("x", "y")
        >>> (x + y) // 2
        (x + y) // 2
        """
        return tuple(Expr(name) for name in names)

    def simplify(self, expr: Any) -> Any:
        """The cheapest equal expression that is found.

        Raises `ParseError` for a text that is no expression, `OptionError` for a variable without a value.

        >>> Context(x=(0, 8)).simplify("x // 8 + y")
        'y'
        """
        if isinstance(expr, str):
            return self._native.simplify(expr)
        if isinstance(expr, Expr):
            return Expr(self._native.simplify(expr.text))
        return _foreign(expr).simplify(self, expr)

    def prove(self, condition: Any) -> Optional[bool]:
        """Whether a condition always holds (`True`), never (`False`), or `None` if neither was found.

        >>> ctx = Context(i=(0, 16), given="i < n")
        >>> ctx.prove("n > 0"), ctx.prove("i == 16"), ctx.prove("i == 3")
        (True, False, None)
        """
        if isinstance(condition, (str, Expr)):
            return TRUTH.get(self._native.simplify(str(condition)))
        truth: Optional[bool] = _foreign(condition).prove(self, condition)
        return truth

    def equal(self, a: Any, b: Any) -> Optional[bool]:
        """Whether two expressions are equal for all values (`True`), for none (`False`), or `None` if neither was found.

        >>> Context().equal("(x + 1) * (x + 1)", "x * x + 2 * x + 1")
        True
        """
        return self.prove(f"({self._text(a)}) == ({self._text(b)})")

    def explain(self, expr: Any) -> str:
        """The result, and the steps that lead there with their reasons.

        >>> print(Context(x=(0, 8)).explain("(x * 4 + 3) // 4").splitlines()[0])
        x
        """
        if isinstance(expr, (str, Expr)):
            result, steps = self._native.explain(str(expr))
        else:
            result, steps = _foreign(expr).explain(self, expr)
        return f"{result}\n{steps}" if steps else f"{result}\n(nothing cheaper was found)"

    def egraph(self, expr: Any) -> EGraph:
        """All forms of an expression that are found, as a picture for notebooks; the cheapest one is marked.

        >>> Context(i=(0, 16)).egraph("(i * 4 + 3) // 4").svg.count("floordiv") > 0
        True
        """
        if isinstance(expr, (str, Expr)):
            return EGraph(*self._native.egraph(str(expr)))
        return EGraph(*_foreign(expr).egraph(self, expr))

    def _text(self, expr: Any) -> str:
        if isinstance(expr, (str, Expr)):
            return str(expr)
        text: str = _foreign(expr).text(expr)
        return text

    def __repr__(self) -> str:
        variables = ", ".join(f"{name}={var}" for name, var in self.variables.items())
        return f"<satir.Context({variables})>"


def _declared(name: str, what: Declared) -> Dim:
    if isinstance(what, Dim):
        return what
    if isinstance(what, str):
        return Dim(what)
    if isinstance(what, range) and what.step == 1:
        return Dim("int32", what.start, what.stop - 1)
    if isinstance(what, tuple) and len(what) == 2:
        return Dim("int32", what[0], what[1] - 1)
    raise OptionError(f"{name} must be a Dim, a pair of bounds or a data type, not {what!r}")


#: The modules that know expressions of other packages, by class: to find one takes longer than the rest of a short call.
_KNOWN: dict[type, Any] = {}


def _foreign(expr: Any) -> Any:
    """The module that knows expressions of this kind."""
    known = _KNOWN.get(type(expr))
    if known is None:
        known = _KNOWN[type(expr)] = _module_for(expr)
    return known


def _module_for(expr: Any) -> Any:
    package = type(expr).__module__.partition(".")[0]
    # First: to ask an object of TVM for an attribute that it has not takes a millisecond.
    if package == "tvm":
        from .tvm import expressions

        return expressions
    if isinstance(expr, (int, bool)) or package == "sympy" or hasattr(expr, "free_symbols"):
        from . import _sympy

        return _sympy
    raise TypeError(f"expected a text, a satir.Expr, or an expression of sympy or tvm.tirx, not {type(expr).__name__}")


class Expr:
    """An expression as a text, with Python's operators. `//` and `%` round down, as in Python; `/` is for floats.

    >>> x, y = Context().vars("x", "y")
    >>> Expr.min(x, y + 1) * 2
    T.min(x, y + 1) * 2
    >>> -(x + 1)
    0 - (x + 1)
    """

    __slots__ = ("text",)

    #: The expression as TVMScript.
    text: str

    def __init__(self, text: Any) -> None:
        self.text = str(text)

    @staticmethod
    def min(a: Any, b: Any) -> Expr:
        """The smaller one.

        >>> Expr.min("x", 3)
        T.min(x, 3)
        """
        return Expr(f"T.min({a}, {b})")

    @staticmethod
    def max(a: Any, b: Any) -> Expr:
        """The larger one.

        >>> Expr.max("x", 3)
        T.max(x, 3)
        """
        return Expr(f"T.max({a}, {b})")

    @staticmethod
    def select(condition: Any, then: Any, otherwise: Any) -> Expr:
        """One of two values.

        >>> Expr.select("x < 3", "x", 3)
        T.Select(x < 3, x, 3)
        """
        return Expr(f"T.Select({condition}, {then}, {otherwise})")

    def __add__(self, other: Any) -> Expr:
        return _infix(self, "+", other)

    def __radd__(self, other: Any) -> Expr:
        return _infix(other, "+", self)

    def __sub__(self, other: Any) -> Expr:
        return _infix(self, "-", other)

    def __rsub__(self, other: Any) -> Expr:
        return _infix(other, "-", self)

    def __mul__(self, other: Any) -> Expr:
        return _infix(self, "*", other)

    def __rmul__(self, other: Any) -> Expr:
        return _infix(other, "*", self)

    def __truediv__(self, other: Any) -> Expr:
        return _infix(self, "/", other)

    def __floordiv__(self, other: Any) -> Expr:
        return _infix(self, "//", other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return _infix(other, "//", self)

    def __mod__(self, other: Any) -> Expr:
        return _infix(self, "%", other)

    def __rmod__(self, other: Any) -> Expr:
        return _infix(other, "%", self)

    def __neg__(self) -> Expr:
        return _infix(0, "-", self)

    def __lt__(self, other: Any) -> Expr:
        return _infix(self, "<", other)

    def __le__(self, other: Any) -> Expr:
        return _infix(self, "<=", other)

    def __gt__(self, other: Any) -> Expr:
        return _infix(self, ">", other)

    def __ge__(self, other: Any) -> Expr:
        return _infix(self, ">=", other)

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return _infix(self, "==", other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return _infix(self, "!=", other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> Expr:
        return _infix(self, "and", other)

    def __or__(self, other: Any) -> Expr:
        return _infix(self, "or", other)

    def __invert__(self) -> Expr:
        return Expr(f"not ({self})")

    def __bool__(self) -> bool:
        raise TypeError("the truth of an expression is not known: use Context.prove; for `and`, `or` and `not` write &, | and ~")

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def _infix(a: Any, sign: str, b: Any) -> Expr:
    return Expr(f"{_operand(a)} {sign} {_operand(b)}")


def _operand(e: Any) -> str:
    text = str(e)
    simple = text.isidentifier() or text.isdecimal() or (text.startswith("T.") and _is_one_call(text))
    return text if simple else f"({text})"


def _is_one_call(text: str) -> bool:
    """Whether the first parenthesis closes at the end."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return at == len(text) - 1
    return False
