"""What a fault of the zoo is, and how one is entered."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..host import Example, Host

Definition = Callable[[Host], Example]
NAMESPACE = "zoo"


@dataclass(frozen=True)
class Fault:
    """One faulty operator."""

    name: str
    what: str  # the fault, in a few words
    kinds: tuple[str, ...]  # "check/kind": those under which it is rightly found
    words: str  # a regular expression: what the message must tell
    define: Definition
    twin: Definition | None  # the same in torch; None: torch has no way to say it

    def is_told_by(self, message: str) -> bool:
        names_operator = re.search(rf"(zoo|faulty)::{self.name}\b", message)
        return bool(names_operator and re.search(self.words, message, re.DOTALL))


FAULTS: dict[str, Fault] = {}


def fault(
    *kinds: str, words: str = "", twin: Definition | bool = True
) -> Callable[[Definition], Definition]:
    """Enter a fault; its docstring says what is wrong.

    `twin` tells whether the same function defines it in torch, or gives another that does.
    """

    def enter(define: Definition) -> Definition:
        what = (define.__doc__ or "").strip().rstrip(".")
        twins = {True: define, False: None}
        chosen = twins[twin] if isinstance(twin, bool) else twin
        FAULTS[define.__name__] = Fault(define.__name__, what, kinds, words, define, chosen)
        return define

    return enter
