"""satir as a pass of Apache TVM: common subexpression elimination by meaning.

    with satir_tvm.use():
        built = tvm.compile(module, target="llvm")

puts it in the place of TVM's own ``tirx.transform.CommonSubexprElim``; ``SemanticCSE()`` is the pass by itself.
"""

from .binary import SatirError, SatirFailed, SatirNotFound
from .passes import SemanticCSE, UnsupportedModule
from .swap import register_pipeline, use

__all__ = [
    "SatirError",
    "SatirFailed",
    "SatirNotFound",
    "SemanticCSE",
    "UnsupportedModule",
    "register_pipeline",
    "use",
]
