"""How much of what passes do to a corpus of programs is proven: writes RESULTS.md.

    python benches/prove/prove.py CORPUS… [--of WORDS] [--satir PROGRAM] [--passes NAMES] [--every N] [--seconds S]
                                  [--jobs N] [--results FOLDER] [--records FILE] [-o FILE]
    python benches/prove/prove.py target/compare/generated examples --of "generated programs and kernels"
                                  -o benches/prove/GENERATED.md ...
    python benches/prove/prove.py --random N [--seed FIRST] -o benches/prove/RANDOM.md ...
    python benches/prove/prove.py CORPUS --bit-precise -o benches/prove/BITS.md ...

CORPUS is a folder with folders of programs, or several such (`--of` says what they are); all of them are taken, unless
`--every` or `--seconds` says less. With `--random N` the programs are N of `satir fuzz programs --print` instead. For each
program and each pass the result is compared with the program by `satir equiv --prove`. Results are spoilt too (unless
`--no-spoilt`): one integer of the result is changed, a condition or a statement is left out, or two statements change places,
`--spoilt` times for each of every `--spoilt-every` programs, and what is then still called proven is run; `wrong` counts
those of which a run shows a difference, and must be 0. With `--bit-precise` integers of int32 and int64 have to fit, and a
result is spoilt by adding a number to one of its variables and taking it away again. `--results` keeps what passes made, so
that only the prover runs the next time; `--records` writes a line of JSON for each judgement. Needs z3, and TVM for its
passes.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

# Reads a program, passes with a comma between and where the result goes, a line for each, and says whether there is one.
TVM = """
import sys, tvm
from tvm.script import tirx as T, ir as I
while True:
    path, names, out = (sys.stdin.readline().rstrip("\\n") for _ in range(3))
    if not out:
        break
    try:
        mod = tvm.script.from_source(open(path).read())
        for name in names.split(","):
            of = tvm.tirx.transform if hasattr(tvm.tirx.transform, name) else tvm.s_tir.transform
            mod = getattr(of, name)()(mod)
        open(out, "w").write(mod.script())
        print("made", flush=True)
    except Exception:
        print("none", flush=True)
