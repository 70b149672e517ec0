"""satir in the place of TVM's own passes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any, Callable, Optional, Union

import tvm
from tvm import tirx
from tvm.tirx import compilation_pipeline

from .choose import Choose, Measure
from .passes import LOGGER, Optimize, SemanticCSE

__all__ = ["initializer", "install", "register_pipeline", "use"]


@contextlib.contextmanager
def use(level: Optional[int] = None, *, choose: Union[None, str, Measure] = None, **options: Any) -> Iterator[Any]:
    """Inside of the `with`, TVM's pipelines call satir where they would call `CommonSubexprElim`.

    Gives the pass that they call: `SemanticCSE`, with `level` all that satir does at that level (`Optimize`), or with
    `choose` what is best of several treatments (`Choose`). Pipelines look the pass up when they run, so that one which was
    made before is swapped as well; what other threads build meanwhile is, too. MetaSchedule builds in worker processes: a
    `LocalBuilder` that is made inside of the `with` takes satir along to them, unless it is given an `initializer`, which
    is told.

    >>> import tvm, satir.tvm
    >>> with satir.tvm.use(level=2) as swap:
    ...     tvm.tirx.transform.CommonSubexprElim() is swap
    True
    """
    if choose is not None:
        options["choose"] = choose
    swap = _swap(level, options)
    before = tirx.transform.CommonSubexprElim
    tirx.transform.CommonSubexprElim = lambda: swap
    try:
        with _builders(initializer(level, **options)):
            yield swap
    finally:
        tirx.transform.CommonSubexprElim = before


def install(level: Optional[int] = None, **options: Any) -> Any:
    """Puts satir in the place of `CommonSubexprElim` for the rest of the process; gives the pass.

    >>> import satir.tvm, tvm
    >>> before = tvm.tirx.transform.CommonSubexprElim
    >>> satir.tvm.install(mode="syntactic") is tvm.tirx.transform.CommonSubexprElim()
    True
    >>> tvm.tirx.transform.CommonSubexprElim = before
    """
    swap = _swap(level, options)
    tirx.transform.CommonSubexprElim = lambda: swap
    return swap


def initializer(level: Optional[int] = None, **options: Any) -> Callable[[], None]:
    """What a worker process runs to have satir: for `LocalBuilder(initializer=…)` and pools of processes.

    >>> import pickle, satir.tvm
    >>> callable(pickle.loads(pickle.dumps(satir.tvm.initializer(binds={"n": 64}))))
    True
    """
    return functools.partial(_install, level, options)


def _install(level: Optional[int], options: dict[str, Any]) -> None:
    install(level, **options)


def register_pipeline(name: str = "satir", base: str = "default", level: Optional[int] = None, **options: Any) -> None:
    """Registers a pipeline for `tvm.compile(…, tir_pipeline=name)`: the one named `base`, with satir in it.

    >>> import tvm, satir.tvm
    >>> satir.tvm.register_pipeline("satir_example")
    >>> len(tvm.tirx.get_tir_pipeline("satir_example"))
    3
    """

    def factory() -> tuple[Any, Any, Any]:
        pipeline, finalize_host, finalize_device = compilation_pipeline.get_tir_pipeline(base)

        @tvm.transform.module_pass(opt_level=0, name=f"{name}_pipeline")
        def swapped(module: tvm.IRModule, _context: Any) -> tvm.IRModule:
            with use(level, **options):
                return pipeline(module)

        return swapped, finalize_host, finalize_device

    compilation_pipeline.register_tir_pipeline(name, factory)


def _swap(level: Optional[int], options: dict[str, Any]) -> Any:
    if options.get("choose") is not None:
        others = {name: value for name, value in options.items() if name != "choose"}
        return Choose(options["choose"], level=level, **others)
    whole = level is not None or options.get("passes") is not None
    return Optimize(level=level, **options) if whole else SemanticCSE(**options)


@contextlib.contextmanager
def _builders(start: Callable[[], None]) -> Iterator[None]:
    """Builders of MetaSchedule that are made inside of the `with` start their workers with this."""
    import sys

    # Not imported for this: who builds in worker processes has imported it.
    local = sys.modules.get("tvm.s_tir.meta_schedule.builder.local_builder")
    builder = getattr(local, "LocalBuilder", None)
    if builder is None:
        yield
        return
    before = builder.__init__

    @functools.wraps(before)
    def init(self: Any, *, initializer: Optional[Callable[[], None]] = None, **arguments: Any) -> None:
        if initializer is not None:
            LOGGER.warning("a builder has an initializer of its own: its workers run TVM's CommonSubexprElim")
        before(self, initializer=initializer or start, **arguments)

    builder.__init__ = init
    try:
        yield
    finally:
        builder.__init__ = before
