"""Tests the fuzzer: breaks satir in known ways and counts the random programs until `satir fuzz` notices.

Each mutant is one changed place of the sources. All go into one copy of the tree, behind a switch that the environment
variable SATIR_MUTANT sets, so that the copy is built once. Without the variable it does what the sources say.

    python tests/mutants/run.py [--folder target/mutants] [--limit 20000] [--table tests/mutants/RESULTS.md] [NAME …]

`--check` builds nothing and only looks whether every mutant still has its place in the sources. `--show` prints the
smallest program for each mutant, to see that it is found for the reason that it should be.

`--prove FOLDER`, once or more often, counts instead what `satir equiv --prove` notices in the results of `simplify` and `cse`
for the programs in these folders, without running any: results that are not proven though those of the unbroken satir are. Of mutants whose mistakes
are overflows `--bit-precise` is asked. A changed result that is
proven is run, and must do what its program does. `--seconds S` bounds the time for each mutant. With `--random N` mutants of
which these programs show nothing are looked for in N programs of `satir fuzz programs --print`, too.

Needs what building satir needs. Exits with 1 if a mutant survives, or if what is found goes wrong without it too.
"""

import argparse
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches/prove"))

from prove import random_programs  # noqa: E402

# Name, what is broken, file, text, changed text. `MUTANT` stands for the condition that this mutant is switched on.
MUTANTS = [
    (
        "wrong-rule", "one rule: `T.Select` becomes `T.if_then_else` with its arms the other way round",
        "src/rewrite/apply.rs",
        "        for subst in Match::all(self, rule, prepared.from(), node) {\n            if rule.conds",
        "        for mut subst in Match::all(self, rule, prepared.from(), node) {\n"
        "            if MUTANT && &*rule.name == \"select-as-if-then-else\" { subst.holes.swap(1, 2); }\n            if rule.conds",
    ),
    (
        "rule-condition", "the side conditions of rules: all hold", "src/rewrite/apply.rs",
        "rule.conds.iter().all(|c| self.proven(c, &subst))",
        "(MUTANT || rule.conds.iter().all(|c| self.proven(c, &subst)))",
    ),
    (
        "quotient-bounds", "the theory: `R // c = m` where only the least R is known to allow it",
        "src/theory/division.rs",
        "    if let Some(m) = range.as_point() {\n        let multiple",
        "    if let Some(m) = range.as_point().or_else(|| range.lo().filter(|_| MUTANT)) {\n"
        "        let multiple",
    ),
    (
        "memory-versions", "a store gives its buffer no new version", "src/analysis/memory.rs",
        "        direct_writes(stmt, &self.regions, &mut written);\n        let mut point",
        "        if !MUTANT { direct_writes(stmt, &self.regions, &mut written); }\n        let mut point",
    ),
    (
        "back-edge", "what a loop writes keeps its version on the loop's back edge", "src/analysis/memory.rs",
        "                written = self.blocks[block as usize].clone();\n            }\n            StmtKind::If",
        "                if !MUTANT { written = self.blocks[block as usize].clone(); }\n"
        "            }\n            StmtKind::If",
    ),
    (
        "alias", "parameters never share memory", "src/analysis/alias.rs",
        "Origin::Param if no_alias =>", "Origin::Param if MUTANT || no_alias =>",
    ),
    (
        "scope", "a value may be bound outside of the loop whose variable it needs", "src/extract/place.rs",
        "let top = chosen.needs.scope;",
        "let top = if MUTANT { crate::encode::Scopes::ROOT } else { chosen.needs.scope };",
    ),
    (
        "trap-evidence", "what may trap may be evaluated anywhere", "src/extract/speculation.rs",
        "        let evidence = self.evidence.get(trap).map_or(&[][..], Vec::as_slice);",
        "        if MUTANT { return true; }\n"
        "        let evidence = self.evidence.get(trap).map_or(&[][..], Vec::as_slice);",
    ),
    (
        "trap-conditions", "evidence from an arm counts as if it were evaluated in any case",
        "src/extract/speculation.rs",
        "            if under.iter().all(|g| guards.binary_search(g).is_ok()) {",
        "            if MUTANT || under.iter().all(|g| guards.binary_search(g).is_ok()) {",
    ),
    (
        "overflow", "arithmetic never overflows", "src/extract/traps.rs",
        "    makes_larger && may_overflow(node.dtype)", "    !MUTANT && makes_larger && may_overflow(node.dtype)",
    ),
    (
        "overflow-evidence", "what the input computes anywhere fits everywhere", "src/extract/speculation.rs",
        "        if let Trap::Overflow(class) = trap {\n",
        "        if let Trap::Overflow(class) = trap {\n            if MUTANT { return true; }\n",
    ),
    (
        "eager-logic", "`and` and `or` guard in compiled code too: where terms are placed",
        "src/extract/speculation.rs",
        "self.logic.covers(guards, &cases) && self.logic.covers(&firm(guards), &firm_cases)",
        "self.logic.covers(guards, &cases) && (MUTANT || self.logic.covers(&firm(guards), &firm_cases))",
    ),
    (
        "eager-facts", "`and` and `or` guard in compiled code too: what their operands may rely on",
        "src/simplify/region.rs",
        "    if replaced == 0 || evaluates_no_more(known, e, &old, false) {",
        "    if MUTANT || replaced == 0 || evaluates_no_more(known, e, &old, false) {",
    ),
    (
        "empty-loop", "every loop runs at least once", "src/encode/lower.rs",
        "let scope = self.scope(Some(place), count, true, trips.is_some_and(|n| n > 0));",
        "let scope = self.scope(Some(place), count, true, MUTANT || trips.is_some_and(|n| n > 0));",
    ),
    (
        "early-exit", "statements behind a loop that may be left are certain to run", "src/encode/lower.rs",
        "        scope.barrier = scope.barrier.min(place.position);",
        "        if !MUTANT { scope.barrier = scope.barrier.min(place.position); }",
    ),
    (
        "lanes", "a ramp steps by one, whatever its stride", "src/theory/vector.rs",
        "graph.add(Node::bin(BinOp::Mul, dtype, stride, lane));",
        "if MUTANT { lane } else { graph.add(Node::bin(BinOp::Mul, dtype, stride, lane)) };",
    ),
    (
        "wrapping", "results of types that wrap are taken to fit", "src/egraph/transfer.rs",
        "if ends && result.meet(unknown) == Some(result) { result } else { unknown }",
        "if MUTANT || ends && result.meet(unknown) == Some(result) { result } else { unknown }",
    ),
    (
        "facts-of-a-place", "the condition of an arm stays a fact behind it", "src/simplify/region.rs",
        "    replaced += simplify_arms(engine, known, e);\n    known.facts.truncate(facts);",
        "    replaced += simplify_arms(engine, known, e);\n    if !MUTANT { known.facts.truncate(facts); }",
    ),
    (
        "guarded-parts", "a part of a condition goes though it guards the next one", "src/simplify/conditions.rs",
        "    if later.is_empty() {\n        return Some(Vec::new());",
        "    if MUTANT || later.is_empty() {\n        return Some(Vec::new());",
    ),
    (
        "float-order", "`min` and `max` of floats commute", "src/theory/saturate.rs",
        "matches!(op, BinOp::Min | BinOp::Max) && !operand.is_float()",
        "matches!(op, BinOp::Min | BinOp::Max) && (MUTANT || !operand.is_float())",
    ),
]

