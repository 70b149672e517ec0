"""How much of what passes do to a corpus of programs is proven: writes RESULTS.md.

    python benches/prove/prove.py CORPUS [--satir PROGRAM] [--every N] [--seconds S] [-o FILE]

CORPUS is a folder with folders of programs. For each program and each pass the result is compared with the program by
`satir equiv --prove`. Results are spoilt too: one integer of the result is changed, and what is then still called proven is
run; `wrong` counts those of which a run shows a difference, and must be 0. Needs TVM and z3.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict

TVM = """
import sys, tvm
from tvm.script import tirx as T, ir as I
mod = tvm.script.from_source(open(sys.argv[1]).read())
for name in sys.argv[2].split(","):
    mod = getattr(tvm.tirx.transform, name)()(mod) if hasattr(tvm.tirx.transform, name) else getattr(tvm.s_tir.transform, name)()(mod)
print(mod.script())
"""
PASSES = {
    "satir cse": ["cse"],
    "satir simplify": ["simplify"],
    "TVM StmtSimplify + CommonSubexprElim": "StmtSimplify,CommonSubexprElim",
}


def call(args, seconds=60, **kw):
    return subprocess.run(args, capture_output=True, text=True, timeout=seconds, **kw)


def judged(satir, a, b):
    start = time.monotonic()
    try:
        done = call([satir, "equiv", str(a), str(b), "--prove", "--runs", "8", "--json", "--max-steps", "2000000"])
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout", "functions": []}, 60.0, ""
    taken = time.monotonic() - start
    try:
        return json.loads(done.stdout), taken, done.stderr
    except json.JSONDecodeError:
        return {"verdict": "error", "functions": []}, taken, done.stderr


def spoilt(text, dice):
    """The text with another integer somewhere in its statements."""
    lines = text.splitlines()
    places = [
        (i, m.span())
        for i, line in enumerate(lines)
        if re.match(r"\s+(for|if|cse_v|\w+\[)", line)
        for m in re.finditer(r"(?<![\w.\"])\d+(?![\w.\"])", line)
    ]
    if not places:
        return None
    i, (start, end) = dice.choice(places)
    lines[i] = lines[i][:start] + str(int(lines[i][start:end]) + 1) + lines[i][end:]
    return "\n".join(lines) + "\n"


def main():
    args = argparse.ArgumentParser()
    args.add_argument("corpus", type=pathlib.Path)
    args.add_argument("--satir", default="target/debug/satir")
    args.add_argument("--every", type=int, default=1)
    args.add_argument("--seconds", type=float, default=1e9)
    args.add_argument("-o", type=pathlib.Path, default=pathlib.Path(__file__).parent / "RESULTS.md")
    args = args.parse_args()
    programs = sorted(args.corpus.glob("*/*.py"))[:: args.every]
    random.Random(1).shuffle(programs)
    begin, folder, dice = time.monotonic(), pathlib.Path(tempfile.mkdtemp()), random.Random(0)
    rows = {name: Counter() for name in PASSES}
    times, notes, why = defaultdict(list), [], Counter()
    seen = 0
    for path in programs:
        if time.monotonic() - begin > args.seconds:
            break
        seen += 1
        for name, how in PASSES.items():
            out, row = folder / "out.py", rows[name]
            try:
                if isinstance(how, list):
                    made = call([args.satir, *how, str(path), "-o", str(out)])
                else:
                    made = call(["python", "-c", TVM, str(path), how])
                    out.write_text(made.stdout)
            except subprocess.TimeoutExpired:
                row["no result"] += 1
                continue
            if made.returncode:
                row["no result"] += 1
                continue
            result, taken, errors = judged(args.satir, path, out)
            times[name].append(taken)
            row["programs"] += 1
            row[result["verdict"]] += 1
            for f in result["functions"]:
                row["obligations"] += f["obligations"]
                row["normal"] += f["by_normal_form"]
                row["solver"] += f["by_solver"]
                row["unaligned"] += "unaligned" in f
                for place in f["open"] + ([f["unaligned"]] if "unaligned" in f else []):
                    why[(name, place["what"])] += 1
            if result["verdict"] in ("refuted", "error"):
                notes.append(f"{name}, `{path.parent.name}/{path.stem}`: {errors.strip().splitlines()[0] if errors else ''}")
            if result["verdict"] == "proven" and isinstance(how, list):
                text = spoilt(out.read_text(), dice)
                if text is None:
                    continue
                out.write_text(text)
                after, _, _ = judged(args.satir, path, out)
                row["spoilt"] += 1
                row["spoilt " + after["verdict"]] += 1
                if after["verdict"] == "proven":
                    run = call([args.satir, "equiv", str(path), str(out), "--runs", "8", "--max-steps", "2000000"])
                    if "the programs differ" in run.stderr:
                        row["wrong"] += 1
                        (pathlib.Path(folder) / f"wrong_{row['wrong']}.py").write_text(text)
                        notes.append(f"WRONG: {name}, `{path}`: a spoilt result is called proven ({folder})")
    share = lambda n, of: f"{100 * n / of:.1f} %" if of else "-"
    lines = [
        "# What is proven of what passes do",
        "",
        f"Made by `benches/prove/prove.py` on {seen} of {len(programs)} programs of the corpus (all stages, in random order). Times are of "
        "one process, with reading both programs, on a machine with other work.",
        "",
        "| pass | programs | proven | refuted | unknown | not aligned | obligations | by normal forms | by z3 | median time | longest |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in rows.items():
        t = sorted(times[name]) or [0]
        n, o = row["programs"], row["obligations"]
        lines.append(
            f"| {name} | {n} | {share(row['proven'], n)} | {row['refuted']} | {row['unknown'] + row['timeout'] + row['error']} | "
            f"{row['unaligned']} | {o} | {share(row['normal'], o)} | {share(row['solver'], o)} | {t[len(t) // 2]:.2f} s | {t[-1]:.1f} s |"
        )
    lines += ["", "Results with one integer changed, which was 1 less:", "", "| pass | spoilt | refuted by a run | not proven | proven | of those wrong |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    for name, row in rows.items():
        lines.append(
            f"| {name} | {row['spoilt']} | {row['spoilt refuted']} | {row['spoilt unknown'] + row['spoilt timeout'] + row['spoilt error']} | "
            f"{row['spoilt proven']} | {row['wrong']} |"
        )
    lines += ["", "What was not proven:", ""]
    lines += [f"- {name}: {what}: {n}" for (name, what), n in why.most_common(30)]
    lines += ["", "Refused or refuted:", ""] + [f"- {note}" for note in notes]
    args.o.write_text("\n".join(lines) + "\n")


main()
