"""The ways to treat a program at the point of TVM's CommonSubexprElim, satir's and TVM's."""

import json
import subprocess

import timing
import tvm
from tvm import s_tir, tirx
from tvm.script import from_source

PASSES = {
    "none": [],
    "tvm": [tirx.transform.CommonSubexprElim],
    "tvm-simplify": [s_tir.transform.StmtSimplify, tirx.transform.CommonSubexprElim],
    "tvm-hoist": [s_tir.transform.HoistExpression, tirx.transform.CommonSubexprElim],
}


# Pipelines of satir's passes that are no mode of `satir cse`, as `satir opt` is told them.
PIPELINES = {
    "loops": ["--passes", "loops,semantic-cse"],
    "full": ["-O2"],
    # What `-O2` runs, after `plan`.
    "plan": ["--passes", "plan,loops,keep-scalar,cheapest(semantic-cse|simplify,semantic-cse),widen-indices,assume-sizes,multiply-reciprocals"],
}


def as_module(text):
    """What TVM makes of a text; a bare function becomes a module."""
    parsed = from_source(text)
    return parsed if isinstance(parsed, tvm.IRModule) else tvm.IRModule({"main": parsed})


def bind_argument(bindings):
    """The arguments that tell satir the values of symbolic dimensions."""
    return ["--bind", ",".join(f"{name}={value}" for name, value in bindings.items())] if bindings else []


def satir(command, text=None):
    """Standard output of a run that must succeed."""
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"satir {command[1]}: {done.stderr.strip()[-400:]}")
    return done.stdout


def make(name, binary, text, module, bindings, repeats):
    """The treated module with its text, and the seconds of processor time that the treatment took: in process, for
    satir also of the whole process, and of that alone where it is a pipeline of passes; none without repeats."""
    if name in PASSES:
        passes = tvm.ir.transform.Sequential([make_pass() for make_pass in PASSES[name]])
        if not repeats or not PASSES[name]:
            result = passes(module)
            return result, result.script(), {}
        inside, result = timing.of_passes(passes, module)
        return result, result.script(), {"inside": inside}
    if name in PIPELINES:
        command = [binary, "opt", "-", *PIPELINES[name], *bind_argument(bindings)]
    else:
        command = [binary, "cse", "-", "--mode", name, *bind_argument(bindings)]
    if not repeats:
        output = satir(command, text)
        return as_module(output), output, {}
    process, output = timing.of_process(lambda: satir(command, text), repeats)
    times = {"process": process}
    if name not in PIPELINES:
        times["inside"] = timing.in_process(timing.beside(binary), text, bindings, name)
    return as_module(output), output, times


def counts(binary, text, bindings, constraints):
    """Executed operations of a text by class, and the weighted cost of its integer work and bindings. A program that
    the interpreter cannot run is priced by the cost model."""
    command = [binary, "count", "-", "--json", *bind_argument(bindings)]
    inputs = ["--constraints", json.dumps(constraints), "--lenient-loads"]
    try:
        functions = json.loads(satir([*command, *inputs], text))["functions"]
        executed = {}
        for function in functions:
            for kind, count in function["dynamic"].items():
                executed[kind] = executed.get(kind, 0) + count
        cost = sum(function["cost"]["dynamic_integer"] for function in functions) + BINDING * executed["bind"]
        total = sum(function["cost"]["dynamic"] for function in functions)
        return {"integer": cost, "total": total, "executed": executed, "ran": True}
    except RuntimeError as error:
        functions = json.loads(satir([*command, "--static"], text))["functions"]
        cost = sum(function["cost"]["estimated_integer"] for function in functions)
        total = sum(function["cost"]["estimated"] for function in functions)
        return {"integer": cost, "total": total, "executed": {}, "ran": False, "why": str(error)}


# The weight of a binding in the default cost profile.
BINDING = 0.25
