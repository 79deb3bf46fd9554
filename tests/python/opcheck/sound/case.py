"""What a correct operator of the tests is, and how one is entered."""

from collections.abc import Callable
from dataclasses import dataclass

from ..host import Example, Host

NAMESPACE = "sound_python"


@dataclass(frozen=True)
class Case(Example):
    """An example and what it gives: values, or what holds of them."""

    gives: object = None
    leaves: object = None  # written arguments, afterwards: by name of their place
    holds: Callable[[object], bool] | None = None


CASES: dict[str, Callable[[Host], Case]] = {}


def sound(define: Callable[[Host], Case]) -> Callable[[Host], Case]:
    """Enter a correct operator."""
    CASES[define.__name__] = define
    return define
