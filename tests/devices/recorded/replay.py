"""Runs recorded calls on the CPU and on a device, and compares."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import chain

import numpy as np
import opwright as ow

from .handwritten import handwritten_samples
from .sample import Arguments, Sample, read_samples

# Elements that no operator wrote.
UNSPECIFIED = ("empty", "new_empty", "resize", "set_")
# Relative and absolute: sums are in another order, and functions are the device's own.
TOLERANCES = {
    "float64": (1e-9, 1e-9),
    "float32": (5e-5, 2e-5),
    "float16": (4e-3, 4e-3),
    "bfloat16": (3e-2, 3e-2),
    "complex64": (5e-5, 2e-5),
    "complex128": (1e-9, 1e-9),
}
SEED = 17


class DifferenceError(Exception):
    """The device's outcome differs; the text says how."""


@dataclass
class Outcome:
    """What became of the calls of one operator."""

    counts: Counter = field(default_factory=Counter)
    by_dtype: dict = field(default_factory=lambda: defaultdict(Counter))
    failures: list = field(default_factory=list)

    def add(self, kind: str, dtype: str, text: str = "") -> None:
        self.counts[kind] += 1
        self.by_dtype[dtype][kind] += 1
        if kind == "failed":
            self.failures.append(text)


def numbers_of(tensor: ow.Tensor) -> np.ndarray:
    tensor = tensor.detach().to("cpu")
    if tensor.dtype in (ow.bfloat16, ow.float16):
        tensor = tensor.to(ow.float32)
    return tensor.contiguous().numpy()


def compare_tensors(expected: ow.Tensor, actual: ow.Tensor, what: str) -> None:
    if actual.dtype != expected.dtype:
        raise DifferenceError(f"{what} is {actual.dtype}, on the CPU {expected.dtype}")
    if tuple(actual.shape) != tuple(expected.shape):
        raise DifferenceError(f"{what} is {tuple(actual.shape)}, {tuple(expected.shape)} on cpu")
    dtype = str(expected.dtype).split(".")[-1]
    right, given = numbers_of(expected), numbers_of(actual)
    relative, absolute = TOLERANCES.get(dtype, (0, 0))
    close = np.isclose(given, right, rtol=relative, atol=absolute, equal_nan=True)
    if not close.all():
        place = tuple(int(each) for each in np.argwhere(~close)[0])
        raise DifferenceError(
            f"{what}{list(place)} is {given[place]}, on the CPU {right[place]} "
            f"({int((~close).sum())} of {close.size} differ)"
        )


def compare(expected, actual, what: str, has_values: bool) -> None:
    if isinstance(expected, ow.Tensor):
        if has_values:
            compare_tensors(expected, actual, what)
        elif tuple(actual.shape) != tuple(expected.shape) or actual.dtype != expected.dtype:
            raise DifferenceError(f"{what} has another form")
    elif isinstance(expected, list | tuple):
        if len(expected) != len(actual):
            raise DifferenceError(f"{what} has {len(actual)} items, on the CPU {len(expected)}")
        for place, (right, given) in enumerate(zip(expected, actual, strict=True)):
            compare(right, given, f"{what}[{place}]", has_values)
    elif isinstance(expected, float):
        if not np.isclose(actual, expected, rtol=1e-3, equal_nan=True):
            raise DifferenceError(f"{what} is {actual}, on the CPU {expected}")
    elif isinstance(expected, int | bool | str) and expected != actual:
        raise DifferenceError(f"{what} is {actual}, on the CPU {expected}")


def run_on(sample: Sample, operator, device: str):
    arguments = Arguments(sample, device)
    ow.manual_seed(SEED)
    result = operator(*arguments.args, **arguments.kwargs)
    return result, arguments


def replay_sample(sample: Sample, device: str) -> tuple[str, str]:
    """("ok" | "failed" | "no kernel" | "left out", text)."""
    operator = sample.operator()
    if operator is None:
        return "left out", "not an operator of this build"
    try:
        expected, right = run_on(sample, operator, "cpu")
    except Exception as error:
        return "left out", f"the CPU refuses it: {error}"
    try:
        actual, given = run_on(sample, operator, device)
        has_values = not sample.overload.split(".")[1].startswith(UNSPECIFIED)
        compare(expected, actual, "the result", has_values)
        if has_values:
            compare(right.bases, given.bases, "the memory of argument", True)
    except NotImplementedError as error:
        return "no kernel", str(error)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    return "ok", ""


def replay(
    device: str, samples: Iterable[Sample] | None = None, patterns: Iterable[str] = ("*",)
) -> dict[str, Outcome]:
    """The outcome of every operator, by its name with the overload."""
    outcomes = defaultdict(Outcome)
    if samples is None:
        samples = chain(handwritten_samples(), read_samples())
    for sample in samples:
        name = sample.overload.removeprefix("aten.")
        if not any(fnmatch(name, each) or fnmatch(name.split(".")[0], each) for each in patterns):
            continue
        kind, text = replay_sample(sample, device)
        if text:
            text = f"{sample.overload} {sample.dtype}: {text}"
        outcomes[name].add(kind, sample.dtype, text)
    return dict(outcomes)
