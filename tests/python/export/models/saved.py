"""Runs a saved program in another process: in Python without the model, in C++ without Python."""

import io
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .cases import BUILD, OPERATORS

SCRIPT = """
import pickle, sys
import opwright as ow
from opwright import pytree

path, *libraries = sys.argv[1:]
for library in libraries:
    ow.load_library(library)
results = []
for call in pickle.load(sys.stdin.buffer):
    try:
        program = program if results else ow.load_program(path)
        with ow.no_grad():
            given = program(*pytree.tree_map(ow.from_numpy, call))
        results.append([each.numpy() for each in pytree.tree_flatten(given)[0]])
    except Exception as error:
        results.append(f"{type(error).__name__}: {error}")
assert "torch" not in sys.modules
sys.stdout.buffer.write(pickle.dumps(results))
"""


def run_in_python(path: Path, calls: list[Any], libraries: tuple[str, ...] = ()) -> list[Any]:
    """Give the leaves of the results of each call, or the text of its error."""
    command = [sys.executable, "-c", SCRIPT, path, *(OPERATORS / each for each in libraries)]
    done = subprocess.run(command, input=pickle.dumps(calls), stdout=subprocess.PIPE, check=True)
    return pickle.loads(done.stdout)


def run_in_cpp(path: Path, calls: list[Any], libraries: tuple[str, ...] = ()) -> list[Any]:
    """Do the same with tests/program_api/call_program_main.cpp."""
    command = [BUILD / "call_program", path, *(OPERATORS / each for each in libraries)]
    given = b"".join(write_call(leaves_of(call)) for call in calls)
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done
    text = io.BytesIO(done.stdout)
    if done.returncode == 1:  # it was not loaded
        return [done.stdout.decode().removeprefix("error ")] * len(calls)
    return [read_result(text) for _ in calls]


def leaves_of(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, tuple):
        return [leaf for each in tree for leaf in leaves_of(each)]
    return [tree]


def write_call(arrays: list[np.ndarray]) -> bytes:
    parts = [b"call %d\n" % len(arrays)]
    for array in arrays:
        header = " ".join(map(str, (array.dtype, array.ndim, *array.shape)))
        parts += [header.encode(), b"\n", np.ascontiguousarray(array).tobytes()]
    return b"".join(parts)


def read_result(text: io.BytesIO) -> Any:
    word, rest = text.readline().decode().rstrip("\n").split(" ", 1)
    if word == "error":
        return rest
    return [read_array(text) for _ in range(int(rest))]


def read_array(text: io.BytesIO) -> np.ndarray:
    dtype, _, *sizes = text.readline().decode().split()
    array = np.empty(tuple(map(int, sizes)), dtype)
    array.data.cast("B")[:] = text.read(array.nbytes) if array.nbytes else b""
    return array
