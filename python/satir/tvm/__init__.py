"""satir in Apache TVM 0.27.

    with satir.tvm.use():                      # in the place of TVM's CommonSubexprElim
        built = tvm.compile(module, target="llvm")

    with satir.tvm.use(choose="run", binds={"n": 64}):   # the fastest of several treatments
        built = tvm.compile(module, target="llvm")

    module = satir.tvm.SemanticCSE(binds={"n": 64})(module)   # a pass of its own

    with satir.tvm.PassContext(config={"satir.level": 2}), satir.tvm.use():
        built = tvm.compile(module, target="llvm")

Functions go over as objects, without text: what satir leaves alone keeps its identity, with spans and attributes. Functions
with something that is not known there go as TVMScript. All options of `satir.Options` are taken, and besides

- `on_error="raise"` or `"tvm"`: run TVM's own pass where satir cannot be used. Each time a warning is logged (logger
  `satir.tvm`) and the reason is kept in `fallbacks`.
- `via="objects"` or `"text"`: how functions go over.
- `verify=False`: go both ways and compare the results.
"""

from ..errors import SatirError, UnsupportedModule
from .choose import Choice, Choose
from .config import PassContext
from .convert import optimize, simplify
from .padding import cache_read, cache_write, choose_padding, link, sequential_access, transform_layout
from .passes import Optimize, SemanticCSE
from .swap import initializer, install, register_pipeline, use
from .tensors import Shared, tensor_cse

__all__ = [
    "Choice",
    "Choose",
    "Optimize",
    "PassContext",
    "SatirError",
    "SemanticCSE",
    "Shared",
    "UnsupportedModule",
    "cache_read",
    "cache_write",
    "choose_padding",
    "initializer",
    "install",
    "link",
    "optimize",
    "register_pipeline",
    "sequential_access",
    "simplify",
    "tensor_cse",
    "transform_layout",
    "use",
]
