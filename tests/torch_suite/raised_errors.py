"""assertRaises and assertRaisesRegex that tell a wrong text and a wrong class from other failures.

A test goes on after an error whose class is right and whose text differs: the text is noted, and
the test is "text only" if nothing else fails. An error of another class
is noted on the error itself.
"""

import re
import unittest.case
from types import TracebackType

from .missing_names import MissingNameError
from .reviews import Reviews


class Notes:
    """What the current test noted."""

    texts: list[dict]  # expected and given, of errors of the right class
    reviewed: list[int]  # the places of the entries of same_text that accept a text
    test_id = ""
    reviews: Reviews | None = None

    @classmethod
    def start(cls, test_id: str) -> None:
        cls.texts = []
        cls.reviewed = []
        cls.test_id = test_id

    @classmethod
    def note_text(cls, expected: str, given: str) -> None:
        """Note a text that differs from the expected one, unless a review accepts it."""
        if not cls.accept_text(expected, given):
            cls.texts.append({"expected": expected, "given": given})

    @classmethod
    def accept_text(cls, expected: str, given: str) -> bool:
        """Return whether a review finds that `given` says what is expected, and note it."""
        place = cls.reviews.accepting(cls.test_id, expected, given) if cls.reviews else None
        if place is not None:
            cls.reviewed.append(place)
        return place is not None


Context = unittest.case._AssertRaisesContext
_original_exit = Context.__exit__


def check_error(
    self: Context,
    kind: type[BaseException] | None,
    error: BaseException | None,
    traceback: TracebackType | None,
) -> bool:
    """Replace __exit__ of unittest's context."""
    if error is None or isinstance(error, MissingNameError):
        return _original_exit(self, kind, error, traceback)
    if not issubclass(kind, self.expected):
        error.torch_suite_expected = show_classes(self.expected)
        return False
    pattern = self.expected_regex
    if pattern is not None and not pattern.search(str(error)):
        self.expected_regex = None
        Notes.note_text(pattern.pattern, str(error))
    return _original_exit(self, kind, error, traceback)


def show_classes(expected: type | tuple) -> str:
    given = expected if isinstance(expected, tuple) else (expected,)
    return ", ".join(each.__name__ for each in given)


def install(reviews: Reviews) -> None:
    """Replace the context of every test of this process."""
    Notes.reviews = reviews
    Context.__exit__ = check_error
    re.purge()
