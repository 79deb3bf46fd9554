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
    reviewed: int  # texts that the reviewed list accepts
    test_id = ""
    reviews: Reviews | None = None

    @classmethod
    def start(cls, test_id: str) -> None:
        cls.texts = []
        cls.reviewed = 0
        cls.test_id = test_id


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
        text = str(error)
        if Notes.reviews is not None and Notes.reviews.accept_text(Notes.test_id, text):
            Notes.reviewed += 1
        else:
            Notes.texts.append({"expected": pattern.pattern, "given": text})
    return _original_exit(self, kind, error, traceback)


def show_classes(expected: type | tuple) -> str:
    given = expected if isinstance(expected, tuple) else (expected,)
    return ", ".join(each.__name__ for each in given)


def install(reviews: Reviews) -> None:
    """Replace the context of every test of this process."""
    Notes.reviews = reviews
    Context.__exit__ = check_error
    re.purge()
