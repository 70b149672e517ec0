"""From a program at the point of TVM's CommonSubexprElim to executed instructions.

TVM's own passes after that point lower the program, its LLVM backend compiles it, and callgrind counts the instructions
that the kernel itself executes: the function `main_compute_`, which TVM splits from the checking of arguments, with all
that it calls. Programs for GPUs run as loops over their blocks and threads, where no memory is shared between threads.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import tvm
import tvm_ffi
from tvm import s_tir, tirx

HERE = pathlib.Path(__file__).resolve().parent

# The name of the function whose instructions are counted.
KERNEL = "main_compute_"

# A kernel that runs longer than this under callgrind is not counted.
SECONDS = 240


class NotRunnable(Exception):
    """A program that cannot be run on a CPU as it is."""


def serial(stmt):
    """The statement with every thread binding as a loop."""
    if isinstance(stmt, tirx.SeqStmt):
        return tirx.SeqStmt([serial(child) for child in stmt.seq])
    if isinstance(stmt, tirx.AttrStmt):
        body = serial(stmt.body)
        if stmt.attr_key in ("thread_extent", "virtual_thread"):
            zero = tirx.IntImm(str(stmt.node.var.ty), 0)
            return tirx.For(stmt.node.var, zero, stmt.value, tirx.ForKind.SERIAL, body)
        return tirx.AttrStmt(stmt.node, stmt.attr_key, stmt.value, body)
    if isinstance(stmt, tirx.For):
        return tirx.For(stmt.loop_var, stmt.min, stmt.extent, stmt.kind, serial(stmt.body), stmt.thread_binding, stmt.annotations)
    if isinstance(stmt, tirx.IfThenElse):
        other = serial(stmt.else_case) if stmt.else_case is not None else None
        return tirx.IfThenElse(stmt.condition, serial(stmt.then_case), other)
    return stmt


def for_cpu(module, opt_level, options):
    """The module for LLVM at an optimization level and with its command line options, without threads."""
    functions = {}
    for name, func in module.functions.items():
        target = func.attrs.get("target") if func.attrs else None
        text = func.script()
        if re.search(r'storage_sync|alloc_shared|"shared|alloc_buffer\([^\n]*scope="(shared|warp)|tvm_thread_allreduce|tvm_warp', text):
            raise NotRunnable("its threads share memory")
        config = {"kind": "llvm", "mtriple": "x86_64-linux-gnu"}
        if target is not None and target.kind.name == "llvm":
            config = {k: v for k, v in target.export().items() if k not in ("host", "keys", "tag")}
        if opt_level != 3:
            config["opt-level"] = opt_level
        if options:
            config["cl-opt"] = options
        cpu = tvm.target.Target(config, host=config)
        functions[name] = func.with_body(serial(func.body)).with_attr("target", cpu)
    return tirx.transform.ConvertSSA()(tvm.IRModule(functions))


def compiled(module, opt_level, options=()):
    """What TVM's LLVM backend makes of a program from the point of CommonSubexprElim on, without that pass."""
    lower = [
        tirx.transform.FP8ComputeLegalize(),
        s_tir.transform.VerifyVTCMLimit(),
        s_tir.transform.LowerVtcmAlloc(),
        tirx.transform.VerifyMemory(),
        tirx.transform.AnnotateEntryFunc(),
        s_tir.transform.MergeSharedMemoryAllocations(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        tirx.transform.FP8StorageLegalize(),
        tirx.transform.BF16StorageLegalize(),
        tirx.transform.LowerTVMBuiltin(),
        tirx.transform.LowerIntrin(),
    ]
    module = for_cpu(module, opt_level, list(options))
    target = next(iter(module.functions.values())).attrs["target"]
    lowered = tvm.ir.transform.Sequential(lower)(module)
    return tvm.get_global_func("target.build.llvm")(lowered, target)


def build(module, opt_level, path):
    """The same as a shared library at `path`, with LLVM's code beside it."""
    built = compiled(module, opt_level)
    object_file = f"{path}.o"
    built.write_to_file(object_file, "o")
    pathlib.Path(f"{path}.ll").write_text(built.inspect_source("ll"))
    run(["gcc", "-shared", "-o", path, object_file, "-lm"])
    return path


def run(command, **options):
    """A command that must succeed; returns what it wrote."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=SECONDS, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def driver(folder):
    """The program that calls kernels, compiled once."""
    binary, source = pathlib.Path(folder) / "driver", HERE / "driver.c"
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        include = tvm_ffi.libinfo.find_include_path()
        run(["gcc", "-O1", "-I", include, "-rdynamic", "-o", binary, source, "-ldl"])
    return binary


def write_inputs(folder, params, arrays):
    """The two input files of the driver."""
    lines = []
    with open(folder / "inputs", "wb") as file:
        for kind, name, dtype, value in params:
            if kind == "buffer":
                typed = tvm_ffi.dtype(dtype)
                dims = " ".join(map(str, value))
                lines.append(f"T {typed.type_code} {typed.bits} {typed.lanes} {len(value)} {dims}")
                file.write(arrays[name].tobytes())
            else:
                lines.append(f"F {value}" if np.dtype(dtype).kind == "f" else f"I {value}")
    (folder / "spec").write_text("\n".join(lines) + "\n")


def read_outputs(path, params, arrays):
    """What the buffers hold after a run."""
    outputs = {}
    with open(path, "rb") as file:
        for kind, name, _, _ in params:
            if kind == "buffer":
                like = arrays[name]
                outputs[name] = np.frombuffer(file.read(like.nbytes), like.dtype).reshape(like.shape)
    return outputs


# The C library copies and fills long buffers with an instruction for strings, which valgrind counts once for each byte. It
# is told to use vectors, as it does for shorter ones.
COPIES_WITH_VECTORS = "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000"


def callgrind(binary, libraries, params, arrays):
    """Per library: the instructions that its kernel executes, and what its buffers hold afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder, params, arrays)
        out = folder / "callgrind.out"
        run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={KERNEL}", f"--dump-after={KERNEL}"]
            + [f"--callgrind-out-file={out}", binary, folder / "spec", folder / "inputs", folder / "out", *libraries],
            env={**os.environ, "GLIBC_TUNABLES": COPIES_WITH_VECTORS},
        )
        results = []
        for k in range(len(libraries)):
            dump = folder / f"callgrind.out.{k + 1}"
            if not dump.exists():
                raise RuntimeError("a kernel without code: TVM dropped it")
            counted = re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.M)
            results.append((int(counted.group(1)), read_outputs(folder / f"out.{k}", params, arrays)))
        return results
