"""Everything public has an example in its documentation, and is used by a test.

    python -m unittest discover -s python/tests
"""

import importlib
import importlib.util
import inspect
import pathlib
import re
import unittest

import satir
import satir.rules

HERE = pathlib.Path(__file__)


def modules():
    """The modules whose `__all__` is for users."""
    names = ["satir", "satir.rules"]
    if importlib.util.find_spec("tvm"):
        names.append("satir.tvm")
    return [importlib.import_module(name) for name in names]


def members(cls):
    """The methods of a class that are its own and not Python's."""
    for name, what in vars(cls).items():
        what = what.__func__ if isinstance(what, staticmethod) else what
        if not name.startswith("_") and (inspect.isfunction(what) or isinstance(what, property)):
            yield name, what


def public():
    """Names with what they are: functions and classes of the modules, and methods of the classes."""
    for module in modules():
        for name in module.__all__:
            what = getattr(module, name)
            if inspect.ismodule(what) or name.startswith("__"):
                continue
            yield f"{module.__name__}.{name}", what
            # Passes are classes that TVM makes of ours, with methods of its own.
            if isinstance(what, type) and what.__module__.startswith("satir") and not issubclass(what, Exception):
                for method, member in members(what):
                    yield f"{module.__name__}.{name}.{method}", member


class Public(unittest.TestCase):
    def test_everything_is_documented_with_an_example(self):
        seen = 0
        for name, what in public():
            with self.subTest(name):
                doc = inspect.getdoc(what) or ""
                self.assertGreater(len(doc), 10, "no documentation")
                if callable(what) and not (isinstance(what, type) and issubclass(what, Exception)):
                    # A class that only holds values is shown by what makes them, a method by its class.
                    held = name.count(".") > 1 + name.startswith("satir.tvm") + name.startswith("satir.rules")
                    if not held and name.rpartition(".")[2] not in VALUES:
                        self.assertIn(">>>", doc, "no example")
                seen += 1
        self.assertGreater(seen, 40)

    def test_everything_is_used_by_a_test(self):
        texts = [path.read_text() for path in HERE.parent.glob("test_*.py") if path.name != HERE.name]
        words = set(re.findall(r"\w+", "\n".join(texts)))
        unused = [name for name, _ in public() if name.rpartition(".")[2] not in words]
        self.assertEqual(unused, [])


#: Classes that only hold values.
VALUES = {"Dim", "Result", "Choice", "Shared"}


if __name__ == "__main__":
    unittest.main()
