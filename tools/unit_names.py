"""Checks that names in unnamed namespaces are unique within a folder.

The sources of a folder compile as unity units (cmake/parse_once.cmake), where two helpers with the
same name would clash or silently become overloads. The check relies on clang-format: declarations
at namespace scope start in the first column.
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
# May be repeated: their overloads are distinguished by argument type.
SHARED = {"__attribute__", "operator", "PrintTo", "main", "SetUp", "TearDown"}


def unnamed_parts(text: str) -> str:
    """Return the contents of unnamed namespaces."""
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
    """Return the functions, constants and types in unnamed namespaces, and aliases as `a = b`."""
    inside = unnamed_parts(text)
    names = {
        match[1] for pattern in (TYPE, CONSTANT, FUNCTION) for match in pattern.finditer(inside)
    }
    return (names - SHARED) | {f"{match[1]} = {match[2]}" for match in ALIAS.finditer(inside)}


def check_unit_names(root: Path, files: list[Path]) -> list[str]:
    """Return a line for each name that different helpers of one folder share."""
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
                "compile as one unit: rename one of them, or share one helper"
            )
    return problems
