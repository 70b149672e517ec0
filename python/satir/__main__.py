"""The command-line program: `satir`, or `python -m satir`."""

import signal
import sys

from ._native import main as _main

__all__ = ["main"]


def main() -> None:
    """Runs the program with the arguments of this process and exits with its code: 0 done, 1 a bad program, 2 a bad command
    line.

    >>> import subprocess, sys
    >>> subprocess.run([sys.executable, "-m", "satir", "--version"], capture_output=True).stdout[:5]
    b'satir'
    """
    # The program waits outside of the interpreter, which could not tell it of Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_main(["satir", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
