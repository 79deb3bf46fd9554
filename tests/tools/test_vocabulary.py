"""Old phrases are found in prose, and only there."""

from pathlib import Path

import pytest
from vocabulary import PHRASES, check_vocabulary, find_phrases


def lines_of(name: str, text: str) -> list[int]:
    return [int(problem.split(":")[1]) for problem in find_phrases(Path(name), text)]


def test_a_problem_has_the_place_the_phrase_and_what_to_write():
    assert find_phrases(Path("docs/x.md"), "# Title\n\nThe memory is given back.\n") == [
        "docs/x.md:3: 'given back': write return, release or free"
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.md", "Opened for ever.\n"),
        ("x.h", "int x;  // kept for ever\n"),
        ("x.cu", "/* kept for ever */\n"),
        ("x.cpp", 'throw Error("it stays for ever");\n'),
        ("x.cpp", 'const char* text = R"(it stays for ever)";\n'),
        ("x.py", "x = 1  # kept for ever\n"),
        ("x.py", '"""Keeps it for ever."""\n'),
        ("x.py", 'f"kept for ever, got {x}"\n'),
        ("x.cmake", "set(x 1) # kept for ever\n"),
        ("x.cmake", 'message(FATAL_ERROR "kept for ever")\n'),
        ("CMakeLists.txt", "# kept for ever\n"),
    ],
)
def test_documents_comments_docstrings_and_messages_are_read(name, text):
    assert lines_of(name, text) == [1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.cpp", "Twin twin = dice.twin();\n"),
        ("x.cpp", '#include "opwright/random/dice.h"\n'),
        ("x.cpp", 'm.impl("twin", &twin);\n'),
        ("x.cpp", "void draw(Dice& /*dice*/);\n"),
        ("x.cpp", "// See dice.h, ops/dice and twin_of().\n"),
        ("x.cpp", "const int64_t n = 1'000; char c = '\"'; Twin twin;\n"),
        ("x.py", "twin = table['twin']\n"),
        ("x.py", "# `twin` is a variable\n"),
        ("x.md", "The function `twin` and [its header](src/dice.h).\n"),
        ("x.md", "```python\ndice = twin(3)\n```\n"),
        ("x.cmake", "set(twin 1)\n"),
    ],
)
def test_names_in_code_are_not_prose(name, text):
    assert lines_of(name, text) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.md", "Memory is given\nback at the end.\n"),
        ("x.cpp", "// Memory is given\n// back at the end.\n"),
        ("x.py", "# Memory is given\n# back at the end.\n"),
        ("x.py", 'error("memory is given "\n      "back at the end")\n'),
    ],
)
def test_a_phrase_may_be_broken_over_two_lines(name, text):
    assert lines_of(name, text) == [1]


def test_lines_of_long_comments_and_strings_are_counted():
    assert lines_of("x.cpp", "/* One.\n * Two, anew.\n */\nint x;  // anew\n") == [2, 4]
    assert lines_of("x.cpp", '// One.\n\n#include "x.h"\n\n// Five, anew.\n') == [5]
    assert lines_of("x.md", "```cpp\nint x;\n```\n\nFive, anew.\n\n```text\nanew\n```\n") == [5, 8]
    assert lines_of("x.py", '"""One.\n\nThree, anew.\n"""\nx = 1  # anew\n') == [3, 5]


def test_plain_words_are_no_problem():
    text = "It returns forever-new data; stand in line, a fold of the map, the lock is released.\n"

    assert lines_of("x.md", text) == []


def test_results_golden_files_seeds_and_other_files_are_skipped(tmp_path):
    names = ["docs/results/a.md", "tests/golden/b.md", "tests/seeds/c.py", "d.txt", "docs/e.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# anew\n")

    (problem,) = check_vocabulary(tmp_path, [Path(name) for name in names])

    assert problem.startswith("docs/e.md:1: 'anew'")


def test_every_phrase_has_something_to_write_instead():
    assert all(PHRASES.values())
