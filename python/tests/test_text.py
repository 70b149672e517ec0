"""The package without TVM: programs as text, expressions, rules, the command line, and the examples of all docstrings."""

import doctest
import html.parser
import importlib
import importlib.util
import json
import pathlib
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

import satir
import satir.rules

PROGRAM = '@T.prim_func\ndef main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):\n    A[x * 3 + y] = y + x * 3\n'


class Text(unittest.TestCase):
    def test_optimize(self):
        result = satir.optimize(PROGRAM, index_bits=32)
        self.assertIn("A[cse_v1] = cse_v1", result.text)
        self.assertLess(result.report["cost_after"], result.report["cost_before"])
        self.assertIn("<table>", result._repr_html_())

    def test_mistakes_have_a_place(self):
        with self.assertRaises(satir.ParseError) as caught:
            satir.optimize("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(y)\n", name="my.py")
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), ("my.py", 3, 16))
        with self.assertRaises(satir.InvalidProgram) as caught:
            satir.optimize("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n    break\n")
        self.assertEqual(caught.exception.line, 4)

    def test_rules_have_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bad.rules"
            path.write_text("\n(rule nonsense)")
            with self.assertRaises(satir.RulesError) as caught:
                satir.optimize(PROGRAM, rules=path)
        self.assertEqual((caught.exception.file, caught.exception.line), (str(path), 2))

    def test_options_are_checked(self):
        for options in ({"mode": "magic"}, {"nonsense": 1}, {"time_limit": -1.0}, {"level": 1, "passes": ""}):
            with self.assertRaises(satir.OptionError):
                satir.optimize(PROGRAM, **options)

    def test_other_threads_run_meanwhile(self):
        long = long_program(400)
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        other = threading.Thread(target=tick)
        other.start()
        start = time.monotonic()
        satir.optimize(long)
        took = time.monotonic() - start
        done.set()
        other.join()
        during = [tick for tick in ticks if start < tick < start + took]
        self.assertGreater(len(during), took * 20)

    def test_an_interrupt_ends_a_run(self):
        code = f"import satir, sys\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n" + (
            "import test_text\ntest_text.take_interrupts()\nprint('ready', flush=True)\ntry:\n"
            "    while True:\n        satir.optimize(test_text.long_program(20000))\n"
            "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n    import os\n    os._exit(7)\n"
        )
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline().strip(), "ready")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        self.assertEqual(child.wait(timeout=60), 7)
        self.assertLess(time.monotonic() - start, 10)
        child.stdout.close()

    def test_the_program(self):
        def run(*args):
            return subprocess.run([sys.executable, "-m", "satir", *args], capture_output=True, text=True, input=PROGRAM)

        self.assertIn("cse_v1", run("cse", "-").stdout)
        self.assertEqual(run("cse", "--nonsense").returncode, 2)
        self.assertEqual(run("cse", "no/such/file.py").returncode, 1)


