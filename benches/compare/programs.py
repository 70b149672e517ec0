"""The programs that are compared: a folder of them with an index, as `generate.py` writes it."""

import hashlib
import json
import pathlib
import re


def load(folder, set_name):
    """The programs of a folder at the point of TVM's CommonSubexprElim."""
    index = pathlib.Path(folder) / "index.json"
    if not index.exists():
        return []
    programs = []
    for entry in json.loads(index.read_text())["programs"]:
        if "precse" not in entry["variants"]:
            continue
        programs.append(
            {
                "name": entry["name"],
                "set": set_name,
                "path": str(pathlib.Path(folder) / "precse" / entry["file"]),
                "bindings": entry["bindings"],
                "inputs": entry["inputs"],
                "device": entry["device"],
                "category": entry["category"],
                "runnable": entry["runnable"],
            }
        )
    return programs


def operator(name):
    """The operator that a program was made from: its name without shape and schedule."""
    return re.sub(r"(__|_static_|_dynamic_).*", "", name).removesuffix("_dyn")


def is_for_judging(name):
    """Whether a program is in the half that is only measured: nobody looks at it while working on what satir knows of
    compilers. All programs of an operator are in one half."""
    return bool(hashlib.sha256(operator(name).encode()).digest()[0] & 1)
