"""Tables of expressions from the tests of other simplifiers, as JSON lines for `expressions.py` and `decide.py`.

Each source is a file of a checkout of one's own; nothing of it is kept here:

    rewrite    TVM: tests/python/arith/test_arith_rewrite_simplify.py
    canonical  TVM: tests/python/arith/test_arith_canonical_simplify.py
    halide     Halide: test/correctness/simplify.cpp
    caviar     Caviar: data/prefix/evaluation.csv, or another file of boolean expressions there

    python benches/expressions/tables.py rewrite FILE > table.jsonl
    python benches/expressions/expressions.py table.jsonl --losses      # TVM's and Halide's tables have results
    python benches/expressions/decide.py table.jsonl                    # Caviar's conditions hold always, never, or sometimes

TVM's files are Python and are executed, with the installed TVM (the older name of its arithmetic is set up). What a
table cannot say is left out and counted on standard error.
"""

import argparse
import ast
import collections
import csv
import itertools
import json
import pathlib
import re
import sys
import types
from unittest import mock

import halide
from tvmexpr import Unsupported


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=["rewrite", "canonical", "halide", "caviar"])
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    left_out = collections.Counter()
    numbers = collections.Counter()
    reader = {"rewrite": read_rewrite, "canonical": read_canonical, "halide": read_halide, "caviar": read_caviar}
    for group, record in reader[options.source](options.file):
        if isinstance(record, str):
            left_out[record.splitlines()[0][:80] if record else "?"] += 1
            continue
        numbers[group] += 1
        print(json.dumps({"id": f"{group}-{numbers[group]}"} | record))
    print(f"{sum(numbers.values())} expressions: {dict(numbers)}; left out: {sum(left_out.values())}", file=sys.stderr)
    for why, count in left_out.most_common():
        print(f"{count:6} {why}", file=sys.stderr)


def read_rewrite(path):
    """The cases of classes of tests, scalar and vector; those that expect an error are left out."""
    for owner in execute(path).values():
        for case in getattr(owner, "test_case", ()):
            if isinstance(case.expected, type):
                yield "", "an error is expected"
                continue
            conditions = case.preconditions
            conditions = [] if conditions is None else conditions if isinstance(conditions, (list, tuple)) else [conditions]
            yield from tvm_record("rewrite", case.before, case.expected, conditions)


def read_canonical(path):
    """The calls of `verify` by the tests, each with the ranges that hold then."""
    import tvm
    import tvm.sym

    found = []

    class Recorder:
        def __init__(self):
            self.analyzer = tvm.sym.Analyzer()

        def verify(self, data, expected):
            expected = tvm.tirx.const(expected, "int32") if isinstance(expected, int) else expected
            found.append(list(tvm_record("canonical", data, expected, [], self.analyzer)))

    names = execute(path)
    names["CanonicalChecker"] = Recorder
    for name, test in list(names.items()):
        if name.startswith("test_"):
            try:
                test()
            except Exception as why:
                found.append([("", f"{name}: {last_line(why)}")])
    return itertools.chain.from_iterable(found)


def read_halide(path):
    for _, record in halide.checks(path.read_text()):
        if isinstance(record, str):
            yield "", record
        else:
            lanes = re.search(r"T\.(Ramp|Broadcast)|int\d+x\d", record["expr"] + record["expected"] + json.dumps(record["vars"]))
            yield "halide-vector" if lanes else "halide", record


OPERATORS = {"/": "//", "&&": "and", "||": "or"}


def read_caviar(path):
    """Each expression once; they are in prefix notation, and divisors must be positive constants."""
    seen = set()
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            text = row["Expression"]
            if text in seen:
                yield "", "a duplicate"
                continue
            seen.add(text)
            try:
                expression = infix(iter(text.split()))
            except Unsupported as why:
                yield "", str(why)
                continue
            names = sorted(set(re.findall(r"\bv\d+\b", expression)))
            yield "caviar", {"vars": {name: {"dtype": "int32"} for name in names}, "expr": expression}


def infix(tokens, boolean=True):
    """The next expression of a sequence of tokens in prefix notation."""
    token = next(tokens)
    if token != "(":
        if re.fullmatch(r"-?\d+", token):
            return str(token != "0") if boolean else f"({token})" if token[0] == "-" else token
        return token
    op = next(tokens)
    logical = op in ("&&", "||", "!")
    operands = [infix(tokens, logical)]
    if op != "!":
        operands.append(infix(tokens, logical))
    if next(tokens) != ")":
        raise Unsupported(f"more than two operands of {op}")
    if op in ("/", "%") and not re.fullmatch(r"[1-9]\d*", operands[1]):
        raise Unsupported("a divisor that is no positive constant")
    if op in ("min", "max"):
        return f"T.{op}({operands[0]}, {operands[1]})"
    if op == "!":
        return f"(not {operands[0]})"
    return f"({operands[0]} {OPERATORS.get(op, op)} {operands[1]})"


def execute(path):
    """The names of a file of TVM's tests, after its definitions were executed one by one: those of another version of
    TVM may fail, and the others still count."""
    import tvm
    import tvm.sym

    testing = types.ModuleType("tvm.testing")
    testing.parameter = lambda *cases, **_: cases
    tvm.testing = sys.modules["tvm.testing"] = testing
    sys.modules.setdefault("pytest", mock.MagicMock())
    if not hasattr(tvm, "arith"):
        tvm.arith = tvm.sym
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    names = vars(module)
    for definition in ast.parse(path.read_text()).body:
        try:
            exec(compile(ast.Module([definition], []), path, "exec"), names)
        except Exception as why:
            print(f"line {definition.lineno} left out: {last_line(why)}", file=sys.stderr)
    return names


def last_line(why):
    return (str(why).strip().splitlines() or [type(why).__name__])[-1]


def tvm_record(group, before, expected, conditions, analyzer=None):
    """The record of one of TVM's cases; two variables of one name get different ones."""
    import peer

    names, variables = {}, {}

    def name(variable):
        if variable not in names:
            text = variable.name
            while text in variables:
                text += "_"
            names[variable] = text
            variables[text] = {"dtype": str(variable.ty)} | bounds(variable, analyzer)
        return names[variable]

    try:
        expressions = [as_expression(e) for e in (before, expected, *conditions)]
        texts = [peer.from_tvm(e, name) for e in expressions]
    except Unsupported as why:
        yield "", str(why)
        return
    vector = re.search(r"x\d+$", str(expressions[0].ty))
    record = {"vars": variables, "expr": texts[0], "expected": texts[1]}
    yield group + ("-vector" if vector else ""), record | ({"precond": texts[2:]} if conditions else {})


def as_expression(e):
    from tvm import ir, tirx

    if hasattr(e, "asobject"):
        e = e.asobject()
    if isinstance(e, bool):
        return tirx.const(e, "bool")
    if not isinstance(e, ir.Expr):
        raise Unsupported(f"an operand of {type(e).__name__}")
    return e


def bounds(variable, analyzer):
    """The range of a variable; sizes are not negative."""
    import tvm.sym

    if analyzer is None:
        return {"min": 0} if type(variable).__name__ == "SizeVar" else {}
    bound = analyzer.const_int_bound(variable)
    ends = (("min", bound.min_value, -(2**31)), ("max", bound.max_value, 2**31 - 1))
    whole = str(variable.ty) == "int64"
    infinite = (tvm.sym.ConstIntBound.NEG_INF, tvm.sym.ConstIntBound.POS_INF)
    return {name: value for name, value, end in ends if value not in infinite and (whole or value != end)}


if __name__ == "__main__":
    main()
