"""`gradients:` of functions.yaml: expressions in, C++ rules out, errors that name their line."""

import pytest
from generate_ops.declarations import DeclarationError, Reader
from generate_ops.gradient_rules import write_gradients

SCALE = """\
- func: scale(Tensor self, Tensor factor, *, Scalar power=1) -> Tensor
  tags: [pointwise]
  pointwise: scale
  in_place: scale_
  out: scale.out
  gradients:
    self: grad * factor
    factor: grad * self * power
"""

RULES = """\
// scale(Tensor self, Tensor factor, *, Scalar power=1) -> Tensor
int save_scale(
    const OpwRecord* record, const OpwValue* args, uint32_t, OpwValue*, uint32_t) noexcept {
  return run_rule(record, args, [&](const RuleContext& context) {
    const bool needs_self = context.needs(0);
    const bool needs_factor = context.needs(1);
    context.save({
        needs_factor ? tensor_of(args[1]) : nullptr, needs_self ? tensor_of(args[2]) : nullptr});
  });
}
int differentiate_scale(
    const OpwRecord* record, const OpwValue* args, uint32_t, OpwValue* results, uint32_t) noexcept {
  return run_rule(record, args, [&](const RuleContext& context) {
    const bool needs_self = context.needs(0);
    const bool needs_factor = context.needs(1);
    const Tensor& grad = gradient_of(args[1]);
    if (needs_self) {
      const Tensor factor = context.saved(1);
      give_gradient(results[0], grad * factor);
    }
    if (needs_factor) {
      const Tensor self = context.saved(0);
      const auto power = context.argument<Scalar>(2);
      give_gradient(results[1], grad * self * power);
    }
  });
}
"""

KEEP_OLD = """\
int keep_old_scale_in_place(
    const OpwRecord* record, const OpwValue* args, uint32_t, OpwValue* results, uint32_t) noexcept {
  return run_rule(record, args, [&](const RuleContext& context) {
    const bool needs_factor = context.needs(1);
    if (needs_factor) results[0] = copy_old_value(args[1]);
  });
}
"""

TABLE = """\
namespace gradient_rules {
RuleFunction save_scale;
RuleFunction differentiate_scale;
RuleFunction save_scale_in_place;
RuleFunction differentiate_scale_in_place;
RuleFunction keep_old_scale_in_place;
}  // namespace gradient_rules

[[maybe_unused]] const bool kRegisteredGradients = register_gradients("ops.yaml", {
    {"aten::scale", &gradient_rules::save_scale, &gradient_rules::differentiate_scale, nullptr, 1},
    {"aten::scale_",
     &gradient_rules::save_scale_in_place, &gradient_rules::differentiate_scale_in_place,
     &gradient_rules::keep_old_scale_in_place, 4},
});
"""


def read(text: str):
    return Reader("ops.yaml").read(text)


def write(text: str, headers=()) -> dict[str, str]:
    return write_gradients(read(text), "ops.yaml", "aten", headers)


def rules_of(text: str) -> str:
    """Return the text of the rules; those of one name stand in one file."""
    (text,) = (each for each in write(text).values() if "run_rule" in each)
    return text


def formula(schema: str, **gradients: str) -> str:
    lines = "".join(f"    {name}: {text}\n" for name, text in gradients.items())
    return f"- func: {schema}\n  dispatch: {{CPU: f}}\n  gradients:\n{lines}"


def test_a_rule_saves_what_the_gradients_that_are_asked_for_use():
    assert RULES in rules_of(SCALE)


def test_an_in_place_form_keeps_the_old_value_that_a_gradient_uses():
    assert KEEP_OLD in rules_of(SCALE)


def test_the_table_has_the_lines_and_the_rules_have_none():
    files = write(SCALE)

    assert TABLE in files["register_gradients.cpp"]
    assert not any("#line" in text for text in files.values())


def test_lines_that_move_change_the_table_alone():
    before, after = write(SCALE), write("# a comment\n" + SCALE)

    assert [name for name in before if before[name] != after[name]] == ["register_gradients.cpp"]


def test_an_in_place_form_of_what_has_no_gradient_ends_the_old_history():
    text = rules_of(
        "- func: less(Tensor self, Tensor other) -> Tensor\n  tags: [nondifferentiable]\n"
        "  pointwise: less\n  in_place: less_\n"
    )

    assert "int differentiate_less(" not in text
    assert "if (needs_self) {\n      give_gradient(results[0], zeros_like(grad));\n    }\n" in text


def test_an_out_form_has_no_gradients():
    assert "scale_out" not in rules_of(SCALE)


def test_the_only_tensor_needs_no_question_and_nothing_is_saved_for_nothing():
    text = rules_of(formula("half(Tensor self) -> Tensor", self="grad * 0.5"))

    assert "needs" not in text
    assert "save_half" not in text
    assert "    give_gradient(results[0], grad * 0.5);\n" in text


def test_sizes_and_dtype_are_kept_without_the_tensor():
    text = rules_of(
        formula("total(Tensor self) -> Tensor", self="grad.expand(self_sizes).to(self_dtype)")
    )

    assert "context.save(" not in text
    assert 'context.keep_sizes("self_sizes", args[1]);' in text
    assert 'context.keep_dtype("self_dtype", args[1]);' in text
    assert (
        'const auto self_sizes = context.attribute<std::span<const SymInt>>("self_sizes");' in text
    )


