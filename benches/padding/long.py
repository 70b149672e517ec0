"""How long passes take on functions of 10,000 statements of all kinds: writes benches/padding/LONG.md.

    cargo build --release --bin satir
    python benches/padding/long.py --satir target/release/satir -o benches/padding/LONG.md

Every kind is one statement 10,000 times with another number in it, the worst that unrolling leaves behind: nothing is alike, and all of it
may have to do with all the rest. Loops and conditions count as statements. A quarter of it is measured as well, for the growth.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile
import time

STATEMENTS = 10_000

PASSES = ["simplify", "remove-no-op", "plan", "semantic-cse"]

#: What is repeated, with `{0}`, `{1}`, … for the number and its multiples, and how many statements that is.
KINDS = {
    "a copy": ("A[{0}] = B[{0}]", 1),
    "a copy within a buffer": ("A[{0}] = A[{0} + 1]", 1),
    "a computation": ("A[{0}] = B[{0}] * T.float32(2) + B[{0} + 3]", 1),
    "a choice": ("A[{0}] = T.if_then_else(n < {0}, B[{0}], T.float32(0))", 1),
    "symbolic offsets": ("A[m + {0}] = B[m + {0} * 2]", 1),
    "one element, folded": ("A[m % 16] = A[m % 16] + B[{0}]", 1),
    "one quotient": ("A[(m + {0}) // 7] = B[{0}]", 1),
    "one remainder": ("A[(m + {0}) % 7 + {0}] = B[m + {0}]", 1),
    "a quotient in each of two loads": ("B[{0}] = A[(m + {0}) // 3] + A[(n + {0}) // 5]", 1),
    "quotient and remainder of one sum": ("B[(n + {0}) // 3 * 7 + (n + {0}) % 3] = A[{0}]", 1),
    "quotient and remainder of two sums": ("A[(m + {0}) // 7 * 3 + (n + {0}) % 5] = B[{0}]", 1),
    "the same of multiples": ("A[(m * 5 + {0}) // 9 + (m + {0} * 3) % 11] = B[m + {0}]", 1),
    "the same that are reduced": ("A[(m * 16 + {0}) // 32 * 8 + (m * 4 + {0}) % 8] = B[{0}]", 1),
    "the same of longer sums": ("A[(m * 5 + n + {0}) // 9 * 100 + (n * 7 + {0} * 3) % 110] = B[m + {0}]", 1),
    "a symbolic divisor": ("A[(m + {0}) // n + (m + {0} * 3) % 11] = B[m + {0}]", 1),
    "a condition": ("if n == {0}:\n    A[7] = B[{0}]", 2),
    "overlapping conditions": ("if {0} <= n and n < {0} + 50:\n    A[0] = B[{0}]", 2),
    "conditions on two sizes": ("if n > {0} and m < {0} * 3:\n    A[{0} % 16] = B[{0}]", 2),
    "a condition with a quotient": ("if (m + {0}) // 7 < n:\n    A[(m + {0} * 3) % 11 + {0}] = B[m + {0}]", 2),
    "assumptions of elements": ("T.assume(A[{0}] == T.float32(1))\nB[{0}] = A[{0}] + T.float32(1)", 2),
    "assumptions of sizes": ("T.assume(n * ({0} + 2) < m + {0})\nB[n + {0}] = A[(n * 3 + {0}) // 5]", 2),
    "a loop": ("for i{0} in range(8):\n    A[i{0} + {0} * 8] = B[i{0}]", 2),
    "loops that overwrite each other": ("for i{0} in range(16):\n    A[i{0} + {0}] = B[i{0}]", 2),
    "the same under conditions": ("for i{0} in range(16):\n    if i{0} + {0} < n:\n        A[i{0} + {0}] = B[i{0}]", 3),
}


def program(kind, statements):
    """A function with so many statements of a kind."""
    text, count = KINDS[kind]
    body = "\n".join(text.format(number) for number in range(statements // count))
    lines = "\n".join("    " + line for line in body.split("\n"))
    buffers = ", ".join(f"{name}: T.Buffer(({16 * STATEMENTS},))" for name in "AB")
    return f'@T.prim_func(s_tir=True)\ndef main({buffers}, n: T.int32, m: T.int32):\n    T.func_attr({{"tirx.noalias": True}})\n{lines}\n'


def seconds(command, repeats):
    """The least time that a command takes, and the least processor time."""
    best = (float("inf"), float("inf"))
    for _ in range(repeats):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best[0], wall), min(best[1], used)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satir", required=True, help="the program")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("-o", "--output", help="the document")
    args = parser.parse_args()
    lines = [
        "# Long functions",
        "",
        f"Made by `benches/padding/long.py`: seconds for functions of {STATEMENTS:,} statements of one kind (loops and conditions count), the whole process",
        f"(processor time in brackets), the least of {args.repeats} runs. *Growth*: processor time of `plan` over that of a quarter of the statements; linear is 4.",
        "",
        "| kind | " + " | ".join(f"`{name}`" for name in PASSES) + " | growth |",
        "| --- | " + "---: | " * (len(PASSES) + 1),
    ]
    longest = dict.fromkeys(PASSES, 0.0)
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "long.py"
        for kind in KINDS:
            cells = []
            for passes in PASSES:
                command = [args.satir, "opt", "--passes", passes, path]
                path.write_text(program(kind, STATEMENTS))
                wall, used = seconds(command, args.repeats)
                longest[passes] = max(longest[passes], wall)
                cells.append(f"{wall:.2f} ({used:.2f})")
                if passes == "plan":
                    path.write_text(program(kind, STATEMENTS // 4))
                    growth = used / seconds(command, args.repeats)[1]
            lines.append(f"| {kind} | " + " | ".join(cells) + f" | {growth:.1f} |")
            print(lines[-1], flush=True)
    lines += ["", "The longest: " + ", ".join(f"`{name}` {wall:.2f}" for name, wall in longest.items()) + "."]
    if args.output:
        pathlib.Path(args.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
