"""How few operations remain of random sums and small polynomials: satir against sympy, TVM and LLVM.

A program stores sums (or polynomials) over a few integer parameters. Each is given to `satir cse`, to `sympy.cse`,
to TVM's StmtSimplify with CommonSubexprElim, and to the LLVM in TVM at -O3 (without vectors); counted are the additions and
subtractions that remain, and for polynomials 1 for each of them and 4 for each multiplication. Every result of satir is
compared with its input on random values.

    cargo build --release
    .venv/bin/python benches/sums/random_sums.py [--seeds 1 2 3] [--count 10] [--satir target/release/satir]

With `--output FILE` the figures go to a Markdown document as well. It needs the Python packages `apache-tvm` and `sympy`.
"""

import argparse
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

import sympy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "compare"))

import compare  # noqa: E402
import kernels  # noqa: E402
import report  # noqa: E402
import variants  # noqa: E402

NAMES = "abcdefg"
MULTIPLICATION = 4
COLUMNS = ["as written", "satir", "sympy", "sympy, factored", "TVM", "LLVM"]


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
    head = f'    @T.prim_func(s_tir=True)\n    def {name}(out: T.Buffer(({len(polynomials)},), "int32"){params}):\n'
    return head + stores


def module(functions):
    return "@I.ir_module\nclass Module:\n" + "\n".join(functions)


def counted(satir, text, names):
    """Additions and multiplications that stand in each function, as satir counts them."""
    functions = json.loads(variants.satir([satir, "count", "-", "--static", "--json"], text))["functions"]
    found = {f["name"]: f["static"] for f in functions}
    return [(found[name]["add"], found[name]["mul"] + found[name]["mul_pow2"]) for name in names]


def by_satir(satir, text, names, variables):
    """What satir makes of the functions over these variables, and milliseconds of processor time for each."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "in.py")
        result = pathlib.Path(folder, "out.py")
        source.write_text(text)
        start = processor_time()
        subprocess.run([satir, "cse", source, "-o", result], check=True)
        time = (processor_time() - start) / len(names)
        bindings = ",".join(f"{v}={i * 7 - 11}" for i, v in enumerate(variables))
        verdict = subprocess.run(
            [satir, "equiv", source, result, "--bind", bindings], capture_output=True, text=True, check=False
        )
        if "no difference" not in verdict.stdout:
            sys.exit(f"satir's result differs from its input:\n{verdict.stdout}{verdict.stderr}")
        return result.read_text(), time * 1000


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


def by_llvm(module, names):
    """Additions and multiplications of each function in LLVM's code."""
    code = kernels.compiled(module, 3, ["-vectorize-slp:bool=0"]).inspect_source("ll")
    rows = []
    for name in names:
        body = re.search(rf"^define [^\n]*@__tvm_ffi_{name}\(.*?^}}", code, re.MULTILINE | re.DOTALL)[0]
        # What checks the arguments computes with other types, but for the numbers of their types.
        count = lambda kinds: len(re.findall(rf"= (?:{kinds})(?: nuw| nsw)* i32 (?!%\w+\.type_index)", body))
        rows.append((count("add|sub|or disjoint"), count("mul|shl")))
    return rows


def cost(operations, multiplication):
    return operations[0] + multiplication * operations[1]


def run(rng, make, sizes, args, per_program, multiplication):
    """Per number of variables: what remains in all programs by each, and the milliseconds that satir takes for each program."""
    found = {}
    for size in sizes:
        variables = list(NAMES[:size])
        programs = [[make(rng, variables) for _ in range(per_program)] for _ in range(args.count)]
        names = [f"f{i}" for i in range(args.count)]
        text = module([function(n, variables, p) for n, p in zip(names, programs)])
        parsed = variants.as_module(text)
        shared, time = by_satir(args.satir, text, names, variables)
        _, simplified, _ = variants.make("tvm-simplify", None, text, parsed, {}, 0)
        each = [
            counted(args.satir, text, names),
            counted(args.satir, shared, names),
            [by_sympy(p, None) for p in programs],
            [by_sympy(p, "basic") for p in programs],
            counted(args.satir, simplified, names),
            by_llvm(parsed, names),
        ]
        costs = [[cost(operations, multiplication) for operations in column] for column in each]
        found[f"{args.count} x {per_program}, {size} variables"] = [sum(column) for column in costs], time
        if args.verbose:
            for program, *of_program in zip(programs, *costs[1:4]):
                if of_program[0] > min(of_program):
                    print("   ", of_program, "; ".join(text_of(p) for p in program))
    return found


def total(found):
    """The sums of all sizes, and the longest time."""
    sums = [sum(column) for column in zip(*(sums for sums, _ in found.values()))]
    return sums, max(time for _, time in found.values())


def rows_of(found):
    """The rows of a table."""
    all_rows = {**found, "total": total(found)}
    return [[label, *(f"{value:.0f}" for value in sums), f"{time:.2f}"] for label, (sums, time) in all_rows.items()]


def document(seeds):
    """The figures of all seeds as Markdown."""
    of_seeds = ({i: total(found) for i, found in enumerate(each)} for each in zip(*seeds.values()))
    (additions, time), (costs, time_of_polynomials) = map(total, of_seeds)
    figures = [
        ["additions over `sympy.cse`'s", "at most 0.983", f"{additions[1] / additions[2]:.3f}"],
        ["additions + 4 * multiplications of polynomials over LLVM's", "at most 1", f"{costs[1] / costs[5]:.3f}"],
        ["milliseconds for a program", "at most 5", f"{max(time, time_of_polynomials):.2f}"],
    ]
    parts = [
        "# Random sums and polynomials\n",
        f"Made by `.venv/bin/python benches/sums/random_sums.py --seeds {' '.join(map(str, seeds))} --output benches/SUMS.md`"
        f" (satir {compare.commit()}; sympy {sympy.__version__}; {report.versions()}).\n",
        "Operations that remain, of all programs together: of `sympy.cse` as it is and with its own factoring before and after"
        " it,\nof TVM's `StmtSimplify` and `CommonSubexprElim`, and of LLVM's -O3. *ms* is processor time for each program, the"
        " whole process\nof satir included, of the totals the longest.\n",
        report.table(["figure", "to reach", f"reached with {len(seeds)} seeds"], figures),
    ]
    for seed, (additions, polynomials) in seeds.items():
        for title, found in [("additions", additions), ("additions + 4 * multiplications", polynomials)]:
            parts += [f"\n## Seed {seed}: {title}\n", report.table(["programs", *COLUMNS, "ms"], rows_of(found))]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--count", type=int, default=10, help="programs of each size")
    parser.add_argument("--satir", default=str(ROOT / "target" / "release" / "satir"))
    parser.add_argument("--verbose", action="store_true", help="print programs on which satir is not the best")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file")
    args = parser.parse_args()
    seeds = {}
    for seed in args.seeds:
        rng = random.Random(seed)
        additions = run(rng, random_sum, range(4, 8), args, 4, 0)
        polynomials = run(rng, random_polynomial, [3, 4], args, 3, MULTIPLICATION)
        seeds[seed] = additions, polynomials
        for title, found in [("additions", additions), ("additions + 4 * products", polynomials)]:
            print(f"seed {seed}, {title}")
            print(f"{'':24}" + "".join(f"{column:>17}" for column in [*COLUMNS, "ms each"]))
            for label, *cells in rows_of(found):
                print(f"{label:24}" + "".join(f"{cell:>17}" for cell in cells))
    if args.output:
        args.output.write_text(document(seeds))


if __name__ == "__main__":
    main()
