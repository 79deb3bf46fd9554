"""What a word given to tools/test means."""

import pytest
from test_selection import SelectionError, filter_of, select

CMAKE = "opwright_layer(base)\nopwright_layer(schema USES base)\n"
PARSER_TEST = """\
TEST(SchemaParser, KeepsADefaultValue) {}
TEST_P(SchemaText, ReadsBack) {}
"""


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    for name, text in {
        "src/schema/parser.cpp": "",
        "tests/base/error_test.cpp": "TEST(Error, NamesTheOperator) {}\n",
        "tests/schema/parser_test.cpp": PARSER_TEST,
        "tests/schema/test_schema_text.py": "def test_a_default_reads_back():\n    pass\n",
        "tests/python/nn/test_init.py": "def test_uniform_keeps_its_bounds():\n    pass\n",
        "README.md": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_layer_means_its_tests_in_cpp_and_python(tree):
    selection = select(tree, "schema")

    assert selection.cpp == {"schema": ["*"]}
    assert selection.pytest == ["tests/schema"]
    assert selection.targets() == ["schema_test", "python_tests"]


@pytest.mark.parametrize("word", ["src/schema/parser.cpp", "src/schema", "tests/schema/"])
def test_a_source_or_the_folder_of_a_layer_means_the_layer(tree, word):
    assert select(tree, word) == select(tree, "schema")


def test_a_test_in_cpp_means_its_suites(tree):
    selection = select(tree, "tests/schema/parser_test.cpp")

    assert selection.cpp == {"schema": [filter_of("SchemaParser"), filter_of("SchemaText")]}
    assert selection.targets() == ["schema_test"]


@pytest.mark.parametrize(
    "word",
    ["tests/python/nn/test_init.py", "tests/python/nn", "tests/python/nn/test_init.py::test_x"],
)
def test_a_test_in_python_goes_to_pytest(tree, word):
    assert select(tree, word).pytest == [word]


def test_a_test_of_devices_builds_the_plug_ins(tree):
    (tree / "tests/devices").mkdir()

    assert select(tree, "tests/devices").targets() == ["python_tests", "devices", "device_tests"]


def test_a_part_of_a_name_means_every_test_that_contains_it(tree):
    assert select(tree, "KeepsADefault").cpp == {
        "schema": [filter_of("SchemaParser", "KeepsADefaultValue")]
    }
    assert select(tree, "keeps_its").pytest == [
        "tests/python/nn/test_init.py::test_uniform_keeps_its_bounds"
    ]


def test_a_word_that_means_nothing_is_refused_with_a_proposal(tree):
    with pytest.raises(SelectionError, match=r"did you mean Error\.NamesTheOperator"):
        select(tree, "Error.NameTheOperator")


def test_a_file_that_is_no_test_is_refused(tree):
    with pytest.raises(
        SelectionError, match=r"README\.md is neither a test nor a source of a layer"
    ):
        select(tree, "README.md")