# The same for what programs over padded buffers are for (`satir fuzz programs --padded`): the clauses of `src/noop`, and
# what the passes of `src/padding` must not forget.
PADDED = [
    (
        "noop-bounds", "an access that is added may be out of bounds", "src/noop/under.rs",
        "if !within && Clause::Bounds.counts() {", "if !MUTANT && !within && Clause::Bounds.counts() {",
    ),
    (
        "noop-stores", "a store that is added may be seen", "src/noop/under.rs",
        "        } else {\n            return Err(Obstacle::Store(own.buffer));",
        "        } else if !MUTANT {\n            return Err(Obstacle::Store(own.buffer));",
    ),
    (
        "noop-permission", "what is read may never have been written", "src/noop/permit.rs",
        "    // What was allocated holds nothing before it is written.\n",
        "    if MUTANT { return Ok(Reason::Declared { buffer }); }\n"
        "    // What was allocated holds nothing before it is written.\n",
    ),
    (
        "noop-threads", "no other thread matters", "src/noop/threads.rs",
        "    let at = asker.itself(own);\n", "    if MUTANT { return Ok(()); }\n    let at = asker.itself(own);\n",
    ),
    (
        "noop-total", "any statement may be added", "src/noop/total.rs",
        "    for stmt in block {\n        match &stmt.kind {",
        "    if MUTANT { return Ok(()); }\n    for stmt in block {\n        match &stmt.kind {",
    ),
    (
        "noop-reads", "nobody but the caller reads what is overwritten later", "src/analysis/dead.rs",
        "let reads = load.kind == Kind::Load && sees(load);", "let reads = !MUTANT && load.kind == Kind::Load && sees(load);",
    ),
    (
        "noop-caller", "the caller does not look at parameters", "src/analysis/dead.rs",
        "if !accesses.is_allocated(own.buffer)", "if !MUTANT && !accesses.is_allocated(own.buffer)",
    ),
    (
        "noop-value", "both arms of a choice are the same", "src/noop/overcompute.rs",
        "(!Clause::Value.counts() || same_value(", "(MUTANT || !Clause::Value.counts() || same_value(",
    ),
    (
        "noop-order", "neighbouring loops do not depend on each other", "src/noop/order.rs",
        "asker.refutes(&all) || !Clause::Order.counts()", "MUTANT || asker.refutes(&all) || !Clause::Order.counts()",
    ),
    (
        "noop-anew", "accesses are not found anew after a condition went", "src/noop/overcompute.rs",
        "if !freed.is_some_and(", "if !MUTANT && !freed.is_some_and(",
    ),
    (
        "noop-zero", "of a float zero the sign does not matter", "src/noop/same.rs",
        "BinOp::Add if zero(&b) && self.is_never_negative_zero(&a) => return a,",
        "BinOp::Add if zero(&b) && (MUTANT || self.is_never_negative_zero(&a)) => return a,",
    ),
    (
        "contents-lasts", "what an element holds, it holds for ever", "src/analysis/contents.rs",
        "                || !lasts(asker,", "                || !MUTANT && !lasts(asker,",
    ),
    (
        "noop-fits", "sums that are computed where none was never overflow", "src/noop/under.rs",
        "            && !fits(asker,", "            && !MUTANT && !fits(asker,",
    ),
    (
        "noop-unchanged", "any store stores what is there", "src/noop/remove.rs",
        "        unchanged.then_some(|buffer| Reason::Unchanged", "        (MUTANT || unchanged).then_some(|buffer| Reason::Unchanged",
    ),
    (
        "noop-together", "of several loops that become one only neighbours are compared", "src/noop/merge.rs",
        "|| !group.iter().all(|&member|", "|| !group.iter().all(|&member| MUTANT && member != first ||",
    ),
    (
        "noop-apart", "iterations of any loop that goes into others are independent", "src/noop/interchange.rs",
        "    list.len() <= MAX_ACCESSES\n", "    MUTANT || list.len() <= MAX_ACCESSES\n",
    ),
    (
        "noop-itself", "a buffer goes though its elements come from others of its own", "src/noop/copies.rs",
        "                && !self.is_named_in(&content.value)", "                && (MUTANT || !self.is_named_in(&content.value))",
    ),
    (
        "branching", "a condition may keep anything from running", "src/noop/branching.rs",
        "    let reasons = stores_leave_no_trace(&asker, func, first, Settings::default())?;",
        "    if MUTANT { return Ok(vec![Reason::SameValue]); }\n"
        "    let reasons = stores_leave_no_trace(&asker, func, first, Settings::default())?;",
    ),
    (
        "fill", "padding is filled whoever sees it", "src/noop/fill.rs",
        "    let reasons = noop_under(&Asker::new(&accesses, Asker::budget(&accesses)), func, len, settings)?;",
        "    let reasons = noop_under(&Asker::new(&accesses, Asker::budget(&accesses)), func, len, settings);\n"
        "    let reasons = if MUTANT { Vec::new() } else { reasons? };",
    ),
    (
        "fill-unseen", "what is filled for a condition is seen by nobody", "src/noop/establish.rs",
        "fn is_unseen(func: &PrimFunc, place: usize, added: usize) -> bool {\n",
        "fn is_unseen(func: &PrimFunc, place: usize, added: usize) -> bool {\n    if MUTANT { return true; }\n",
    ),
]

