"""Random graphs of blocks with planted duplicates: `satir tensor` against the interpreter.

    python benches/tensor/fuzz.py [--satir target/release/satir] [--count 1000] [--seed 0] [--jobs 1] [--pairs] [--long]

Each graph has 3 to 12 definitions over maps, reductions of rows, columns and products, broadcasts, transposes and shifted reads, and
one that repeats another with its axes and loops exchanged and renamed, its operands swapped, one of three reading a tensor through a
copy of another shape, and operations, conditions and indices written in another way: `x + x`
for `x * 2`, `T.Select(b < a, a, b)` for `T.max(a, b)`, `(i * 4 + 3) // 4` for `i`, `a * 2 + b * 2` for `(a + b) * 2` of integers. In one of
three the first size is a symbol, 0 among its values; one of four computes with integers. Some definitions are plain loops, some have a loop that was split, some tensors are changed in
their place, and reductions are sums, greatest or least values. A result that `satir equiv` finds to differ
ends the run with its program; seeds whose planted duplicates are computed twice are listed at the end.

With `--long` sizes are such that nests take several steps of their loops at once. With `--pairs` a forward function has the first definitions of a graph, and a backward function all of it. What `--split` makes of
them with some budget is validated, one function run after the other.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile


SHORT, LONG = [1, 2, 3, 5], [1, 6, 8, 36]


class Graph:
    FOLDS = {"sum": (0, "{} + ({})"), "max": (-40, "T.max({}, {})"), "min": (60, "T.min({}, {})")}

    def __init__(self, dice, sizes=SHORT):
        self.dice = dice
        self.sizes = [dice.choice(sizes) for _ in range(2)]
        # Products of matrices fold over an axis of their own, which is as long as the second one.
        self.sizes.append(self.sizes[1])
        # Sums run over the second axis. Over a size of 0 they leave memory as it was, which nobody may rely on.
        self.symbols = dice.choice([(), (), (0,)])
        self.dtype = dice.choice(["float32", "float32", "float32", "int32"])
        for axis in self.symbols:
            self.sizes[axis] = "nm"[axis]
        self.known = [(name, axes) for name, axes in (("A", (0, 1)), ("B", (0, 1)), ("C", (0,)), ("D", (1,)))]
        self.parameters = list(self.known)
        self.made = []
        self.flat = []
        # Whether what reads a tensor of before may read another value than a definition of before read.
        self.changed = False
        self.text = ""

    def block(self, name, axes, value, folded=(), reorder=False, fold=None, plain=False):
        """Text of a block, or of plain loops: `value` is written with `{0}`, `{1}`, `{2}` for the axes."""
        loops = list(axes) + list(folded)
        if reorder:
            loops.reverse()
        letters = ["p", "q", "r"] if reorder else ["i", "j", "k"]
        plain = plain and not folded
        var = {axis: letters[axis] if plain else f"v{letters[axis]}" for axis in range(3)}
        extents = ", ".join(str(self.sizes[a]) for a in loops)
        kinds = "".join("R" if a in folded else "S" for a in loops)
        heads = ", ".join(letters[a] for a in loops)
        target = f"{name}[{', '.join(var[a] for a in axes)}]"
        value = value.format(var[0], var[1], var[2])
        remap = f"{', '.join(var[a] for a in loops)} = T.axis.remap(\"{kinds}\", [{heads}])"
        lines = [f"for {heads} in T.grid({extents}):" if len(loops) > 1 else f"for {heads} in range({extents}):"]
        if len(loops) == 1:
            kind = "reduce" if folded else "spatial"
            remap = f"{var[loops[0]]} = T.axis.{kind}({extents}, {heads})"
        outer = self.sizes[loops[0]]
        if not plain and isinstance(outer, int) and self.dice.random() < 0.15:
            # The outermost loop is split, with a guard for the steps that are too many.
            first, rest = letters[loops[0]], [letters[a] for a in loops[1:]]
            both = f"{first}0 * 2 + {first}1"
            ranges = ", ".join(str(size) for size in [(outer + 1) // 2, 2] + [self.sizes[a] for a in loops[1:]])
            lines = [f"for {', '.join([first + '0', first + '1', *rest])} in T.grid({ranges}):"]
            bound = [f"{var[a]} = T.axis.{'reduce' if a in folded else 'spatial'}({self.sizes[a]}, {both if a == loops[0] else letters[a]})" for a in loops]
            remap = "\n        ".join([*bound, f"T.where({both} < {outer})"])
        lines += [f"    with T.sblock(\"{name}\"):", f"        {remap}"]
        if plain:
            return f"{lines[0]}\n    {target} = {value}\n"
        if folded:
            start, update = self.FOLDS[fold or "sum"]
            lines += ["        with T.init():", f"            {target} = {self.number(start)}"]
            value = update.format(target, value)
        return "\n".join([*lines, f"        {target} = {value}"]) + "\n"

    def read(self, tensor):
        name, axes = tensor
        return f"{name}[{', '.join('{%d}' % a for a in axes)}]"

    def number(self, value):
        return str(value) if self.dtype == "int32" else f"T.float32({value})"

    def index(self, axis):
        """An axis, written in another way."""
        x = "{%d}" % axis
        return self.dice.choice([x, f"({x} * 4 + 3) // 4", f"({x} * 3 - {x} * 2)"])

    def value(self, axes):
        """An expression over these axes, and the same one written in another way."""
        usable = [t for t in self.known if set(t[1]) <= set(axes)]
        a, b = (self.read(self.dice.choice(usable)) for _ in range(2))
        ops = ["+", "*", "-", "/", "exp", "select", "max", "double", "quarter", "sign", "arms"]
        if self.dtype == "int32":
            ops = ["+", "-", "select", "max", "double", "law"]
        op = self.dice.choice(ops)
        below = f"{{{axes[0]}}} < 2", f"{self.index(axes[0])} < 2"
        n = self.number
        if op == "exp":
            return f"T.exp({n(0)} - {a}) * {b}", f"{b} * T.exp({n(-1)} * {a})"
        if op == "select":
            return f"T.if_then_else({below[0]}, {a}, {b})", f"T.if_then_else({below[1]}, {a}, {b})"
        if op == "max":
            return f"T.max({a}, {b}) + {a}", f"{a} + T.Select({b} < {a}, {a}, {b})"
        if op == "double":
            return f"{a} * {n(2)} + {b}", f"{b} + ({a} + {a})"
        if op == "quarter":
            return f"{a} / {n(4)} - {b}", f"{n(0.25)} * {a} - {b}"
        if op == "sign":
            return f"{a} * {n(-1)} * {b}", f"{n(-1)} * ({b} * {a})"
        if op == "arms":
            return (
                f"T.if_then_else({below[0]}, {a} * {b}, {b} * {b})",
                f"T.if_then_else({below[1]}, {a}, {b}) * {b}",
            )
        if op == "law":
            return f"({a} + {b}) * 2", f"{b} * 2 + 2 * {a}"
        if op in "+*":
            return f"{a} {op} {b}", f"{b} {op} {a}"
        if op == "-" and self.dice.random() < 0.5:
            return f"{a} - {b}", f"{n(-1)} * {b} + {a}"
        return f"{a} {op} {b}", f"{a} {op} {b}"

    def step(self, number):
        made, twin = f"T{number}", f"T{number}b"
        kinds = ["map", "map", "map", "sum", "row", "shift", "product", "turn", "again"] + ([] if self.symbols else ["column"])
        kind = self.dice.choice(kinds)
        if kind == "again":
            self.change()
            kind = "map"
        fold, plain = self.dice.choice(["sum", "sum", "max", "min"]), self.dice.random() < 0.2
        axes, folded = {"sum": ((0,), (1,)), "row": ((0,), ()), "column": ((1,), (0,)), "product": ((0, 1), (2,)), "turn": ((1, 0), ())}.get(kind, ((0, 1), ()))
        value, swapped = self.value(tuple(sorted(set(axes + folded) - {2})))
        source = self.dice.choice([t for t in self.known if t[1] == (0, 1)])[0]
        if kind == "product":
            name, order = self.dice.choice([t for t in self.known if len(t[1]) == 2])
            places = [2 if axis == 1 else 0 for axis in order]
            value = f"{name}[{{{places[0]}}}, {{{places[1]}}}] * ({value})"
            swapped = f"({swapped}) * {name}[{self.index(places[0])}, {self.index(places[1])}]"
        if kind == "turn" and self.dice.random() < 0.7:
            # A transposed copy.
            value, swapped = f"{source}[{{0}}, {{1}}]", f"{source}[{self.index(0)}, {self.index(1)}]"
        if kind == "shift":
            last = f"{self.sizes[0]} - 1" if 0 in self.symbols else self.sizes[0] - 1
            value = f"{source}[{last} - {{0}}, {{1}}] + {value}"
            swapped = f"{swapped} + {source}[{last} - ({self.index(0)}), {self.index(1)}]"
        self.text += self.block(made, axes, value, folded, fold=fold, plain=plain)
        self.known.append((made, axes))
        self.made.append((made, axes))

        def again():
            before, value = self.reshaped(swapped) if self.dice.random() < 0.35 else ("", swapped)
            return before + self.block(twin, axes, value, folded, reorder=True, fold=fold, plain=plain), twin, made, axes

        return again

    def change(self):
        """A tensor of before is changed in its place: what reads it from here on reads something else."""
        changeable = [made for made in self.made if len(made[1]) == 2]
        if changeable and self.dice.random() < 0.4:
            tensor = self.dice.choice(changeable)
            self.text += self.block(tensor[0], tensor[1], f"{self.read(tensor)} - {self.number(1)}")
            self.changed = True

    def reshaped(self, value):
        """A copy of a tensor that the value reads with one dimension less, and the value that reads it."""
        read = re.search(r"(\w+)\[\{(\d)\}, \{(\d)\}\]", value)
        if read is None:
            return "", value
        name, first, second = read[1], int(read[2]), int(read[3])
        rows, columns = self.sizes[first], self.sizes[second]
        copy, extent = f"F{len(self.flat)}", f"{rows} * {columns}"
        self.flat.append((copy, extent))
        lines = [
            f"for i in range({extent}):",
            f'    with T.sblock("{copy}"):',
            f"        v = T.axis.spatial({extent}, i)",
            f"        {copy}[v] = {name}[v // {columns}, v % {columns}]",
        ]
        return "\n".join(lines) + "\n", value.replace(read[0], f"{copy}[{{{first}}} * {columns} + {{{second}}}]")

    def program(self, count=None):
        """A graph of so many definitions, of which every fifth is a result, and the names of what is equal."""
        twins = [self.step(number) for number in range(count or self.dice.randrange(3, 12))]
        text, twin, of, axes = self.dice.choice(twins)()
        self.text += text
        # Both are used, so that neither can be dropped.
        self.known += [(twin, axes)]
        out = "".join(
            self.block(f"O{at}", axes, self.read((name, axes)) + f" * {self.number(at + 3)}") for at, name in enumerate((of, twin))
        )
        outputs = [("O0", axes), ("O1", axes)]
        others = self.made[::5] if count else [*self.made[:-1:self.dice.choice([2, 3, 99])], self.made[-1]]
        outputs += [made for made in others if made[0] != of]
        return self.function("main", self.text + out, self.made + [(twin, axes)], outputs), of, twin

    def pair(self):
        """A forward and a backward function, the parameters that are the same, and whether a result is passed."""
        first = self.dice.randrange(2, 5)
        for number in range(first):
            self.step(number)
        results = self.dice.sample(self.made, self.dice.randrange(1, 3))
        forward = self.function("f", self.text, list(self.made), results)
        same = [name for name, _ in self.parameters]
        passed = [results[0]] if self.dice.random() < 0.3 else []
        text = self.text
        for name, axes in passed:
            # The backward function gets it, and computes it under another name if anything else needs it.
            text = text.replace(f"{name}[", f"{name}x[").replace(f'"{name}"', f'"{name}x"')
        made = [(name + "x" if (name, axes) in passed else name, axes) for name, axes in self.made]
        self.known = self.parameters + passed + made
        self.text, self.made = text, made
        for number in range(first, first + self.dice.randrange(1, 6)):
            self.step(number)
        outputs = [self.made[-1]] + ([self.made[-2]] if len(self.made) > first + 1 else [])
        inputs, self.parameters = self.parameters, self.parameters + passed
        backward = self.function("g", self.text, list(self.made), outputs)
        self.parameters = inputs
        return forward + "\n" + backward, same + [name for name, _ in passed]

    def function(self, name, text, made, outputs):
        shape = lambda axes: "(" + ", ".join(str(self.sizes[a]) for a in axes) + ",)"
        quoted = lambda axes: "(" + ", ".join(f'"{self.sizes[a]}"' if a in self.symbols else str(self.sizes[a]) for a in axes) + ",)"
        parameters = ", ".join(f'{n}: T.Buffer({quoted(axes)}, "{self.dtype}")' for n, axes in self.parameters + outputs)
        names = {n for n, _ in outputs}
        allocations = "".join(f"{n} = T.sblock_alloc_buffer({shape(axes)}, \"{self.dtype}\")\n" for n, axes in made if n not in names)
        allocations += "".join(f"{n} = T.sblock_alloc_buffer(({extent},), \"{self.dtype}\")\n" for n, extent in self.flat)
        head = f'@T.prim_func(s_tir=True)\ndef {name}({parameters}):\n    T.func_attr({{"tirx.noalias": True}})\n'
        return head + "".join(f"    {line}\n" for line in (allocations + text).splitlines())


class Differs(Exception):
    """What is wrong with a graph."""


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def one_pair(satir, seed, folder, sizes):
    """Validates a pair of functions. Whether something is kept, and whether the functions are changed."""
    before, after, report = (pathlib.Path(folder, f"{seed}{end}") for end in (".py", ".after.py", ".json"))
    dice = random.Random(seed)
    text, same = Graph(dice, sizes).pair()
    before.write_text(text)
    command = [satir, "tensor", before, "-o", after, "--report", report, "--validate", "--split", "forward=f,backward=g"]
    command += [word for name in same for word in ("--edge", f"f.{name}=g.{name}")]
    budget = dice.choice([None, None, 0, 20, 60, 100])
    command += [] if budget is None else ["--stash-budget", budget]
    made = run(*command)
    if made.returncode != 0 or made.stderr:
        raise Differs(f"seed {seed}, budget {budget}: {made.stderr}\n{text}")
    split = json.loads(report.read_text())[-1]
    return bool(split["stash"]), split["unchanged"] is None, None


def one_graph(satir, seed, folder, sizes):
    """Compares a graph with what is made of it. Whether it has a symbol as size, and whether the result is shorter."""
    before, after = pathlib.Path(folder, f"{seed}.py"), pathlib.Path(folder, f"{seed}.after.py")
    graph = Graph(random.Random(seed), sizes)
    text, of, twin = graph.program()
    before.write_text(text)
    made = run(satir, "tensor", before, "-o", after)
    judged = made if made.returncode != 0 else run(satir, "equiv", before, after, "--runs", "6")
    result = after.read_text() if made.returncode == 0 else ""
    twice = not graph.changed and all(re.search(rf"^\s+{name}\[.*\] = ", result, re.M) for name in (of, twin))
    if judged.returncode != 0:
        raise Differs(f"seed {seed}: {judged.stdout + judged.stderr}\n{text}\n{result}")
    return '"n"' in text, len(result) < len(text), seed if twice else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--satir", default="target/release/satir")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="how many graphs are looked at side by side")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    first = second = 0
    missed = []

    def treat(seed):
        with tempfile.TemporaryDirectory() as folder:
            return (one_pair if options.pairs else one_graph)(options.satir, seed, folder, LONG if options.long else SHORT)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            for one, other, twice in pool.map(treat, range(options.seed, options.seed + options.count)):
                first, second = first + one, second + other
                missed += [] if twice is None else [twice]
        except Differs as what:
            pool.shutdown(cancel_futures=True)
            print(what)
            sys.exit(1)
    if options.pairs:
        print(f"{options.count} pairs, 0 differences; {second} are changed, in {first} something is kept")
    else:
        print(f"{options.count} graphs, {first} with symbols as sizes, 0 differences, {options.count - len(missed)} planted duplicates found; {second} results are shorter")
    if missed:
        print(f"computed twice, seeds {', '.join(map(str, missed))}")
        sys.exit(1)


if __name__ == "__main__":
    main()
