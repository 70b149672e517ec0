"""What LLVM makes of a function that has come as far as `CommonSubexprElim`, and an estimate of how much that is to run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Optional

import tvm
from tvm import s_tir, tirx

from .flow import loop_depths

__all__ = ["built", "estimate", "estimates", "unsuited"]

#: How often a loop is taken to run.
TRIPS = 8

_LABEL = re.compile(r"^([\w.$\"-]+):")
_JUMP = re.compile(r"label %([\w.$\"-]+)")


def unsuited(func: Any) -> Optional[str]:
    """Why a function is not measured; nothing if it can be."""
    target = func.attrs.get("target") if func.attrs else None
    if target is None:
        return "the function has no target"
    if target.kind.name != "llvm":
        return f"the target is {target.kind.name}, not a CPU's"
    return None


def built(module: tvm.IRModule, name: str) -> Any:
    """A module of one function, compiled by what follows `CommonSubexprElim` in TVM's pipeline for CPUs."""
    func = module[name]
    if not (func.attrs and func.attrs.get("global_symbol")):
        func = func.with_attr("global_symbol", name)
    target = func.attrs["target"]
    if target.host is None:
        func = func.with_attr("target", tvm.target.Target(target, host=target))
    rest = [
        tirx.transform.FP8ComputeLegalize(),
        tirx.transform.VerifyMemory(),
        tirx.transform.AnnotateEntryFunc(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        tirx.transform.FP8StorageLegalize(),
        tirx.transform.BF16StorageLegalize(),
        s_tir.pipeline.finalize_host_passes(),
    ]
    lowered = tvm.ir.transform.Sequential(rest)(tvm.IRModule({name: func}))
    return tvm.get_global_func("target.build.llvm")(lowered, target)


def estimates(candidates: Mapping[str, tvm.IRModule], name: str, notes: list[str]) -> dict[str, float]:
    """An estimate for each candidate that compiles; the others are noted."""
    found = {}
    for candidate, module in candidates.items():
        try:
            found[candidate] = estimate(built(module, name).inspect_source("ll"))
        except Exception as error:  # TVM has no exception of its own for this
            notes.append(f"{candidate}: {str(error).strip()[-300:]}")
    return found


def estimate(text: str) -> float:
    """The instructions of LLVM's optimized code, each weighted by the loops around it. Functions that others call are
    counted once, for what TVM makes of a kernel calls each of its parts once.

    >>> estimate('''define i32 @f(i32 %n) {
    ... entry:
    ...   br label %loop
    ... loop:
    ...   %c = icmp eq i32 %n, 0
    ...   br i1 %c, label %end, label %loop
    ... end:
    ...   ret i32 0
    ... }''')
    18.0
    """
    total = 0.0
    for body in re.findall(r"^define [^\n]*\{\n(.*?)^\}", text, flags=re.MULTILINE | re.DOTALL):
        sizes, after = _blocks(body)
        depths = loop_depths(next(iter(after)), after)
        total += sum(size * TRIPS ** depths[block] for block, size in sizes.items() if block in depths)
    return total


def _blocks(body: str) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Of each basic block its instructions, and the blocks that may follow."""
    block = "entry"
    sizes: dict[str, int] = {block: 0}
    after: dict[str, list[str]] = {block: []}
    first = True
    for line in body.splitlines():
        if label := _LABEL.match(line):
            if not (first and sizes[block] == 0):
                block = label.group(1)
            else:
                sizes, after, block = {label.group(1): 0}, {label.group(1): []}, label.group(1)
            first = False
            sizes.setdefault(block, 0)
            after.setdefault(block, [])
            continue
        code = line.strip()
        after[block] += _JUMP.findall(code)
        # What is written over several lines (a switch) counts once; phi and markers are no instructions.
        if code and line.startswith("  ") and not line.startswith("    ") and code[0] not in ";]#":
            if " = phi " not in code and "llvm.dbg" not in code and "llvm.assume" not in code and "llvm.lifetime" not in code:
                sizes[block] += 1
    return sizes, after
