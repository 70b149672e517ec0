"""Measures one program in all variants, in a process of its own, so that what TVM does to it stops nothing else.

    python measure.py JOB.json

A job names the program, the binary, the folder for compiled kernels and the variants; the result goes to standard
output as JSON. Variants whose kernels have equal text are compiled and counted once.
"""

import json
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
    """Adds the executed instructions at each optimization level to the results."""
    program = job["program"]
    params = parameters(module["main"], program["bindings"])
    arrays = make_inputs(params, program["inputs"], 1)
    builds, libraries = {}, []
    for name, result in results.items():
        if "error" in result:
            continue
        for level in job["levels"]:
            key = (result["text"], level)
            if key not in builds:
                path = folder / f"{name}.O{level}.so"
                try:
                    kernels.build(result["module"], level, path)
                except kernels.NotRunnable:
                    raise
                except Exception as error:  # one build must not stop the others
                    result["error"] = message(error)
                    continue
                builds[key] = len(libraries)
                libraries.append(path)
    counted = kernels.callgrind(kernels.driver(job["folder"]), libraries, params, arrays)
    expected = counted[0][1]
    for result in results.values():
        if "error" in result:
            continue
        result["instructions"] = {}
        for level in job["levels"]:
            instructions, outputs = counted[builds[result["text"], level]]
            result["instructions"][f"O{level}"] = instructions
            what = difference(expected, outputs, 1e-5)
            if what is not None:
                result["error"] = f"-O{level}: another result than the input's: {what}"


def measure(job):
    """The result of a job."""
    text = pathlib.Path(job["program"]["path"]).read_text()
    module = variants.as_module(text)
    results = treat(job, text, module)
    note = None
    if job["program"]["runnable"] and job["levels"]:
        try:
            if job.get("keep"):
                count_instructions(job, module, results, pathlib.Path(job["keep"]))
            else:
                with tempfile.TemporaryDirectory() as folder:
                    count_instructions(job, module, results, pathlib.Path(folder))
        except kernels.NotRunnable as error:
            note = str(error)
    for result in results.values():
        result.pop("module", None)
        text = result.pop("text", None)
        if text is not None:
            result["bytes"] = len(text)
    return {"variants": results, "note": note, "statements": text_lines(job)}


def text_lines(job):
    """Lines of the input: the measure of size."""
    return pathlib.Path(job["program"]["path"]).read_text().count("\n")


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    try:
        result = measure(job)
    except Exception as error:
        traceback.print_exc()
        result = {"error": message(error)}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
