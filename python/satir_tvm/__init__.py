"""The old name of `satir.tvm`. It goes in the next version."""

import warnings

from satir.errors import SatirError, UnsupportedModule
from satir.tvm import SemanticCSE, register_pipeline, use

# What the program refused; there is no program any more, so that each refusal has a class of its own.
SatirFailed = SatirError

__all__ = ["SatirError", "SatirFailed", "SemanticCSE", "UnsupportedModule", "register_pipeline", "use"]

warnings.warn("satir_tvm is now satir.tvm; the old name goes in the next version", DeprecationWarning, stacklevel=2)
