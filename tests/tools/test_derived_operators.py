"""`composite:`, `alias_of:` and the forms made for any operator: YAML in, C++ out, errors."""

import pytest
from generate_ops.composites import write_composites
from generate_ops.declarations import DeclarationError, Reader
from generate_ops.reference import write_row
from generate_ops.registration import write_registrations

ABS = """\
- func: abs(Tensor self) -> Tensor
  variants: function, method
  pointwise: abs
  in_place: abs_
  out: abs.out
"""
ABSOLUTE = """\
- func: absolute(Tensor self) -> Tensor
  variants: function, method
  alias_of: abs
  in_place: {name: absolute_, variants: "function, method"}
  out: absolute.out
"""
SCALE = """\
- func: scale(Tensor self, Scalar by, str mode="a") -> Tensor
  variants: method
  tags: [pointwise]
  composite: self * by
  in_place: scale_
"""
SORT = """\
- func: sort(Tensor self, int dim=-1) -> (Tensor values, Tensor indices)
  dispatch: {CPU: sort_cpu}
  out: sort.values
"""
F = "- func: f(Tensor self) -> Tensor\n"

BODY = """\
// scale(Tensor self, Scalar by, str mode="a") -> Tensor
Tensor scale_expression(const Tensor& self, const Scalar& by, std::string_view /*mode*/) {
  return self * by;
}
"""
ALIASES = """\
register_aliases("ops.yaml", {
    {"aten::absolute", "aten::abs", 6},
    {"aten::absolute_", "aten::abs_", 9},
    {"aten::absolute.out", "aten::abs.out", 10},
});
"""
FORMS = """\
register_writing_forms("ops.yaml", {
    {"aten::scale_", "aten::scale", 5},
});
"""


def read(text: str):
    return Reader("ops.yaml").read(text)


def write(text: str, headers=()) -> dict[str, str]:
    return write_composites(read(text), "ops.yaml", "aten", headers)


def by_name(text: str) -> dict:
    return {each.schema.full_name: each for each in read(text)}


def test_an_expression_becomes_the_body_of_a_composite():
    files = write(SCALE, ["opwright/ops/view/view_composites.h"])

    body = next(text for text in files.values() if BODY in text)
    assert '#include "opwright/ops/view/view_composites.h"\n' in body
    assert (
        '  m.impl("scale", &scale_expression);\n'
        in write_registrations(read(SCALE), "ops.yaml", "aten")["register_composites.cpp"]
    )


def test_a_long_expression_has_a_line_of_its_own():
    long = " + ".join(["self"] * 20)

    files = write(F + f"  composite: {long}\n")

    assert any(f"  return\n      {long};\n" in text for text in files.values())


def test_an_alias_and_its_forms_call_the_target_and_its_forms():
    assert ALIASES in write(ABS + ABSOLUTE)["register_forms.cpp"]


def test_an_alias_may_precede_its_target():
    assert '{"aten::absolute_", "aten::abs_", ' in write(ABSOLUTE + ABS)["register_forms.cpp"]


def test_a_form_that_the_target_lacks_writes_the_result_of_the_alias():
    target = "- func: g(Tensor self) -> Tensor\n  dispatch: {CPU: g_cpu}\n"

    text = write(target + F + "  alias_of: g\n  in_place: f_\n")["register_forms.cpp"]

    assert '{"aten::f", "aten::g", 3}' in text
    assert '{"aten::f_", "aten::f", 5}' in text


def test_forms_of_operators_that_are_not_pointwise_write_their_results():
    assert FORMS in write(SCALE)["register_forms.cpp"]
    assert by_name(SORT)["sort.values"].schema.text == (
        "sort.values(Tensor self, int dim=-1, *, Tensor(a!) values, Tensor(b!) indices)"
        " -> (Tensor(a!) values, Tensor(b!) indices)"
    )


def test_a_form_has_the_variants_that_it_states():
    forms = by_name(ABS + ABSOLUTE + SCALE)

    assert forms["absolute_"].variants == ("function", "method")
    assert forms["scale_"].variants == ("method",)
    assert forms["absolute.out"].variants == ()
    assert forms["scale_"].tags == ("inplace",)


def test_an_operator_may_have_no_cpp_forms():
    assert by_name(F + "  variants: none\n  composite: self\n")["f"].variants == ()


def test_the_reference_calls_them_composites():
    rows = [write_row(each) for each in read(ABS + ABSOLUTE)]

    assert rows[3] == "| `absolute(Tensor self) -> Tensor` | function, method | composite |  |\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (F + "  alias_of: g\n", "ops.yaml:1: there is no operator 'g'"),
        (
            ABS + ABSOLUTE + F + "  alias_of: absolute\n",
            "ops.yaml:11: 'absolute' is an alias; name 'abs' instead",
        ),
        (
            ABS + "- func: f(Tensor self, int x) -> Tensor\n  alias_of: abs\n",
            "ops.yaml:6: an alias has the arguments and results of its operator: "
            "f(Tensor self, int x) -> Tensor differs from abs(Tensor self) -> Tensor",
        ),
        (
            F + "  composite: self\n  dispatch: {CPU: f}\n",
            "ops.yaml:2: an operator has one of composite and dispatch, not both",
        ),
        (F + "  composite: []\n", "ops.yaml:2: 'composite' must be text"),
        (
            F + "  composite: self\n  gradients: {self: grad}\n",
            "ops.yaml:3: f is made of other operators, which have gradients; it has no 'gradients'",
        ),
        (
            F + "  composite: self\n  in_place: {name: f_, kind: method}\n",
            "ops.yaml:3: unknown key 'kind'; there are name, variants",
        ),
        (
            F + "  composite: self\n  in_place: {variants: method}\n",
            "ops.yaml:3: 'in_place' needs a 'name'",
        ),
        (
            F + "  composite: self\n  in_place: {name: f_, variants: static}\n",
            "ops.yaml:3: unknown variant 'static'; there are function, method",
        ),
        (
            "- func: f(Tensor self) -> Tensor[]\n  dispatch: {CPU: f}\n  out: f.out\n",
            "ops.yaml:3: 'f(Tensor self) -> Tensor[]' has a result that is not a tensor to write",
        ),
    ],
)
def test_a_problem_is_told_with_its_line(text, problem):
    with pytest.raises(DeclarationError) as caught:
        read(text)

    assert str(caught.value).startswith(problem)
