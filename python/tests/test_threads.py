"""Objects of TVM and threads: counts of references, objects that are deleted meanwhile, the garbage collector, interrupts.

    python -m unittest discover -s python/tests

What is wrong here ends the process, or is seen in the counts of references, which TVM keeps in the head of every object.
"""

import concurrent.futures
import ctypes
import gc
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

import tvm
import tvm_ffi
from tvm import tirx
from tvm.script import from_source

import satir
import satir.tvm

SOURCE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), B: T.Buffer((n_,), "float32"), n: T.int32):
        T.func_attr({{"mark": "a text that is too long to lie in the value itself"}})
        for i in T.serial(8, annotations={{"note": "kept"}}):
            A[i] = (i * 4 + {0}) // 4 + n * {0}
        if n > {0}:
            A[0] = T.max(n, {0}) + T.Select(n < 3, n * 3 + 1, (1 + 3 * n) // 5)
        B[n % 4] = T.exp(B[n % 4]) + T.exp(B[n % 4]) + T.Cast("float32", A[n % 4])
        A[1] = (1 + 3 * n) // 5
""".replace("n_", "16")


def count(obj):
    """How many references to an object there are: the lower half of the first word of its head."""
    return ctypes.c_uint32.from_address(obj.__chandle__()).value


def parts(func):
    """All objects of a function but those that others use as well: types, operators, attributes and spans."""
    shared = (tvm.ir.Op, tvm.ir.Type, tvm.ir.Attrs, tvm.ir.Span)
    found, work = {}, [func]
    while work:
        node = work.pop()
        if isinstance(node, tvm_ffi.Array):
            work.extend(node)
        elif isinstance(node, tvm_ffi.Object) and not isinstance(node, shared) and node.__chandle__() not in found:
            found[node.__chandle__()] = node
            info = type(node).__tvm_ffi_type_info__
            while info is not None:
                work.extend(getattr(node, field.name) for field in info.fields)
                info = info.parent_type_info
    return list(found.values())


class Counts(unittest.TestCase):
    """satir gives back what it takes."""

    def check(self, work, objects):
        gc.collect()
        before = [count(obj) for obj in objects]
        for _ in range(20):
            work()
        gc.collect()
        self.assertEqual([count(obj) for obj in objects], before)

    def test_functions(self):
        module = from_source(SOURCE.format(7))
        objects = parts(module["main"])
        self.assertGreater(len(objects), 50)
        for made in (satir.tvm.SemanticCSE(), satir.tvm.Optimize(), satir.tvm.SemanticCSE(mode="syntactic")):

            def work(made=made):
                made(module)
                made.reports.clear()

            self.check(work, objects)

    def test_a_result_lives_as_long_as_it_is_held(self):
        module = from_source(SOURCE.format(7))
        result = satir.tvm.SemanticCSE()(module)["main"]
        self.assertFalse(result.same_as(module["main"]))
        # The module of the result is gone, and what Python holds is all that there is.
        gc.collect()
        self.assertEqual(count(result), 1)
        text = result.script()
        del module
        gc.collect()
        self.assertEqual(result.script(), text)

    def test_expressions(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int64")
        context = satir.Context(i=(0, 16))
        whole = tirx.Cast("int64", (i * 4 + 3) // 4) + tirx.max(n, tirx.const(2, "int64"))
        objects = [i, n, whole, whole.a, whole.b, whole.b.a]
        for work in (context.simplify, context.prove, context.explain):
            self.check(lambda work=work: work(whole), objects)
        kept = context.simplify(whole)
        self.check(lambda: context.simplify(whole), [*objects, kept])

    def test_what_is_refused(self):
        class Odd:
            pass

        buffer = tirx.decl_buffer((4,), "int32")
        load = buffer[0] + 1
        with self.assertRaises(satir.UnsupportedModule):
            satir.Context().simplify(load)

        def work():
            try:
                satir.Context().simplify(load)
            except satir.UnsupportedModule:
                pass

        self.check(work, [buffer, load, load.a])
        for wrong in (3, None, "text", Odd(), tvm.IRModule, unittest.mock.Mock(spec=tirx.Var)):
            with self.assertRaises(TypeError):
                satir.tvm.expressions.text(wrong)
        # What is no function, or no expression.
        with self.assertRaises(satir.UnsupportedModule):
            satir._native.as_text(load, "main")
        with self.assertRaises(satir.UnsupportedModule):
            satir.tvm.expressions.text(from_source(SOURCE.format(7)))

    def test_nothing_is_taken_twice(self):
        satir.tvm.SemanticCSE()(from_source(SOURCE.format(7)))
        with self.assertRaisesRegex(RuntimeError, "nothing to take"):
            tvm_ffi.get_global_func("satir.take")()

    def test_objects_that_share_their_parts_without_end(self):
        whole = tirx.Var("x", "int32")
        for _ in range(60):
            whole = whole + whole
        with self.assertRaisesRegex(satir.UnsupportedModule, "too long"):
            satir.Context().simplify(whole)


class Threads(unittest.TestCase):
    """Many threads make, optimize and delete objects at once."""

    THREADS, ROUNDS = 8, 6

    def each(self, work):
        """Calls `work` with the number of a thread, in all of them, while the garbage collector runs."""
        over = threading.Event()

        def collect():
            while not over.is_set():
                gc.collect()
                time.sleep(0.002)

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            with concurrent.futures.ThreadPoolExecutor(self.THREADS) as pool:
                return list(pool.map(work, range(self.THREADS)))
        finally:
            over.set()
            collector.join()

    def test_modules_that_are_deleted_meanwhile(self):
        expected = {k: satir.tvm.SemanticCSE()(from_source(SOURCE.format(k))).script() for k in range(2, 6)}

        def work(thread):
            shuffled = random.Random(thread)
            texts = []
            for _ in range(self.ROUNDS):
                k = shuffled.randrange(2, 6)
                made = satir.tvm.SemanticCSE()
                # The input has no other owner than the call.
                result = made(from_source(SOURCE.format(k)))
                func = result["main"]
                del result, made
                texts.append((k, tvm.IRModule({"main": func}).script()))
            return texts

        for texts in self.each(work):
            for k, text in texts:
                self.assertEqual(text, expected[k])

    def test_one_module_in_all_threads(self):
        module = from_source(SOURCE.format(3))
        objects = parts(module["main"])
        before = [count(obj) for obj in objects]
        passes = [satir.tvm.SemanticCSE(), satir.tvm.Optimize(level=1)]

        def work(thread):
            return [passes[thread % 2](module).script() for _ in range(self.ROUNDS)]

        results = self.each(work)
        self.assertEqual(len({text for texts in results[::2] for text in texts}), 1)
        self.assertEqual(len({text for texts in results[1::2] for text in texts}), 1)
        gc.collect()
        self.assertEqual([count(obj) for obj in objects], before)

    def test_one_context_in_all_threads(self):
        i = tirx.Var("i", "int32")
        context = satir.Context(i=(0, 16))

        def work(thread):
            for at in range(60):
                # A new object each time, which nothing holds but the call.
                self.assertTrue(context.simplify((i * 4 + at % 4) // 4).same_as(i))
                self.assertTrue(context.prove(i * 4 < 64 + at))
                self.assertEqual(context.simplify(f"(i * 4 + {at % 4}) // 4"), "i")

        before = count(i)
        self.each(work)
        gc.collect()
        self.assertEqual(count(i), before)


class Interrupts(unittest.TestCase):
    """Ctrl-C ends what satir does, and the process afterwards ends by itself."""

    def child(self, code):
        """What a process says that runs `code`, is ready when it says so, and gets Ctrl-C then.

        The code repeats its call until then: a fast machine is through with any single one before the signal comes.
        """
        here = str(pathlib.Path(__file__).parent)
        setup = f"import sys\nsys.path.insert(0, {here!r})\nimport satir, test_text\ntest_text.take_interrupts()\n"
        child = subprocess.Popen(
            [sys.executable, "-c", setup + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.assertEqual(child.stdout.readline().strip(), "ready")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, errors = child.communicate(timeout=120)
        return child.returncode, out + errors, time.monotonic() - start

    def test_a_pass_within_tvm(self):
        code, said, took = self.child(
            "import tvm, satir.tvm\n"
            "from tvm.script import from_source\n"
            "lines = ''.join(f'        A[{k}] = (x * {k + 3} + y) // {k % 7 + 2} + (y + x * {k + 3}) // {k % 7 + 2}\\n'\n"
            "                for k in range(3000))\n"
            "head = '@I.ir_module\\nclass Module:\\n    @T.prim_func(s_tir=True)\\n'\n"
            "head += '    def main(A: T.Buffer((9000,), \"int32\"), x: T.int32, y: T.int32):\\n'\n"
            "module = from_source(head + lines)\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    while True:\n"
            "        satir.tvm.Optimize()(module)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n"
        )
        self.assertIn("interrupted", said)
        self.assertEqual(code, 0, said)
        self.assertLess(took, 60)

    def test_expressions_and_rules(self):
        long = "test_text.long_expression(4000)"
        for call in (f"satir.Context().simplify({long})", f"satir.Context().explain({long})", "satir.rules.check()"):
            with self.subTest(call):
                code, said, took = self.child(
                    f"import satir.rules\nprint('ready', flush=True)\ntry:\n    while True:\n        {call}\n"
                    "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n    import os\n    os._exit(0)\n"
                )
                self.assertIn("interrupted", said)
                self.assertEqual(code, 0, said)
                self.assertLess(took, 60)


if __name__ == "__main__":
    unittest.main()
