"""tools/check finds code that compares an operator's name with a text."""

from pathlib import Path

import pytest
from operator_names import ALLOWED, check_operator_names
from source_rules import files_of

ROOT = Path(__file__).resolve().parents[2]


def check(tmp_path: Path, text: str, name: str = "src/run/plan.cpp") -> list[str]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return check_operator_names(tmp_path, [Path(name)])


@pytest.mark.parametrize(
    "line",
    [
        'if (op.name() == "aten::copy_") return;',
        'if (node.op().name() != "aten::copy_") return;',
        'if (user->op().name() == name || user->op().name() == "aten::view") return;',
        'return op.schema().name.name_space == "aten";',
        'return "aten::view" == op.name();',
        'return std::string_view(op.name()).starts_with("aten::");',
        'return op.schema().name.base.ends_with("_backward");',
        'return namespace_of(op) == "aten";',
        'bool is_copy = name == "aten::copy";',
    ],
)
def test_a_comparison_with_a_text_is_reported(tmp_path, line):
    (problem,) = check(tmp_path, f"\n{line}\n")

    assert problem == (
        "src/run/plan.cpp:2: an operator's name is compared with a text; state a property of the "
        "operator (src/dispatch/property.h) or compare operators"
    )


def test_a_comparison_of_a_copied_name_is_reported(tmp_path):
    text = """bool is_fill(const Operator& op) {
  const std::string& base = op.schema().name.base;
  return base == "fill" || base == "zero";
}
bool is_known(const std::string& base) { return base == "cpu"; }
"""

    (problem,) = check(tmp_path, text)

    assert problem.startswith("src/run/plan.cpp:3: ")


@pytest.mark.parametrize(
    "line",
    [
        'static const Operator& copy = Registry::get().require("aten::copy_");',
        "if (&node.op() == &copy) return;",
        "if (op.name() == given.name()) return;",
        '{"aten::sum", &convert_sum},',
        'if (argument.name == "size") return;',
        'if (device.name() == "cpu") return;',
        '// op.name() == "aten::copy_"',
    ],
)
def test_identity_tables_and_other_names_pass(tmp_path, line):
    assert check(tmp_path, f"{line}\n") == []


def test_bridges_pass_since_names_are_all_they_have(tmp_path):
    assert check(tmp_path, 'return name == "aten::empty";', "bridges/torch/imports.cpp") == []


def test_the_core_has_no_such_comparison():
    assert check_operator_names(ROOT, files_of(ROOT)) == []


def test_every_allowed_file_still_needs_it():
    for name in ALLOWED:
        text = (ROOT / name).read_text()
        assert 'name_space == "' in text
