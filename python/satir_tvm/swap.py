"""satir in the place of TVM's own pass."""

import contextlib

import tvm
from tvm import tirx
from tvm.tirx import compilation_pipeline

from .passes import SemanticCSE


@contextlib.contextmanager
def use(**options):
    """Inside of the `with`, TVM's pipelines call satir where they would call `CommonSubexprElim`.

    Gives the [`SemanticCSE`][satir_tvm.SemanticCSE] that they call. Pipelines look the pass up when they run, so that
    one which was made before is swapped as well; what other threads build meanwhile is, too.
    """
    swap = SemanticCSE(**options)
    before = tirx.transform.CommonSubexprElim
    tirx.transform.CommonSubexprElim = lambda: swap.as_pass
    try:
        yield swap
    finally:
        tirx.transform.CommonSubexprElim = before


def register_pipeline(name="satir", base="default", **options):
    """Registers a pipeline for `tvm.compile(…, tir_pipeline=name)`: the one named `base`, with satir in it."""

    def factory():
        pipeline, finalize_host, finalize_device = compilation_pipeline.get_tir_pipeline(base)

        @tvm.transform.module_pass(opt_level=0, name=f"{name}_pipeline")
        def swapped(module, _context):
            with use(**options):
                return pipeline(module)

        return swapped, finalize_host, finalize_device

    compilation_pipeline.register_tir_pipeline(name, factory)
