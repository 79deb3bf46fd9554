"""The runner on a small test file of ours, against the package alone."""

import json
from pathlib import Path

import pytest

from . import __main__ as command
from . import page
from .classes import ALL
from .reviews import Reviews

SAMPLE = Path(__file__).parent / "sample"
PASSED = [
    "TestDevicesCPU.test_zeros_cpu_float32",
    "TestDevicesCPU.test_zeros_cpu_int64",
    "TestSample.test_after_the_crash",
    "TestSample.test_class",
    "TestSample.test_crash",
    "TestSample.test_difference",
    "TestSample.test_hang",
    "TestSample.test_missing_import",
    "TestSample.test_missing_name",
    "TestSample.test_missing_operator",
    "TestSample.test_nn_functional_nothing_like_this",
    "TestSample.test_nn_functional_relu",
    "TestSample.test_of_a_private_result",
    "TestSample.test_other_dtype",
    "TestSample.test_private",
    "TestSample.test_reviewed_text",
    "TestSample.test_sizes_second_flag_True",
    "TestSample.test_sizes_size_1_name_one_flag_True",
    "TestSample.test_sum",
    "TestSample.test_text",
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    folder = tmp_path_factory.mktemp("outcomes")
    (folder / "sample_suite.torch.json").write_text(json.dumps(dict.fromkeys(PASSED, "pass")))
    found = folder / "found.json"
    options = ["--tests", str(SAMPLE), "--file", "sample_suite", "--outcomes", str(folder)]
    command.main([*options, "--limit", "2", "--jobs", "1", "--json", str(found)])
    return json.loads(found.read_text())["sample_suite"]


def test_every_test_gets_the_class_of_its_result(results):
    classes = {test_id.partition(".")[2]: entry["class"] for test_id, entry in results.items()}

    assert classes == {
        "test_zeros_cpu_float32": "pass",
        "test_zeros_cpu_int64": "pass",
        "test_after_the_crash": "pass",
        "test_class": "class",
        "test_crash": "crash",
        "test_difference": "deliberate",
        "test_hang": "hang",
        "test_missing_import": "name",
        "test_missing_name": "name",
        "test_missing_operator": "operator",
        "test_nn_functional_nothing_like_this": "operator",
        "test_nn_functional_relu": "behaviour",
        "test_of_a_private_result": "private",
        "test_other_dtype": "behaviour",
        "test_private": "private",
        "test_reviewed_text": "pass",
        "test_sizes_second_flag_True": "pass",
        "test_sizes_size_1_name_one_flag_True": "pass",
        "test_sum": "pass",
        "test_text": "text",
    }


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("test_missing_name", "torch.utils.nothing_like_this"),
        ("test_missing_import", "torch.nn.nothing_like_this.some_layer"),
        ("test_missing_operator", "torch.Tensor.nothing_like_this"),
        ("test_nn_functional_nothing_like_this", "torch.nn.functional.nothing_like_this"),
        ("test_private", "torch._C._nothing_like_this"),
        ("test_of_a_private_result", "torch.fx.Graph._codegen"),
        ("test_difference", "the sample has a deliberate difference"),
        ("test_hang", "over the time limit"),
        ("test_crash", "the process ended"),
    ],
)
def test_a_reason_tells_the_name_or_the_cause(results, test, reason):
    assert results[f"TestSample.{test}"]["reason"] == reason


def test_a_text_that_differs_is_shown_beside_the_expected_one(results):
    reason = results["TestSample.test_text"]["reason"]

    assert reason.startswith("expected 'nobody says this', got ")


def test_reviews_that_accept_nothing_are_listed(results):
    failures = {test_id: entry["failure"] for test_id, entry in results.items()}
    reviewed = {test_id: entry.get("reviewed", []) for test_id, entry in results.items()}

    assert Reviews("sample_suite").list_unused(failures, reviewed) == [
        "sample_suite.yaml: same_text *: accepts no text",
        "sample_suite.yaml: differences TestSample.test_other_dtype: its tests fail in another "
        "way, or another entry accepts them",
        "sample_suite.yaml: differences TestSample.test_sum: no test that it matches needs it",
        "sample_suite.yaml: differences TestSample.test_nothing: matches no test that passes in "
        "torch",
    ]


def test_the_command_prints_reviews_that_accept_nothing(capsys):
    record = {"outcome": "pass", "texts": [], "reviewed": []}

    command.print_doubtful_reviews("sample_suite", {"TestSample.test_difference": record})

    lines = capsys.readouterr().out.splitlines()
    assert (
        "unused review: sample_suite.yaml: differences TestSample.test_difference: no test that it "
        "matches needs it"
    ) in lines
    assert lines[-1] == "sample_suite.yaml: 3 entries accept any failure of their tests"


