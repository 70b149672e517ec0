"""How far satir's passes get with the programs of another compiler's tests: TVM's passes over statements are tested with
pairs of functions, before the pass and what is expected after it. Pairs of its simplifiers and of RemoveNoOp go to
`satir simplify`, `satir cse` and the pass `remove-no-op`, those of HoistExpression to `hoist` with the same flags, those of
ReduceBranchingThroughOvercompute to `overcompute`.

The pairs come from files of a checkout of TVM of one's own, which are executed with the installed TVM; nothing of them
is kept here:

    python benches/statements/pairs.py tests/python/tirx-transform/test_tir_transform_simplify.py --losses

Each result is run beside what is expected on the same random inputs. A pair counts as reached if the weighted integer
cost of what the result executes is at most that of what is expected, and it loads and stores no more. Against the
function before the pass each result is compared as by `satir equiv`. The exit code is 1 if a result is wrong.
"""

import argparse
import contextlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from typing import NamedTuple
from unittest import mock

import tvm
from tvm import tirx
from tvm.tirx.analysis import undefined_vars

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "expressions"))

import tables  # noqa: E402

# The passes whose tests are pairs, with the commands that are to reach what is expected.
SIMPLIFIERS = ("simplify", "cse", "opt --passes remove-no-op")
PASSES = {
    "StmtSimplify": SIMPLIFIERS,
    "Simplify": SIMPLIFIERS,
    "RemoveNoOp": SIMPLIFIERS,
    "HoistExpression": ("opt --passes hoist",),
    "ReduceBranchingThroughOvercompute": ("opt --passes overcompute",),
}

# What the bits of HoistExpression are called here, from the lowest.
CONDITIONS = ("if-stmt", "if-expr", "bool", "block-var")
BINDINGS_MOVED = ("required", "let-stmt", "let-expr")

# Values of parameters and sizes, per pair.
BINDINGS = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, nargs="+")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    parser.add_argument("--losses", action="store_true", help="print the pairs that are not reached")
    options = parser.parse_args()
    wrong = False
    for path in options.file:
        pairs = read_pairs(path)
        print(f"{path.name}: {len(pairs)} pairs")
        commands = sorted({command for *_, own in pairs for command in own}, key=str)
        for command in dict.fromkeys(command.split(" --hoist")[0] for command in commands):
            outcomes = [outcome(options.satir, matching(command, pair), pair) for pair in pairs]
            wrong |= any(found.kind == "wrong" for found in outcomes)
            read = [found.kind for found in outcomes if found.kind != "unread"]
            reached = read.count("reached")
            share = 100 * reached / max(len(read), 1)
            print(
                f"  satir {command}: {reached} of {len(read)} reached ({share:.1f} %), {read.count('wrong')} wrong, "
                f"{len(outcomes) - len(read)} not read, {sum(not found.ran for found in outcomes)} not run"
            )
            for (name, *_), found in zip(pairs, outcomes):
                if found.kind in ("wrong", "unread") or (options.losses and found.kind != "reached"):
                    print(f"    {name}: {found.kind}: {found.why}")
    return int(wrong)


def matching(command, pair):
    """The command of a pair that begins so."""
    return next(own for own in pair[3] if own.startswith(command))


def read_pairs(path):
    """The pairs of a file: the name of the test, the function before the pass, what is expected, and the commands that are
    to reach it. A test states them by running the pass and comparing its result; the result itself is of no interest
    here."""
    pairs, treated, configs = [], [], [{}]

    def note(pass_name):
        def run_pass(module):
            own = PASSES[pass_name]
            if pass_name == "HoistExpression":
                own = tuple(command + hoisted(configs[-1]) for command in own)
            treated.append((module, own))
            return module

        return lambda: run_pass

    def compare(_, expected, *__, **___):
        if treated:
            module, own = treated.pop()
            pairs.append((name, function_of(module), function_of(expected), own))

    @contextlib.contextmanager
    def context(config=None, **_):
        configs.append(config or {})
        yield
        configs.pop()

    with contextlib.ExitStack() as patches:
        # Older files know the module by its older name.
        patches.enter_context(mock.patch.object(tvm, "tir", tirx, create=True))
        for owner in (tirx.transform, tvm.s_tir.transform):
            for pass_name in PASSES:
                patches.enter_context(mock.patch.object(owner, pass_name, note(pass_name), create=True))
        patches.enter_context(mock.patch.object(tvm.ir, "assert_structural_equal", compare))
        patches.enter_context(mock.patch.object(tvm.transform, "PassContext", context))
        for name, test in list(tables.execute(path).items()):
            if name.startswith("test_"):
                treated.clear()
                try:
                    test()
                except Exception as why:
                    print(f"{name}: {tables.last_line(why)}", file=sys.stderr)
    return pairs


