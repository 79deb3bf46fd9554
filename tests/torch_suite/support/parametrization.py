"""Tests over parameters, devices and dtypes, under the names that torch's test support gives them.

The names of the created tests follow torch's rules, since a test is identified by its name.
"""

import copy
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator

import opwright

# One test to create: the function, the end of its name, its keyword arguments, its decorators.
Case = tuple[Callable, str, dict, list[Callable]]


class Parametrizer:
    """A decorator that gives its test an iterator of cases as `parametrize_fn`."""

    def cases(self, test: Callable) -> Iterator[Case]:
        raise NotImplementedError

    def __call__(self, test: Callable) -> Callable:
        inner = getattr(test, "parametrize_fn", None)
        test.parametrize_fn = self.cases if inner is None else self._combine(inner)
        return test

    def _combine(self, inner: Callable) -> Callable:
        def combined(test: Callable) -> Iterator[Case]:
            for inner_test, inner_name, inner_keywords, inner_decorators in list(inner(test)):
                for case_test, name, keywords, decorators in self.cases(inner_test):
                    yield (
                        case_test,
                        "_".join(part for part in (name, inner_name) if part),
                        inner_keywords | keywords,
                        [*inner_decorators, *decorators],
                    )

        return combined


class subtest:
    """One set of parameter values with its own name and decorators."""

    def __init__(
        self, arg_values: object, name: str | None = None, decorators: Iterable | None = None
    ) -> None:
        self.arg_values = arg_values
        self.name = name
        self.decorators = list(decorators or ())


class parametrize(Parametrizer):
    """Create a test for each set of values."""

    def __init__(self, arg_str: str, arg_values: Iterable, name_fn: Callable | None = None) -> None:
        self.names = [name.strip() for name in arg_str.split(",") if name]
        self.values = list(arg_values)
        self.name_fn = name_fn

    def cases(self, test: Callable) -> Iterator[Case]:
        for index, entry in enumerate(self.values):
            given = entry if isinstance(entry, subtest) else subtest(entry)
            values = list(given.arg_values) if len(self.names) > 1 else [given.arg_values]
            if given.name:
                name = given.name
            elif self.name_fn:
                name = self.name_fn(*values)
            else:
                shown = zip(self.names, values, strict=True)
                name = "_".join(show_value(index, *each) for each in shown)
            yield (
                copy_function(test),
                name,
                dict(zip(self.names, values, strict=True)),
                (given.decorators),
            )


class swap(parametrize):
    """Create a test for each way of Module.load_state_dict and Module.to to replace tensors."""

    def __init__(self, swaps: Iterable[bool]) -> None:
        super().__init__("swap", swaps)

    def cases(self, test: Callable) -> Iterator[Case]:
        for _, name, keywords, decorators in super().cases(test):
            yield _with_swapping(test, keywords["swap"]), name, {}, decorators


def _with_swapping(test: Callable, is_on: bool) -> Callable:
    @functools.wraps(test)
    def run(*args: object, **keywords: object) -> object:
        from opwright.nn import swapping

        before = swapping.swaps_tensors()
        swapping.set_swaps_tensors(is_on)
        try:
            return test(*args, **keywords)
        finally:
            swapping.set_swaps_tensors(before)

    return run


class decorateIf(Parametrizer):
    """Accept torch's conditional decorators; torch's own run has decided what is skipped."""

    def __init__(self, decorator: Callable, predicate_fn: Callable) -> None:
        """Ignore both."""

    def cases(self, test: Callable) -> Iterator[Case]:
        yield test, "", {}, []


class ops(Parametrizer):
    """Create no tests: the tests over torch's operator databases are left out on both sides."""

    def __init__(self, *args: object, **keywords: object) -> None:
        """Ignore the database."""

    def cases(self, test: Callable) -> Iterator[Case]:
        return iter(())


modules = ops


def show_value(index: int, name: str, value: object) -> str:
    """Return the part of a test's name that tells the value of one parameter."""
    if isinstance(value, opwright.dtype):
        return dtype_name(value)
    if isinstance(value, opwright.device):
        return str(value)
    if isinstance(value, int | float | str):
        return f"{name}_{str(value).replace('.', '_')}"
    return f"{name}{index}"


