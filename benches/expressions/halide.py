"""The checks of a C++ file of Halide's simplifier tests as expressions, as text that `satir expr` reads.

What is read are calls `check(before, after, …)` and `check_in_bounds(…)` within functions, over the variables,
expressions, ranges and alignments declared before them. Integer quotients of Halide are Euclidean, and 0 by 0: only
divisors that are constants are translated. Whatever else has no meaning here, such as floats, statements and shuffles,
raises `Unsupported`.
"""

import re

from tvmexpr import Unsupported, wrap

TOKEN = re.compile(
    r"\s*(?:(?P<float>\d+\.\d*(?:[eE]-?\d+)?f?)|(?P<int>0[xX][0-9a-fA-F]+|\d+)[uUlL]*|(?P<name>[A-Za-z_][\w:]*)"
    r"|(?P<op>&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%<>!()\[\],.=&|~^]))"
)
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"([^"\\]|\\.)*"')
VARIABLE = re.compile(r'(?:(?:const )?Expr|Var)\s+(\w+)\s*=\s*(?:Variable::make\((.*), "(\w+)"\)|Var\("(\w+)"\))$', re.DOTALL)
TYPE = re.compile(r"(Int|UInt|Bool|Float)\(([\d, ]*)\)(?:\.with_lanes\((\d+)\))?$")
BITWISE = {"<<": "shift_left", ">>": "shift_right", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}


class Value:
    """An expression: its text, its type without lanes, its lanes, and its value if it is a literal."""

    def __init__(self, text, dtype="int32", lanes=1, literal=None):
        self.text, self.dtype, self.lanes, self.literal = text, dtype, lanes, literal