def test_a_review_for_every_test_names_those_that_it_accepts():
    lines = Reviews("sample_suite").list_wide({"A.test_x": [0, 1], "A.test_y": [1]})

    assert lines == ["sample_suite.yaml: 'namespace' is for A.test_x, A.test_y"]


def test_a_text_is_accepted_only_for_what_torch_says(tmp_path):
    entry = "same_text:\n  - {tests: '*', expected: range, here: outside}\n"
    (tmp_path / "some_file.yaml").write_text(entry)
    reviews = Reviews("some_file", tmp_path)

    assert reviews.accepting("A.test_x", "not in range", "5 is outside") == 0
    assert reviews.accepting("A.test_x", r"range\ \[1", "5 is outside") == 0
    assert reviews.accepting("A.test_x", "no gradient", "5 is outside") is None
    assert reviews.accepting("A.test_x", "not in range", "5 is inside") is None


def test_a_text_for_every_test_needs_what_torch_says(tmp_path):
    (tmp_path / "some_file.yaml").write_text("same_text:\n  - {tests: '*', here: outside}\n")

    with pytest.raises(ValueError, match="a text for every test needs `expected`"):
        Reviews("some_file", tmp_path)


def test_a_difference_is_no_excuse_for_another_failure(tmp_path):
    entry = "differences:\n  - {tests: A.test_x, reason: why, here: 7 != 8}\n"
    (tmp_path / "some_file.yaml").write_text(entry)
    reviews = Reviews("some_file", tmp_path)

    assert reviews.reason_of("A.test_x", "AssertionError: 7 != 8") == "why"
    assert reviews.reason_of("A.test_x", "AttributeError: x") is None
    assert reviews.is_difference("A.test_x")


def test_a_review_cannot_call_a_public_name_private(tmp_path):
    entry = "private:\n  - tests: A.test_x\n    api: torch.fx.Graph\n"
    (tmp_path / "some_file.yaml").write_text(entry)

    with pytest.raises(ValueError, match=r"torch\.fx\.Graph is a public name of torch"):
        Reviews("some_file", tmp_path)


def test_the_share_leaves_out_what_is_counted_apart():
    counts = {**dict.fromkeys(ALL, 0), "pass": 9, "private": 5, "operator": 5}
    counts["deliberate"] = 1

    assert page.share(counts) == "90.0 %"


def test_a_second_share_leaves_out_deliberate_differences_too():
    counts = {**dict.fromkeys(ALL, 0), "pass": 8, "private": 5, "deliberate": 10, "behaviour": 2}

    assert page.share(counts) == "40.0 %"
    assert page.share_without_deliberate(counts) == "80.0 %"


def test_a_file_of_deliberate_differences_only_has_no_second_share():
    counts = {**dict.fromkeys(ALL, 0), "deliberate": 3}

    assert page.share(counts) == "0.0 %"
    assert page.share_without_deliberate(counts) == "-"


def test_the_page_shows_both_shares_of_a_file_and_of_all_files():
    first = {"A.test_x": ("pass", ""), "A.test_y": ("deliberate", "why")}
    second = {"B.test_x": ("pass", ""), "B.test_y": ("name", "torch.a")}

    lines = page.table({"one": first, "two": second}).splitlines()

    assert lines[0].endswith("| share | without deliberate |")
    assert lines[2].endswith("| 50.0 % | 100.0 % |")
    assert lines[3].endswith("| 50.0 % | 50.0 % |")
    assert lines[4].endswith("| 50.0 % | 66.7 % |")


def test_the_page_lists_every_test_that_does_not_pass():
    results = {"file": {"A.test_x": ("pass", ""), "A.test_y": ("name", "torch.a|b")}}

    text = page.write_page(results)

    assert "| file | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 50.0 % | 50.0 % |" in text
    assert "| A.test_y | name | `torch.a\\|b` |" in text
    assert "A.test_x" not in text


def test_files_are_chosen_by_name_by_ending_and_by_folder():
    assert command.choose_files(["test_vmap"]) == ["functorch/test_vmap"]
    assert command.choose_files(["nn"]) == [
        "nn/test_init",
        "nn/test_module_hooks",
        "nn/test_load_state_dict",
    ]
    assert command.choose_files(["test_other.py"]) == ["test_other"]


def test_the_page_names_no_folder_and_no_address():
    assert page.escape("at /a/b/test_x.py:3: <f at 0x7f12>") == "`at test_x.py:3: <f at 0x...>`"
