"""Expressions as TVMScript text: parsed, priced, evaluated, and turned into TVM's objects and back.

The text is what `satir expr` reads and writes. `parse` gives a tree of `Node`s with types; `cost` prices it with the
default weights of `satir`; `evaluate` computes it over Python's integers; `to_tvm` builds the same expression with
TVM, and `from_tvm` prints one of TVM's as text. The code shares nothing with satir, so that it can judge it.
"""

import ast
import dataclasses
import re
import struct

COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Div: "/",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
}
CALLS = {
    "truncdiv": "truncdiv",
    "Div": "truncdiv",
    "truncmod": "truncmod",
    "floordiv": "//",
    "floormod": "%",
    "min": "min",
    "max": "max",
    "shift_left": "shift_left",
    "shift_right": "shift_right",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
}
# Calls with one argument, or none.
UNARY = ("clz", "bitwise_not", "vscale")
DIVISIONS = ("//", "%", "truncdiv", "truncmod")
INDEX = ("int32", "int64")
# The name under which the environment of an evaluation has the value of `T.vscale()`.
VSCALE = "T.vscale()"


class Unsupported(Exception):
    """Something that is not of this subset of the language."""


class Undefined(Exception):
    """The expression has no value here."""


@dataclasses.dataclass
class Node:
    """An operation (`var`, `const`, an operator or a name), its type without lanes, its lanes, and operands."""

    op: str
    dtype: str
    lanes: int
    args: list
    value: object = None


def parse(text, types):
    """The tree of an expression; `types` gives the type of each variable, and of each buffer's elements."""
    return typed(build(ast.parse(text.strip(), mode="eval").body, types), "int32", 1)


def split_type(name):
    match = re.fullmatch(r"(bool|u?int\d+|float\d+)(?:x(\d+))?", name)
    if not match:
        raise Unsupported(f"type {name}")
    return match[1], int(match[2] or 1)


def typed(node, dtype, lanes):
    """A literal of the type that it has beside an operand of that type."""
    if node.op != "literal":
        return node
    value = float(node.value) if dtype.startswith("float") else node.value
    constant = Node("const", dtype, 1, [], value)
    return constant if lanes == 1 else Node("broadcast", dtype, lanes, [constant])


def pair(a, b):
    if a.op == "literal" and b.op == "literal":
        return typed(a, "int32", 1), typed(b, "int32", 1)
    a, b = typed(a, b.dtype, b.lanes), typed(b, a.dtype, a.lanes)
    lanes = max(a.lanes, b.lanes)
    widen = lambda x: x if x.lanes == lanes else Node("broadcast", x.dtype, lanes, [x])
    return widen(a), widen(b)


def build(tree, types):
    if isinstance(tree, ast.Constant):
        if isinstance(tree.value, bool):
            return Node("const", "bool", 1, [], int(tree.value))
        if isinstance(tree.value, (int, float)):
            return Node("literal", None, 1, [], tree.value)
    if isinstance(tree, ast.Name):
        if tree.id in ("true", "false"):
            return Node("const", "bool", 1, [], int(tree.id == "true"))
        if tree.id in types:
            return Node("var", *split_type(types[tree.id]), [], tree.id)
    if isinstance(tree, ast.UnaryOp):
        operand = build(tree.operand, types)
        if isinstance(tree.op, ast.Not):
            return Node("not", "bool", operand.lanes, [operand])
        invert = isinstance(tree.op, ast.Invert)
        if operand.op in ("literal", "const"):
            return dataclasses.replace(operand, value=~operand.value if invert else -operand.value)
        if invert:
            return Node("bitwise_not", operand.dtype, operand.lanes, [operand])
        zero = typed(Node("literal", None, 1, [], 0), operand.dtype, operand.lanes)
        return Node("-", operand.dtype, operand.lanes, [zero, operand])
    if isinstance(tree, ast.BoolOp):
        operands = [build(value, types) for value in tree.values]
        node = operands[0]
        for operand in operands[1:]:
            name = "and" if isinstance(tree.op, ast.And) else "or"
            node = Node(name, "bool", node.lanes, [node, operand])
        return node
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        a, b = pair(build(tree.left, types), build(tree.comparators[0], types))
        return Node(COMPARE[type(tree.ops[0])], "bool", a.lanes, [a, b])
    if isinstance(tree, ast.BinOp):
        a, b = pair(build(tree.left, types), build(tree.right, types))
        return Node(BINARY[type(tree.op)], a.dtype, a.lanes, [a, b])
    if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name) and tree.value.id in types:
        indices = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        indices = [typed(build(index, types), "int32", 1) for index in indices]
        return Node("load", *split_type(types[tree.value.id]), indices, tree.value.id)
    if isinstance(tree, ast.Call):
        return call(tree, types)
    raise Unsupported(ast.dump(tree)[:60])