def test_a_result_whose_gradient_no_expression_uses_carries_none():
    text = rules_of(
        formula(
            "top(Tensor self, int dim) -> (Tensor values, Tensor places)",
            self="put(grad_values, places, dim)",
        )
    )

    assert "context.save({tensor_of(args[4])});" in text
    assert "context.mark_non_differentiable({tensor_of(args[4])});" in text
    assert "const Tensor& grad_values = gradient_of(args[1]);" in text
    assert "const Tensor places = context.saved(0);" in text


def test_results_and_their_gradients_have_numbers_too():
    text = rules_of(
        formula("pair(Tensor self) -> (Tensor, Tensor)", self="grad0 * result1 + grad1 * result0")
    )

    assert "context.save({tensor_of(args[2]), tensor_of(args[3])});" in text
    assert "mark_non_differentiable" not in text
    assert "const Tensor& grad1 = gradient_of(args[2]);" in text


def test_one_expression_may_give_the_gradients_of_several_arguments():
    text = rules_of(
        "- func: fit(Tensor x, Tensor w, Tensor? b) -> Tensor\n  dispatch: {CPU: f}\n"
        "  gradients:\n    x, w, b: fit_gradients(grad, x, w, b, needs_b)\n"
    )

    assert "    if (needs_x || needs_w || needs_b) {\n" in text
    assert "      const std::optional<Tensor> b = context.saved_optional(2);\n" in text
    assert "auto gradients = std::tuple(fit_gradients(grad, x, w, b, needs_b));\n" in text
    assert "give_gradient(results[2], std::move(std::get<2>(gradients)));\n" in text


def test_a_list_of_tensors_is_saved_behind_the_others():
    text = rules_of(
        "- func: at(Tensor self, Tensor?[] where) -> Tensor\n  dispatch: {CPU: f}\n"
        "  gradients:\n    self: put(grad, self, where)\n    where: none\n"
    )

    assert (
        'context.save({needs_self ? tensor_of(args[1]) : nullptr}, args[2], "where_length");'
        in text
    )
    assert (
        'const auto where = context.saved_list<std::optional<Tensor>>(1, "where_length");' in text
    )


def test_a_list_of_tensors_has_a_list_of_sizes_and_a_list_of_results_one_of_gradients():
    joined = rules_of(formula("join(Tensor[] all) -> Tensor", all="cut(grad, all_sizes)"))
    cut = rules_of(formula("cut(Tensor self) -> Tensor[]", self="join(grads)"))

    assert 'context.attribute<std::vector<std::vector<SymInt>>>("all_sizes");' in joined
    assert "const std::vector<Tensor> grads = gradients_of(args[1]);" in cut


def test_the_headers_of_the_functions_are_included():
    files = write(SCALE, ["opwright/ops/b_gradients.h", "opwright/ops/a_gradients.h"])

    assert (
        '#include "opwright/ops/a_gradients.h"\n#include "opwright/ops/b_gradients.h"\n'
        in files["gradients_00.cpp"]
    )


F = "- func: f(Tensor self, Tensor other, int dim) -> Tensor\n  dispatch: {CPU: f}\n  gradients:\n"
SELF = "    self: grad\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            F + SELF,
            "ops.yaml:4: the gradient of 'other' is missing; write 'other: none' if it has none",
        ),
        (F + SELF + "    othr: grad\n", "ops.yaml:5: 'othr' is not a tensor argument of f(Te"),
        (F + SELF + "    dim: grad\n", "ops.yaml:5: 'dim' is not a tensor argument of f(Te"),
        (F + SELF + "    self, other: f(grad)\n", "ops.yaml:5: there are two gradients of 'self'"),
        (
            F + SELF + "    other: 2 * self\n",
            "ops.yaml:5: the gradient of 'other' uses no gradient of a result; there are grad, ",
        ),
        (F + SELF + "    other: grad1\n", "ops.yaml:5: 'grad1' is not a name in f(Tensor self, "),
        (
            F + SELF + "    other: f(needs_x, grad)\n",
            "ops.yaml:5: 'needs_x' is not a name in f(Tensor self, ",
        ),
        (F + SELF + "    other: [grad]\n", "ops.yaml:5: 'other' must be text"),
        (
            "- func: f(Tensor self) -> Tensor\n  decompose: f\n  gradients:\n" + SELF,
            "ops.yaml:4: f is made of other operators, which have gradients; it has no 'gradients'",
        ),
        (
            "- func: f(Tensor self) -> Tensor\n  tags: [nondifferentiable]\n"
            "  dispatch: {CPU: f}\n  gradients:\n" + SELF,
            "ops.yaml:5: f has the tag 'nondifferentiable'; it has no 'gradients' of its own",
        ),
        (
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
            "  dispatch: {CPU: f}\n  gradients:\n" + SELF,
            "ops.yaml:4: f.out writes to 'out', which is never differentiated; it has no 'gradien",
        ),
        (
            "- func: f(Tensor context) -> Tensor\n  dispatch: {CPU: f}\n"
            "  gradients:\n    context: grad\n",
            "ops.yaml:4: an argument of a formula must not be called 'context'",
        ),
    ],
)
def test_a_problem_is_told_with_its_line(text, problem):
    with pytest.raises(DeclarationError) as raised:
        read(text)

    assert str(raised.value).startswith(problem)


def test_a_formula_keeps_one_list_at_most():
    with pytest.raises(DeclarationError, match=r"^ops\.yaml:1: a formula keeps one list of tensor"):
        write(formula("f(Tensor[] a, Tensor[] b) -> Tensor", a="g(grad, a, b)", b="g(grad, b, a)"))
