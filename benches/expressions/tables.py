"""Tables of expressions from the tests of other simplifiers, as JSON lines for `expressions.py` and `decide.py`.

Each source is a file of a checkout of one's own; nothing of it is kept here:

    rewrite    TVM: tests/python/arith/test_arith_rewrite_simplify.py
    canonical  TVM: tests/python/arith/test_arith_canonical_simplify.py
    proofs     TVM: tests/python/arith/test_arith_simplify.py, test_arith_z3.py: the conditions to be proven
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
import inspect
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
    parser.add_argument("source", choices=["rewrite", "canonical", "proofs", "halide", "caviar"])
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    left_out = collections.Counter()
    numbers = collections.Counter()
    readers = {
        "rewrite": read_rewrite,
        "canonical": read_canonical,
        "proofs": read_proofs,
        "halide": read_halide,
        "caviar": read_caviar,
    }
    for group, record in readers[options.source](options.file):
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


def read_proofs(path):
    """The conditions that the tests want proven (group `proofs`) or not proven by the strongest means
    (`no-proofs`), with the ranges and conditions that hold then."""
    import tvm
    import tvm.sym

    found = []

    class Recorder:
        def __init__(self):
            self.analyzer = analyzer()
            self.conditions = []

        def __getattr__(self, name):
            return getattr(self.analyzer, name)

        def bind(self, variable, value, *_, **__):
            self.conditions += [variable >= value.min, variable < value.min + value.extent]

        def constraint_scope(self, condition):
            before, self.conditions = self.conditions, [*self.conditions, condition]
            scope = mock.MagicMock()
            scope.__exit__ = lambda *_: self.__dict__.update(conditions=before)
            return scope

        def can_prove(self, condition, strength=None, wanted=None):
            strongest = strength is not None and strength != tvm.sym.ProofStrength.DEFAULT
            if wanted or wanted is False and strongest:
                group, expected = ("proofs", True) if wanted else ("no-proofs", None)
                found.extend(tvm_record(group, condition, expected, self.conditions, self))
            return wanted

        def can_prove_equal(self, a, b, wanted=None):
            return self.can_prove(a == b, wanted=wanted)

        def clone(self):
            copy = Recorder()
            copy.conditions = self.conditions
            return copy

    analyzer, tvm.sym.Analyzer = tvm.sym.Analyzer, Recorder
    names = execute(path, Wanted())
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        arguments = inspect.signature(test).parameters
        cases = getattr(test, "cases", None) or itertools.product(*(names.get(a, ()) for a in arguments))
        for case in cases:
            try:
                test(*case)
            except Exception as why:
                found.append(("", f"{name}: {last_line(why)}"))
    tvm.sym.Analyzer = analyzer
    return found


class Wanted(ast.NodeTransformer):
    """Has each assertion that something is proven, or not proven, say so to the call, and go on."""

    def visit_Assert(self, node):
        negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        call = node.test.operand if negated else node.test
        if not (isinstance(call, ast.Call) and getattr(call.func, "attr", "").startswith("can_prove")):
            return node
        call.keywords.append(ast.keyword("wanted", ast.Constant(not negated)))
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


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


def execute(path, change=None):
    """The names of a file of TVM's tests, after its definitions, changed or as they are, were executed one by one:
    those of another version of TVM may fail, and the others still count."""
    import peer
    import tvm
    import tvm.sym
    from tvm import ir

    testing = types.ModuleType("tvm.testing")
    testing.parameter = lambda *cases, **_: cases
    tvm.testing = sys.modules["tvm.testing"] = testing
    sys.modules["pytest"] = pytest_stub()
    tvm.arith = sys.modules["tvm.arith"] = tvm.sym
    call_intrin = tvm.tirx.op.call_intrin

    def installed_call(dtype, op, *args):
        name = op.removeprefix("tirx.")
        operation = {text: node for node, text in peer.BITWISE.items()}.get(name)
        if operation is None:
            return call_intrin(dtype, op if op in ir.Op.list_op_names() else f"prim.{name}", *args)
        return getattr(tvm.tirx, operation)(*(tvm.tirx.const(arg, dtype) for arg in args))

    tvm.tirx.call_intrin = tvm.tirx.op.call_intrin = installed_call
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    names = vars(module)
    for definition in ast.parse(path.read_text()).body:
        definition = change.visit(definition) if change else definition
        try:
            exec(compile(ast.Module([definition], []), path, "exec"), names)
        except Exception as why:
            print(f"line {definition.lineno} left out: {last_line(why)}", file=sys.stderr)
    return names


def pytest_stub():
    """As much of pytest as the tests need: the cases of a test stand beside it."""

    def parametrize(_, cases):
        def mark(test):
            test.cases = [(case,) for case in cases]
            return test

        return mark

    stub = mock.MagicMock()
    stub.mark.parametrize = parametrize
    stub.mark.xfail = lambda **_: lambda test: test
    return stub


def last_line(why):
    return (str(why).strip().splitlines() or [type(why).__name__])[-1]


def tvm_record(group, before, expected, conditions, analyzer=None):
    """The record of one of TVM's cases; two variables of one name get different ones."""
    import peer

    names, variables, buffers = {}, {}, {}

    def name(variable, binds=False):
        if variable not in names:
            text = variable.name
            while text in names.values():
                text += "_"
            names[variable] = text
            if peer.is_buffer(variable):
                buffers[text] = peer.buffer_of(variable)
            elif not binds:
                variables[text] = {"dtype": str(variable.ty)} | bounds(variable, analyzer)
        return names[variable]

    try:
        expressions = [as_expression(e) for e in (before, before if expected is None else expected, *conditions)]
        texts = [peer.from_tvm(e, name) for e in expressions]
    except Unsupported as why:
        yield "", str(why)
        return
    vector = re.search(r"x\d+$", str(expressions[0].ty))
    record = {"vars": variables, "expr": texts[0]} | ({"expected": texts[1]} if expected is not None else {})
    record |= {"precond": texts[2:]} if conditions else {}
    record |= {"buffers": buffers} if buffers else {}
    yield group + ("-vector" if vector else ""), record


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
