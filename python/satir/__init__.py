"""satir: an optimizer for tensor programs by equality saturation, in process.

`optimize` takes programs as TVMScript, `Context` single expressions, `satir.rules` rewrite rules; `satir.tvm` puts it into
Apache TVM. The program `satir` comes along, and as `python -m satir`.

    >>> import satir
    >>> text = '''@T.prim_func
    ... def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    ...     A[x * 3 + y] = y + x * 3
    ... '''
    >>> print(satir.optimize(text, index_bits=32).text.splitlines()[-1].strip())
    A[cse_v1] = cse_v1
"""

from typing import Any, Optional

from . import rules
from ._native import Optimizer as _Optimizer
from ._native import __version__
from .context import Context, Dim, Expr, dim
from .errors import (
    SatirBug,
    InvalidProgram,
    OptionError,
    ParseError,
    RulesError,
    SatirError,
    UnsupportedModule,
    ValidationError,
)
from .options import Options
from .picture import EGraph
from .report import Report, Result

__all__ = [
    "Context",
    "Dim",
    "EGraph",
    "Expr",
    "SatirBug",
    "InvalidProgram",
    "OptionError",
    "Options",
    "ParseError",
    "Report",
    "Result",
    "RulesError",
    "SatirError",
    "UnsupportedModule",
    "ValidationError",
    "__version__",
    "dim",
    "egraph",
    "optimize",
    "rules",
]


def optimize(text: str, *, name: str = "<text>", **options: Any) -> Result:
    """Optimizes a program.

    `text` is TVMScript as Apache TVM 0.27 prints it, `name` the name of its source for messages; the options are those of
    `Options`. Other threads run meanwhile, and Ctrl-C ends it.

    Raises `ParseError`, `InvalidProgram`, `OptionError`, `RulesError` or `ValidationError`.

    >>> result = optimize("@T.prim_func\\ndef main(A: T.Buffer((9,)), x: T.int32):\\n    A[x - x] = A[x]\\n", level=1)
    >>> print(result.text.splitlines()[-1].strip())
    A[0] = A[x]
    """
    optimized, report = _Optimizer(Options.of(options).json()).run_text(text, name)
    return Result(optimized, Report(report))


def egraph(text: str, *, function: Optional[str] = None, name: str = "<text>", **options: Any) -> EGraph:
    """The e-graph of a function of a program, once it is saturated, as a picture for notebooks.

    `function` names one if there are several; the other arguments are those of `optimize`.

    >>> egraph("@T.prim_func\\ndef main(A: T.Buffer((9,), 'int32'), x: T.int32):\\n    A[x] = x * 4 // 4\\n").data.keys()
    dict_keys(['nodes', 'root_eclasses', 'class_data'])
    """
    return EGraph(*_Optimizer(Options.of(options).json()).egraph(text, name, function))