PADDED_NAMES = {name for name, *_ in PADDED}

SWITCH = '''
/// Whether the mutant of this name is switched on.
pub(crate) fn mutant(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("SATIR_MUTANT").ok()).as_deref() == Some(name)
}
'''


def changed_sources():
    """The sources with all mutants, each behind its switch: texts by path."""
    changed = {}
    for name, _, path, old, new in MUTANTS + PADDED:
        text = changed.get(path) or (ROOT / path).read_text()
        if text.count(old) != 1:
            sys.exit(f"mutant {name}: its text stands {text.count(old)} times in {path}")
        changed[path] = text.replace(old, new.replace("MUTANT", f'crate::mutant("{name}")'))
    changed["src/lib.rs"] = (ROOT / "src/lib.rs").read_text() + SWITCH
    return changed


def copy_with_mutants(folder):
    """A copy of the tree with all mutants."""
    tree, changed = folder / "tree", changed_sources()
    for part in ["src", "rules", "benches", "examples", "tests"]:
        shutil.copytree(ROOT / part, tree / part, dirs_exist_ok=True)
    for part in ["Cargo.toml", "Cargo.lock", "README.md", "ARCHITECTURE.md"]:
        shutil.copy(ROOT / part, tree / part)
    for path, text in changed.items():
        (tree / path).write_text(text)
    return tree


