"""Tables of expressions, made from patterns of how index arithmetic comes about.

Each table is a list of records as `satir expr` reads them: `id`, `vars`, `expr`, `precond`. The patterns are those
that lowering makes: an index split and fused again, offsets into tiles, padding that is rounded up, guards of the last
tile, clamped borders, selections by parity, vectors of neighbours. Constants, order of operands, the operations and how
deep they nest are drawn at random from a seed.
"""

import random

SIZES = [2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 56, 64, 100, 128]


def variable(low=None, high=None, dtype="int32"):
    return {"dtype": dtype, "min": low, "max": high}


class Maker:
    """Random parts of expressions over the variables that it declares."""

    def __init__(self, rng):
        self.rng = rng
        self.vars = {}
        self.precond = []

    def size(self):
        return self.rng.choice(SIZES)

    def var(self, name, extent=None):
        bounds = (0, extent - 1) if extent else (None, None)
        self.vars.setdefault(name, variable(*bounds))
        return name

    def sum(self, terms):
        """The terms added in random order and association."""
        terms = list(terms)
        self.rng.shuffle(terms)
        while len(terms) > 1:
            i = self.rng.randrange(len(terms) - 1)
            terms[i : i + 2] = [f"({terms[i]} + {terms[i + 1]})"]
        return terms[0]

    def times(self, a, b):
        return f"{a} * {b}" if self.rng.random() < 0.5 else f"{b} * {a}"

    def anything(self, depth):
        """A random term over three variables of different ranges."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return rng.choice([self.var("a"), self.var("b", 64), self.var("c", 8), str(rng.randint(-9, 20))])
        x, y, c = self.anything(depth - 1), self.anything(depth - 1), rng.choice([2, 3, 4, 8, 10])
        return rng.choice(
            [
                f"({x} + {y})",
                f"({x} - {y})",
                f"({x} * {c})",
                f"(({x}) // {c})",
                f"(({x}) % {c})",
                f"T.truncdiv({x}, {c})",
                f"T.min({x}, {y})",
                f"T.max({x}, {y})",
                f"T.Select({x} < {y}, {y}, {x})",
            ]
        )


def split_and_fuse(m):
    """An index put together from its parts and taken apart again."""
    a, b, c = m.size(), m.size(), m.size()
    i, j, k = m.var("i"), m.var("j", b), m.var("k", c)
    fused = m.sum([m.times(i, b * c), m.times(j, c), k])
    return m.rng.choice(
        [
            f"{fused} // {c}",
            f"{fused} // {b * c}",
            f"{fused} % {c}",
            f"{fused} % {b * c} // {c}",
            f"{fused} // {c} % {b}",
            f"{fused} // {c} * {c} + {fused} % {c}",
            f"({fused} + {a * c}) // {c} - {a}",
        ]
    )


def symbolic(m):
    """The same with sizes that are variables."""
    i, j = m.var("i"), m.var("j")
    n = "n"
    m.vars[n] = variable(1)
    m.precond += [f"{j} >= 0", f"{j} < {n}"]
    fused = m.sum([m.times(i, n), j])
    return m.rng.choice([f"({fused}) // {n}", f"({fused}) % {n}", f"({fused} + {n}) // {n}", f"({fused}) // {n} * {n}"])


def tiles(m):
    """Rounding up and down to a tile, and what is left of the last one."""
    c, x, y = m.size(), m.var("x"), m.var("y")
    up = f"({x} + {c - 1}) // {c} * {c}"
    down = f"{x} // {c} * {c}"
    return m.rng.choice(
        [
            f"{up} - {x}",
            f"{x} - {down}",
            f"T.min({up}, {x})",
            f"T.max({down}, {x})",
            f"{down} < {x} + {y}",
            f"{up} >= {x} - {y}",
            f"T.min({x} - {down}, {c})",
            f"({x} + {2 * c}) // {c} - ({x} + {c}) // {c}",
        ]
    )


def guards(m):
    """Conditions at borders, some of which others imply."""
    c, d = m.size(), m.size()
    x, y = m.var("x", c), m.var("y")
    index = m.sum([m.times(y, c), x])
    return m.rng.choice(
        [
            f"{index} < {c * d}",
            f"0 <= {index} and {index} < {c * d} and {y} < {d}",
            f"{y} < {d} and {y} < {d + 1}",
            f"{y} < {d} or {y} >= {d - 1}",
            f"{y} * {c} == {x} + 1 + {c} * {d}",
            f"not ({index} >= {c * d})",
            f"{index} % {c} < {x} + 1",
        ]
    )


def borders(m):
    """Clamped indices."""
    lo, hi = m.rng.randint(0, 9), m.rng.randint(10, 90)
    x, y, z = m.var("x"), m.var("y"), m.var("z")
    return m.rng.choice(
        [
            f"T.max(T.min({x}, {hi}), {lo})",
            f"T.min(T.min({x} + {lo}, {y} + {lo}), {x} + {hi})",
            f"T.min({m.sum([x, y, z])}, {m.sum([y, z])} + {lo})",
            f"T.max(T.min({x} + {y}, {z}) - {y}, {x})",
            f"T.min({x} * {lo + 2}, {y} * {lo + 2}) // {lo + 2}",
            f"T.max({x} - {y}, {x} - {z}) + {y}",
            f"T.min(T.max({x}, {lo}), T.max({y}, {lo}))",
        ]
    )


def arms(m):
    """Selections whose arms or conditions agree."""
    c, x, y = m.size(), m.var("x"), m.var("y")
    return m.rng.choice(
        [
            f"T.Select({x} < {c}, {y}, 0) + T.Select({x} < {c}, 1, {y})",
            f"T.if_then_else({x} < {c}, T.if_then_else({x} < {c + 1}, {y}, 0), {y})",
            f"T.Select({x} > {c}, T.max({x}, {c}), {c})",
            f"T.Select({x} % 2 == 0, {x} // 2, ({x} - 1) // 2)",
            f"T.Select({x} < {y}, {x}, {y}) * {c} - T.min({x}, {y}) * {c}",
        ]
    )


def sums(m):
    """Long sums in which things cancel, products of sums."""
    names = [m.var(n) for n in "abcdef"]
    terms = [m.times(m.rng.choice(names), m.rng.randint(-6, 6)) for _ in range(m.rng.randint(4, 9))]
    other = [m.times(m.rng.choice(names), m.rng.randint(1, 6)) for _ in range(3)]
    first, second = m.sum(terms), m.sum(other)
    return m.rng.choice([first, f"({first}) - ({second})", f"({first}) * 2 + ({second}) * 4", f"({second}) * a - ({second}) * b"])


def truncated(m):
    """The truncating division of C."""
    c, x, y = m.size(), m.var("x"), m.var("y")
    p = m.var("p", 1000)
    return m.rng.choice(
        [
            f"T.truncdiv({x}, {c}) * {c} + T.truncmod({x}, {c})",
            f"T.truncdiv({p} * {c} + {c - 1}, {c})",
            f"T.truncmod({p} * {c}, {c})",
            f"T.truncdiv({x} * {2 * c}, {2 * c})",
            f"{x} - T.truncdiv({x} + {y}, {c}) * {c}",
            f"T.truncdiv(T.truncdiv({x}, {c}), 4)",
        ]
    )


def vectors(m):
    """Vectors of neighbours."""
    c, lanes, x, y = m.size(), m.rng.choice([2, 4, 8]), m.var("x"), m.var("y")
    ramp = f"T.Ramp({m.times(x, c * lanes)}, 1, {lanes})"
    wide = lambda e: f"T.Broadcast({e}, {lanes})"
    return m.rng.choice(
        [
            f"{ramp} // {wide(c * lanes)}",
            f"{ramp} % {wide(c * lanes)}",
            f"{ramp} + {wide(y)}",
            f"{wide(x)} * {wide(y)} + {wide(y)}",
            f"{ramp} < {wide(m.times(y, c * lanes))}",
            f"T.min({ramp}, T.Ramp({m.times(x, c * lanes)}, 2, {lanes}))",
        ]
    )


def nested(m):
    """Anything, four operations deep."""
    return m.anything(4)


PATTERNS = [split_and_fuse, symbolic, tiles, guards, borders, arms, sums, truncated, vectors, nested]


def table(seed, count):
    """`count` expressions of each pattern, as records."""
    records = []
    for pattern in PATTERNS:
        rng = random.Random(f"{seed} {pattern.__name__}")
        for number in range(count):
            maker = Maker(rng)
            text = pattern(maker)
            records.append(
                {
                    "id": f"{pattern.__name__}-{number}",
                    "vars": maker.vars,
                    "expr": text,
                    "precond": maker.precond,
                }
            )
    return records
