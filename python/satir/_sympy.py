"""Expressions of sympy, as PyTorch Inductor and others write them."""

from __future__ import annotations

import keyword
import operator
from typing import TYPE_CHECKING, Any, Callable, Optional

import sympy

from ._text import TRUTH, convert
from .errors import ParseError

if TYPE_CHECKING:
    from .context import Context

__all__ = ["egraph", "explain", "prove", "simplify", "text"]

#: A variable for the extension module: name, data type, the least and the most of its values.
Variable = tuple[str, str, Optional[int], Optional[int]]


def simplify(context: Context, expr: Any) -> Any:
    """The cheapest equal expression, over the same symbols, with the functions of PyTorch if the expression has some."""
    writer = _Writer()
    written = writer.write(sympy.sympify(expr))
    return convert(context._native.simplify(written, writer.signs(context)), _Sympy(writer))


def prove(context: Context, condition: Any) -> Optional[bool]:
    """Whether a condition always holds, never (`False`), or neither was found (`None`)."""
    writer = _Writer()
    written = writer.write(sympy.sympify(condition))
    return TRUTH.get(context._native.simplify(written, writer.signs(context)))


def explain(context: Context, expr: Any) -> tuple[str, str]:
    """The result as TVMScript, and the steps that lead there."""
    writer = _Writer()
    written = writer.write(sympy.sympify(expr))
    return context._native.explain(written, writer.signs(context))


def egraph(context: Context, expr: Any) -> tuple[str, str, str]:
    """The e-graph, in all ways in which it is drawn."""
    writer = _Writer()
    written = writer.write(sympy.sympify(expr))
    return context._native.egraph(written, writer.signs(context))


def text(expr: Any) -> str:
    """The expression as TVMScript. All symbols are taken for integers.

    >>> from sympy import Mod, floor, symbols
    >>> x, y = symbols("x y", integer=True)
    >>> text(floor(x / 4) * 3)
    '(3 * (x // 4))'
    """
    return _Writer().write(sympy.sympify(expr))


class _Writer:
    """Writes expressions as TVMScript, and keeps what it takes to write them back."""

    def __init__(self) -> None:
        #: The symbols by the names that they have in the text.
        self.symbols: dict[str, Any] = {}
        #: The classes of other projects that occur, by name.
        self.classes: dict[str, Any] = {}

    def signs(self, context: Context) -> list[Variable]:
        """What sympy knows of symbols of which the context says nothing."""
        known = []
        for name, symbol in self.symbols.items():
            if name not in context.variables:
                least = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None
                most = -1 if symbol.is_negative else 0 if symbol.is_nonpositive else None
                if least is not None or most is not None:
                    known.append((name, "int32", least, most))
        return known

    def write(self, expr: Any) -> str:
        """The expression as TVMScript."""
        kind = type(expr)
        write = _WRITERS.get(kind)
        if write is None:
            write = _writer(kind)
        return write(self, expr)

    def all(self, exprs: Any) -> list[str]:
        return [self.write(expr) for expr in exprs]

    def symbol(self, symbol: Any) -> str:
        name = str(symbol.name)
        if symbol.is_integer is False:
            raise ParseError(f"{name} is no integer")
        if not name.isidentifier() or keyword.iskeyword(name) or name == "T":
            # The address tells symbols of one name apart.
            name = f"symbol_{id(symbol):x}"
        if self.symbols.setdefault(name, symbol) != symbol:
            raise ParseError(f"two symbols are named {name}")
        return name

    def power(self, expr: Any) -> str:
        if expr.exp.is_Integer and 0 < expr.exp <= 16:
            return "(" + " * ".join([self.write(expr.base)] * int(expr.exp)) + ")"
        raise ParseError(f"{expr} is no product of integers")

    def quotient(self, expr: Any) -> tuple[str, Any]:
        """A quotient as the text of its numerator, and its denominator."""
        above, below = [], []
        for factor in sympy.Mul.make_args(expr):
            if factor.is_Rational:
                above.append(sympy.Integer(factor.p))
                below.append(sympy.Integer(factor.q))
            elif factor.is_Pow and factor.exp.is_Integer and factor.exp.is_negative:
                below.append(factor.base**-factor.exp)
            elif factor.is_Add:
                break
            else:
                above.append(factor)
        else:
            return self.write(sympy.Mul(*above)), sympy.Mul(*below)
        numerator, denominator = sympy.fraction(sympy.together(expr))
        return self.write(numerator), denominator

    def floor(self, expr: Any) -> str:
        above, denominator = self.quotient(expr.args[0])
        return above if denominator == 1 else f"({above} // {self.write(denominator)})"

    def ceiling(self, expr: Any) -> str:
        above, denominator = self.quotient(expr.args[0])
        below = self.write(denominator)
        if denominator.is_Integer and denominator > 0:
            return above if denominator == 1 else f"(({above} + {int(denominator) - 1}) // {below})"
        return f"(0 - (0 - {above}) // {below})"

    def piecewise(self, expr: Any) -> str:
        *pieces, (last, condition) = expr.args
        if condition != sympy.true:
            raise ParseError(f"{expr} has no value for some arguments")
        result = self.write(last)
        for value, condition in reversed(pieces):
            result = f"T.Select({self.write(condition)}, {self.write(value)}, {result})"
        return result

    def extreme(self, name: str, expr: Any) -> str:
        first, *rest = self.all(expr.args)
        for arg in rest:
            first = f"T.{name}({first}, {arg})"
        return first

    def named(self, expr: Any) -> str:
        """A function of another project."""
        name = type(expr).__name__
        if name in ("Min", "Max"):
            written = self.extreme(name.lower(), expr)
        elif name in ("LShift", "RShift") and expr.args[1].is_Integer and 0 <= expr.args[1] < 31:
            written = f"({self.write(expr.args[0])} {'*' if name == 'LShift' else '//'} {2 ** int(expr.args[1])})"
        elif name in _NAMED and len(expr.args) == _NAMED[name][0]:
            written = _NAMED[name][1].format(*self.all(expr.args))
        else:
            raise ParseError(f"{name} of sympy is not known: {expr}")
        self.classes[name] = type(expr)
        return written