def build(folder, tree):
    """The binary of a tree."""
    command = ["cargo", "build", "--quiet", "--release", "--bin", "satir", "--target-dir", folder / "target"]
    subprocess.run([str(part) for part in command], cwd=tree, check=True)
    return folder / "target/release/satir"


def fuzz(binary, name, first, count, *options):
    """What `satir fuzz programs` finds with a mutant, or without one: [(seed, what)], and its output."""
    environment = os.environ | ({"SATIR_MUTANT": name} if name else {})
    padded = ["--padded"] if name in PADDED_NAMES else []
    command = [binary, "fuzz", "programs", *padded, "--seed", first, "--count", count, *options]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    found = re.findall(r"^# (.*)\n# satir fuzz .*--seed (\d+)$", done.stdout, re.M)
    if done.returncode != 0 and not found:
        sys.exit(f"{name}: {done.stderr[-500:]}")
    return sorted((int(seed), what) for what, seed in found), done.stdout


# The seeds of programs that go wrong without a mutant.
WRONG_ANYWAY = set()


def search(binary, name, limit):
    """How many programs it takes until one goes wrong, and what goes wrong; (None, "") if none of `limit` does."""
    first, count = 0, 50
    while first < limit:
        found, _ = fuzz(binary, name, first, count, "--no-shrink")
        for seed, what in found:
            padded = ["--padded"] if name in PADDED_NAMES else []
            if name and fuzz(binary, None, seed, 1, "--no-shrink", *padded)[0]:
                print(f"without a mutant, program {seed + 1} goes wrong, too: {what}", flush=True)
                WRONG_ANYWAY.add(seed)
                continue
            return seed + 1, what
        first, count = first + count, min(2 * count, 2000)
    return None, ""


