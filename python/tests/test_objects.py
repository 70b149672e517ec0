"""Functions that go over as objects: the same results as by text, on every program that TVM made, and what is kept.

    python -m unittest discover -s python/tests

`SATIR_CORPUS` names a folder of folders of programs, of which every `SATIR_STEP`-th is taken; without it the examples of the
repository are.
"""

import os
import pathlib
import unittest

import tvm
import tvm_ffi
from tvm import tirx
from tvm.script import from_source

import satir
import satir.tvm
from satir import _native
from satir.tvm.convert import Optimizer

ROOT = pathlib.Path(__file__).resolve().parents[2]


def programs():
    """Names and modules of programs."""
    corpus = os.environ.get("SATIR_CORPUS")
    folders = [ROOT / "examples" / "kernels", ROOT / "tests" / "script" / "programs"]
    folders += sorted(path for path in pathlib.Path(corpus).iterdir() if path.is_dir()) if corpus else []
    for folder in folders:
        step = int(os.environ.get("SATIR_STEP", "1")) if corpus and folder.is_relative_to(corpus) else 1
        for path in sorted(folder.rglob("*.py"))[::step]:
            try:
                module = from_source(path.read_text())
            except Exception:  # TVM itself does not read all that satir reads
                continue
            if not isinstance(module, tvm.IRModule):
                module = tvm.IRModule({module.attrs["global_symbol"] if module.attrs else "main": module})
            yield path.relative_to(folder.parent), module


def equal(a, b):
    """Whether two functions are the same program."""
    # Some aliases of buffers compare unequal although nothing that is printed differs.
    return tvm_ffi.structural_equal(a, b, map_free_vars=True) or a.script() == b.script()


def again(func):
    """The function as TVM reads what it prints."""
    parsed = from_source(func.script())
    return parsed["main"] if isinstance(parsed, tvm.IRModule) else parsed


def functions(module):
    return [(var, func) for var, func in module.functions_items() if isinstance(func, tirx.PrimFunc)]


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = list(programs())

    def test_what_is_read_is_what_there_is(self):
        """What satir reads from the objects prints as a program that TVM reads as the same function."""
        seen, unsupported = 0, 0
        for name, module in self.programs:
            for var, func in functions(module):
                seen += 1
                with self.subTest(str(name), function=var.name_hint):
                    try:
                        text = _native.as_text(func, var.name_hint)
                    except satir.UnsupportedModule:
                        unsupported += 1
                        continue
                    if "(" in text and f"Module.{var.name_hint}" not in text and "Module." in text:
                        continue  # calls of the module's other functions
                    try:
                        parsed = from_source(text)
                    except Exception:  # as with some programs of which it does not read either what it prints itself
                        unsupported += 1
                        continue
                    parsed = parsed[var.name_hint] if isinstance(parsed, tvm.IRModule) else parsed
                    same = equal(without_target(func), without_target(parsed))
                    if not same:
                        try:
                            same = equal(without_target(again(func)), without_target(parsed))
                        except Exception:  # as above
                            unsupported += 1
                            continue
                    self.assertTrue(same, text)
        self.assertLess(unsupported, seen / 12)

    def check(self, **options):
        text = Optimizer(satir.Options(**options), via="text")
        objects = Optimizer(satir.Options(**options), via="objects")
        went, compared = 0, 0
        for name, module in self.programs:
            with self.subTest(str(name)):
                try:
                    expected, _ = text.run(module)
                except satir.SatirError:
                    continue
                results, reports = {}, []
                rest = objects._objects(functions(module), results, reports, [])
                for var, _ in functions(module):
                    if var.name_hint not in results:
                        continue
                    went += 1
                    result = results[var.name_hint]
                    # TVM's parser orders the terms of some bounds anew.
                    same = equal(result, expected[var.name_hint])
                    same = same or equal(again(result), expected[var.name_hint])
                    if not same:
                        self.fail(f"{result.script()}\n--- by text\n{expected[var.name_hint].script()}")
                compared += len(results) + len(rest)
        self.assertGreater(compared, 50)
        self.assertGreater(went, compared * 0.9)

    def test_sharing_is_the_same_as_by_text(self):
        self.check()

    def test_the_full_pipeline_is_the_same_as_by_text(self):
        self.check(level=2)


def without_target(func):
    """A function without the attribute, of which satir keeps the kind only."""
    return func.without_attr("target") if func.attrs and "target" in func.attrs else func


PARTS = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"mark": "kept"})
        for i in T.serial(8, annotations={"note": "kept"}):
            B[i] = A[i] + 1
        A[0] = (n * 3 + 1) // 5
        A[1] = (1 + 3 * n) // 5
"""


class Identity(unittest.TestCase):
    """What satir leaves alone is the same object."""

    def test_what_is_left_alone_is_the_same_object(self):
        module = from_source(PARTS)
        before = module["main"]
        after = satir.tvm.SemanticCSE(index_bits=32)(module)["main"]
        self.assertFalse(after.same_as(before))
        self.assertTrue(after.attrs.same_as(before.attrs))
        for old, new in zip(before.params, after.params):
            self.assertTrue(new.same_as(old))
        loop = before.body.block.body.seq[0] if hasattr(before.body, "block") else before.body.seq[0]
        seq = after.body.block.body.seq if hasattr(after.body, "block") else after.body.seq
        self.assertTrue(any(stmt.same_as(loop) for stmt in seq))
        stores = [stmt for stmt in seq if isinstance(stmt, tirx.BufferStore)]
        self.assertEqual(len(stores), 2)
        self.assertTrue(all(store.span is not None for store in stores))

    def test_a_module_without_anything_to_do_is_the_same(self):
        module = from_source(PARTS)
        once = satir.tvm.SemanticCSE()(module)
        twice = satir.tvm.SemanticCSE()(once)
        self.assertTrue(twice["main"].same_as(once["main"]))

    def test_functions_of_other_kinds_stay(self):
        import tvm.relax as relax

        builder = relax.BlockBuilder()
        x = relax.Var("x", relax.TensorType((4,), "float32"))
        with builder.function("main", [x]):
            builder.emit_func_output(builder.emit(relax.op.add(x, x)))
        module = builder.get()
        self.assertTrue(satir.tvm.SemanticCSE()(module)["main"].same_as(module["main"]))

    def test_both_ways_are_compared_if_asked(self):
        satir.tvm.SemanticCSE(verify=True)(from_source(PARTS))

    def test_expressions(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        self.assertTrue(satir.tvm.simplify((i * 4 + 3) // 4, ranges={i: (0, 16)}).same_as(i))
        self.assertTrue(satir.tvm.simplify(tirx.Max(i, n), given=(i < n,)).same_as(n))


if __name__ == "__main__":
    unittest.main()
