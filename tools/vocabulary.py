"""Finds phrases of an old, private vocabulary in documents, comments, docstrings and messages.

Each entry of PHRASES has one plain equivalent in this code base. Words that are sometimes right
(lock, fold, home) are not listed. Names in code are not prose: the check skips identifiers, code in
backquotes, paths, and string literals and block comments without a space.
"""

import io
import re
import tokenize
from pathlib import Path

# A regular expression, in which a space also matches a line break, and what to write instead.
PHRASES = {
    r"(give|gives|given|giving|gave) back": "return, release or free",
    r"for ever": "permanently, or as long as the process lives",
    r"anew": "again",
    r"whoever|whosoever": "who it is: callers, users, authors",
    r"those who": "who it is: callers, users, authors",
    r"(foretell|foretells|foretold)": "infer or predict",
    r"stand-ins?": "fallback, replacement, or fake (a test double)",
    r"(stand|stands|stood|standing) in for": "replace, or represent",
    r"(stand|stands) here": "is here, or is defined here",
    r"(Python's|the interpreter's) lock": "the GIL",
    r"(take|takes|taken|taking|took) (\w+ ){0,2}apart": "decompose, split, or flatten",
    r"(mend|mends|mended|mending)": "fix",
    r"of (its|their) own accord": "by itself, or automatically",
    r"(hold|holds|held|holding) against": "compare with",
    r"(is|are) told": "reported, returned, or printed",
    r"twins?": "the counterpart by name: out variant, in-place form, CPU version, reference",
    r"dice": "random number generator",
    r"habits?": "behaviour, distribution, or value range",
    r"leaves? the \w+ away": "remove, or omit",
    r"by (means|hand) of": "with",
    r"makes? of (it|them)": "turn it into",
    r"(what|which|that) (is|are|was|were) no (?!longer|more|less|such|other)\w+": "is not a ...",
    r"(stand|stands|stood) for no \w+": "is not a ...",
    r"(is|are) told by": "is reported by, or follows from",
    r"in (its|their) stead": "instead",
    r"(thereof|whereof|hitherto|heretofore|henceforth)": "a plain word",
    r"free (dimensions?|sizes?)": "dynamic dimension, dynamic size",
    r"folded dimensions?": "reduced dimension",
    r"(one|its|their) home": "the place: defined in, owned by, level of",
}
SUFFIXES = {".md", ".h", ".cpp", ".cu", ".cuh", ".py", ".cmake"}
SKIPPED_FOLDERS = ("docs/results/", "tests/golden/", "tests/seeds/")
SKIPPED_FILES = {"tools/vocabulary.py", "tests/tools/test_vocabulary.py"}


def compile_phrase(phrase: str) -> re.Pattern:
    """Return a pattern that does not match parts of names and paths: dice.h, twin_of, ops/dice."""
    words = phrase.replace(" ", r"(?: +| *\n *)")
    return re.compile(rf"(?<![\w/.:\-])(?:{words})(?![\w/(\-]|\.\w|::)", re.IGNORECASE)


PATTERNS = {compile_phrase(phrase): instead for phrase, instead in PHRASES.items()}
CODE_SPAN = re.compile(r"`[^`\n]*`")
CPP_PROSE = re.compile(
    r"""//(?P<line>[^\n]*)
    |/\*(?P<block>.*?)\*/
    |R"(?P<delimiter>[^()\s"]*)\((?P<raw>.*?)\)(?P=delimiter)"
    |"(?P<string>(?:\\.|[^"\\\n])*)"
    |'(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.DOTALL,
)
CMAKE_PROSE = re.compile(r'#(?P<line>[^\n]*)|"(?P<string>(?:\\.|[^"\\])*)"')
STRING_TOKENS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
QUOTES = re.compile(r"""^\w*("{3}|'{3}|"|')|("{3}|'{3}|"|')$""")
DIGIT_SEPARATOR = re.compile(r"(?<=\d)'(?=\d)")
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)


def prose_of(path: Path, text: str) -> list[str]:
    """Return the prose of each line of a file; an empty text for a line of code."""
    if path.suffix == ".md":
        return prose_of_markdown(text)
    if path.suffix == ".py":
        return prose_of_python(text)
    if path.suffix == ".cmake" or path.name == "CMakeLists.txt":
        return prose_of_matches(CMAKE_PROSE, text)
    code = DIRECTIVE.sub("", DIGIT_SEPARATOR.sub("_", text))
    return prose_of_matches(CPP_PROSE, code)


def prose_of_markdown(text: str) -> list[str]:
    """Return the lines without blocks of code; blocks of text are prose."""
    lines, is_code = [], False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        if is_fence:
            is_code = not is_code and line.strip() not in ("```", "```text")
        lines.append("" if is_code or is_fence else line)
    return lines


def prose_of_python(text: str) -> list[str]:
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            add_text(lines, token.start[0] - 1, token.string.lstrip("# "))
        elif token.type in STRING_TOKENS and " " in token.string:
            add_text(lines, token.start[0] - 1, QUOTES.sub("", token.string))
    return lines


def prose_of_matches(pattern: re.Pattern, text: str) -> list[str]:
    lines = [""] * (text.count("\n") + 1)
    for match in pattern.finditer(text):
        for kind, found in match.groupdict().items():
            is_name = kind in ("string", "block") and " " not in (found or "")
            if found and kind != "delimiter" and not is_name:
                add_text(lines, text.count("\n", 0, match.start(kind)), found.lstrip("/# "))
    return lines


def add_text(lines: list[str], start: int, text: str) -> None:
    """Append the lines of `text` to those from `start` on."""
    for index, line in enumerate(text.split("\n"), start):
        lines[index] += line


def find_phrases(path: Path, text: str) -> list[str]:
    """Return a line `path:line: ...` for each phrase, in the order of the lines."""
    prose = "\n".join(CODE_SPAN.sub("``", line) for line in prose_of(path, text))
    found = [
        (match.start(), " ".join(match[0].split()), instead)
        for pattern, instead in PATTERNS.items()
        for match in pattern.finditer(prose)
    ]
    return [
        f"{path}:{prose.count(chr(10), 0, start) + 1}: '{phrase}': write {instead}"
        for start, phrase, instead in sorted(found)
    ]


def check_vocabulary(root: Path, files: list[Path]) -> list[str]:
    problems = []
    for path in files:
        name = path.as_posix()
        is_prose = path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
        if not is_prose or name.startswith(SKIPPED_FOLDERS) or name in SKIPPED_FILES:
            continue
        problems += find_phrases(path, (root / path).read_text())
    return problems