"""
PASSES = {
    "satir cse": ["cse"],
    "satir simplify": ["simplify"],
    "satir opt -O2": ["opt", "-O2"],
    "TVM StmtSimplify + CommonSubexprElim": "StmtSimplify,CommonSubexprElim",
    "TVM HoistExpression + CommonSubexprElim": "HoistExpression,CommonSubexprElim",
}
# How long one call may take, in seconds, and how many steps a run of a program may have.
PATIENCE = 120
STEPS = "2000000"


def call(args, seconds=PATIENCE):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=seconds)


class Tvm:
    """A process of TVM for many results. It takes seconds to begin, and ends on some programs."""

    def __init__(self):
        self.process, self.lock = None, threading.Lock()

    def result(self, path, names, out):
        """Writes what passes make of a program; false if they make nothing, within the time."""
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", TVM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    text=True)
            end = threading.Timer(PATIENCE, self.process.kill)
            end.start()
            try:
                self.process.stdin.write(f"{path.resolve()}\n{names}\n{out.resolve()}\n")
                self.process.stdin.flush()
                answer = self.process.stdout.readline()
                if not answer:
                    self.process.wait()
                return answer == "made\n"
            except OSError:
                return False
            finally:
                end.cancel()


def result_of(args, name, path, out):
    """Writes what a pass makes of a program; false if it makes nothing."""
    how = PASSES[name]
    if isinstance(how, str):
        return args.tvm.result(path, how, out)
    try:
        return call([args.satir, *how, path, "-o", out]).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def judged(args, a, b):
    """What `satir equiv --prove` says, the seconds that it took, and its messages."""
    start = time.monotonic()
    precise = ["--bit-precise"] if args.bit_precise else []
    try:
        done = call([args.satir, "equiv", a, b, "--prove", *precise, "--runs", "8", "--json", "--max-steps", STEPS])
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout", "functions": []}, float(PATIENCE), ""
    taken = time.monotonic() - start
    try:
        return json.loads(done.stdout), taken, done.stderr
    except json.JSONDecodeError:
        return {"verdict": "error", "functions": []}, taken, done.stderr


def replaced(lines, dice, what, other):
    """What `other` makes of a place in the statements where the pattern `what` is met, in its stead."""
    places = [
        (i, m.span())
        for i, line in enumerate(lines)
        if re.match(r"\s+(for|if|cse_v|\w+\[)", line)
        for m in re.finditer(rf"(?<![\w.\"])(?:{what})(?![\w.\"]|: T.let)", line)
    ]
    if not places:
        return None
    i, (start, end) = dice.choice(places)
    return lines[:i] + [lines[i][:start] + other(lines[i][start:end]) + lines[i][end:]] + lines[i + 1 :]


def changed_integer(lines, dice):
    """Another integer somewhere in the statements, 1 more or less."""
    return replaced(lines, dice, r"\d+", lambda old: str(max(int(old) + dice.choice([1, 1, -1]), 0)))


def indentation(line):
    return len(line) - len(line.lstrip())


def blocks(lines):
    """Where statements begin and end, without those that bind something, with their indentation."""
    found = []
    for i, line in enumerate(lines):
        if re.match(r"\s+(for |if |\w+\[)", line):
            depth = indentation(line)
            end = i + 1
            while end < len(lines) and indentation(lines[end]) > depth:
                end += 1
            found.append((i, end, depth))
    return found


def without_condition(lines, dice):
    """What is under some condition in any case."""
    places = [(i, end) for i, end, _ in blocks(lines) if re.match(r"\s+if ", lines[i])]
    if not places:
        return None
    i, end = dice.choice(places)
    return lines[:i] + [line.removeprefix("    ") for line in lines[i + 1 : end]] + lines[end:]


def in_other_order(lines, dice):
    """Two statements that stand one behind the other, the second one first."""
    all_of = blocks(lines)
    places = [(x, y) for x in all_of for y in all_of if x[2] == y[2] and x[1] <= y[0] and not any(
        indentation(line) < x[2] for line in lines[x[1] : y[0]])]
    if not places:
        return None
    (i, end, _), (j, last, _) = dice.choice(places)
    return lines[:i] + lines[end:j] + lines[j:last] + lines[i:end] + lines[last:]


def left_out(lines, dice):
    """Without one of the statements that have others beside them."""
    all_of = blocks(lines)
    places = [x for x in all_of if any(y is not x and x[2] == y[2] and (x[1] == y[0] or y[1] == x[0]) for y in all_of)]
    if not places:
        return None
    i, end, _ = dice.choice(places)
    return lines[:i] + lines[end:]


def larger_on_its_way(lines, dice):
    """A sum of the same value that may be too large on its way."""
    bound = re.findall(r"(\w+): T.let\[T.int32\]", "\n".join(lines))
    if not bound:
        return None

    def sum_of(old):
        much = dice.choice([1, 100, 2**16, 2**30, 2**31 - 2])
        return f"({old} + {much} - {much})"

    return replaced(lines, dice, "|".join(bound), sum_of)


def spoilt(text, dice, bit_precise):
    """The text with something in it that is most likely wrong; if the bits count, only that numbers may be too large."""
    ways = [larger_on_its_way] if bit_precise else [
        changed_integer, changed_integer, without_condition, in_other_order, left_out]
    dice.shuffle(ways)
    lines = text.splitlines()
    for way in ways:
        made = way(lines, dice)
        if made is not None and made != lines:
            return "\n".join(made) + "\n"
    return None


def examined(args, name, path, folder, with_spoilt):
    """The record of one program and one pass, and of its spoilt results if they are wanted."""
    record = {"pass": name, "program": f"{path.parent.name}/{path.stem}"}
    out = folder / f"{name.replace(' ', '_')}.{path.parent.name}.{path.stem}.py"
    missing = out.with_suffix(".none")
    if not out.exists() and (missing.exists() or not result_of(args, name, path, out)):
        missing.touch()
        return record | {"verdict": "no result"}
    judgement, taken, messages = judged(args, path, out)
    record |= {"verdict": judgement["verdict"], "seconds": taken, "functions": judgement["functions"]}
    if judgement["verdict"] in ("refuted", "error"):
        record["message"] = messages.strip().splitlines()[0] if messages.strip() else ""
    if judgement["verdict"] == "proven" and with_spoilt:
        dice = random.Random(f"{name} {record['program']}")
        record["spoilt"], record["wrong"] = [], 0
        for _ in range(args.spoilt):
            text = spoilt(out.read_text(), dice, args.bit_precise)
            if text is None:
                break
            other = out.with_suffix(".spoilt.py")
            other.write_text(text)
            record["spoilt"].append(judged(args, path, other)[0]["verdict"])
            if record["spoilt"][-1] == "proven":
                run = call([args.satir, "equiv", path, other, "--runs", "8", "--max-steps", STEPS])
                if "the programs differ" in run.stderr:
                    record["wrong"] += 1
                    other.rename(out.with_suffix(f".wrong{record['wrong']}.py"))
                    continue
            other.unlink()
    return record


def random_programs(satir, count, seed, folder):
    """Files with random programs, one each."""
    folder.mkdir(parents=True, exist_ok=True)
    text = call([satir, "fuzz", "programs", "--print", "--count", count, "--seed", seed], seconds=3600).stdout
    parts = re.split(r"^# seed (\d+)\n", text, flags=re.M)[1:]
    for seed, program in zip(parts[::2], parts[1::2]):
        (folder / f"{int(seed):06}.py").write_text(program)


def share(n, of):
    return f"{100 * n / of:.1f} %" if of else "-"


def table(head, rows):
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"] + [f"| {' | '.join(map(str, row))} |" for row in rows]


def document(records, names, programs, where, bit_precise):
    """The lines of RESULTS.md."""
    by_pass = {name: [r for r in records if r["pass"] == name and r["verdict"] != "no result"] for name in names}
    lines = [
        "# What is proven of what passes do, integers that fit their types included" if bit_precise
        else "# What is proven of what passes do",
        "",
        f"Made by `benches/prove/prove.py` on {programs} of {where}. Where two functions could "
        "not be laid side by side, what could not counts as one obligation that is not proven. Times are of one process, with "
        "reading both programs and running them where they are not proven, on a machine with other work.",
        "",
    ]
    rows = []
    for name, all_of in by_pass.items():
        functions = [f for r in all_of for f in r["functions"]]
        unaligned = sum("unaligned" in f for f in functions)
        obligations = sum(f["obligations"] for f in functions) + unaligned
        normal, solver = (sum(f[key] for f in functions) for key in ("by_normal_form", "by_solver"))
        verdicts = Counter(r["verdict"] for r in all_of)
        times = sorted(r["seconds"] for r in all_of) or [0]
        rows.append([
            name, len(all_of), share(verdicts["proven"], len(all_of)), verdicts["refuted"],
            len(all_of) - verdicts["proven"] - verdicts["refuted"], unaligned, obligations, share(normal + solver, obligations),
            share(normal, obligations), share(solver, obligations), f"{times[len(times) // 2]:.2f} s", f"{times[-1]:.1f} s",
        ])
    lines += table(
        ["pass", "programs", "proven", "refuted", "unknown", "not aligned", "obligations", "proven", "by normal forms", "by z3",
         "median time", "longest"], rows)
    if any(r.get("spoilt") for r in records):
        what = "to one of whose variables a number was added and taken away again" if bit_precise else (
            "with one integer changed by 1, without one condition or statement, or with two statements in the other order")
        lines += ["", f"Results {what}:", ""]
        rows = []
        for name, all_of in by_pass.items():
            verdicts = Counter(verdict for r in all_of for verdict in r.get("spoilt", []))
            rows.append([
                name, sum(verdicts.values()), verdicts["refuted"],
                sum(verdicts.values()) - verdicts["refuted"] - verdicts["error"] - verdicts["proven"], verdicts["error"],
                verdicts["proven"], sum(r.get("wrong", 0) for r in all_of),
            ])
        lines += table(["pass", "spoilt", "refuted by a run", "not proven", "no program", "proven", "of those wrong"], rows)
    causes, examples = Counter(), {}
    for r in records:
        for f in r.get("functions", []):
            for place in f["open"] + ([f["unaligned"]] if "unaligned" in f else []):
                key = (r["pass"], place["what"])
                causes[key] += 1
                examples.setdefault(key, set()).add(r["program"])
    lines += ["", "What was not proven:", ""]
    lines += table(
        ["pass", "what", "obligations", "programs", "one of them"],
        [[name, what, n, len(examples[name, what]), f"`{min(examples[name, what])}`"]
         for (name, what), n in sorted(causes.items(), key=lambda item: (names.index(item[0][0]), -item[1], item[0][1]))])
    notes = [f"- {r['pass']}, `{r['program']}`: {r['verdict']}. {r['message']}" for r in records if "message" in r]
    notes += [f"- {r['pass']}, `{r['program']}`: took too long" for r in records if r["verdict"] == "timeout"]
    notes += [f"- {r['pass']}, `{r['program']}`: WRONG, a spoilt result is called proven" for r in records if r.get("wrong")]
    return lines + (["", "Refuted, or without an answer:", "", *notes] if notes else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=pathlib.Path, nargs="*")
    parser.add_argument("--of", default="programs of the corpus (all stages)", help="what the programs are")
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of random programs")
    parser.add_argument("--satir", default="target/release/satir")
    parser.add_argument("--passes", default=",".join(PASSES), help="names with a comma between, of which a part is enough; "
                        "`NAME:N` takes every so many programs only")
    parser.add_argument("--every", type=int, default=1, help="take every so many programs only")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no program after so many seconds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-spoilt", action="store_true")
    parser.add_argument("--spoilt", type=int, default=1, metavar="N", help="how often each result is spoilt")
    parser.add_argument("--spoilt-every", type=int, default=1, metavar="N", help="spoil results of every so many programs only")
    parser.add_argument("--bit-precise", action="store_true", help="prove that no integer overflows, too")
    parser.add_argument("--results", type=pathlib.Path, help="where results of passes are kept")
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("-o", type=pathlib.Path, default=pathlib.Path(__file__).parent / "RESULTS.md")
    args = parser.parse_args()
    args.tvm = Tvm()
    every = {}
    for part, _, n in (wanted.partition(":") for wanted in args.passes.split(",")):
        every |= {name: int(n or 1) for name in PASSES if part in name}
    names = [name for name in PASSES if name in every]
    if bool(args.corpus) == (args.random is not None):
        parser.error("either a corpus or --random")
    folders, kind = args.corpus, args.of
    if args.random is not None:
        folders, kind = [pathlib.Path(tempfile.mkdtemp())], "random programs of `satir fuzz`"
        random_programs(args.satir, args.random, args.seed, folders[0] / "random")
    programs = sorted(path for folder in folders for path in folder.glob("*/*.py"))
    where = f"{len(programs)} {kind}"
    programs = programs[:: args.every]
    random.Random(1).shuffle(programs)
    folder = args.results or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()

    def of_program(numbered):
        number, path = numbered
        if time.monotonic() - begin > args.seconds:
            return []
        with_spoilt = not args.no_spoilt and number % args.spoilt_every == 0
        return [examined(args, name, path, folder, with_spoilt) for name in names if number % every[name] == 0]

    with ThreadPoolExecutor(args.jobs) as pool:
        found = [records for records in pool.map(of_program, enumerate(programs)) if records]
    records = sorted((r for records in found for r in records), key=lambda r: (names.index(r["pass"]), r["program"]))
    if args.records:
        args.records.write_text("".join(json.dumps(r) + "\n" for r in records))
    args.o.write_text("\n".join(document(records, names, len(found), where, args.bit_precise)) + "\n")


if __name__ == "__main__":
    main()
