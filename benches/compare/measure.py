"""Measures programs in all variants, in a process of its own, so that what TVM does to one of them stops nothing else.

    python measure.py

Reads jobs from standard input, one line of JSON each, and answers each with a line of JSON. A job names the program,
the binary, the folder for compiled kernels and the variants. Variants whose kernels have equal text are compiled and
counted once.
"""

import hashlib
import json
import os
import pathlib
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests" / "tvm")]

import kernels  # noqa: E402
import variants  # noqa: E402
from run_llvm import difference, make_inputs, parameters  # noqa: E402


def message(error):
    """One line about an exception."""
    return f"{type(error).__name__}: {str(error).strip()[-300:]}"


def treat(job, text, module):
    """Per variant: module, text, times and counts, or what failed."""
    program, results = job["program"], {}
    for name in job["variants"]:
        try:
            treated, result, times = variants.make(
                name, job["satir"], text, module, program["bindings"], job["repeats"]
            )
            counted = variants.counts(job["satir"], result, program["bindings"], program["inputs"])
            results[name] = {"module": treated, "text": result, "seconds": times, "counts": counted}
        except Exception as error:  # one variant must not stop the others
            results[name] = {"error": message(error)}
    return results


def count_instructions(job, module, results, folder):
    """Adds the executed instructions at each optimization level to the results. What was counted for a kernel's text
    in an earlier run is taken from there; the input is counted along with what is new, to compare what they compute."""
    program = job["program"]
    params = parameters(module["main"], program["bindings"])
    arrays = make_inputs(params, program["inputs"], 1)
    known = pathlib.Path(job["folder"]) / "instructions"
    known.mkdir(parents=True, exist_ok=True)
    base = pathlib.Path(program["path"]).read_bytes() + json.dumps(program, sort_keys=True).encode() + job["scripts"].encode()
    new, paths = {}, []
    for name, result in results.items():
        if "error" in result:
            continue
        result["instructions"] = {}
        for level in job["levels"]:
            key = hashlib.sha256(base + f"O{level} {result['text']}".encode()).hexdigest()[:24]
            entry = known / f"{key}.json"
            if not job["keep"] and entry.exists():
                accept(result, level, json.loads(entry.read_text()))
                continue
            if entry not in new:
                path = folder / f"{name}.O{level}.so"
                try:
                    kernels.build(result["module"], level, path)
                except kernels.NotRunnable:
                    raise
                except Exception as error:  # one build must not stop the others
                    result["error"] = message(error)
                    continue
                new[entry] = []
                paths.append(path)
            new[entry].append((result, level))
    if not new:
        return
    expected = folder / "expected.so"
    kernels.build(module, 3, expected)
    (_, outputs), *counted = kernels.callgrind(kernels.driver(job["folder"]), [expected, *paths], params, arrays)
    for (entry, users), (instructions, found) in zip(new.items(), counted):
        answer = {"instructions": instructions, "difference": difference(outputs, found, 1e-5)}
        entry.write_text(json.dumps(answer))
        for result, level in users:
            accept(result, level, answer)


def accept(result, level, answer):
    """Enters a count, or that the kernel computes something else than the input."""
    result["instructions"][f"O{level}"] = answer["instructions"]
    if answer["difference"] is not None:
        result["error"] = f"-O{level}: another result than the input's: {answer['difference']}"


def measure(job):
    """The result of a job."""
    text = pathlib.Path(job["program"]["path"]).read_text()
    module = variants.as_module(text)
    results = treat(job, text, module)
    note = None
    if job["program"]["runnable"] and job["levels"]:
        try:
            if job["keep"]:
                count_instructions(job, module, results, pathlib.Path(job["keep"]))
            else:
                with tempfile.TemporaryDirectory() as folder:
                    count_instructions(job, module, results, pathlib.Path(folder))
        except kernels.NotRunnable as error:
            note = str(error)
    for result in results.values():
        result.pop("module", None)
        result.pop("text", None)
    return {"variants": results, "note": note}


def main():
    # What TVM prints goes to standard error: standard output has the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            result = measure(json.loads(line))
        except Exception as error:
            traceback.print_exc()
            result = {"error": message(error)}
        answers.write(json.dumps(result) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
