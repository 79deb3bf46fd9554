"""Names of torch's test support that have one answer: decorators that skip, and flags.

A test is run here only where torch itself ran and passed it, so a decorator that skips or expects a
failure leaves its test alone, and a flag of another platform or device is False.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import opwright
from opwright import nn

DECORATORS = re.compile(
    r"skip|xfail|only[A-Z]|expectedFailure|mark|unMark|requires|serialTest|slowTest|slowAwareTest"
    r"|toleranceOverride|precisionOverride|tol\b|deviceCountAtLeast|tf32|with_tf32|largeTensorTest"
    r"|suppress_warnings|disable|reduced_f32|bf32|parametrize_test|set_default_dtype_test|xfailIf"
)
FLAGS = re.compile(r"(IS|TEST|HAS|RUN|SM|PLATFORM|PYTORCH|USE)[A-Z0-9_]*|SM\d\dOrLater|[A-Z_]+_GPU")
TRUE_FLAGS = {"TEST_NUMPY", "TEST_SCIPY", "IS_LINUX", "HAS_CPU", "IS_X86", "RUN_CPU", "IS_CPU"}


def leave_alone(*args: object, **keywords: object) -> object:
    """Act as a decorator with or without arguments that changes nothing."""
    if len(args) == 1 and not keywords and (isinstance(args[0], type) or is_function(args[0])):
        return args[0]
    return leave_alone


def is_function(value: object) -> bool:
    return hasattr(value, "__code__")


def find(name: str) -> object:
    """Return the value of a name of torch's test support, or raise AttributeError."""
    if name in TRUE_FLAGS:
        return True
    if DECORATORS.match(name):
        return leave_alone
    if FLAGS.fullmatch(name):
        return False
    raise AttributeError(name)


def find_library_location(name: str) -> Path:
    """Return an operator binary of ours: a test class loads torch's in its setup."""
    return Path(os.environ.get("OPWRIGHT_BUILD", "build/release")) / "operators" / "libmutation.so"


@contextlib.contextmanager
def freeze_rng_state() -> Iterator[None]:
    """Restore the state of the random numbers at the end."""
    state = opwright.get_rng_state()
    try:
        yield
    finally:
        opwright.set_rng_state(state)


def create_basic_net() -> tuple[nn.Module, nn.Module, nn.Module]:
    """Return a module with a parameter and a buffer, one around it, and a sequence of that one."""

    def with_members() -> nn.Module:
        made = nn.Module()
        made.weight = nn.Parameter(opwright.ones(3, 5))
        made.register_buffer("mean", opwright.zeros(1, 3))
        return made

    inner, outer = with_members(), with_members()
    outer.inner = inner
    return inner, outer, nn.Sequential(outer, outer)


NUMPY_DTYPES = {
    getattr(np, name): getattr(opwright, other)
    for name, other in (
        ("bool_", "bool"),
        ("uint8", "uint8"),
        ("int8", "int8"),
        ("int16", "int16"),
        ("int32", "int32"),
        ("int64", "int64"),
        ("float16", "float16"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("complex64", "complex64"),
        ("complex128", "complex128"),
    )
}