def call(tree, types):
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else getattr(tree.func, "id", "")
    if name == "Cast":
        operand = typed(build(tree.args[1], types), "int32", 1)
        return Node("cast", *split_type(tree.args[0].value), [operand])
    if name == "IntImm":
        return Node("const", *split_type(tree.args[0].value), [], tree.args[1].value)
    if name == "Let":
        (variable,), (value,) = tree.keywords[0].value.keys, tree.keywords[0].value.values
        value = typed(build(value, types), "int32", 1)
        body = typed(build(tree.args[0], types | {variable.id: value.dtype}), "int32", 1)
        return Node("let", body.dtype, body.lanes, [value, body], variable.id)
    if re.fullmatch(r"bool|u?int\d+|float\d+", name):
        operand = typed(build(tree.args[0], types), name, 1)
        return operand if operand.dtype == name else Node("cast", name, operand.lanes, [operand])
    if name == "Ramp":
        base, stride = pair(build(tree.args[0], types), build(tree.args[1], types))
        return Node("ramp", base.dtype, tree.args[2].value, [base, stride])
    if name == "Broadcast":
        operand = typed(build(tree.args[0], types), "int32", 1)
        return Node("broadcast", operand.dtype, tree.args[1].value, [operand])
    operands = [build(arg, types) for arg in tree.args]
    if name in ("Select", "if_then_else"):
        a, b = pair(operands[1], operands[2])
        return Node(name, a.dtype, a.lanes, [operands[0], a, b])
    if name == "likely":
        return operands[0]
    if name in CALLS:
        a, b = pair(*operands)
        return Node(CALLS[name], a.dtype, a.lanes, [a, b])
    if name in UNARY:
        operands = [typed(operand, "int32", 1) for operand in operands]
        dtype = operands[0].dtype if name == "bitwise_not" else "int32"
        return Node(name, dtype, 1, operands)
    raise Unsupported(f"call of {name}")


def constant_of(node):
    node = node.args[0] if node.op == "broadcast" else node
    return node.value if node.op == "const" else None


def is_power_of_two(value):
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def cost(node):
    """The cost of evaluating the expression once, by the default profile."""
    total = sum(cost(arg) for arg in node.args)
    if node.op in ("var", "const", "ramp", "broadcast", "vscale"):
        return total
    if node.op == "let":
        return total + 0.25
    units = (max([node.lanes] + [arg.lanes for arg in node.args]) + 7) // 8
    if node.op == "load":
        return total + 4 * units
    is_float = node.args[0].dtype.startswith("float") or node.dtype.startswith("float")
    if node.op in ("Select", "if_then_else", "and", "or", "not"):
        weight = 1
    elif is_float:
        weight = 12 if node.op in ("/", *DIVISIONS) else 2
    elif node.op in ("min", "max"):
        weight = 2
    elif node.op == "*":
        weight = 1 if any(is_power_of_two(constant_of(arg)) for arg in node.args) else 3
    elif node.op in DIVISIONS:
        divisor = constant_of(node.args[1])
        weight = 24 if divisor is None else 1 if is_power_of_two(divisor) else 5
    else:
        weight = 1
    return total + weight * units


