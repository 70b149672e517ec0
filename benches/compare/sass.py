"""What a GPU's compiler makes of CUDA source: NVRTC compiles it, nvdisasm shows the machine code, SASS.

No GPU is needed. The programs come from PyPI into an environment of their own (`tools`). What is counted of a source's kernels:

- static: instructions, without the padding behind the end;
- weighted: each as often as the loops around it run (`trips.py`; 8 times where that is not a constant of the code), those of a
  subroutine as often as its calls;
- registers: the most that a kernel uses;
- spills: bytes that the compiler's own report calls spill stores and loads.
"""

import ctypes
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Appended: the folder is that of a package, whose other files are not meant.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python" / "satir" / "tvm"))
import trips  # noqa: E402
from flow import loops  # noqa: E402

# The wheel of triton has nvdisasm; nothing of NVIDIA's own on PyPI does.
PACKAGES = [
    "nvidia-cuda-nvrtc-cu12==12.9.86",
    "nvidia-cuda-runtime-cu12==12.9.79",
    "nvidia-cuda-cccl-cu12==12.9.27",
    "triton==3.1.0",
]

# How often a loop is taken to run whose end is not a constant of the code.
TRIPS = 8

FIELDS = ["static", "weighted", "registers", "spills"]


def tools(folder):
    """The folder of packages, which is filled at the first call."""
    place = pathlib.Path(folder) / "tools"
    done = place / "complete"
    if not done.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), *PACKAGES]
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            command = ["python3", "-m", "pip", *command[3:]]
        subprocess.run(command, check=True)
        disassembler = place / "triton/backends/nvidia/bin/nvdisasm"
        disassembler.chmod(0o755)
        done.write_text("\n".join(PACKAGES))
    return place


class Compiler:
    """Compiles CUDA source and counts; what was counted once is kept in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.place = tools(folder)
        self.known = self.folder / "counted"
        self.known.mkdir(parents=True, exist_ok=True)
        self.nvrtc = None

    def counts(self, source, arch):
        """The figures of `FIELDS` for a source and an architecture such as `sm_80`."""
        own = pathlib.Path(__file__).read_bytes() + pathlib.Path(trips.__file__).read_bytes()
        key = hashlib.sha256(own + f"{arch} {source}".encode()).hexdigest()[:24]
        entry = self.known / f"{key}.json"
        if not entry.exists():
            binary, log = self.compile(source, arch)
            entry.write_text(json.dumps(read(self.disassemble(binary), log)))
        return json.loads(entry.read_text())

    def compile(self, source, arch):
        """Machine code and the compiler's report."""
        if self.nvrtc is None:
            self.nvrtc = ctypes.CDLL(str(self.place / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"))
        program = ctypes.c_void_p()
        options = [f"--gpu-architecture={arch}", "--std=c++17", "-default-device", "--ptxas-options=-v"]
        options += [f"-I{self.place}/nvidia/{part}/include" for part in ("cuda_runtime", "cuda_cccl")]
        self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
        try:
            array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
            failed = self.nvrtc.nvrtcCompileProgram(program, len(options), array)
            log = self.take("ProgramLog", program).decode(errors="replace").rstrip("\0")
            if failed:
                raise RuntimeError(f"NVRTC: {log.strip()[-400:]}")
            return self.take("CUBIN", program), log
        finally:
            self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))

    def take(self, what, program):
        """Bytes that NVRTC holds for a program."""
        size = ctypes.c_size_t()
        getattr(self.nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        held = ctypes.create_string_buffer(size.value)
        getattr(self.nvrtc, f"nvrtcGet{what}")(program, held)
        return held.raw

    def disassemble(self, binary):
        """The text of machine code."""
        path = self.folder / f"kernel.{os.getpid()}.cubin"
        path.write_bytes(binary)
        try:
            command = [self.place / "triton/backends/nvidia/bin/nvdisasm", "-c", path]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout
        finally:
            path.unlink()


def read(text, log):
    """The figures of a disassembly and of the compiler's report."""
    found = {"static": 0, "weighted": 0}
    for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.MULTILINE)[1:]:
        code = Code(section)
        found["static"] += len(code.lines)
        found["weighted"] += sum(code.weights())
    if not found["static"]:
        raise RuntimeError("nvdisasm shows no code")
    found["registers"] = max(int(count) for count in re.findall(r"Used (\d+) registers", log))
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log)
    found["spills"] = sum(int(part) for pair in spills for part in pair)
    return found


class Code:
    """The instructions of one kernel with its subroutines."""

    INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\d\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
    LABEL = re.compile(r"^\s*([.$\w]+):")
    TARGET = re.compile(r"`\(([^)]+)\)")

    def __init__(self, section):
        self.lines, self.labels = [], {}
        for line in section.splitlines():
            if label := self.LABEL.match(line):
                self.labels[label.group(1)] = len(self.lines)
            elif found := self.INSTRUCTION.match(line):
                self.lines.append(found.groups())
        # Behind the end: a jump to itself, and padding.
        while self.lines and (self.lines[-1][1] == "NOP" or self.is_trap(len(self.lines) - 1)):
            self.lines.pop()
        self.meets = {}
        for guard, name, operands in self.lines:
            if name.startswith("BSSY"):
                self.meets.setdefault(operands.split(",")[0], []).append(self.target(operands))
        self.after = {at: self.successors(at) for at in range(len(self.lines))}

    def is_trap(self, at):
        """Whether an instruction jumps to itself."""
        return self.lines[at][1].startswith("BRA") and self.target(self.lines[at][2]) == at

    def target(self, operands):
        """The number of the instruction that a jump or call names; none for one that it computes."""
        named = self.TARGET.search(operands)
        return self.labels.get(named.group(1)) if named else None

    def successors(self, at):
        """The instructions that may follow one, without those of subroutines that it calls."""
        guard, name, operands = self.lines[at]
        kind = name.split(".")[0]
        following = [at + 1] if at + 1 < len(self.lines) else []
        if kind in ("EXIT", "RET", "BRX", "JMX", "KILL"):
            return following if guard else []
        if kind == "BSYNC":
            later = [place for place in self.meets.get(operands.split(",")[0], []) if place is not None and place > at]
            return sorted({min(later)} if later else set(following))
        if kind in ("BRA", "JMP") or kind == "CALL" and not self.returns(self.target(operands)):
            place = self.target(operands)
            conditional = guard or not operands.startswith("`")
            return ([] if place is None or place >= len(self.lines) else [place]) + (following if conditional else [])
        return following

    def returns(self, place):
        """Whether what a call goes to comes back; a call that does not is a jump."""
        for guard, name, _ in self.lines[place:] if place is not None else []:
            if not guard and name.startswith(("RET", "EXIT")):
                return name.startswith("RET")
        return True

    def weights(self):
        """How often each instruction counts."""
        weights = [0] * len(self.lines)
        calls = {}
        for at, (_, name, operands) in enumerate(self.lines):
            if name.startswith("CALL") and (place := self.target(operands)) is not None and self.returns(place):
                calls.setdefault(place, []).append(at)
        entries = [0, *sorted(place for place in calls if place)]
        for entry in entries:
            times = sum(weights[at] for at in calls.get(entry, [])) if entry else 1
            order, bodies = loops(entry, self.after)
            runs = dict.fromkeys(order, times)
            for head, body in bodies.items():
                trip = trips.count(self.lines, self.after, head, body) or TRIPS
                for at in body:
                    runs[at] *= trip
            for at, often in runs.items():
                weights[at] += often
        return weights
