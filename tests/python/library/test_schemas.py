"""Parse, print, compare. tests/schema has the language itself."""

import pytest
from opwright import _C

TEXTS = [
    "trial::op(Tensor x) -> Tensor",
    "trial::op.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
    "trial::op(Tensor(a) x, int[2] stride=[1, 2]) -> Tensor(a)",
    'trial::op(Tensor? x=None, float[]? scales=None, str mode="mean") -> (Tensor y, int[] n)',
    "trial::op(Tensor(a -> *) x, Scalar alpha=1) -> Tensor(a)[]",
    "trial::op(...) -> ...",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_schema_is_printed_so_that_it_parses_back(text):
    schema = _C.parse_schema(text)

    assert str(schema) == text
    assert _C.parse_schema(str(schema)) == schema
    assert hash(_C.parse_schema(text)) == hash(schema)


def test_a_schema_tells_its_arguments():
    schema = _C.parse_schema("trial::op.by(Tensor(a!) x, *, int[2]? n=[1, 2]) -> Tensor")
    x, n = schema.arguments

    assert (schema.name, schema.namespace, schema.base, schema.overload) == (
        "trial::op.by",
        "trial",
        "op",
        "by",
    )
    assert (x.name, x.type, x.is_write, x.kwarg_only, x.has_default) == (
        "x",
        "Tensor",
        True,
        False,
        False,
    )
    assert (n.name, n.type, n.is_write, n.kwarg_only, n.default) == (
        "n",
        "int[2]?",
        False,
        True,
        [1, 2],
    )
    assert schema.is_mutable


def test_an_error_underlines_the_token():
    with pytest.raises(ValueError, match="unknown type 'Tensr'") as failure:
        _C.parse_schema("trial::op(Tensr x) -> Tensor")

    lines = str(failure.value).splitlines()
    assert lines[1].index("Tensr") == lines[2].index("^")
    assert lines[2].count("^") == len("Tensr")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trial::op(int x=0x10) -> ()", "x10"),
        ("trial::op(int x=1e3) -> ()", "must be an int, got '1e3'"),
        ("trial::op(int x, int x) -> ()", "x"),
    ],
)
def test_what_torch_misreads_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        _C.parse_schema(text)


@pytest.mark.parametrize("default", ["inf", "-inf", "nan"])
def test_defaults_that_torch_refuses_are_kept(default):
    assert str(_C.parse_schema(f"trial::op(float x={default}) -> ()")) == (
        f"trial::op(float x={default}) -> ()"
    )