def dtype_name(dtype: opwright.dtype) -> str:
    return str(dtype).rpartition(".")[2]


def copy_function(function: Callable) -> Callable:
    """Return a new function object that calls `function`, for decorators that mark a function."""

    @functools.wraps(function)
    def copied(*args: object, **keywords: object) -> object:
        return function(*args, **keywords)

    return copied


def add_case(cls: type, name: str, case: Case) -> None:
    test, _, keywords, decorators = case
    for decorator in decorators:
        test = decorator(test)

    @functools.wraps(test)
    def instantiated(self: object) -> None:
        test(self, **keywords)

    setattr(cls, name, instantiated)


def instantiate_parametrized_tests(cls: type) -> type:
    """Replace every parametrized test of the class by its cases."""
    for name in dir(cls):
        test = getattr(cls, name)
        if not hasattr(test, "parametrize_fn"):
            continue
        delattr(cls, name)
        for case in test.parametrize_fn(test):
            add_case(cls, f"{test.__name__}_{case[1]}", case)
    return cls


class dtypes(Parametrizer):
    """Create a test for each dtype (or tuple of dtypes) on every device that has no own list."""

    device_type: str | None = None

    def __init__(self, *given: object, **keywords: object) -> None:
        self.given = given

    def __call__(self, test: Callable) -> Callable:
        if self.device_type in (None, "cpu"):
            lists = test.__dict__.setdefault("dtypes", {})
            lists[self.device_type or "any"] = self.given
        return test


class dtypesIfCPU(dtypes):
    device_type = "cpu"


class dtypesIfOther(dtypes):
    device_type = "other"


dtypesIfCUDA = dtypesIfMPS = dtypesIfXPU = dtypesIfHPU = dtypesIfPRIVATEUSE1 = dtypesIfOther


def over_dtypes(test: Callable) -> Iterator[Case]:
    """Iterate over the cases of a device test: its dtypes, and its parameters for each."""
    lists = getattr(test, "dtypes", {})
    given = lists.get("cpu", lists.get("any"))
    chosen = [{}] if given is None else [keyword_of(dtype) for dtype in given]
    for dtype_keyword in chosen:
        inner = getattr(test, "parametrize_fn", None)
        cases = [(test, "", {}, [])] if inner is None else inner(test)
        for case_test, name, keywords, decorators in cases:
            yield case_test, name, {**keywords, **dtype_keyword}, decorators


def keyword_of(dtype: object) -> dict:
    return {"dtypes": dtype} if isinstance(dtype, list | tuple) else {"dtype": dtype}


def instantiate_device_type_tests(
    generic: type,
    scope: dict,
    except_for: object = None,
    only_for: object = None,
    **options: object,
) -> None:
    """Replace a generic test class by its class for cpu, whose name ends with CPU."""
    del scope[generic.__name__]
    tests = [name for name in generic.__dict__ if name.startswith("test")]
    cls = type(f"{generic.__name__}CPU", (generic,), {"device_type": "cpu"})
    cls.__module__ = generic.__module__
    for name in tests:
        test = copy.copy(getattr(generic, name))
        for case in over_dtypes(test):
            _, suffix, keywords, _ = case
            dtype = keywords.get("dtypes", keywords.get("dtype"))
            shown = dtype if isinstance(dtype, list | tuple) else [dtype] if dtype else []
            parts = [name, suffix, "cpu", *(dtype_name(each) for each in shown)]
            parameters = inspect.signature(test).parameters
            given = {"device": "cpu"} if "device" in parameters else {}
            if "devices" in parameters:
                given = {"devices": ["cpu"]}
            full_name = "_".join(part for part in parts if part)
            add_case(cls, full_name, (case[0], suffix, given | keywords, case[3]))
    for name in tests:
        delattr(generic, name)
    if is_wanted(except_for, only_for):
        scope[cls.__name__] = cls


def is_wanted(except_for: object, only_for: object) -> bool:
    excepted = [except_for] if isinstance(except_for, str) else except_for or ()
    only = [only_for] if isinstance(only_for, str) else only_for
    return "cpu" not in excepted and (only is None or "cpu" in only)


def names() -> dict:
    """Return what this module offers to test files."""
    return {
        name: value
        for name, value in globals().items()
        if isinstance(value, type | types.FunctionType) and value.__module__ == __name__
    }
