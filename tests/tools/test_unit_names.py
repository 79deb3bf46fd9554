"""Helpers of one folder have distinct names, since its sources compile as one unit."""

from pathlib import Path

import pytest
from unit_names import check_unit_names, helper_names

SOURCE = """\
#include "x.h"

namespace opwright {
namespace {

constexpr int64_t kGrain = 4;
using Kind = AttributeKind;

struct Table {
  int rows;
};

template <class T>
bool is_beyond(T a, T b) {
  return kGrain > compare(a, b);
}

}  // namespace

Tensor sum_cpu(const Tensor& self) {
  return self;
}

}  // namespace opwright
"""


def write(root: Path, **sources: str) -> list[Path]:
    folder = root / "src" / "ops"
    folder.mkdir(parents=True)
    for name, text in sources.items():
        (folder / f"{name}.cpp").write_text(text)
    return [Path("src/ops") / f"{name}.cpp" for name in sources]


def test_functions_constants_and_types_of_unnamed_namespaces_are_found():
    assert helper_names(SOURCE) == {"kGrain", "Kind = AttributeKind", "Table", "is_beyond"}


def test_one_name_in_two_sources_of_a_folder_is_a_problem(tmp_path):
    files = write(tmp_path, first=SOURCE, second=SOURCE.replace("kGrain", "kStep"))

    problems = check_unit_names(tmp_path, files)

    assert [problem.split("'")[1] for problem in problems] == ["Table", "is_beyond"]
    assert problems[0] == (
        "src/ops/first.cpp: 'Table' is a helper in second.cpp too; the sources of src/ops "
        "compile as one unit: rename one of them, or share one helper"
    )


def test_an_alias_may_be_repeated_with_the_same_meaning_alone(tmp_path):
    alias = "namespace {\nusing Kind = %s;\n}  // namespace\n"
    same = write(tmp_path / "same", first=alias % "A", second=alias % "A")
    other = write(tmp_path / "other", first=alias % "A", second=alias % "B")

    assert check_unit_names(tmp_path / "same", same) == []
    assert len(check_unit_names(tmp_path / "other", other)) == 1


@pytest.mark.parametrize("stem", ["parse_main", "parse_fuzz"])
def test_programs_are_no_part_of_a_unit(tmp_path, stem):
    files = write(tmp_path, first=SOURCE, **{stem: SOURCE})

    assert check_unit_names(tmp_path, files) == []
