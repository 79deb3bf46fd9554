"""What people reviewed, per test file: texts that say the same, and deliberate differences.

reviews/<name>.yaml has two lists:

    same_text:      # an error of ours that says what torch's says
      - tests: TestCustomOp.test_missing*
        here: has no kernel for          # a regular expression that our text matches
    differences:    # a test that does not apply, and why
      - tests: TestCustomOp.test_private*
        reason: one sentence
"""

import fnmatch
import re
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent / "reviews"


class Reviews:
    """The reviews of one test file."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        path = folder / f"{name.replace('/', '.')}.yaml"
        entries = (yaml.safe_load(path.read_text()) if path.exists() else None) or {}
        self.same_text: list[dict] = entries.get("same_text") or []
        self.differences: list[dict] = entries.get("differences") or []

    def accept_text(self, test_id: str, text: str) -> bool:
        """Return whether a person found that `text` says what the test expects."""
        return any(
            fnmatch.fnmatchcase(test_id, entry["tests"]) and re.search(entry["here"], text)
            for entry in self.same_text
        )

    def reason_of(self, test_id: str) -> str | None:
        """Return why a test does not apply here, if it is a deliberate difference."""
        for entry in self.differences:
            if fnmatch.fnmatchcase(test_id, entry["tests"]):
                return entry["reason"]
        return None
