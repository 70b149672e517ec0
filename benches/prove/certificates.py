"""What of the results for a corpus of programs is certified without a solver: writes CERTIFICATES.md.

    python benches/prove/certificates.py CORPUS [--satir PROGRAM] [--passes NAMES] [--every N] [--jobs N] [--note TEXT] [-o FILE]

CORPUS is a folder with folders of programs; every N-th of them is taken. For each program and each pass the result is made
twice, without and with `--certify`, and the certificate is checked by `satir check-certificate`. An accepted certificate is then
tried on a result of which one integer was changed: `accepted wrongly` must be 0. Needs neither z3 nor TVM.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

PASSES = {"cse": ["cse"], "simplify": ["simplify"], "opt -O1": ["opt", "-O1"], "opt -O2": ["opt", "-O2"]}
# How long one call may take, in seconds.
PATIENCE = 300
OPEN = re.compile(r"no certificate: (\d+) of (\d+) obligations are not shown; first, at line (\S+) of the program and line (\S+) of its result: (.*)")
ACCEPTED = re.compile(r"accepted: (\d+) obligations, (\d+) of them by steps")


def call(args):
    start = time.monotonic()
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=PATIENCE)
    return done, time.monotonic() - start


def spoilt(text):
    """The text with the last integer of its last store changed, and the hash of a certificate for it."""
    places = [m for m in re.finditer(r"(?<![\w.\"])\d+(?![\w.\"])", text) if "] = " in text[text.rfind("\n", 0, m.start()) : m.start()]]
    if not places:
        return None
    last = places[-1]
    return text[: last.start()] + str(int(last.group()) + 1) + text[last.end() :]


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"fnv1a64:{value:016x}"


def judged(satir, how, path):
    """What is known of one result: a dictionary for the table."""
    with tempfile.TemporaryDirectory() as folder:
        out, file = pathlib.Path(folder, "out.py"), pathlib.Path(folder, "out.cert")
        try:
            plain, optimizing = call([satir, *how, path, "-o", out])
            if plain.returncode:
                return None
            made, making = call([satir, *how, path, "-o", out, "--certify", file])
        except subprocess.TimeoutExpired:
            return {"open": 1, "all": 1, "what": "no answer in time"}
        if made.returncode:
            found = OPEN.search(made.stderr)
            missing, obligations, what = (int(found[1]), int(found[2]), found[5]) if found else (1, 1, made.stderr.strip())
            return {"open": missing, "all": obligations, "what": what, "optimizing": optimizing, "making": making - optimizing}
        checked, checking = call([satir, "check-certificate", path, out, file])
        found = ACCEPTED.search(checked.stdout)
        if not found:
            return {"open": 1, "all": 1, "what": "rejected: " + checked.stderr.strip()}
        row = {"open": 0, "all": int(found[1]), "steps": int(found[2]), "size": file.stat().st_size}
        row.update(optimizing=optimizing, making=making - optimizing, checking=checking)
        text = out.read_text()
        changed = spoilt(text)
        if changed is not None:
            file.write_text(file.read_text().replace(fnv(text), fnv(changed)))
            out.write_text(changed)
            again, _ = call([satir, "check-certificate", path, out, file])
            row["spoilt"] = 1
            row["wrongly"] = int("accepted" in again.stdout)
        return row


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--satir", default="target/release/satir")
    parser.add_argument("--passes", default="cse,simplify")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--note", default="", help="what else is to be said of the times")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(__file__).with_name("CERTIFICATES.md"))
    args = parser.parse_args()
    paths = sorted(args.corpus.glob("*/*.py"))[:: args.every]
    total = len(list(args.corpus.glob("*/*.py")))
    lines = [
        "# What is certified without a solver",
        "",
        f"Made by `benches/prove/certificates.py` on {len(paths)} of {total} programs of the corpus. A certificate is only written if it "
        "shows all obligations of a program. Where functions could not be laid side by side, what could not counts as one obligation that is "
        "not shown. Times are of processes, with reading the programs, on a machine with other work; the sums are of certified programs. "
        "Spoilt results have one integer of a store changed, and the certificate with the hash of that text." + args.note,
        "",
        "| pass | programs | certified | obligations | shown | by steps | optimizing | making | checking | checking / optimizing | largest certificate | spoilt | accepted wrongly |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    missing = []
    for name in args.passes.split(","):
        with ThreadPoolExecutor(args.jobs) as pool:
            rows = list(pool.map(lambda path: judged(args.satir, PASSES[name], path), paths))
        rows = [(path, row) for path, row in zip(paths, rows) if row]
        done = [row for _, row in rows if not row["open"]]
        obligations = sum(row["all"] for _, row in rows)
        shown = obligations - sum(row["open"] for _, row in rows)
        times = {key: sum(row[key] for row in done) for key in ("optimizing", "making", "checking")}
        ratio = times["checking"] / times["optimizing"] if times["optimizing"] else 0
        size = max((row["size"] for row in done), default=0)
        median = statistics.median([row["checking"] for row in done] or [0])
        lines.append(
            f"| satir {name} | {len(rows)} | {percent(len(done), len(rows))} | {obligations} | {percent(shown, obligations)} | "
            f"{percent(sum(row['steps'] for row in done), sum(row['all'] for row in done))} | {times['optimizing']:.1f} s | "
            f"{times['making']:.1f} s | {times['checking']:.1f} s (median {median:.2f} s) | {ratio:.2f} | {size / 1024:.0f} KiB | "
            f"{sum(row.get('spoilt', 0) for row in done)} | {sum(row.get('wrongly', 0) for row in done)} |"
        )
        missing.append((name, rows))
    lines += ["", "What was not shown first, in programs without a certificate:", "", "| pass | what | programs | one of them |", "| --- | --- | --- | --- |"]
    for name, rows in missing:
        counts, example = Counter(), {}
        for path, row in rows:
            if row["open"]:
                counts[row["what"]] += 1
                example.setdefault(row["what"], path)
        for what, count in counts.most_common():
            lines.append(f"| satir {name} | {what} | {count} | `{example[what].parent.name}/{example[what].stem}` |")
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
