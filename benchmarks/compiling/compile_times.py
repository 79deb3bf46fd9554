"""Measures compile times in a fresh process; prints `name milliseconds` lines.

    compile_times.py ours|jax|torch FIRST

Compiles all functions, starting with the one of letter FIRST. `first_<letter>` is the time of its
first call minus that of a later call, including the import of LLVM; `next_<letter>` is the same for
the other functions. `llvm 1` is printed if LLVM was loaded (ours only).
"""

import os
import sys
import time
from pathlib import Path

SIDE, FIRST = sys.argv[1:3]
os.environ["JAX_PLATFORMS"] = "cpu"

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import release_build  # noqa: E402

from compiling.functions import TITLES  # noqa: E402
from compiling.sides import jax_side, our_side, torch_sides  # noqa: E402

sys.path.insert(0, str(release_build() / "python"))
import opwright  # noqa: E402

LATER_CALLS = 3


def side_of(name):
    if name == "ours":
        return our_side(opwright)
    if name == "jax":
        return jax_side(opwright)["jax.jit"]
    return torch_sides(opwright)["torch.compile"]


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main():
    runs = side_of(SIDE).runs
    letters = [FIRST, *(letter for letter in TITLES if letter != FIRST)]
    for letter in letters:
        first = seconds(runs[letter])
        took = first - min(seconds(runs[letter]) for _ in range(LATER_CALLS))
        print(f"{'first' if letter == FIRST else 'next'}_{letter}", took * 1e3)
    print("llvm", int("llvmlite" in sys.modules))


if __name__ == "__main__":
    main()
