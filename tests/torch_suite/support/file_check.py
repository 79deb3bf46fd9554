"""FileCheck: a list of claims about a text, checked from its start to its end."""

import re


class FileCheck:
    """The claims in the order in which they were added."""

    def __init__(self) -> None:
        self.claims: list[tuple[str, str, int, bool]] = []

    def _add(self, kind: str, text: str, count: int = 1, exactly: bool = False) -> "FileCheck":
        self.claims.append((kind, text, count, exactly))
        return self

    def check(self, text: str) -> "FileCheck":
        return self._add("after", text)

    def check_next(self, text: str) -> "FileCheck":
        return self._add("next line", text)

    def check_same(self, text: str) -> "FileCheck":
        return self._add("same line", text)

    def check_not(self, text: str) -> "FileCheck":
        return self._add("not", text)

    def check_dag(self, text: str) -> "FileCheck":
        return self._add("anywhere", text)

    def check_regex(self, text: str) -> "FileCheck":
        return self._add("regex", text)

    def check_count(self, text: str, count: int, exactly: bool = False) -> "FileCheck":
        return self._add("count", text, count, exactly)

    def run(self, text: str) -> None:
        """Raise RuntimeError, as torch does, at the first claim that does not hold."""
        text = str(text)
        position = 0
        for index, (kind, wanted, count, exactly) in enumerate(self.claims):
            if kind == "not":
                end = self._next_position(index, text, position)
                holds, after = wanted not in text[position:end], position
            elif kind == "regex":
                found = re.search(wanted, text[position:])
                holds, after = found is not None, position + (found.end() if found else 0)
            elif kind == "count":
                pieces = text[position:].split(wanted)
                holds = len(pieces) - 1 == count if exactly else len(pieces) > count
                after = len(text) - len(wanted.join(pieces[count:])) if holds else position
            elif kind == "anywhere":
                holds, after = wanted in text, position
            else:
                found_at = text.find(wanted, position)
                between = text[position:found_at].count("\n")
                lines = {"next line": 1, "same line": 0}.get(kind, between)
                holds, after = found_at >= 0 and between == lines, found_at + len(wanted)
            if not holds:
                raise RuntimeError(f"FileCheck: {kind} {wanted!r} does not hold in\n{text}")
            position = after

    def _next_position(self, index: int, text: str, position: int) -> int:
        """Return where the claim after `index` is found, or the end of the text."""
        for kind, wanted, _, _ in self.claims[index + 1 :]:
            if kind != "not":
                found = text.find(wanted, position)
                return found if found >= 0 else len(text)
        return len(text)
