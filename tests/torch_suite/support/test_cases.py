"""TestCase: unittest's with the assertions that torch's tests use."""

import contextlib
import gc
import io
import random
import re
import unittest
import warnings
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import opwright
from opwright.nn.global_hooks import global_hooks

from tests.torch_suite.raised_errors import Notes

from .comparison import Comparison, to_array


class TestCase(unittest.TestCase):
    """The base of torch's test classes."""

    longMessage = True
    precision = 0.0
    rel_tol = 0.0
    maxDiff = None

    @contextlib.contextmanager
    def capture_stderr(self) -> Iterator[list[str]]:
        """Give a list that gets what the block writes to stderr."""
        written: list[str] = []
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            try:
                yield written
            finally:
                written.append(text.getvalue())

    def setUp(self) -> None:
        global_hooks.clear()  # torch's tests clear them by private names
        random.seed(1234)
        np.random.seed(1234)
        opwright.manual_seed(1234)

    def assertEqual(
        self,
        x: object,
        y: object,
        msg: object = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
        exact_device: bool = False,
        exact_stride: bool = False,
        **others: object,
    ) -> None:
        comparison = Comparison(rtol, atol, equal_nan, exact_dtype, exact_stride, exact_device)
        comparison.minimum = (self.rel_tol, self.precision)
        if difference := comparison.difference(x, y):
            shown = msg(difference) if callable(msg) else msg
            raise self.failureException(self._formatMessage(shown, f"not equal: {difference}"))

    def assertNotEqual(self, x: object, y: object, msg: object = None, **options: object) -> None:
        try:
            self.assertEqual(x, y, **options)
        except AssertionError:
            return
        raise self.failureException(self._formatMessage(msg, f"{x!r} == {y!r}"))

    def compare_with_numpy(
        self,
        torch_fn: Callable,
        np_fn: Callable,
        tensor_like: object,
        device: object = None,
        dtype: object = None,
        **options: object,
    ) -> None:
        """Compare a function of tensors with one of NumPy on the same data."""
        if isinstance(tensor_like, opwright.Tensor):
            tensor = tensor_like
        else:
            tensor = opwright.tensor(tensor_like, device=device or "cpu", dtype=dtype)
        expected, actual = np_fn(to_array(tensor)), torch_fn(tensor)
        if isinstance(expected, np.ndarray | np.generic):
            expected = opwright.from_numpy(np.array(expected)).to(tensor.dtype)
        self.assertEqual(actual, expected, **{"equal_nan": True, **options})

    def assertEqualIgnoreType(self, *args: object, **options: object) -> None:
        self.assertEqual(*args, exact_dtype=False, **options)

    def assertObjectIn(self, obj: object, iterable: Iterable) -> None:
        if not any(each is obj for each in iterable):
            raise self.failureException(f"{obj!r} is not in {iterable!r}")

    def assertExpectedInline(
        self, actual: object, expect: str, skip: int = 0, **options: object
    ) -> None:
        shown = actual if isinstance(actual, str) else repr(actual)
        if options.get("ignore_comments"):
            shown = re.sub(r"^\s*#.*\n", "", shown, flags=re.MULTILINE)
        if options.get("ignore_empty_lines"):
            shown = re.sub(r"^\s*\n", "", shown, flags=re.MULTILINE)
            expect = re.sub(r"^\s*\n", "", expect, flags=re.MULTILINE)
        if shown != expect and Notes.accept_text(expect, shown):
            return
        self.assertMultiLineEqual(expect, shown)

    def assertExpectedInlineMunged(
        self, exc_type: type, callable: Callable, expect: str, **options: object
    ) -> None:
        with self.assertRaises(exc_type) as raised:
            callable()
        self.assertExpectedInline(str(raised.exception), expect)

    def assertNotWarn(self, callable: Callable, msg: str = "") -> None:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            callable()
        self.assertTrue(len(seen) == 0, msg)

    @contextlib.contextmanager
    def assertWarnsOnceRegex(self, category: type, regex: str = "") -> Iterator[None]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            yield
        if not any(
            issubclass(each.category, category) and re.search(regex, str(each.message))
            for each in seen
        ):
            raise self.failureException(f"no warning matches {regex!r}: {list(map(str, seen))}")

    def assertNoUnraisable(self, callable: Callable, *args: object, **keywords: object) -> None:
        callable(*args, **keywords)
        gc.collect()


class DeviceTypeTestBase(TestCase):
    """The base that torch gives to the tests of one device."""

    device_type = "cpu"


class PlainOutTestCase(TestCase):
    """Torch's TestCase for tests of logs."""


def run_tests(*args: object, **options: object) -> None:
    """Do nothing: the runner runs the tests."""
