"""How far the passes on layouts and copies get with the programs of another compiler's tests: TVM tests the primitives
transform_layout, cache_read and cache_write of its schedules with functions, before and after.

The tests come from files of a checkout of TVM of one's own, which are executed with the installed TVM; nothing of them is
kept here:

    python benches/padding/schedules.py tests/python/s_tir/schedule/test_tir_schedule_transform_layout.py --losses

What counts is a test that calls nothing but these primitives and compares what they make. satir is told the same by
`--args`. A test counts as reached if the result has the same parameters, does the same on two runs of `satir equiv`, and
its weighted integer cost, loads and stores are at most those of what TVM made; symbolic sizes are 2. Tests that TVM's
primitives refuse count as reached if satir refuses them too. Where it does not, its result is compared with the input
program, with the buffers of a function without parameters as its parameters, and the test counts apart as `beyond` if
they do the same. The exit code is 1 if a result is wrong.
"""

import argparse
import contextlib
import inspect
import json
import pathlib
import re
import sys
import tempfile
from unittest import mock

import tvm
from tvm import s_tir, tirx

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("expressions", "statements"):
    sys.path.insert(0, str(ROOT / "benches" / folder))

import pairs  # noqa: E402
import tables  # noqa: E402

PRIMITIVES = ("transform_layout", "cache_read", "cache_write")

# What may stand between them without a change of the program.
HARMLESS = ("get_sblock", "get_block", "get", "get_loops", "get_producers", "get_consumers", "show")


class Call:
    """What one schedule was told: the module that it began with, and what satir is to be told."""

    def __init__(self, schedule):
        self.before = schedule.mod["main"]
        self.passes = []
        self.args = []
        self.strange = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, nargs="+")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    parser.add_argument("--losses", action="store_true", help="print the tests that are not reached")
    options = parser.parse_args()
    wrong = False
    for path in options.file:
        tests = read_tests(path)
        found = [(name, *outcome(options.satir, call, goal)) for name, call, goal in tests]
        kinds = [kind for _, kind, _ in found]
        wrong |= "wrong" in kinds
        share = 100 * kinds.count("reached") / max(len(kinds), 1)
        print(
            f"{path.name}: {kinds.count('reached')} of {len(kinds)} reached ({share:.1f} %), {kinds.count('wrong')} wrong; "
            f"{kinds.count('beyond')} that TVM refuses done right"
        )
        for name, kind, why in found:
            if kind == "wrong" or (options.losses and kind != "reached"):
                print(f"  {name}: {kind}: {why}")
    return int(wrong)


def read_tests(path):
    """The tests of a file: name, what the schedule was told, and what TVM made of it (nothing where it refuses)."""
    found, calls = [], {}
    originals = {name: getattr(s_tir.Schedule, name) for name in PRIMITIVES}

    def primitive(name):
        signature = inspect.signature(originals[name])

        def told(schedule, *args, **kwargs):
            call = calls.setdefault(schedule, Call(schedule))
            bound = signature.bind(schedule, *args, **kwargs)
            bound.apply_defaults()
            refused = None
            try:
                request = REQUESTS[name](schedule, bound.arguments)
            except Exception as why:
                request, call.strange = None, tables.last_line(why)
            try:
                return originals[name](schedule, *args, **kwargs)
            except Exception as why:
                refused = why
                raise
            finally:
                if request is not None:
                    call.passes.append(name.replace("_", "-"))
                    call.args.append(request)
                if refused is not None:
                    found.append((current[0], call, None))

        return told

    def compare(*_, **__):
        for schedule, call in calls.items():
            found.append((current[0], call, schedule.mod["main"]))
        calls.clear()

    def other(name, original):
        def told(schedule, *args, **kwargs):
            calls.setdefault(schedule, Call(schedule)).strange = f"`{name}` is called too"
            return original(schedule, *args, **kwargs)

        return told

    current = [""]
    with contextlib.ExitStack() as patches:
        for name, original in list(vars(s_tir.Schedule).items()):
            if name.startswith("_") or not callable(original) or name in HARMLESS:
                continue
            made = primitive(name) if name in PRIMITIVES else other(name, original)
            patches.enter_context(mock.patch.object(s_tir.Schedule, name, made))
        patches.enter_context(mock.patch.object(tvm.ir, "assert_structural_equal", compare))
        names = tables.execute(path)
        names["assert_structural_equal_ignore_global_symbol"] = compare
        names["verify_trace_roundtrip"] = lambda *_, **__: None
        for name, test in list(names.items()):
            if not name.startswith("test_") or not callable(test):
                continue
            cases = getattr(test, "cases", [()])
            if "use_block_name" in inspect.signature(test).parameters:
                cases = [(True,)]
            elif "dtype" in inspect.signature(test).parameters:
                cases = [("int32",)]
            for case in cases:
                calls.clear()
                current[0] = f"{name}{list(case) if case else ''}"
                try:
                    test(*case)
                except Exception as why:
                    print(f"{current[0]}: {tables.last_line(why)}", file=sys.stderr)
    return [(name, call, goal) for name, call, goal in found if call.strange is None and call.passes]


def block_of(schedule, block):
    return schedule.get(schedule.get_sblock(block) if isinstance(block, str) else block)


def buffer_of(schedule, block, wanted, regions):
    if isinstance(wanted, str):
        return wanted
    if isinstance(wanted, int):
        return getattr(block_of(schedule, block), regions)[wanted].source.name
    return wanted.name