def hoisted(config):
    """The flags of a configuration of HoistExpression."""
    bits = config.get("s_tir.HoistExpression", {})

    def named(names, of):
        chosen = [name for at, name in enumerate(names) if bits.get(of, -1) >> at & 1]
        return ",".join(chosen) or "none"

    conditions, lets = named(CONDITIONS, "hoisted_conditionals"), named(BINDINGS_MOVED, "hoisted_let_bindings")
    return f" --hoist={conditions} --hoist-lets={lets}"


def function_of(given):
    return given["main"] if isinstance(given, tvm.IRModule) else given


class Outcome(NamedTuple):
    # `reached`, `missed`, `wrong` or `unread`.
    kind: str
    why: str = ""
    # Whether any inputs were found on which the function before the pass does not stop.
    ran: bool = False


def outcome(binary, command, pair):
    """What became of a pair."""
    before, expected = closed(*pair[1:3])
    with tempfile.TemporaryDirectory() as folder:
        source, goal, result = (pathlib.Path(folder) / f"{name}.py" for name in ("before", "expected", "result"))
        source.write_text(before.script())
        goal.write_text(expected.script())
        done = run(binary, *command.split(), source, "-o", result)
        if done.returncode != 0:
            return Outcome("unread", done.stderr.strip().splitlines()[0])
        compared = run(binary, "equiv", source, result)
        if compared.returncode == 1:
            return Outcome("wrong", compared.stderr.strip(), True)
        ran = compared.returncode == 0
        names = scalars(before, expected)
        rng = random.Random(0)
        worst = None
        for seed in range(BINDINGS):
            values = {name: rng.randint(0, 40) for name in names}
            spent = [count(binary, program, values, seed) for program in (goal, result)]
            if None not in spent and any(a > b for a, b in zip(spent[1], spent[0])):
                worst = spent
        if worst is None:
            return Outcome("reached", ran=ran)
        return Outcome("missed", f"integer cost, loads, stores: {worst[1]} for {worst[0]}\n{result.read_text()}", ran)


def closed(*functions):
    """The functions as modules, each with the variables that any of them leaves open as parameters."""
    free = {var for function in functions for var in undefined_vars(function.body, list(function.params))}
    result = []
    for function in functions:
        own = set(undefined_vars(function.body, list(function.params)))
        params = [*function.params, *sorted(free & own, key=str)]
        made = tirx.PrimFunc(params, function.body, function.ret_type, function.attrs)
        # TVM's passes take distinct buffers for distinct memory.
        result.append(made.with_attr("global_symbol", "main").with_attr("tirx.noalias", True))
    return result


def scalars(*functions):
    """The names of parameters that are numbers, and of the variables of sizes."""
    found = []
    for parameter in (parameter for function in functions for parameter in function.params):
        if isinstance(parameter.ty, tirx.BufferType):
            for size in parameter.shape:
                found.extend(undefined_vars(size))
        elif str(parameter.ty) != "handle":
            found.append(parameter)
    return sorted({variable.name for variable in found})


def count(binary, program, values, seed):
    """The weighted integer cost, loads and stores of one run; none if it stops."""
    bind = ["--bind", ",".join(f"{name}={value}" for name, value in values.items())] if values else []
    done = run(binary, "count", program, "--json", "--seed", seed, *bind)
    if done.returncode != 0:
        return None
    [function] = json.loads(done.stdout)["functions"]
    dynamic = function["dynamic"]
    return function["cost"]["dynamic_integer"], dynamic["load"], dynamic["store"]


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)


if __name__ == "__main__":
    sys.exit(main())