#: Functions of other projects by name, with the number of their arguments: PyTorch's.
_NAMED = {
    "FloorDiv": (2, "({0} // {1})"),
    "CleanDiv": (2, "({0} // {1})"),
    "CeilDiv": (2, "(0 - (0 - {0}) // {1})"),
    "Mod": (2, "({0} % {1})"),
    "PythonMod": (2, "({0} % {1})"),
    "ModularIndexing": (3, "(({0} // {1}) % {2})"),
    "Where": (3, "T.Select({0}, {1}, {2})"),
    "Identity": (1, "{0}"),
}

Write = Callable[[_Writer, Any], str]


def _infix(sign: str) -> Write:
    return lambda writer, expr: "(" + f" {sign} ".join(writer.all(expr.args)) + ")"


def _integer(_writer: _Writer, expr: Any) -> str:
    value = int(expr)
    return str(value) if value >= 0 else f"({value})"


#: By class; the first that an expression is an instance of counts.
_CLASSES: list[tuple[Any, Write]] = [
    (sympy.Symbol, _Writer.symbol),
    (sympy.Integer, _integer),
    (sympy.Add, _infix("+")),
    (sympy.Mul, _infix("*")),
    (sympy.Pow, _Writer.power),
    (sympy.floor, _Writer.floor),
    (sympy.ceiling, _Writer.ceiling),
    (sympy.Mod, _infix("%")),
    (sympy.Min, lambda writer, expr: writer.extreme("min", expr)),
    (sympy.Max, lambda writer, expr: writer.extreme("max", expr)),
    (sympy.Abs, lambda writer, expr: "T.max({0}, 0 - {0})".format(writer.write(expr.args[0]))),
    (sympy.Piecewise, _Writer.piecewise),
    (sympy.logic.boolalg.BooleanTrue, lambda _writer, _expr: "T.bool(True)"),
    (sympy.logic.boolalg.BooleanFalse, lambda _writer, _expr: "T.bool(False)"),
    (sympy.core.relational.Relational, lambda writer, expr: f"({writer.write(expr.lhs)} {expr.rel_op} {writer.write(expr.rhs)})"),
    (sympy.And, _infix("and")),
    (sympy.Or, _infix("or")),
    (sympy.Not, lambda writer, expr: f"(not {writer.write(expr.args[0])})"),
]

#: What was found for classes that occurred.
_WRITERS: dict[type, Write] = {}


def _writer(kind: type) -> Write:
    found = next((write for known, write in _CLASSES if issubclass(kind, known)), _Writer.named)
    _WRITERS[kind] = found
    return found


class _Sympy:
    """How sympy builds expressions."""

    functions = {
        "Select": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
        "if_then_else": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
        "bool": sympy.sympify,
        "int64": lambda value: value,
    }

    def __init__(self, writer: _Writer) -> None:
        self.symbols = writer.symbols
        self.classes = writer.classes
        extremes = {name.lower(): self.classes.get(name, getattr(sympy, name)) for name in ("Min", "Max")}
        self.functions = {**_Sympy.functions, **extremes}
        self.operators: dict[str, Callable[..., Any]] = {
            "Add": operator.add,
            "Sub": operator.sub,
            "Mult": operator.mul,
            "FloorDiv": self.floor_div,
            "Mod": self.mod,
            "USub": operator.neg,
            "Eq": sympy.Eq,
            "NotEq": sympy.Ne,
            "Lt": sympy.Lt,
            "LtE": sympy.Le,
            "Gt": sympy.Gt,
            "GtE": sympy.Ge,
            "And": sympy.And,
            "Or": sympy.Or,
            "Not": sympy.Not,
        }

    def floor_div(self, a: Any, b: Any) -> Any:
        # `CleanDiv` would say that there is no remainder.
        named = self.classes.get("FloorDiv")
        return sympy.floor(a / b) if named is None else named(a, b)

    def mod(self, a: Any, b: Any) -> Any:
        modular, floor_div = self.classes.get("ModularIndexing"), self.classes.get("FloorDiv")
        if modular is not None:
            of, by = a.args if floor_div is not None and type(a) is floor_div else (a, sympy.Integer(1))
            # Its code computes the remainder as C does.
            if of.is_nonnegative and by.is_positive:
                return modular(of, by, b)
        named = self.classes.get("PythonMod", sympy.Mod)
        return named(a, b)

    def variable(self, name: str) -> Any:
        return self.symbols.get(name) or sympy.Symbol(name, integer=True)

    def constant(self, value: Any) -> Any:
        return sympy.sympify(value)