def wrap(value, dtype):
    """The value in a type; index types do not overflow."""
    if dtype in INDEX or isinstance(value, float):
        return struct.unpack("f", struct.pack("f", value))[0] if dtype == "float32" else value
    if dtype == "bool":
        return int(bool(value))
    unsigned, bits = re.fullmatch(r"(u?)int(\d+)", dtype).groups()
    value &= (1 << int(bits)) - 1
    return value - (1 << int(bits)) if not unsigned and value >> (int(bits) - 1) else value


def convert(value, dtype):
    if dtype.startswith("float"):
        return wrap(float(value), dtype)
    value = int(value)
    if dtype == "bool":
        return int(value != 0)
    if dtype in INDEX:
        bits = int(dtype[3:])
        value &= (1 << bits) - 1
        return value - (1 << bits) if value >> (bits - 1) else value
    return wrap(value, dtype)


def evaluate(node, env):
    """The value in each lane; raises `Undefined` where the expression has none. The elements of a buffer are those of
    a function of their indices, which `env` has under its name."""
    op, args = node.op, node.args
    if op == "vscale":
        return [env[VSCALE]]
    if op == "let":
        return evaluate(args[1], env | {node.value: evaluate(args[0], env)})
    if op == "load":
        return [env[node.value](*index) for index in zip(*(evaluate(arg, env) for arg in args))]
    if op == "var":
        return env[node.value]
    if op == "const":
        return [node.value]
    if op == "broadcast":
        return evaluate(args[0], env) * node.lanes
    if op == "ramp":
        (base,), (stride,) = evaluate(args[0], env), evaluate(args[1], env)
        return [wrap(base + lane * stride, node.dtype) for lane in range(node.lanes)]
    if op == "if_then_else":
        return evaluate(args[1 if evaluate(args[0], env)[0] else 2], env)
    if op in ("and", "or") and node.lanes == 1:
        left = evaluate(args[0], env)
        return left if bool(left[0]) == (op == "or") else evaluate(args[1], env)
    values = [evaluate(arg, env) for arg in args]
    lanes = max(map(len, values))
    values = [v * lanes if len(v) == 1 else v for v in values]
    if op == "clz":
        (bits,) = re.findall(r"\d+", args[0].dtype)
        return [int(bits) - (value & (1 << int(bits)) - 1).bit_length() for value in values[0]]
    return [operate(op, node.dtype, *operands) for operands in zip(*values)]


def operate(op, dtype, a, b=None, c=None):
    if op == "Select":
        return b if a else c
    if op == "cast":
        return convert(a, dtype)
    if op == "not":
        return 1 - a
    if op in DIVISIONS or op == "/":
        if b == 0:
            raise Undefined
        quotient = a // b if op in ("//", "%") or op == "/" else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        if op == "/":
            return wrap(a / b, dtype)
        return wrap(quotient if op in ("//", "truncdiv") else a - quotient * b, dtype)
    if op in ("shift_left", "shift_right"):
        if not 0 <= b < int(dtype.lstrip("uint")):
            raise Undefined
        return wrap(a << b if op == "shift_left" else a >> b, dtype)
    table = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
        "<": lambda: int(a < b),
        "<=": lambda: int(a <= b),
        ">": lambda: int(a > b),
        ">=": lambda: int(a >= b),
        "==": lambda: int(a == b),
        "!=": lambda: int(a != b),
        "and": lambda: a & b,
        "or": lambda: a | b,
        "bitwise_and": lambda: a & b,
        "bitwise_or": lambda: a | b,
        "bitwise_xor": lambda: a ^ b,
        "bitwise_not": lambda: ~a,
    }
    return wrap(table[op](), dtype)
