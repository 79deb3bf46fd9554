"""torch._dynamo.testing: backends that count what they compile."""

import collections
import unittest
from collections.abc import Callable

import opwright
from opwright._compile.counting import (
    CompileCounter,
    CompileCounterWithBackend,
    EagerAndRecordGraphs,
)

from tests.torch_suite.missing_names import Placeholder, fail_with

from .parametrization import copy_function


def same(a: object, b: object, **options: object) -> bool:
    """Return whether two results are equal or close."""
    if isinstance(a, list | tuple | collections.deque):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, opwright.Tensor):
        return bool(opwright.allclose(a, b, equal_nan=True))
    return a == b


def standard_test(
    self: unittest.TestCase,
    fn: Callable,
    nargs: int,
    expected_ops: object = None,
    expected_ops_dynamic: object = None,
    expected_frame_count: int = 1,
) -> None:
    """Compare a compiled function with itself, on two sets of arguments.

    The numbers of nodes in the graphs of Dynamo are its own, and are not compared.
    """
    counter = CompileCounter()
    calls = [[opwright.randn(10, 10) for _ in range(nargs)] for _ in range(2)]
    expected = [fn(*args) for args in calls]
    compiled = opwright.compile(fn, backend=counter, fullgraph=True)
    for args, result in [*zip(calls, expected, strict=True)] * 2:
        self.assertTrue(same(compiled(*args), result))
    self.assertEqual(counter.frame_count, expected_frame_count)


def make_test_cls_with_patches(
    cls: type, cls_prefix: str, fn_suffix: str, *patches: tuple, **options: object
) -> type:
    """Return a copy of a test class whose tests need a setting of torch.

    Each patch names a settings module; if it is missing, every test of the copy is.
    """
    copied = type(f"{cls_prefix}{cls.__name__}", cls.__bases__, {})
    settings = [patch[0] for patch in patches]
    missing = [each.path for each in settings if isinstance(each, Placeholder)]
    missing += [vars(each)["missing_path"] for each in settings if "missing_path" in vars(each)]
    for name in dir(cls):
        member = getattr(cls, name)
        if name.startswith("test_") and callable(member):
            test = fail_with(missing[0], member) if missing else copy_function(member)
            setattr(copied, f"{name}{fn_suffix}", test)
        elif not hasattr(copied, name):
            setattr(copied, name, member)
    return copied


def names() -> dict:
    """Return what the module offers."""
    return {
        "CompileCounter": CompileCounter,
        "CompileCounterWithBackend": CompileCounterWithBackend,
        "EagerAndRecordGraphs": EagerAndRecordGraphs,
        "make_test_cls_with_patches": make_test_cls_with_patches,
        "same": same,
        "standard_test": standard_test,
    }
