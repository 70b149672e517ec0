"""Runs candidates in a process of its own, so that a crash there is one there.

    python -m satir.tvm.trial < JOB

A job is a line of JSON: the name of the function, the text of each candidate, the values of sizes. The answer is a line of JSON with
the seconds of a call of each, or notes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

import tvm

__all__ = ["times"]

#: Rounds in which all candidates run in turn; the least time of each counts.
ROUNDS = 9

#: Seconds that the calls of a candidate in one round take at least, and that a process takes at most.
LEAST, MOST = 0.002, 300


def times(candidates: Mapping[str, tvm.IRModule], name: str, binds: Mapping[str, int], notes: list[str]) -> dict[str, float]:
    """Seconds of a call of each candidate whose text TVM reads back, and which computes what the last of them does. The
    last is the input."""
    job = {"name": name, "binds": dict(binds), "candidates": {c: module.script() for c, module in candidates.items()}}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "satir.tvm.trial"], input=json.dumps(job), capture_output=True, text=True, timeout=MOST
        )
    except subprocess.TimeoutExpired:
        notes.append(f"the run took more than {MOST} s")
        return {}
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        notes.append(f"the run ended with {done.returncode}: {last[-300:]}")
        return {}
    answer = json.loads(done.stdout)
    notes += answer["notes"]
    return dict(answer["times"])


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a job."""
    import numpy as np
    from tvm.script import from_source

    from . import machine

    name, notes = job["name"], []
    kernels: dict[str, Any] = {}
    arguments: list[tuple[Any, Any]] = []
    # The input comes last; it goes first, since the others are compared with it.
    for candidate, text in reversed(list(job["candidates"].items())):
        try:
            module = from_source(text)
            if not kernels:
                arguments = _arguments(module[name], job["binds"])
            kernels[candidate] = machine.built(module, name)[name]
        except _NotBound as error:
            return {"times": {}, "notes": [str(error)]}
        except Exception as error:  # one candidate must not stop the others
            notes.append(f"{candidate}: {str(error).strip()[-300:]}")
            if not kernels:
                # Without the input there is nothing to compare with.
                return {"times": {}, "notes": notes}
    expected = None
    calls: dict[str, int] = {}
    for candidate in list(kernels):
        _restore(arguments)
        start = time.perf_counter()
        kernels[candidate](*(tensor for tensor, _ in arguments))
        calls[candidate] = max(1, int(LEAST / max(time.perf_counter() - start, 1e-7)))
        found = [tensor.numpy() for tensor, array in arguments if array is not None]
        if expected is None:
            expected = found
        elif not all(_agree(np, a, b) for a, b in zip(expected, found)):
            notes.append(f"{candidate} computes something else than the input")
            del kernels[candidate]
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        for candidate, kernel in kernels.items():
            _restore(arguments)
            tensors = [tensor for tensor, _ in arguments]
            start = time.perf_counter()
            for _ in range(calls[candidate]):
                kernel(*tensors)
            took = (time.perf_counter() - start) / calls[candidate]
            least[candidate] = min(took, least.get(candidate, took))
    return {"times": least, "notes": notes}


class _NotBound(Exception):
    """A size has no value."""


def _arguments(func: Any, binds: Mapping[str, int]) -> list[tuple[Any, Any]]:
    """Per parameter a tensor with its contents, or a number and nothing."""
    import numpy as np

    random = np.random.default_rng(1)
    result: list[tuple[Any, Any]] = []
    for param in func.params:
        if not isinstance(param.ty, tvm.tirx.BufferType):
            if param.name not in binds:
                raise _NotBound(f"{param.name} has no value in binds")
            result.append((binds[param.name], None))
            continue
        shape = tuple(_size(dim, binds) for dim in param.shape)
        dtype = str(param.dtype)
        # Integers may be indices: 0 is one wherever there is an element.
        array = random.uniform(-1, 1, shape).astype(dtype) if dtype.startswith("float") else np.zeros(shape, dtype)
        result.append((tvm.runtime.tensor(array), array))
    return result


def _size(dim: Any, binds: Mapping[str, int]) -> int:
    """The value of a dimension."""
    from tvm.tirx.analysis import undefined_vars

    if isinstance(dim, int):
        return dim
    analyzer = tvm.sym.Analyzer()
    for var in undefined_vars(dim):
        if var.name not in binds:
            raise _NotBound(f"{var.name} has no value in binds")
        analyzer.bind(var, tvm.tirx.IntImm(str(var.ty), binds[var.name]))
    return int(analyzer.simplify(dim))


def _restore(arguments: list[tuple[Any, Any]]) -> None:
    """The contents of the beginning."""
    for tensor, array in arguments:
        if array is not None:
            tensor.copyfrom(array)


def _agree(np: Any, one: Any, other: Any) -> bool:
    """Whether two results are the same, floats up to rounding."""
    if one.dtype.kind in "fV":
        return bool(np.allclose(one.astype("float64"), other.astype("float64"), rtol=1e-5, atol=1e-6, equal_nan=True))
    return bool(np.array_equal(one, other))


def main() -> None:
    # What TVM prints goes to standard error: standard output has the answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answers.write(json.dumps(run(json.load(sys.stdin))) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