COMMANDS = ["simplify", "cse"]


def results(binary, name, folders, out):
    """What the commands make of programs with a mutant, or without one: texts by command and program."""
    environment = os.environ | ({"SATIR_MUTANT": name} if name else {})
    texts = {}
    for command, programs in itertools.product(COMMANDS, folders):
        folder = out / (name or "none") / command / programs.name
        folder.mkdir(parents=True, exist_ok=True)
        # A broken satir may refuse its own results: what it wrote counts.
        call = [binary, command, programs, "-o", folder, "--quiet"]
        subprocess.run([str(part) for part in call], capture_output=True, text=True, env=environment)
        texts |= {(command, programs / path.relative_to(folder)): path for path in folder.rglob("*.py")}
    return texts


# Mutants whose results are right but for integers that are too large.
OVERFLOWING = {"overflow", "overflow-evidence"}


def is_proven(binary, a, b, precise):
    """Whether `--prove` says that two programs do the same, with `precise` also that no integer is too large; the programs are
    not run."""
    call = [binary, "equiv", a, b, "--prove", "--runs", "1", "--max-steps", "1", "--json"]
    call += ["--bit-precise"] if precise else []
    done = subprocess.run([str(part) for part in call], capture_output=True, text=True)
    return '"verdict": "proven"' in done.stdout or '"verdict":"proven"' in done.stdout


def differs(binary, a, b):
    """Whether a run shows a difference."""
    call = [binary, "equiv", a, b, "--runs", "8", "--max-steps", "2000000"]
    return "the programs differ" in subprocess.run([str(part) for part in call], capture_output=True, text=True).stderr


def look(binary, name, before, after, known, seconds):
    """What proofs notice of a mutant, in results that it changes: (changed, looked at, not proven, proven, wrong). `known`
    remembers what is proven of results without it."""
    changed = [key for key in sorted(before) if key in after and before[key].read_text() != after[key].read_text()]
    random.Random(name).shuffle(changed)
    start, looked, proven, wrong = time.monotonic(), 0, 0, 0
    for key in changed:
        if time.monotonic() - start > seconds:
            break
        program, precise = key[1], name in OVERFLOWING
        if (key, precise) not in known:
            known[key, precise] = is_proven(binary, program, before[key], precise)
        if not known[key, precise]:
            continue
        looked += 1
        if is_proven(binary, program, after[key], precise):
            proven += 1
            if differs(binary, program, after[key]):
                wrong += 1
                print(f"WRONG: {name}: {after[key]} is called proven", flush=True)
    return len(changed), looked, looked - proven, proven, wrong


def prove(binary, folders, out, names, seconds):
    """A row for each mutant that is asked for: (name, about, changed, looked at, not proven, proven, wrong)."""
    before, known, rows = results(binary, None, folders, out), {}, []
    for name, about, *_ in MUTANTS:
        if not names or name in names:
            after = results(binary, name, folders, out)
            rows.append((name, about, *look(binary, name, before, after, known, seconds)))
            print(*rows[-1], flush=True)
    return rows


