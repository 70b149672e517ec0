"""The program `satir`: where it is, and runs of it."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from tvm.error import register_error

# Registered by their names, errors stay what they are on their way through TVM's own code.


@register_error
class SatirError(Exception):
    """satir could not be used."""


@register_error
class SatirNotFound(SatirError):
    """There is no program `satir`."""


@register_error
class SatirFailed(SatirError):
    """The program refused its input or its options; the message is its own."""


@dataclasses.dataclass(frozen=True)
class Options:
    """What `satir cse` is told. See the README for the meaning of each."""

    mode: str = "semantic"
    binds: dict = dataclasses.field(default_factory=dict)
    rules: tuple = ()
    unchecked: bool = False
    cost: str | None = None
    fast_math: bool = False
    index_bits: str = "auto"
    simplify: bool = True
    time_limit: float | None = None
    node_limit: int | None = None
    binary: str | None = None

    def __post_init__(self):
        if self.mode not in ("semantic", "syntactic"):
            raise ValueError(f"mode must be 'semantic' or 'syntactic', not {self.mode!r}")
        if str(self.index_bits) not in ("32", "64", "auto"):
            raise ValueError(f"index_bits must be 32, 64 or 'auto', not {self.index_bits!r}")

    def arguments(self, text):
        """The flags for a program. Of the bindings it gets those whose names it has: others are for other modules."""
        flags = ["--mode", self.mode, "--index-bits", str(self.index_bits)]
        names = set(re.findall(r"\b(\w+): T\.", text))
        for line in re.findall(r"^\s*([\w, ]+) = T\.", text, re.MULTILINE):
            names.update(line.split(", "))
        binds = [f"{name}={int(value)}" for name, value in self.binds.items() if name in names]
        if binds:
            flags += ["--bind", ",".join(binds)]
        for path in self.rules:
            flags += ["--rules", os.fspath(path)]
        if self.unchecked:
            flags.append("--unchecked")
        if self.cost is not None:
            flags += ["--cost", os.fspath(self.cost)]
        if self.fast_math:
            flags.append("--fast-math")
        if not self.simplify:
            flags.append("--no-simplify")
        if self.time_limit is not None:
            flags += ["--time-limit", str(self.time_limit)]
        if self.node_limit is not None:
            flags += ["--node-limit", str(self.node_limit)]
        return flags


def find(binary=None):
    """The path of the program."""
    named = binary or os.environ.get("SATIR")
    if named:
        found = shutil.which(os.fspath(named))
        if found is None:
            raise SatirNotFound(f"{named} is not a program that can be run (binary= or the variable SATIR)")
        return found
    name = "satir.exe" if os.name == "nt" else "satir"
    found = shutil.which("satir") or shutil.which(
        pathlib.Path(__file__).resolve().parents[2] / "target" / "release" / name
    )
    if found is None:
        raise SatirNotFound(
            "the program satir was not found: build it (cargo install --path . in satir's source tree), "
            "or name it with binary= or the environment variable SATIR"
        )
    return found


def cse(text, options):
    """The optimized text, and the report as a dictionary."""
    program = find(options.binary)
    with tempfile.TemporaryDirectory(prefix="satir-") as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run(
            [program, "cse", "-", *options.arguments(text), "--report", str(report)],
            input=text,
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode != 0:
            raise SatirFailed(done.stderr.strip() or f"satir ended with status {done.returncode}")
        return done.stdout, json.loads(report.read_text(encoding="utf-8"))
