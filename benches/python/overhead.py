"""What satir costs in Python, end to end, with TVM's own passes and other simplifiers as peers in the same run.

    python benches/python/overhead.py --corpus CORPUS/precse -o benches/PYTHON.md

Needs the wheel satir (`pip install ./python`) and apache-tvm; sympy is measured if it is there.
"""

import argparse
import gc
import importlib.util
import pathlib
import statistics
import time

import tvm
import tvm_ffi
from tvm import tirx
from tvm.script import from_source

import generated
import satir
import satir.tvm

PEERS = tvm.transform.Sequential([tirx.transform.StmtSimplify(), tirx.transform.CommonSubexprElim()])
RUNS = 5


def statements(module):
    """How many statements a module has."""
    return sum(isinstance(node, tirx.Stmt) and not isinstance(node, tirx.SeqStmt) for node in walked(module))


def least(ways, module, runs):
    """The least time of each way in milliseconds, all in turn: that of the processor, as other work on the machine is not to
    count, and the least, as it slows down what runs beside it."""
    times = dict.fromkeys(ways, float("inf"))
    for _ in range(runs):
        for name, way in ways.items():
            start = time.process_time()
            way(module)
            times[name] = min(times[name], (time.process_time() - start) * 1e3)
    return times


def walked(module):
    """Visits every object of a module through TVM's Python FFI, as a converter in Python would, and gives all of them."""
    seen, work, nodes = set(), [func for _, func in module.functions_items()], []
    while work:
        node = work.pop()
        if isinstance(node, tvm_ffi.Array):
            work.extend(node)
        elif isinstance(node, tvm_ffi.Object) and not isinstance(node, (tvm.ir.Op, tvm.ir.Type, tvm.ir.Attrs, tvm.ir.Span)):
            if node.__chandle__() in seen:
                continue
            seen.add(node.__chandle__())
            nodes.append(node)
            info = type(node).__tvm_ffi_type_info__
            while info is not None:
                work.extend(getattr(node, field.name) for field in info.fields if field.name not in ("span", "attrs"))
                info = info.parent_type_info
    return nodes


