"""What people reviewed, per test file: equal texts, private APIs and deliberate differences.

reviews/<name>.yaml has three lists:

    same_text:      # an error of ours that says what torch's says
      - tests: TestCustomOp.test_missing*
        here: has no kernel for          # a regular expression that our text matches
    private:        # a test of what a private or deprecated API of torch does
      - tests: TestFakeTensor.test_constructor*
        api: torch._subclasses.FakeTensor
    differences:    # a test that fails on purpose, and why
      - tests: TestCustomOp.test_default*
        reason: one sentence

An `api` has a component with an underscore, or `deprecated: true`.
"""

import fnmatch
import re
from pathlib import Path

import yaml

from .source_names import is_private

FOLDER = Path(__file__).parent / "reviews"


class Reviews:
    """The reviews of one test file."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        path = folder / f"{name.replace('/', '.')}.yaml"
        entries = (yaml.safe_load(path.read_text()) if path.exists() else None) or {}
        self.same_text: list[dict] = entries.get("same_text") or []
        self.private: list[dict] = entries.get("private") or []
        self.differences: list[dict] = entries.get("differences") or []
        for entry in self.private:
            if not (is_private(entry["api"]) or entry.get("deprecated")):
                raise ValueError(f"{path.name}: {entry['api']} is a public name of torch")

    def accept_text(self, test_id: str, text: str) -> bool:
        """Return whether a person found that `text` says what the test expects."""
        return any(
            fnmatch.fnmatchcase(test_id, entry["tests"]) and re.search(entry["here"], text)
            for entry in self.same_text
        )

    def private_api_of(self, test_id: str) -> str | None:
        """Return the private or deprecated API that a test checks."""
        for entry in self.private:
            if fnmatch.fnmatchcase(test_id, entry["tests"]):
                return entry["api"]
        return None

    def reason_of(self, test_id: str) -> str | None:
        """Return why a test does not apply here, if it is a deliberate difference."""
        for entry in self.differences:
            if fnmatch.fnmatchcase(test_id, entry["tests"]):
                return entry["reason"]
        return None
