"""TVM's analyzer as a peer: expressions from and to TVM's own objects."""

import re
import time

import tvm
import tvm.sym
from tvm import tirx

from tvmexpr import Unsupported

BINARY = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "FloorDiv": "//",
    "FloorMod": "%",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "EQ": "==",
    "NE": "!=",
    "And": "and",
    "Or": "or",
}
CLASSES = {text: name for name, text in BINARY.items()}
CLASSES |= {"truncdiv": "Div", "truncmod": "Mod", "min": "Min", "max": "Max", "/": "Div"}
# Calls without keyword arguments that are written as TVM names the operator.
CALLS = ("vscale", "clz", "shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")
# The classes of operations that are written as calls.
BITWISE = {
    "LShift": "shift_left",
    "RShift": "shift_right",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
}


def to_tvm(node, variables):
    """TVM's expression for a tree; `variables` maps names to TVM's variables and buffers."""
    if node.op == "let":
        inner = variables | {node.value: tirx.Var(node.value, node.args[0].dtype)}
        return tirx.Let(inner[node.value], to_tvm(node.args[0], variables), to_tvm(node.args[1], inner))
    args = [to_tvm(arg, variables) for arg in node.args]
    dtype = node.dtype + (f"x{node.lanes}" if node.lanes > 1 else "")
    if node.op == "var":
        return variables[node.value]
    if node.op == "const":
        return tirx.const(bool(node.value) if dtype == "bool" else node.value, dtype)
    if node.op == "ramp":
        return tirx.Ramp(*args, node.lanes)
    if node.op == "broadcast":
        return tirx.Broadcast(args[0], node.lanes)
    if node.op == "cast":
        return tirx.Cast(dtype, args[0])
    if node.op == "not":
        return tirx.Not(args[0])
    if node.op == "Select":
        return tirx.Select(*args)
    if node.op == "if_then_else":
        return tirx.if_then_else(*args)
    if node.op == "load":
        return tirx.BufferLoad(variables[node.value], args)
    if node.op in CALLS:
        return getattr(tirx, node.op)(*args)
    if node.op in CLASSES:
        return getattr(tirx, CLASSES[node.op])(*args)
    raise Unsupported(node.op)


def from_tvm(e, name=lambda variable, binds=False: variable.name):
    """The text of one of TVM's expressions; `name` gives the name of a variable or buffer (`binds`: of one that the
    expression itself binds)."""
    text = lambda operand: from_tvm(operand, name)
    kind, dtype = type(e).__name__, str(e.ty)
    if "vscale" in dtype:
        raise Unsupported("vectors of a scalable length")
    if kind == "IntImm":
        if dtype == "bool":
            return str(bool(e.value))
        return str(e.value) if dtype == "int32" else f"T.{dtype}({e.value})"
    if kind == "FloatImm":
        return f"T.{dtype}({e.value!r})"
    if kind in ("Var", "SizeVar"):
        return name(e)
    if kind in BINARY:
        return f"({text(e.a)} {BINARY[kind]} {text(e.b)})"
    if kind in ("Div", "Mod", "Min", "Max"):
        function = {"Div": "truncdiv", "Mod": "truncmod"}.get(kind, kind.lower())
        return f"T.{function}({text(e.a)}, {text(e.b)})"
    if kind in BITWISE:
        return f"T.{BITWISE[kind]}({text(e.a)}, {text(e.b)})"
    if kind == "BitwiseNot":
        return f"T.bitwise_not({text(e.a)})"
    if kind == "Not":
        return f"(not {text(e.a)})"
    if kind == "Select":
        return f"T.Select({text(e.condition)}, {text(e.true_value)}, {text(e.false_value)})"
    if kind == "Cast":
        return f'T.Cast("{dtype}", {text(e.value)})'
    lanes = re.search(r"x(\d+)$", dtype)
    if kind == "Ramp" and lanes:
        return f"T.Ramp({text(e.base)}, {text(e.stride)}, {lanes[1]})"
    if kind == "Broadcast" and lanes:
        return f"T.Broadcast({text(e.value)}, {lanes[1]})"
    operator = e.op.name.split(".")[-1] if kind == "Call" else ""
    if operator in ("if_then_else", *CALLS):
        return f"T.{operator}({', '.join(map(text, e.args))})"
    if kind == "Let":
        variable = name(e.var, True)
        return f"T.Let({text(e.body)}, where={{{variable}: {text(e.value)}}})"
    if kind == "TensorLoad":
        return f"{name(e.source)}[{', '.join(map(text, e.indices))}]"
    raise Unsupported(f"{kind} {operator}".strip())


def is_buffer(variable):
    return type(variable.ty).__name__ == "BufferType"


def buffer_of(variable):
    """What `satir expr` is told of a buffer."""
    shape = [extent.value if type(extent).__name__ == "IntImm" else from_tvm(extent) for extent in variable.ty.shape]
    return {"dtype": str(variable.ty.dtype), "shape": shape}


class Peer:
    """The three simplifiers of TVM's analyzer, for one record."""

    def __init__(self, record, tree, conditions):
        self.variables = {name: tirx.Var(name, var["dtype"]) for name, var in record["vars"].items()}
        self.analyzer = tvm.sym.Analyzer()
        for name, var in record["vars"].items():
            low, high = var.get("min"), var.get("max")
            if low is not None or high is not None:
                low = tvm.sym.ConstIntBound.NEG_INF if low is None else low
                high = tvm.sym.ConstIntBound.POS_INF if high is None else high
                self.analyzer.update(self.variables[name], tvm.sym.ConstIntBound(low, high))
        for name, buffer in record.get("buffers", {}).items():
            self.variables[name] = tirx.decl_buffer(buffer["shape"], buffer["dtype"], name)
        self.expression = to_tvm(tree, self.variables)
        self.conditions = [to_tvm(condition, self.variables) for condition in conditions]

    def results(self):
        """Name, text and microseconds of what each simplifier makes of the expression."""
        for name in ("simplify", "rewrite_simplify", "canonical_simplify"):
            start = time.perf_counter()
            try:
                result = self.under(self.conditions, getattr(self.analyzer, name))
            except (ValueError, RuntimeError) as why:
                raise Unsupported("an error of TVM's analyzer") from why
            yield name, from_tvm(result), (time.perf_counter() - start) * 1e6

    def under(self, conditions, simplify):
        if not conditions:
            return simplify(self.expression)
        with self.analyzer.constraint_scope(conditions[0]):
            return self.under(conditions[1:], simplify)
