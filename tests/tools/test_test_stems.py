"""tools/check finds C++ sources whose tests a reader would not find."""

from pathlib import Path

import pytest
from source_rules import files_of
from test_stems import check_test_stems, covered_by

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def check(tmp_path):
    def run(**files: str) -> list[str]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return check_test_stems(tmp_path, [Path(name) for name in files])

    return run


@pytest.mark.parametrize(
    "test", ["tests/schema/parser_test.cpp", "tests/python/test_parser.py", "tests/parser_fuzz.cpp"]
)
def test_a_test_of_the_same_stem_is_enough(check, test):
    assert check(**{"src/schema/parser.cpp": "", "src/schema/parser.h": "", test: ""}) == []


def test_a_source_without_a_test_is_reported_once(check):
    assert check(**{"src/schema/lexer.cpp": "", "src/schema/lexer.h": ""}) == [
        "src/schema/lexer: no test has its stem, and no test says that it covers it "
        "(tools/test_stems.py)"
    ]


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("tests/schema/parser_test.cpp", "// Covers: src/schema/lexer."),
        ("tests/schema/parser_test.cpp", "// Covers: src/schema/parser,\n//   src/schema/lex*."),
        ("tests/python/test_schemas.py", '"""Schemas."""\n# Covers: src/schema/*.'),
    ],
)
def test_a_family_test_covers_what_it_names(check, name, comment):
    sources = {"src/schema/lexer.cpp": "", "src/schema/parser.cpp": ""}

    assert check(**sources, **{"tests/parser_fuzz.cpp": "", name: f"{comment}\n"}) == []


def test_an_entry_that_matches_no_source_is_reported(check):
    assert check(**{"tests/schema/parser_test.cpp": "// Covers: src/schema/gone.\n"}) == [
        "tests/schema/parser_test.cpp: Covers: src/schema/gone matches no source"
    ]


def test_a_star_stays_in_its_folder(check):
    (problem,) = check(
        **{
            "src/ops/loss/nll.cpp": "",
            "src/ops/x.cpp": "",
            "tests/a_test.cpp": "// Covers: src/ops/*.",
        }
    )

    assert problem.startswith("src/ops/loss/nll: ")


def test_entries_may_take_several_lines():
    assert covered_by("// Covers: src/a/b, src/a/c,\n//   src/d/*.\n// Text.\n") == [
        "src/a/b",
        "src/a/c",
        "src/d/*",
    ]


def test_every_source_of_the_tree_has_its_test():
    assert check_test_stems(ROOT, files_of(ROOT)) == []
