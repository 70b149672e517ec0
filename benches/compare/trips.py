"""How often a loop of SASS runs, where that can be read from the code.

Such a loop has a register that one instruction of it advances by a constant, and that is compared with a constant; it starts
with the constant that it was given last before the loop.
"""

import re
import struct

# The most iterations that are followed.
MOST = 1 << 20

REGISTER = r"(U?R\d+)(?:\.reuse)?"
ADVANCE = re.compile(rf"^{REGISTER}, {REGISTER}, (-?0x[0-9a-f]+|-?\d+), U?RZ$")
COMPARE = re.compile(rf"^(U?P\d), U?PT, {REGISTER}, (-?0x[0-9a-f]+|-?\d+|U?RZ), U?PT$")
MOVED = re.compile(rf"^{REGISTER}, (?:U?RZ, U?RZ, )?(-?0x[0-9a-f]+|-?\d+|U?RZ|SRZ)$")
HALVES = re.compile(rf"^{REGISTER}, -RZ, RZ, (\S+), (\S+)$")

COMPARES = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}


def number(text):
    """The signed number of a constant operand."""
    if text in ("RZ", "URZ", "SRZ"):
        return 0
    return signed(int(text, 0))


def signed(value):
    """What 32 bits mean as a signed number."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def given(name, operands):
    """The register and the constant that an instruction gives it; none if it does something else."""
    if name.split(".")[0] in ("MOV", "UMOV", "IMAD", "CS2R") and (found := MOVED.match(operands)):
        return found.group(1), number(found.group(2))
    if name.startswith("HFMA2") and (found := HALVES.match(operands)):
        try:
            high, low = (struct.unpack("<H", struct.pack("<e", float(half)))[0] for half in found.groups()[1:])
        except (ValueError, OverflowError):
            return None
        return found.group(1), signed(high << 16 | low)
    return None


def start(lines, head, register):
    """The constant that a register was given last before a place of the code; none if it was something else."""
    # Some instructions give two registers, of which the first is named.
    kind, place = re.match(r"(U?R)(\d+)", register).groups()
    named = rf"(?:{register}|{kind}{int(place) - 1})\b"
    for guard, name, operands in reversed(lines[:head]):
        is_wide = name.startswith("CS2R") or ".64" in name or ".WIDE" in name
        if re.match(named if is_wide else rf"{register}\b", operands) and not name.startswith(("ST", "BRA", "BSSY")):
            constant = given(name, operands)
            return constant[1] if constant and not guard else None
    return None


def count(lines, after, head, body):
    """The iterations of the loop with these places, each with what may follow it in `after`; none if the code does not tell.

    >>> code = [(None, "MOV", "R4, RZ"), (None, "IADD3", "R4, R4, 0x2, RZ"), (None, "ISETP.NE.AND", "P0, PT, R4, 0x8, PT"), ("@P0", "BRA", "")]
    >>> count(code, [[1], [2], [3], [1, 4]], 1, {1, 2, 3})
    4
    """
    inside = sorted(body)
    advances = {}
    for at in inside:
        guard, name, operands = lines[at]
        if name in ("IADD3", "UIADD3") and (found := ADVANCE.match(operands)) and found.group(1) == found.group(2):
            advances.setdefault(found.group(1), []).append((at, number(found.group(3)), guard))
    for at in inside:
        guard, name, operands = lines[at]
        kind = name.split(".")
        found = COMPARE.match(operands) if kind[0] in ("ISETP", "UISETP") and not guard else None
        if not found or kind[1] not in COMPARES or len(advances.get(found.group(2), [])) != 1:
            continue
        (advance, step, guarded), first = advances[found.group(2)][0], start(lines, head, found.group(2))
        if first is None or guarded or not step or not leaves(lines, after, body, at, found.group(1)):
            continue
        value = first + (step if advance < at else 0)
        bound, holds = number(found.group(3)), COMPARES[kind[1]]
        unsigned = (lambda v: v & 0xFFFFFFFF) if "U32" in kind else (lambda v: v)
        begun = holds(unsigned(value), unsigned(bound))
        for iteration in range(1, MOST):
            if holds(unsigned(value), unsigned(bound)) != begun:
                return iteration
            value = signed(value + step)
    return None


def leaves(lines, after, body, at, predicate):
    """Whether a jump behind a comparison, at which the loop may be left, goes by the comparison alone."""
    for place in range(at + 1, max(body) + 1):
        guard, name, operands = lines[place]
        if guard and guard.strip().lstrip("@!") == predicate and name.startswith(("BRA", "CALL", "EXIT")):
            return name.startswith("EXIT") or any(following not in body for following in after[place])
        if name.startswith("PLOP3") and re.search(rf"\b{predicate}, 0x80, 0x0$", operands):
            predicate = operands.split(",")[0]
        elif name.startswith(("ISETP", "UISETP", "FSETP", "PLOP3", "R2P")) and re.search(rf"\b{predicate}\b", operands.split(", PT")[0]):
            return False
    return False
