"""Prints as JSON what `explain` reports about our plans, how often a function is compiled, and what
guards of containers cost."""

import collections
import json
import sys
import timeit
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import release_build

from compiling.functions import functions_of, training_of
from compiling.sides import LIBRARY, operands, training_operands

sys.path.insert(0, str(release_build() / "python"))
import opwright

BATCH_SIZES = range(1, 51)


def explain(function, inputs):
    return opwright.explain(function)(*inputs)


def tensors_of(letter):
    return [opwright.from_numpy(each) for each in operands(letter)]


def count_training_nests():
    loss, update = training_of(opwright)
    x, target, numbers = training_operands()
    parameters = [opwright.from_numpy(each).requires_grad_() for each in numbers]
    inputs = [opwright.from_numpy(x), opwright.from_numpy(target), *parameters]
    plain = [each.detach() for each in parameters]
    return explain(loss, inputs).num_nests + explain(update, [plain, plain]).num_nests


def count_compiles(function):
    """Count compilations in a loop over batch sizes."""
    compiled = opwright.compile(function)
    for size in BATCH_SIZES:
        compiled(opwright.ones(size, 64), opwright.ones(64), opwright.ones(64))
    return compiled.num_compiles


def time_guarded_call():
    """Measure a call on 4 elements of a function that reads five containers, in us."""
    numbers, table, names = [1.0, 2.0], {"a": 1.0}, {"a"}
    window, nested = collections.deque([1.0]), {"rows": [[1.0]]}

    @opwright.compile(fullgraph=True)
    def function(x):
        scale = sum(numbers) + table["a"] + len(names) + window[0]
        return x * scale + nested["rows"][0][0]

    x = opwright.ones(4)
    times = timeit.repeat(lambda: function(x), number=2000, repeat=15)
    return min(times) / 2000 * 1e6


def main():
    opwright.load_library(LIBRARY)
    functions = functions_of(opwright, opwright.ops.compiling.squash.default)
    pointwise = explain(functions["a"], tensors_of("a"))
    figures = {
        "bytes": pointwise.bytes_moved,
        "least_bytes": sum(each.numel() * 4 for each in tensors_of("a")) + (4 << 20),
        "nests": {each: explain(functions[each], tensors_of(each)).num_nests for each in "fh"},
        "guarded_call": time_guarded_call(),
        "compiles": count_compiles(functions["c"]),
    }
    figures["nests"]["g"] = count_training_nests()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