def table_of_proofs(rows, programs, in_random, count):
    """The rows as a document: those of `programs` programs, and those of `count` random ones."""
    head = ["mutant", "what is broken", "changed results", "looked at", "not proven", "proven", "of those wrong"]
    head = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    lines = [
        "# Mutants of satir, and what a proof notices of them", "",
        f"Made by `tests/mutants/run.py --prove` on {programs} programs. Results of `simplify` and `cse` that differ from those of "
        "the unbroken satir, which are proven; nothing is run to find out. A changed result that is proven may be right. Of "
        + " and ".join(f"`{name}`" for name in sorted(OVERFLOWING)) + " it is asked that integers fit, too.", "",
        *head, *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]
    if in_random:
        lines += [
            "", "Where not one result of these programs remains unproven, either none has what is broken, or what a mutant makes of "
            f"them is right. The same mutants in the first {count} programs of `satir fuzz programs`:", "",
            *head, *(f"| {' | '.join(map(str, row))} |" for row in in_random),
        ]
    caught = {row[0] for row in rows + in_random if row[4] > 0}
    lines += ["", f"Noticed: {len(caught)} of {len(rows)} mutants."]
    rest = [f"`{row[0]}`" for row in rows if row[0] not in caught]
    if rest:
        lines[-1] += (
            f" Not noticed: {', '.join(rest)}; no run shows a difference in their results either. How many random programs it takes "
            "to find each says [RESULTS.md](RESULTS.md)."
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/mutants", help="where to build")
    parser.add_argument("--limit", type=int, default=20000, help="most programs for each mutant")
    parser.add_argument("--table", type=pathlib.Path, help="write the results here too")
    parser.add_argument("--show", action="store_true", help="print the smallest program for each mutant")
    parser.add_argument("--check", action="store_true", help="only look whether all mutants have their places")
    parser.add_argument("--prove", type=pathlib.Path, metavar="FOLDER", action="append", help="count what proofs notice in these programs")
    parser.add_argument("--seconds", type=float, default=1e9, help="with --prove: time for each mutant")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="with --prove: N random programs where these show nothing")
    parser.add_argument("names", nargs="*", help="mutants (default: all)")
    args = parser.parse_args()

    if args.check:
        print(f"{len(MUTANTS + PADDED)} mutants in {len(changed_sources()) - 1} files")
        return 0
    binary = build(args.folder, copy_with_mutants(args.folder))
    if args.prove:
        rows, in_random = prove(binary, args.prove, args.folder / "results", args.names, args.seconds), []
        unseen = [row[0] for row in rows if row[4] == 0]
        if args.random and unseen:
            programs = args.folder / "random"
            random_programs(binary, args.random, 0, programs)
            in_random = prove(binary, [programs], args.folder / "results", unseen, args.seconds)
        if args.table:
            programs = sum(len(list(folder.rglob("*.py"))) for folder in args.prove)
            args.table.write_text(table_of_proofs(rows, programs, in_random, args.random))
        return 1 if any(row[-1] for row in rows + in_random) or not rows else 0
    unharmed = 200
    number, what = search(binary, None, unharmed)
    if number is not None:
        sys.exit(f"without a mutant, program {number} goes wrong: {what}")
    rows, alive = [], 0
    for name, about, path, *_ in MUTANTS + PADDED:
        if args.names and name not in args.names:
            continue
        start = time.monotonic()
        number, what = search(binary, name, args.limit)
        alive += number is None
        found = "none" if number is None else str(number)
        rows.append(f"| {name} | {about} | `{path}` | {found} | {what[:90].replace('|', '/')} |")
        print(f"{name}: {found} ({time.monotonic() - start:.0f} s) {what[:100]}", flush=True)
        if args.show and number is not None:
            print(fuzz(binary, name, number - 1, 1)[1], flush=True)
    head = ["| mutant | what is broken | where | programs until found | how it shows |", "| --- | --- | --- | --- | --- |"]
    text = "\n".join(head + rows) + "\n"
    if args.table:
        intro = "# Mutants of satir, and how many random programs it takes to find each\n\n" \
            "Made by `tests/mutants/run.py`; the seeds start at 0.\n\n"
        args.table.write_text(intro + text)
    return 1 if alive or WRONG_ANYWAY or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