def checks(source):
    """Triples of a line, and a record or the reason why there is none."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), source)
    scopes = [Scope()]
    start = 0
    for at, character in enumerate(STRING.sub(lambda m: "_" * len(m[0]), text)):
        if character not in "{};":
            continue
        statement = text[start:at]
        line = text.count("\n", 0, start + len(statement) - len(statement.lstrip())) + 1
        start = at + 1
        if character == "{":
            scopes.append(Scope(scopes[-1]))
        elif character == "}":
            scopes.pop()
        else:
            yield from scopes[-1].statement(" ".join(statement.split()), line)


class Scope:
    """The names known within a pair of braces."""

    def __init__(self, outer=None):
        self.values = dict(outer.values) if outer else {}
        self.variables = dict(outer.variables) if outer else {}
        # Ranges and alignments of variables, by the name of their scope and the variable.
        self.facts = dict(outer.facts) if outer else {}

    def statement(self, text, line):
        if match := re.match(r"(\w+)\.push\(\"(\w+)\", (ModulusRemainder|Interval)\(([^()]*)\)\)$", text):
            self.facts[match[1], match[2]] = (match[3], [part.strip() for part in match[4].split(",")])
        elif match := re.match(r"(\w+)\.pop\(\"(\w+)\"\)$", text):
            self.facts.pop((match[1], match[2]), None)
        elif re.match(r"(const )?(Expr|Var) \w+ = ", text):
            for part in declarations(text):
                self.declare(part)
        elif text.startswith(("check(", "check_in_bounds(")):
            try:
                yield line, self.record(text)
            except Unsupported as why:
                yield line, str(why)

    def declare(self, text):
        match = VARIABLE.match(text)
        name = text.split("=")[0].split()[-1]
        try:
            if match:
                dtype, lanes = type_of(match[2] or "Int(32)")
                self.variables[match[3] or match[4]] = with_lanes(dtype, lanes)
                self.values[name] = Value(match[3] or match[4], dtype, lanes)
            else:
                self.values[name] = Parser(text.split("=", 1)[1], self.values).whole()
        except Unsupported as why:
            self.values[name] = why

    def record(self, text):
        parser = Parser(text, self.values)
        parser.name()
        parser.expect("(")
        before = parser.expression()
        parser.expect(",")
        after = parser.expression()
        scope = parser.name() if parser.take(",") else None
        before, after = same_type(before, after)
        if before.lanes != after.lanes:
            raise Unsupported("vectors of different lengths")
        names = {name for name in re.findall(r"\w+", before.text + " " + after.text) if name in self.variables}
        record = {"vars": {name: {"dtype": self.variables[name]} for name in sorted(names)}, "expr": before.text}
        for (of, name), (kind, (a, b)) in self.facts.items():
            if of == scope and name in names and kind == "Interval":
                record["vars"][name] |= {"min": int(a), "max": int(b)}
            elif of == scope and name in names:
                record.setdefault("precond", []).append(f"{name} % {a} == {b}")
        return record | {"expected": after.text}


def declarations(text):
    """The parts of a declaration of several variables, each with the type."""
    depth, parts, kind = 0, [""], text.split(" ")[0]
    for character in text:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append(kind)
        else:
            parts[-1] += character
    return parts


def type_of(text):
    match = TYPE.match(text.strip())
    if not match or match[1] == "Float":
        raise Unsupported(f"type {text}")
    numbers = [int(n) for n in match[2].split(",") if n.strip()]
    bits = [] if match[1] == "Bool" else [numbers.pop(0)]
    if bits == [1]:
        return "bool", (numbers or [1])[0]
    dtype = {"Int": "int", "UInt": "uint", "Bool": "bool"}[match[1]] + "".join(map(str, bits))
    return dtype, int(match[3]) if match[3] else (numbers or [1])[0]


def with_lanes(dtype, lanes):
    return f"{dtype}x{lanes}" if lanes > 1 else dtype


class Parser:
    """C++ expressions, by precedence."""

    def __init__(self, text, values):
        self.values, self.tokens, at = values, [], 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Unsupported(f"text: {text[at:at + 20]}")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.tokens.append(("end", ""))
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, op):
        found = self.peek() == ("op", op)
        self.at += found
        return found

    def expect(self, op):
        if not self.take(op):
            raise Unsupported(f"{self.peek()[1] or 'end'} instead of {op}")

    def name(self):
        kind, text = self.peek()
        if kind != "name":
            raise Unsupported(f"{text or 'end'} instead of a name")
        self.at += 1
        return text

    def number(self):
        value = self.expression().literal
        if value is None:
            raise Unsupported("a number of lanes that is no literal")
        return value

    def whole(self):
        value = self.expression()
        if self.peek()[0] != "end":
            raise Unsupported(f"{self.peek()[1]} after an expression")
        return value

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.unary()
        value = self.expression(level + 1)
        while self.peek()[0] == "op" and self.peek()[1] in LEVELS[level]:
            op = self.peek()[1]
            self.at += 1
            value = binary(op, value, self.expression(level + 1))
        return value

    def unary(self):
        if self.take("!"):
            value = self.unary()
            return Value(f"(not {value.text})", "bool", value.lanes)
        if self.take("-"):
            value = self.unary()
            if value.literal is not None:
                return literal(-value.literal)
            return binary("-", literal(0), value)
        if self.take("("):
            value = self.expression()
            self.expect(")")
            return value
        kind, text = self.peek()
        self.at += 1
        if kind == "int":
            return literal(int(text, 0))
        if kind != "name":
            raise Unsupported("floats" if kind == "float" else f"{text or 'end'} instead of an operand")
        if self.take("("):
            return self.call(text)
        value = self.values.get(text)
        if not isinstance(value, Value):
            raise Unsupported(str(value) if value else f"the name {text}")
        return value

    def type(self):
        name, text = self.name(), "("
        self.expect("(")
        while not self.take(")"):
            text += self.peek()[1]
            self.at += 1
        return type_of(name + text + ")")

    def call(self, name):
        if name in ("const_true", "const_false"):
            lanes = 1 if self.peek() == ("op", ")") else self.number()
            value = broadcast(Value(name.removeprefix("const_").capitalize(), "bool"), lanes)
        elif name in ("cast", "make_const"):
            dtype, lanes = self.type()
            self.expect(",")
            value = self.expression()
            if name == "make_const" and value.literal is not None and dtype != "bool":
                number = wrap(value.literal, dtype)
                value = broadcast(Value(f"T.{dtype}({number})", dtype), lanes)
            else:
                value = Value(f'T.Cast("{with_lanes(dtype, lanes)}", {broadcast(value, lanes).text})', dtype, lanes)
        elif name in ("ramp", "broadcast", "Ramp::make", "Broadcast::make"):
            first = self.expression()
            self.expect(",")
            if name.lower().startswith("ramp"):
                first, stride = same_type(first, self.expression())
                self.expect(",")
                lanes = self.number()
                value = Value(f"T.Ramp({first.text}, {stride.text}, {lanes})", first.dtype, lanes)
                if first.lanes > 1 or lanes == 1 or first.dtype == "bool":
                    raise Unsupported("nested ramps, or ramps of conditions")
            else:
                value = broadcast(first, self.number())
        elif name in ("min", "max"):
            value = self.expression()
            while self.take(","):
                a, b = same_type(value, self.expression())
                value = Value(f"T.{name}({a.text}, {b.text})", a.dtype, a.lanes)
        elif name in ("select", "Select::make"):
            condition = self.expression()
            self.expect(",")
            a = self.expression()
            self.expect(",")
            a, b = same_type(a, self.expression())
            if condition.lanes not in (1, a.lanes):
                raise Unsupported("select of different lengths")
            value = Value(f"T.Select({broadcast(condition, a.lanes).text}, {a.text}, {b.text})", a.dtype, a.lanes)
        elif name == "clamp":
            value = self.expression()
            for bound in ("max", "min"):
                self.expect(",")
                a, b = same_type(value, self.expression())
                value = Value(f"T.{bound}({a.text}, {b.text})", a.dtype, a.lanes)
        elif name in ("Expr", "likely"):
            value = self.expression()
        else:
            raise Unsupported(f"call of {name}")
        self.expect(")")
        return value


def literal(value):
    return Value(str(value) if value >= 0 else f"({value})", literal=value)


def broadcast(value, lanes):
    if lanes == value.lanes:
        return value
    if value.lanes > 1:
        raise Unsupported("nested broadcasts")
    return Value(f"T.Broadcast({value.text}, {lanes})", value.dtype, lanes)


def same_type(a, b):
    """A literal gets the type of the other operand, a scalar its lanes."""
    lanes = max(a.lanes, b.lanes)
    if a.dtype != b.dtype:
        if a.literal is None and b.literal is None:
            raise Unsupported("operands of different types")
        name = b.dtype if a.literal is not None else a.dtype
        a, b = (Value(f"T.{name}({v.text})", name) if v.literal is not None else v for v in (a, b))
    return broadcast(a, lanes), broadcast(b, lanes)


def binary(op, a, b):
    if a.literal is not None and b.literal is not None and op in "+-*":
        return literal({"+": a.literal + b.literal, "-": a.literal - b.literal, "*": a.literal * b.literal}[op])
    divisor = b.literal
    a, b = same_type(a, b)
    if op in ("/", "%"):
        if divisor is None:
            # A divisor that is a broadcast or a conversion of a constant.
            match = re.fullmatch(r'(?:T\.Broadcast\(|T\.Cast\("\w+", )\(?(-?\d+)\)?(?:, \d+)?\)', b.text)
            divisor = int(match[1]) if match else 0
        if divisor == 0 or divisor < 0 and b.text != f"({divisor})":
            raise Unsupported("a divisor that is no constant")
        quotient = f"({a.text} {'//' if op == '/' else '%'} {abs(divisor) if divisor < 0 else b.text})"
        return Value(f"(0 - {quotient})" if divisor < 0 and op == "/" else quotient, a.dtype, a.lanes)
    if op in BITWISE:
        if a.dtype == "bool":
            raise Unsupported("bits of conditions")
        return Value(f"T.{BITWISE[op]}({a.text}, {b.text})", a.dtype, a.lanes)
    if op in ("&&", "||"):
        return Value(f"({a.text} {'and' if op == '&&' else 'or'} {b.text})", "bool", a.lanes)
    boolean = op in LEVELS[5] + LEVELS[6]
    return Value(f"({a.text} {op} {b.text})", "bool" if boolean else a.dtype, a.lanes)
