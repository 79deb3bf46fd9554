"""What a correct operator of the tests is, and how one is entered."""

from collections.abc import Callable
from dataclasses import dataclass

from ..host import Example, Host

NAMESPACE = "sound_python"


@dataclass(frozen=True)
class Case(Example):
    """An example and its result: values, or conditions on them."""

    gives: object = None
    leaves: object = None  # written arguments after the call, by name
    holds: Callable[[object], bool] | None = None


CASES: dict[str, Callable[[Host], Case]] = {}


def sound(define: Callable[[Host], Case]) -> Callable[[Host], Case]:
    """Enter a correct operator."""
    CASES[define.__name__] = define
    return define