def take_interrupts():
    """Lets Ctrl-C raise KeyboardInterrupt, also where the process that started this one ignores it, as shells in the background do."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def long_program(statements):
    """A program of many statements."""
    lines = [f"    A[{at}] = (x * {at + 3} + y) // {at % 7 + 2} + (y + x * {at + 3}) // {at % 7 + 2}" for at in range(statements)]
    head = f'@T.prim_func\ndef main(A: T.Buffer(({statements},), "int32"), x: T.int32, y: T.int32):\n'
    return head + "\n".join(lines) + "\n"


def long_expression(terms):
    """A sum of many terms, which is not nested deep."""

    def between(low, high):
        if high - low == 1:
            return f"(x * {low + 1} + y) // {low % 7 + 2}"
        middle = (low + high) // 2
        return f"({between(low, middle)} + {between(middle, high)})"

    return between(0, terms)


class Expressions(unittest.TestCase):
    def test_answers(self):
        ctx = satir.Context(n=satir.dim(), i=(0, 16), j=range(4))
        self.assertEqual(ctx.simplify("(i * 4 + j) // 4"), "i")
        self.assertTrue(ctx.prove("i * 4 + j < 64"))
        self.assertFalse(ctx.prove("n < 0"))
        self.assertIsNone(ctx.prove("i < n"))
        self.assertIn("\n", ctx.explain("(i * 4 + j) // 4"))

    def test_operators(self):
        ctx = satir.Context(i=(0, 16))
        (i,) = ctx.vars("i")
        self.assertEqual(str(ctx.simplify(2 * i + i * 2 - 0)), "i * 4")
        self.assertTrue(ctx.prove((i >= 0) & ~(i > 15)))
        with self.assertRaises(TypeError):
            bool(i < 3)

    def test_errors(self):
        with self.assertRaises(satir.ParseError):
            satir.Context().simplify("x +")
        with self.assertRaises(satir.OptionError):
            satir.Context(i=(4, 4)).simplify("i")

    def test_a_call_costs_little(self):
        ctx = satir.Context(x=(0, 8))
        ctx.simplify("x")
        start = time.perf_counter()
        for _ in range(2000):
            ctx.simplify("x")
        # What is measured in benches/PYTHON.md is 20 us; machines that test are busy.
        self.assertLess((time.perf_counter() - start) / 2000, 200e-6)

    @unittest.skipUnless(importlib.util.find_spec("sympy"), "needs sympy")
    def test_sympy(self):
        import sympy
        from sympy import Max, Min, Mod, Piecewise, floor

        x, y = sympy.symbols("x y", integer=True)
        ctx = satir.Context(x=(0, 8), y=satir.dim())
        self.assertEqual(ctx.simplify(floor((x * 4 + 3) / 4)), x)
        self.assertEqual(ctx.simplify(Mod(x + 8 * y, 8)), x)
        self.assertEqual(ctx.simplify(Min(x, Max(x, y), 7)), x)
        self.assertEqual(ctx.simplify(Piecewise((x, x < 8), (y, True))), x)
        self.assertEqual(ctx.simplify(floor(x / 3) * 3 + Mod(x, 3) + y), x + y)
        self.assertTrue(ctx.prove(sympy.Le(x, 7)))
        for value in (floor(x / 3) + y, Mod(x, 3), Min(x, y), Piecewise((x, x < y), (y, True)), x**2 - y):
            result = ctx.simplify(value)
            for a in range(8):
                for b in range(5):
                    self.assertEqual(result.subs({x: a, y: b}), value.subs({x: a, y: b}), value)

    @unittest.skipUnless(importlib.util.find_spec("sympy"), "needs sympy")
    def test_functions_of_inductor(self):
        """Functions of PyTorch go over by their names, and come back as what they were."""
        import sympy

        def function(name, arity):
            return type(name, (sympy.Function,), {"nargs": (arity,), "is_integer": True})

        floor_div, modular = function("FloorDiv", 2), function("ModularIndexing", 3)
        clean_div, ceil_div = function("CleanDiv", 2), function("CeilDiv", 2)
        where, identity = function("Where", 3), function("Identity", 1)
        x, y = sympy.symbols("x y", integer=True, nonnegative=True)
        i = sympy.Symbol("i", integer=True, nonnegative=True)
        ctx = satir.Context(i=(0, 16))
        # That x and y are not negative is what sympy knows of them.
        self.assertEqual(ctx.simplify(floor_div(i + 16 * x, 16)), x)
        self.assertEqual(ctx.simplify(modular(i + 16 * x, 1, 16)), i)
        self.assertEqual(ctx.simplify(modular(x * 4 + 64 * y, 4, 16)), modular(x, 1, 16))
        self.assertEqual(ctx.simplify(floor_div(floor_div(x, 3), 5)), floor_div(x, 15))
        self.assertEqual(ctx.simplify(clean_div(x * 8, 4)), 2 * x)
        self.assertEqual(ctx.simplify(ceil_div(x * 8 + 8, 8)), x + 1)
        self.assertEqual(ctx.simplify(where(i < 16, identity(x), y)), x)
        self.assertTrue(ctx.prove(sympy.Ge(x + y, 0)))
        self.assertTrue(ctx.explain(floor_div(i + 16 * x, 16)).startswith("x\n"))
        # Of a symbol of which nothing is known the remainder may be one of a negative number.
        z = sympy.Symbol("z", integer=True)
        self.assertFalse(ctx.simplify(modular(z + 16 * x, 1, 16)).has(modular))
        with self.assertRaisesRegex(satir.ParseError, "Unheard"):
            ctx.simplify(function("Unheard", 1)(x))
        with self.assertRaisesRegex(satir.ParseError, "two symbols"):
            ctx.simplify(x + sympy.Symbol("x", real=True))
        odd = sympy.Symbol("s0.1", integer=True)
        self.assertEqual(ctx.simplify(sympy.Mod(odd * 4 + 1, 4) + odd), odd + 1)

    @unittest.skipUnless(importlib.util.find_spec("sympy"), "needs sympy")
    def test_ceilings_round_up(self):
        import sympy

        x, y = sympy.symbols("x y", integer=True)
        for value in (sympy.ceiling(x / 3), sympy.ceiling(x / y), sympy.floor((x - 1) / y), sympy.ceiling(x / -4)):
            result = satir.Context().simplify(value)
            for a in range(-7, 8):
                for b in (-3, -1, 2, 5):
                    self.assertEqual(result.subs({x: a, y: b}), value.subs({x: a, y: b}), (value, result, a, b))


class Rules(unittest.TestCase):
    """The laboratory of rules: results are plain dictionaries and lists."""

    BITS = "@T.prim_func\ndef main(A: T.Buffer((8,), 'int32'), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n"

    def test_load_and_check(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "own.rules"
            path.write_text('(rule own "twice" (types int) (=> (bitwise_or ?x ?x) ?x))')
            self.assertIn("own", [rule["name"] for rule in satir.rules.load(path)])
            self.assertTrue(satir.rules.check(path)["sound"])
            path.write_text('(rule own "it is not" (types index) (=> (floordiv ?x 5) 0))')
            found = satir.rules.check(path, only="own", quick=True)
        self.assertFalse(found["sound"])
        self.assertEqual(found["rules"][0]["rule"], "own")

    def test_stats_and_ablate(self):
        stats = satir.rules.stats([("bits.py", self.BITS)])
        used = [rule["rule"] for rule in stats["rules"] if rule["unions"] > 0]
        self.assertGreater(len(used), 0)
        without = satir.rules.ablate([self.BITS], by="set")
        self.assertEqual(without["programs"], 1)
        with self.assertRaises(ValueError):
            satir.rules.ablate([self.BITS], by="file")
        with self.assertRaises(satir.ParseError):
            satir.rules.stats(["no program"])

    def test_suggest(self):
        """What is suggested is read and found sound."""
        texts = satir.rules.suggest("bitwise_and,bitwise_xor", limit=2)
        self.assertEqual(len(texts), 2)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "suggested.rules"
            path.write_text("\n".join(texts))
            self.assertTrue(satir.rules.check(path, quick=True)["sound"])


class Notebooks(unittest.TestCase):
    """What a notebook shows is well-formed, and is about the program."""

    def test_reports_and_results(self):
        result = satir.optimize(PROGRAM, index_bits=32)
        self.assertIsInstance(result, satir.Result)
        self.assertIsInstance(result.report, satir.Report)
        self.assertEqual(result.report.as_dict()["functions"][0]["name"], "main")
        cells, tags = [], []

        class Parser(html.parser.HTMLParser):
            def handle_starttag(self, tag, attrs):
                tags.append(tag)

            def handle_endtag(self, tag):
                self.assertion(tags.pop(), tag)

            def handle_data(self, data):
                cells.append(data)

        Parser.assertion = staticmethod(self.assertEqual)
        for shown in (result, result.report):
            Parser().feed(shown._repr_html_())
            self.assertEqual(tags, [])
        self.assertIn("cse_v1", cells)

    def test_pictures_of_e_graphs(self):
        graphs = [
            satir.Context(i=(0, 16), j=(0, 4)).egraph("(i * 4 + j) // 4"),
            satir.egraph(PROGRAM),
            satir.egraph(PROGRAM, function="main", mode="semantic"),
        ]
        for graph in graphs:
            self.assertIsInstance(graph, satir.EGraph)
            picture = xml.etree.ElementTree.fromstring(graph._repr_svg_())
            self.assertTrue(picture.tag.endswith("svg"))
            self.assertTrue(graph.dot.startswith("digraph"))
            self.assertGreater(len(graph.data["nodes"]), 3)
        self.assertIn("floordiv", graphs[0].svg)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "graph.svg"
            graphs[0].save(path)
            self.assertEqual(path.read_text(), graphs[0].svg)

    def test_mistakes(self):
        with self.assertRaises(satir.ParseError):
            satir.egraph("no program")
        with self.assertRaises(satir.ParseError):
            satir.Context().egraph("x +")
        with self.assertRaisesRegex(satir.OptionError, "main"):
            satir.egraph(PROGRAM, function="other")


class Smaller(unittest.TestCase):
    """The smaller parts."""

    def test_expressions_are_texts(self):
        x = satir.Expr("x")
        self.assertEqual(str(satir.Expr.select(x < 3, x, satir.Expr.min(x, satir.Expr.max(3, 4)))), "T.Select(x < 3, x, T.min(x, T.max(3, 4)))")
        self.assertEqual(str(satir.Context().simplify(satir.Expr.select(x == x, x, 3))), "x")

    def test_bounds_of_variables(self):
        self.assertEqual(satir.dim(1, 8), satir.Dim("int32", 1, 8))
        self.assertIs(satir.Context(n=satir.Dim("int64", 3, 5)).prove("n < T.int64(6)"), True)

    def test_options_as_json(self):
        self.assertEqual(json.loads(satir.Options.of({"level": 1}).json())["level"], 1)

    def test_wrong_results_and_bugs_have_exceptions_of_their_own(self):
        """A rule that is wrong and not checked is found where the result is run."""
        self.assertTrue(issubclass(satir.ValidationError, satir.SatirError))
        self.assertTrue(issubclass(satir.SatirBug, satir.SatirError))
        text = "@T.prim_func\ndef main(A: T.Buffer((8,), 'int32'), x: T.int32):\n    A[0] = T.bitwise_and(x, 6) + 1\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.rules"
            path.write_text('(rule wrong "it is not" (types int) (=> (bitwise_and ?x 6) 0))')
            with self.assertRaises(satir.ValidationError):
                satir.optimize(text, rules=path, unchecked=True, validate=True)


class Examples(unittest.TestCase):
    """The examples of all docstrings say what is true."""

    def test_examples(self):
        names = ["satir", *(m.name for m in pkgutil.walk_packages(satir.__path__, "satir.") if "_native" not in m.name)]
        tried = 0
        for name in names:
            for needed, part in (("tvm", ".tvm"), ("sympy", "_sympy")):
                if part in name and importlib.util.find_spec(needed) is None:
                    break
            else:
                if name.endswith("__main__"):
                    continue
                result = doctest.testmod(importlib.import_module(name))
                self.assertEqual(result.failed, 0, name)
                tried += result.attempted
        self.assertGreater(tried, 30)


if __name__ == "__main__":
    unittest.main()
