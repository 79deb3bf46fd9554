"""The rules of tools/check that need no other program."""

from pathlib import Path

import pytest
from source_rules import check_machine_paths, check_names, check_sizes


@pytest.mark.parametrize("name", ["src/base/utils.h", "src/common/x.h", "tools/helpers.py"])
def test_a_name_without_a_concept_is_refused(name):
    (problem,) = check_names([Path(name)])

    assert problem.startswith(name)
    assert problem.endswith("does not name a concept")


@pytest.mark.parametrize("name", ["src/base/ThreadPool.h", "tools/check-all.py"])
def test_a_source_file_that_is_not_snake_case_is_refused(name):
    assert check_names([Path(name)]) == [f"{name}: file names are snake_case"]


@pytest.mark.parametrize("name", ["CMakeLists.txt", "python/opwright/__init__.py", "README.md"])
def test_names_that_others_chose_pass(name):
    assert check_names([Path(name)]) == []


@pytest.mark.parametrize(
    ("lines", "num_problems", "num_warnings"), [(600, 0, 0), (601, 0, 1), (1001, 1, 0)]
)
def test_long_sources_warn_and_then_fail(tmp_path, lines, num_problems, num_warnings):
    (tmp_path / "long.cpp").write_text("\n" * lines)

    problems, warnings = check_sizes(tmp_path, [Path("long.cpp")])

    assert (len(problems), len(warnings)) == (num_problems, num_warnings)


def test_the_header_of_the_abi_may_be_long(tmp_path):
    header = Path("include/opwright/c_api.h")
    (tmp_path / header).parent.mkdir(parents=True)
    (tmp_path / header).write_text("\n" * 700)

    assert check_sizes(tmp_path, [header]) == ([], [])


@pytest.mark.parametrize(
    "parts", [("/ho", "me/someone/x"), ("file:///o", "pt/x"), ("https://pypi", ".org/simple")]
)
def test_machine_paths_and_registries_are_refused(tmp_path, parts):
    (tmp_path / "notes.md").write_text("fine\n" + "".join(parts) + "\n")

    (problem,) = check_machine_paths(tmp_path, [Path("notes.md")])

    assert problem.startswith("notes.md:2: names a")


def test_relative_and_system_paths_pass(tmp_path):
    (tmp_path / "notes.md").write_text("src/home/x include/opt/y ../work/z #!/usr/bin/env\n")

    assert check_machine_paths(tmp_path, [Path("notes.md")]) == []
