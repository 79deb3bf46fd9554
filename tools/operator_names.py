"""Finds code of the core that compares an operator's name with a text.

What an operator is or does is a property (src/dispatch/property.h), a tag, a rule in its row, or
its identity (`&op == &copy`, OperatorMap). Then authors' operators and renamed ones are treated
right. Tables that register rules by name are fine: they do not compare.
"""

import re
from pathlib import Path

FOLDERS = ("src", "python/bindings")

# A name of an operator, or a part of it, as an expression.
NAME = r"""
    (?: \b(?:op|node|call|origin|other|user)\w* (?:\(\))? (?:(?:\.|->)\w+\(\))* (?:\.|->)
        (?: name\(\) | full_name\(\) )
      | schema\(\)\.name\.(?:base|name_space|overload|text\(\)|packet\(\))
      | \bcall\.op\(\)
      | \bname_space_of\([^)]*\) | \bnamespace_of\([^)]*\)
    )
"""
TEXT = r'(?:std::string(?:_view)?\()?"'
COMPARISON = re.compile(
    rf"""
      {NAME} \)? \s* [!=]= \s* {TEXT}
    | {TEXT[:-1]}"[^"]*"\)? \s* [!=]= \s* (?:std::string_view\()? {NAME}
    | {NAME} \)? \. (?:starts_with|ends_with|find|contains|compare) \( \s* "(?!::")
    | [!=]= \s* "\w+::\w | "\w+::[\w.]+" \s* [!=]=
    """,
    re.VERBOSE,
)
# `const std::string& base = op.schema().name.base;`
ALIAS = re.compile(
    rf"(?:auto|std::string|std::string_view|OperatorName)\s*&?\s+(\w+)\s*=\s*"
    rf"(?:std::string_view\()?\s*[^;]*?(?:{NAME}|schema\(\)\.name\b)",
    re.VERBOSE,
)

# Comparisons that are meant, with the reason.
ALLOWED = {
    "src/convert/ge/call.cpp": "namespace ge holds the ops of the engine, under the engine's names",
}


def check_operator_names(root: Path, files: list[Path]) -> list[str]:
    """Return one line per comparison, `path:line: what is wrong`."""
    problems = []
    for path in files:
        if path.suffix not in {".h", ".cpp"} or path.as_posix() in ALLOWED:
            continue
        if not any(path.is_relative_to(folder) for folder in FOLDERS):
            continue
        text = without_comments((root / path).read_text())
        found = {text.count("\n", 0, match.start()) + 1 for match in COMPARISON.finditer(text)}
        for alias in ALIAS.finditer(text):
            found |= compared_lines(text, alias)
        problems += [
            f"{path}:{line}: an operator's name is compared with a text; state a property of the "
            "operator (src/dispatch/property.h) or compare operators"
            for line in sorted(found)
        ]
    return problems


def compared_lines(text: str, alias: re.Match) -> set[int]:
    """Return the lines below the alias, in its function, that compare it with a text."""
    end = text.find("\n}", alias.end())
    part = text[alias.end() : end if end >= 0 else len(text)]
    name = rf"\b{alias[1]}\b(?:\.(?:base|name_space|overload))?"
    comparison = re.compile(
        rf'{name}\s*[!=]=\s*"|{name}\.(?:starts_with|ends_with|find|contains)\(\s*"'
    )
    return {
        text.count("\n", 0, alias.end() + match.start()) + 1 for match in comparison.finditer(part)
    }


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", text)