def layout_request(schedule, told):
    """What `transform-layout` is told."""
    block, wanted = told["block"], told["buffer"]
    if isinstance(wanted, tuple):
        kind, at = wanted
        name = buffer_of(schedule, block, at, {"read": "reads", "write": "writes"}[kind])
    else:
        name = buffer_of(schedule, block, wanted, "reads")
    regions = [*block_of(schedule, block).reads, *block_of(schedule, block).writes]
    rank = next(len(region.source.shape) for region in regions if region.source.name == name)
    index_map = told["index_map"]
    if not isinstance(index_map, tirx.IndexMap):
        index_map = tirx.IndexMap.from_func(index_map, ndim=rank)
    request = {"buffer": name, "map": lambda_of(index_map)}
    pad = told["pad_value"]
    if callable(pad) and not isinstance(pad, (tirx.IndexMap, tvm.ir.Expr)):
        request["pad"] = lambda_of(tirx.IndexMap.from_func(pad, ndim=len(index_map.final_indices)), value=True)
    elif pad is not None:
        # A plain number has the type that it has anywhere in TVM.
        value = pad if isinstance(pad, tvm.ir.Expr) else tirx.const(pad)
        request["pad"] = f"T.{value.ty}({value.value})"
    elif not told["assume_injective_transform"]:
        # There must be no padding.
        request["pad"] = None
    return request


def lambda_of(index_map, value=False):
    """A map, or a value by the indices of the new buffer, as text; TVM counts axes in 64 bits."""
    axes = ", ".join(var.name for var in index_map.initial_indices)
    body = ", ".join(re.sub(r"T\.int64\((-?\d+)\)", r"\1", str(index)) for index in index_map.final_indices)
    return f"lambda {axes}: {body if value else f'[{body}]'}"


def read_request(schedule, told):
    if told["consumer_blocks"]:
        raise ValueError("of some consumers only")
    name = buffer_of(schedule, told["block"], told["read_buffer_index"], "reads")
    return {"read": name, "scope": told["storage_scope"], "block": block_of(schedule, told["block"]).name_hint}


def write_request(schedule, told):
    if told["consumer_blocks"]:
        raise ValueError("of some consumers only")
    name = buffer_of(schedule, told["block"], told["write_buffer_index"], "writes")
    return {"write": name, "scope": told["storage_scope"], "block": block_of(schedule, told["block"]).name_hint}


REQUESTS = {"transform_layout": layout_request, "cache_read": read_request, "cache_write": write_request}


def named(function):
    """The function under a name; a schedule takes its buffers to be distinct memory, which has to be said elsewhere."""
    return function.with_attr("global_symbol", "main").with_attr("tirx.noalias", True)


def observed(function):
    """A function without parameters with the buffers of its outermost block as parameters, so that its runs can be compared."""
    root = function.body
    if function.params or not isinstance(root, s_tir.SBlockRealize):
        return function
    block = s_tir.SBlock([], [], [], root.block.name_hint, root.block.body)
    return tirx.PrimFunc(list(root.block.alloc_buffers), s_tir.SBlockRealize([], True, block), attrs=function.attrs)


def steps(binary, call, function, folder):
    """The file of what satir makes of a function, or why it refuses."""
    previous = folder / "before.py"
    previous.write_text(named(function).script())
    for at, (name, request) in enumerate(zip(call.passes, call.args)):
        told = folder / "args.json"
        told.write_text(json.dumps(request))
        made = folder / f"step{at}.py"
        # TVM's schedules read what they like.
        done = pairs.run(
            binary, "opt", "--passes", name, "--readable-parameters", "--args", told, previous, "-o", made
        )
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[0]
        previous = made
    return previous, ""


def compared(binary, wanted, result, *options):
    """Why a result does not do the same as another program; nothing if it does."""
    done = pairs.run(binary, "equiv", "--runs", 2, *options, wanted, result)
    if done.returncode == 0:
        return None
    kind = "wrong" if done.returncode == 1 else "not compared"
    return kind, (done.stderr + done.stdout).strip() + "\n" + result.read_text()


def beyond(binary, call, folder):
    """What became of a test that TVM refuses and satir does not."""
    function = observed(call.before)
    result, why = steps(binary, call, function, folder)
    if result is None:
        return "not compared", f"with its buffers as parameters: {why}"
    if not function.params:
        return "not compared", "nobody sees what it does"
    layouts = folder / "layouts.json"
    changed = [request for request in call.args if "map" in request]
    layouts.write_text(json.dumps({of["buffer"]: {key: of.get(key) for key in ("map", "pad")} for of in changed}))
    differs = compared(binary, folder / "before.py", result, "--layout", layouts)
    return differs or ("beyond", "what TVM refuses does the same as the input")


def outcome(binary, call, goal):
    """What became of a test, and why."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        result, why = steps(binary, call, call.before, folder)
        if result is None:
            return ("reached" if goal is None else "refused"), why
        if goal is None:
            return beyond(binary, call, folder)
        wanted = folder / "goal.py"
        wanted.write_text(named(goal).script())
        values = dict.fromkeys(pairs.scalars(goal), 2)
        sizes = ["--fixed", "--bind", ",".join(f"{name}={value}" for name, value in values.items())] if values else []
        differs = compared(binary, wanted, result, *sizes)
        if differs:
            return differs
        spent = [pairs.count(binary, program, values, 0) for program in (wanted, result)]
        if None not in spent and any(a > b for a, b in zip(spent[1], spent[0])):
            return "missed", f"integer cost, loads, stores: {spent[1]} for {spent[0]}\n{result.read_text()}"
        return "reached", ""


if __name__ == "__main__":
    sys.exit(main())
