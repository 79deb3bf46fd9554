"""`schema=` wins over the hints and must agree with mutates_args."""

import opwright as ow
import pytest
from opwright import Tensor, library


def test_a_given_schema_wins_over_the_hints():
    @library.custom_op(
        "trial_a05::wins", mutates_args=(), schema="(Tensor x, int n=2) -> (Tensor, Tensor)"
    )
    def wins(x: Tensor, n: float) -> Tensor:
        return x.clone(), x * n

    first, second = wins(ow.tensor([1.0]))

    assert (first.tolist(), second.tolist()) == ([1.0], [2.0])
    assert str(wins.schema) == "trial_a05::wins(Tensor x, int n=2) -> (Tensor, Tensor)"


def test_a_given_schema_needs_no_hints():
    op = library.custom_op(
        "trial_a05::no_hints", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor"
    )

    assert op(ow.tensor([1.0])).tolist() == [2.0]


@pytest.mark.parametrize(
    ("schema", "mutates_args", "said", "marked"),
    [
        ("(Tensor x) -> ()", ["x"], "'x'", "none"),
        ("(Tensor(a!) x) -> ()", [], "none", "'x'"),
        ("(Tensor(a!) x, Tensor y) -> ()", ["y"], "'y'", "'x'"),
        ("(Tensor(a!) x, Tensor y) -> ()", "unknown", "'x', 'y'", "'x'"),
        ("(Tensor x) -> ()", ["z"], "'z'", "none"),
    ],
)
def test_a_schema_that_disagrees_with_mutates_args_is_refused(schema, mutates_args, said, marked):
    with pytest.raises(ValueError, match="disagree") as failure:
        library.custom_op(
            "trial_a05::bad", lambda *args: None, mutates_args=mutates_args, schema=schema
        )

    assert str(failure.value) == (
        f"trial_a05::bad: mutates_args and the schema disagree: mutates_args names {said}, "
        f"the schema marks {marked}\n"
        f"    trial_a05::bad{schema}\n"
        "  An argument that is written to is marked in the schema, e.g. `Tensor(a!) x`."
    )


def test_a_schema_that_agrees_with_mutates_args_is_taken():
    op = library.custom_op(
        "trial_a05::agrees",
        lambda x, y: x.zero_() and None,
        mutates_args={"x"},
        schema="(Tensor(a!) x, Tensor y) -> ()",
    )

    assert op.schema.is_mutable


def test_an_error_in_a_given_schema_underlines_the_token():
    with pytest.raises(ValueError, match="unknown type 'Tensr'") as failure:
        library.custom_op(
            "trial_a05::typo", lambda x: x, mutates_args=(), schema="(Tensr x) -> Tensor"
        )

    lines = str(failure.value).splitlines()
    assert lines[1] == "    trial_a05::typo(Tensr x) -> Tensor"
    assert lines[2] == "                    ^^^^^"
    assert "did you mean 'Tensor'?" in lines[3]
