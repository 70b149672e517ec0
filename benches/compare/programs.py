"""The programs that are compared: a folder of them with an index, as `generate.py` writes it."""

import json
import pathlib


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
