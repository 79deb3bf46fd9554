"""What people reviewed, per test file: equal texts, private APIs and deliberate differences.

reviews/<name>.yaml has three lists:

    same_text:      # an error of ours that says what torch's says
      - tests: TestCustomOp.test_missing*
        expected: not implemented for    # a regular expression that torch's pattern matches
        here: has no kernel for          # a regular expression that our text matches
    private:        # a test of what a private or deprecated API of torch does
      - tests: TestFakeTensor.test_constructor*
        api: torch._subclasses.FakeTensor
    differences:    # a test that fails on purpose, and why
      - tests: TestCustomOp.test_default*
        reason: one sentence
        here: "AssertionError: .* 7 != 8"  # a regular expression that the failure matches

An `api` has a component with an underscore, or `deprecated: true`. An entry accepts only what
matches all of its regular expressions; one for every test (`*`) needs `expected`. The command
prints entries that accept nothing, the tests that an entry for every test is for, and how many
entries would accept any failure.
"""

import fnmatch
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from .source_names import is_private

FOLDER = Path(__file__).parent / "reviews"


class Reviews:
    """The reviews of one test file."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        path = folder / f"{name.replace('/', '.')}.yaml"
        entries = (yaml.safe_load(path.read_text()) if path.exists() else None) or {}
        self.name = path.name
        self.same_text: list[dict] = entries.get("same_text") or []
        self.private: list[dict] = entries.get("private") or []
        self.differences: list[dict] = entries.get("differences") or []
        for entry in self.private:
            if not (is_private(entry["api"]) or entry.get("deprecated")):
                raise ValueError(f"{path.name}: {entry['api']} is a public name of torch")
        for entry in self.same_text:
            if entry["tests"] == "*" and "expected" not in entry:
                raise ValueError(
                    f"{path.name}: a text for every test needs `expected`, what torch's text says, "
                    f"beside {entry['here']!r}"
                )

    def accepting(self, test_id: str, expected: str, given: str) -> int | None:
        """Return the place of the entry that finds that `given` says what torch's pattern says."""
        plain = re.sub(r"\\(\W)", r"\1", expected)  # without what re.escape adds
        for place, entry in enumerate(self.same_text):
            if (
                fnmatch.fnmatchcase(test_id, entry["tests"])
                and re.search(entry.get("expected", ""), plain)
                and re.search(entry["here"], given)
            ):
                return place
        return None

    def private_api_of(self, test_id: str, failure: str) -> str | None:
        """Return the private or deprecated API that a test checks."""
        entry = _accepting(self.private, test_id, failure)
        return None if entry is None else entry["api"]

    def reason_of(self, test_id: str, failure: str) -> str | None:
        """Return why a test does not apply here, if its failure is a deliberate difference."""
        entry = _accepting(self.differences, test_id, failure)
        return None if entry is None else entry["reason"]

    def is_difference(self, test_id: str) -> bool:
        """Return whether a test may be a deliberate difference, whatever its failure is."""
        return any(fnmatch.fnmatchcase(test_id, entry["tests"]) for entry in self.differences)

    def list_unused(
        self, failures: Mapping[str, str | None], reviewed: Mapping[str, Iterable[int]]
    ) -> list[str]:
        """Return a line for each entry that accepts nothing.

        `failures` has the failure of each test that was run, or None for one that passes;
        `reviewed` has the entries of `same_text` that accepted a text of a test.
        """
        used = {place for places in reviewed.values() for place in places}
        lines = []
        for place, entry in enumerate(self.same_text):
            if place not in used:
                lines.append(f"{self.name}: same_text {entry['tests']}: accepts no text")
        for kind in ("private", "differences"):
            entries: list[dict] = getattr(self, kind)
            for entry in entries:
                if why := _why_unused(entry, entries, failures):
                    lines.append(f"{self.name}: {kind} {entry['tests']}: {why}")
        return lines

    def list_wide(self, reviewed: Mapping[str, Iterable[int]]) -> list[str]:
        """Return a line for each entry for every test: the tests that it should name."""
        lines = []
        for place, entry in enumerate(self.same_text):
            tests = [test_id for test_id, places in reviewed.items() if place in places]
            if entry["tests"] == "*" and tests:
                lines.append(f"{self.name}: {entry['here']!r} is for {', '.join(tests)}")
        return lines

    def count_unchecked(self) -> int:
        """Return how many entries would accept any failure, or any text that torch expects."""
        entries = [entry for entry in self.same_text if "expected" not in entry]
        entries += [entry for entry in self.private + self.differences if "here" not in entry]
        return len(entries)


def _accepting(entries: list[dict], test_id: str, failure: str) -> dict | None:
    for entry in entries:
        if fnmatch.fnmatchcase(test_id, entry["tests"]) and re.search(
            entry.get("here", ""), failure
        ):
            return entry
    return None


def _why_unused(entry: dict, entries: list[dict], failures: Mapping[str, str | None]) -> str:
    """Return why an entry is not the first that accepts some failure; empty: it is."""
    matching = {
        test_id: failure
        for test_id, failure in failures.items()
        if fnmatch.fnmatchcase(test_id, entry["tests"])
    }
    if not matching:
        return "matches no test that passes in torch"
    failing = {test_id: failure for test_id, failure in matching.items() if failure is not None}
    if not failing:
        return "no test that it matches needs it"
    if any(_accepting(entries, test_id, failure) is entry for test_id, failure in failing.items()):
        return ""
    return "its tests fail in another way, or another entry accepts them"