def programs(folder, limit):
    paths = sorted(pathlib.Path(folder).glob("*.py"))
    for path in paths[:: max(1, len(paths) // limit)] if limit else paths:
        module = from_source(path.read_text())
        yield path.stem, module if isinstance(module, tvm.IRModule) else tvm.IRModule({"main": module})


def whole(args):
    """Rows of the table of programs: name, statements, times."""
    ways = {
        "TVM": PEERS,
        "objects": satir.tvm.SemanticCSE(),
        "level 2": satir.tvm.Optimize(),
    }
    slow = {"text": satir.tvm.SemanticCSE(via="text"), "walk": walked}
    rows = []
    gc.disable()
    for name, module in programs(args.corpus, args.limit):
        for way in ways.values():
            way(module)
        times = least(ways, module, args.runs)
        times.update(least(slow, module, 1))
        rows.append((name, statements(module), times))
    gc.enable()
    return rows


QUESTIONS = ["(i * 4 + j) // 4", "i // 2 * 2 + i % 2", "T.min(i, n + 20)", "(i * 17 + j + n * 64) % 64", "i * 4 + j < 64"]


def expressions(runs):
    """Rows of the table of expressions: name, microseconds for each simplifier."""
    ctx = satir.Context(n=satir.dim(), i=(0, 16), j=(0, 4))
    analyzer = tvm.arith.Analyzer() if hasattr(tvm, "arith") else tvm.sym.Analyzer()
    n, i, j = (tirx.Var(name, "int32") for name in "nij")
    analyzer.bind(i, tvm.ir.Range(0, 16))
    analyzer.bind(j, tvm.ir.Range(0, 4))
    scope = {"n": n, "i": i, "j": j, "T": tirx, "min": tirx.min}
    rows = []
    for question in ["i", *QUESTIONS]:
        expr = eval(question.replace("T.min", "min"), scope)  # the questions are those above
        times = {
            "satir": each(lambda: ctx.simplify(question), runs),
            "satir, a tirx expression": each(lambda: ctx.simplify(expr), max(1, runs // 10)),
            "TVM's analyzer": each(lambda: analyzer.simplify(expr), runs),
        }
        if importlib.util.find_spec("sympy"):
            import sympy

            a, b, c = sympy.symbols("n i j", integer=True)
            text = question.replace("T.min", "Min").replace("%", "%").replace("//", "//")
            value = eval(text, {"n": a, "i": b, "j": c, "Min": sympy.Min})  # the same
            times["sympy"] = each(lambda: sympy.simplify(value), 1)
        rows.append((question, ctx.simplify(question), times))
    return rows


def each(call, runs):
    """Microseconds of a call: the least of five series."""
    call()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(runs):
            call()
        best = min(best, (time.perf_counter() - start) / runs)
    return best * 1e6


def document(rows, answers, args):
    def ratios(way):
        return sorted(times[way] / times["TVM"] for _, _, times in rows)

    def line(name, way):
        all_ratios, times = ratios(way), sorted(times[way] for _, _, times in rows)
        return (
            f"| {name} | {statistics.median(times):.2f} | {times[-1]:.1f} | {statistics.median(all_ratios):.2f} | "
            f"{all_ratios[int(len(all_ratios) * 0.9)]:.2f} | {all_ratios[-1]:.1f} |"
        )

    per_200 = max(((times["objects"] * 200 / max(count, 200), name) for name, count, times in rows), default=(0, ""))
    simplifiers = list(answers[0][2]) if answers else []
    out = [
        "# What satir costs in Python",
        "",
        " ".join(["Written by `benches/python/overhead.py`.", args.note]).strip(),
        f"{len(rows)} programs that TVM made, each as it is just before `CommonSubexprElim`; processor time, the least of",
        f"{args.runs} runs in turns (one for text and for the walk). The peer is TVM's `StmtSimplify` and `CommonSubexprElim` on the same function.",
        "",
        "| way | median ms | most ms | median of ratios to TVM | 90 % | worst |",
        "| --- | --- | --- | --- | --- | --- |",
        line("TVM: StmtSimplify, CommonSubexprElim", "TVM"),
        line("satir.tvm.SemanticCSE, as objects", "objects"),
        line("satir.tvm.Optimize (level 2), as objects", "level 2"),
        line("satir.tvm.SemanticCSE, as text", "text"),
        line("only a walk over the objects in Python", "walk"),
        "",
        f"The slowest takes {per_200[0]:.1f} ms for 200 statements, or for all if there are fewer (`{per_200[1]}`).",
        "",
        "The walk in the last line visits every object once through TVM's Python FFI, and does nothing with it: what a converter",
        "in Python would take before it had begun. TVM's JSON is no way either: in 0.27 `tvm.ir.save_json` ends the process on",
        "modules whose functions have a `target`. So the extension reads the objects itself, through TVM's C interface.",
        "",
        "## Expressions",
        "",
        "Microseconds for a call, with `n` a size, `0 <= i < 16` and `0 <= j < 4`.",
        "",
        "| expression | result | " + " | ".join(simplifiers) + " |",
        "| --- | --- |" + " --- |" * len(simplifiers),
    ]
    for question, result, times in answers:
        cells = " | ".join(f"{times[name]:.1f}" for name in simplifiers)
        out.append(f"| `{question}` | `{result}` | {cells} |")
    if args.generated:
        out += ["", *generated.document(args.generated)]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", required=True, help="a folder of programs")
    parser.add_argument("--limit", type=int, default=0, help="take about this many of the programs")
    parser.add_argument("--generated", type=int, default=200, help="this many generated expressions (needs z3 and sympy); 0: none")
    parser.add_argument("--note", default="", help="what is said of the machine and the build")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("-o", "--output", help="write the document here instead of to standard output")
    args = parser.parse_args()
    text = document(whole(args), expressions(200), args)
    if args.output:
        pathlib.Path(args.output).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
