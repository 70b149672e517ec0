"""How few operations remain of random sums and small polynomials: satir against sympy and, if found, LLVM.

A program stores sums (or polynomials) over a few integer parameters. Each is given to `satir cse`, to `sympy.cse`
and to `opt -O3` (LLVM; left out where no `opt` is on the path); counted are the additions and subtractions that
remain, and for polynomials 1 for each of them and 4 for each multiplication. Every result of satir is compared with
its input on random values.

    cargo build --release
    python benches/sums/random_sums.py [--seed 1] [--count 10] [--satir target/release/satir]
"""

import argparse
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import sympy

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = "abcdefg"
MULTIPLICATION = 4


def random_sum(rng, variables):
    """A sum of some of the variables in random order, as a list of terms (each a list of factors)."""
    return [[v] for v in rng.sample(variables, rng.randint(2, len(variables)))]


def random_polynomial(rng, variables):
    """A polynomial of two to four terms of degree up to three, now and then with a coefficient."""
    terms = []
    for _ in range(rng.randint(2, 4)):
        factors = [rng.choice(variables) for _ in range(rng.randint(1, 3))]
        terms.append(([str(rng.randint(2, 5))] if rng.random() < 0.25 else []) + factors)
    return terms


def text_of(terms):
    return " + ".join(" * ".join(factors) for factors in terms)


def function(name, variables, polynomials):
    params = "".join(f", {v}: T.int32" for v in variables)
    stores = "".join(f"        out[{i}] = {text_of(p)}\n" for i, p in enumerate(polynomials))
    head = f'    @T.prim_func\n    def {name}(out: T.Buffer(({len(polynomials)},), "int32"){params}):\n'
    return head + stores


def module(functions):
    head = "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
    return head + "\n".join(functions)


def operations(measure):
    """Additions and subtractions, and multiplications, of a measure in satir's report."""
    count = lambda words: sum(
        n["in_text"] for name, n in measure["operations"].items() if any(w in name for w in words)
    )
    return count(["add", "sub"]), count(["mul"])


def by_satir(satir, functions, names):
    """Per function (before, after), each as (additions, multiplications), and milliseconds of processor time for each."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "in.py")
        result = pathlib.Path(folder, "out.py")
        report = pathlib.Path(folder, "report.json")
        source.write_text(module(functions))
        start = processor_time()
        subprocess.run([satir, "cse", source, "-o", result, "--report", report], check=True)
        time = (processor_time() - start) / len(functions)
        bindings = ",".join(f"{v}={i * 7 - 11}" for i, v in enumerate(NAMES))
        verdict = subprocess.run(
            [satir, "equiv", source, result, "--bind", bindings], capture_output=True, text=True, check=False
        )
        if "no difference" not in verdict.stdout:
            sys.exit(f"satir's result differs from its input:\n{verdict.stdout}{verdict.stderr}")
        found = {f["name"]: f for f in json.loads(report.read_text())["functions"]}
    rows = []
    for name in names:
        f = found[name]
        after = f["before"] if f["chosen"] == "input" else f[f["chosen"]]
        rows.append((operations(f["before"]), operations(after)))
    return rows, time * 1000


def processor_time():
    """Seconds that finished child processes took: start, parsing and printing included."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sympy_operations(exprs):
    """Additions and multiplications of expressions, with powers as repeated multiplications."""
    adds = muls = 0
    for top in exprs:
        for e in sympy.preorder_traversal(top):
            if isinstance(e, sympy.Add):
                adds += len(e.args) - 1
            elif isinstance(e, sympy.Mul):
                muls += len([a for a in e.args if a != -1]) - 1
            elif isinstance(e, sympy.Pow):
                muls += int(e.exp) - 1
    return adds, muls


def by_sympy(polynomials, optimizations):
    symbols = {v: sympy.Symbol(v) for v in NAMES}
    exprs = [sympy.sympify(text_of(p), locals=symbols) for p in polynomials]
    shared, rest = sympy.cse(exprs, optimizations=optimizations)
    return sympy_operations([e for _, e in shared] + list(rest))


def by_llvm(opt, variables, polynomials):
    lines = [f"define void @f(ptr %out, {', '.join(f'i64 %{v}' for v in variables)}) {{"]
    fresh = 0

    def step(kind, x, y):
        nonlocal fresh
        fresh += 1
        lines.append(f"  %t{fresh} = {kind} i64 {x}, {y}")
        return f"%t{fresh}"

    value = lambda factor: factor if factor.isdigit() else f"%{factor}"
    for i, terms in enumerate(polynomials):
        total = None
        for factors in terms:
            product = value(factors[0])
            for factor in factors[1:]:
                product = step("mul", product, value(factor))
            total = product if total is None else step("add", total, product)
        lines.append(f"  %p{i} = getelementptr i64, ptr %out, i64 {i}")
        lines.append(f"  store i64 {total}, ptr %p{i}")
    text = "\n".join([*lines, "  ret void", "}"])
    command = [opt, "-S", "-O3", "-opaque-pointers", "-vectorize-slp=false", "-"]
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    count = lambda kinds: len(re.findall(rf"= (?:{kinds}) ", made))
    return count("add|sub"), count("mul|shl")


def cost(operations, multiplication):
    return operations[0] + multiplication * operations[1]


def run(title, rng, make, sizes, args, per_program, multiplication):
    print(f"{title:24}{'as written':>11}{'satir':>8}{'sympy':>8}{'factored':>9}{'LLVM':>8}{'time each':>10}")
    opt = shutil.which("opt") or shutil.which("opt-14")
    total = [0.0] * 5
    for size in sizes:
        variables = list(NAMES[:size])
        programs = [[make(rng, variables) for _ in range(per_program)] for _ in range(args.count)]
        names = [f"f{i}" for i in range(args.count)]
        functions = [function(n, variables, p) for n, p in zip(names, programs)]
        rows, time = by_satir(args.satir, functions, names)
        columns = [
            [cost(before, multiplication) for before, _ in rows],
            [cost(after, multiplication) for _, after in rows],
            [cost(by_sympy(p, None), multiplication) for p in programs],
            [cost(by_sympy(p, "basic"), multiplication) for p in programs],
            [cost(by_llvm(opt, variables, p), multiplication) for p in programs] if opt else [float("nan")],
        ]
        sums = [sum(c) for c in columns]
        total = [x + y for x, y in zip(total, sums)]
        show(f"{args.count} x {per_program}, {size} variables", sums, time)
        if args.verbose:
            for program, *each in zip(programs, *columns[1:4]):
                if each[0] > min(each):
                    print("   ", each, "; ".join(text_of(p) for p in program))
    show("total", total, None)


def show(label, sums, each):
    time = "" if each is None else f"{each:7.2f} ms"
    print(f"{label:24}{sums[0]:>11.0f}{sums[1]:>8.0f}{sums[2]:>8.0f}{sums[3]:>9.0f}{sums[4]:>8.0f}{time:>10}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10, help="programs of each size")
    parser.add_argument("--satir", default=str(ROOT / "target" / "release" / "satir"))
    parser.add_argument("--verbose", action="store_true", help="print programs on which satir is not the best")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    run("additions", rng, random_sum, range(4, 8), args, 4, 0)
    print()
    run("additions + 4 * products", rng, random_polynomial, [3, 4], args, 3, MULTIPLICATION)


if __name__ == "__main__":
    main()
