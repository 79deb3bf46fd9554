"""The examples in the docstrings of the package, in Python and in C++, do what they show.

`opwright as ow` and `numpy as np` are imported in each, and `...` matches any text.
"""

import doctest

import numpy
import opwright
import pytest
from opwright import _C

from .docstring_examples import find_in_extension, find_in_files

# One test per text: a type of _C is found as a name of the package too.
BY_TEXT = {
    example.docstring: example for example in [*find_in_extension(_C), *find_in_files(opwright)]
}
EXAMPLES = {example.name: example for example in BY_TEXT.values()}


def run_example(example: doctest.DocTest) -> str:
    """Return the report of what differs; empty when nothing does."""
    report = []
    if example.globs.get("__name__") == "opwright":
        # Nobody writes code in there, where float and int are dtypes.
        example.globs = {}
    example.globs |= {"opwright": opwright, "ow": opwright, "np": numpy}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(example, out=report.append, clear_globs=True)
    return "".join(report)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of(name):
    report = run_example(EXAMPLES[name])

    if report:
        pytest.fail(report, pytrace=False)


def test_a_wrong_example_is_reported():
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", "wrong", 0)

    assert "Expected:\n    3\nGot:\n    2" in run_example(example)
