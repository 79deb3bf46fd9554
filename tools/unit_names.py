"""Names in unnamed namespaces are distinct in a folder, whose sources compile as one unit.

Two helpers of one name would clash, or silently become overloads of each other, in the units of
cmake/parse_once.cmake. The check reads the format that clang-format gives: what stands at namespace
scope begins in the first column.
"""

import re
from collections import defaultdict
from pathlib import Path

UNIT_FOLDERS = ("src", "python/bindings", "bridges", "command", "tests")
BLOCK = re.compile(r"^namespace (?:\w+(?:::\w+)* )?\{\n|^\}  // namespace.*\n", re.MULTILINE)
TYPE = re.compile(r"^(?:class|struct|enum(?: class)?) (\w+)(?: final)?(?: :.*)? \{", re.MULTILINE)
ALIAS = re.compile(r"^using (\w+) = (.*);", re.MULTILINE)
CONSTANT = re.compile(
    r"^(?:static )?(?:constexpr|const) [\w:<>,&* ]*?(\w+)(?:\[\w*\])? ?[={]", re.MULTILINE
)
FUNCTION = re.compile(
    r"^(?!\s|return|using|namespace|template|class|struct|enum|TEST|TYPED_TEST|INSTANTIATE|else|if|for)"
    r"(?:\[\[[^\]]*\]\] )?[\w:<>,&*\[\] ]+?[ &*](\w+)\(",
    re.MULTILINE,
)
# Not told apart by their names: overloads of these are found by their argument.
SHARED = {"__attribute__", "operator", "PrintTo", "main", "SetUp", "TearDown"}


def unnamed_parts(text: str) -> str:
    """Return what stands in unnamed namespaces."""
    parts, depth_of_unnamed, stack, end = [], 0, [], 0
    for match in BLOCK.finditer(text):
        if depth_of_unnamed:
            parts.append(text[end : match.start()])
        if match[0].startswith("namespace"):
            is_unnamed = match[0] == "namespace {\n"
            stack.append(is_unnamed)
            depth_of_unnamed += is_unnamed
        elif stack:
            depth_of_unnamed -= stack.pop()
        end = match.end()
    return "".join(parts)


def helper_names(text: str) -> set[str]:
    """Return functions, constants and types of unnamed namespaces; an alias with its meaning."""
    inside = unnamed_parts(text)
    names = {
        match[1] for pattern in (TYPE, CONSTANT, FUNCTION) for match in pattern.finditer(inside)
    }
    return (names - SHARED) | {f"{match[1]} = {match[2]}" for match in ALIAS.finditer(inside)}


def check_unit_names(root: Path, files: list[Path]) -> list[str]:
    """Return a line for each name that two sources of one folder give to different helpers."""
    homes: dict[tuple[Path, str], list[tuple[Path, str]]] = defaultdict(list)
    for path in files:
        if path.suffix != ".cpp" or not path.as_posix().startswith(UNIT_FOLDERS):
            continue
        if "operators" in path.parent.parts or path.stem.endswith(("_main", "_fuzz")):
            continue
        for name in helper_names((root / path).read_text()):
            homes[path.parent, name.split(" = ")[0]].append((path, name))
    problems = []
    for (folder, name), places in sorted(homes.items()):
        is_one_alias = len({meaning for _, meaning in places}) == 1 and " = " in places[0][1]
        if len(places) > 1 and not is_one_alias:
            others = ", ".join(path.name for path, _ in places[1:])
            problems.append(
                f"{places[0][0]}: '{name}' is a helper in {others} too; the sources of {folder} "
                "compile as one unit: give each its own name, or the helper one home"
            )
    return problems
