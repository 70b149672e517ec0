"""Processor time of passes: TVM's, satir's in process, and that of satir's whole process.

Other work on the machine disturbs processor time least. Each is the least of several runs. *In process* means: the
program is read, and all is done that a process does once (`in_process.rs`).
"""

import json
import pathlib
import resource
import subprocess
import tempfile
import time

# Passes are run again until this many seconds are over, but as often and no more often than this.
SECONDS = 0.15
LEAST_RUNS = 3
MOST_RUNS = 200


def of_passes(passes, module):
    """Seconds that a TVM pass takes for a module, and what it makes of it."""
    least = float("inf")
    begun = time.perf_counter()
    for run in range(MOST_RUNS):
        if run >= LEAST_RUNS and time.perf_counter() >= begun + SECONDS:
            break
        start = time.process_time()
        result = passes(module)
        least = min(least, time.process_time() - start)
    return least, result


def in_process(program, text, bindings, mode="semantic"):
    """Seconds of satir's optimization alone; `program` is what `in_process.rs` is built to."""
    seconds, _ = in_process_by_stage(program, text, bindings, mode)
    return seconds


def in_process_by_stage(program, text, bindings, mode="semantic"):
    """As `in_process`, and the microseconds that each stage took by the clock."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        [least] = all_in_process(program, [{"path": file.name, "bindings": bindings, "syntactic": mode == "syntactic"}])
    return least["milliseconds"] * 1e-3, least["stages"]


def all_in_process(program, queries):
    """For each of the queries: milliseconds of processor time, and microseconds of the stages by the clock."""
    done = subprocess.run([str(program)], input=json.dumps(queries), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def of_process(run, repeats):
    """Seconds of the processes that a call of `run` starts and waits for, and what it returned."""
    least = float("inf")
    for _ in range(repeats):
        start = children()
        result = run()
        least = min(least, children() - start)
    return least, result


def children():
    """Seconds of processor time that finished child processes took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def beside(binary):
    """Where cargo puts the example `in_process` when it builds `binary`."""
    return pathlib.Path(binary).resolve().parent / "examples" / "in_process"
