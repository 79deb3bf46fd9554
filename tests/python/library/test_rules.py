"""Rules are kept in the row, behind adapters to torch.library's forms."""

from enum import Enum
from types import SimpleNamespace

import opwright as ow
import pytest
from opwright import Tensor, library
from opwright.library import Library


def numbers(x: Tensor) -> list:
    return x.tolist()


@pytest.fixture
def pair() -> ow.Operator:
    @library.custom_op("trial_rules::pair", mutates_args=())
    def pair(x: Tensor, n: int, y: Tensor) -> tuple[Tensor, Tensor]:
        return x * n, y * n

    return pair


@pytest.fixture
def single() -> ow.Operator:
    @library.custom_op("trial_rules::single", mutates_args=())
    def single(x: Tensor, *, factor: float = 2.0) -> Tensor:
        return x * factor

    return single


# ---- vmap ----


def test_a_vmap_rule_gets_info_in_dims_and_the_arguments(pair):
    seen = []

    @pair.register_vmap
    def rule(info, in_dims, x, n, y):
        seen.append((info.batch_size, info.randomness, in_dims, n))
        return (x, y), (0, None)

    x, y, out_dims = library.get_kernel(pair, "Vmap")(
        5, "error", [1, None, None], ow.ones(2), 3, ow.zeros(2)
    )

    assert seen == [(5, "error", (1, None, None), 3)]
    assert (numbers(x), numbers(y), list(out_dims)) == ([1.0, 1.0], [0.0, 0.0], [0, None])


def test_keyword_only_arguments_reach_a_vmap_rule_by_name(single):
    seen = []

    @library.register_vmap("trial_rules::single")
    def rule(info, in_dims, x, *, factor):
        seen.append((in_dims, info.keyword_in_dims, factor))
        return x * factor, in_dims[0]

    result, out_dims = library.get_kernel(single, "Vmap")(
        2, "different", [0, None], ow.tensor([1.0]), 3.0
    )

    assert seen == [((0,), {"factor": None}, 3.0)]
    assert (numbers(result), list(out_dims)) == ([3.0], [0])


def test_keyword_only_tensors_are_taken_by_a_vmap_rule():
    seen = []

    @library.custom_op("trial_rules::keyword_tensor", mutates_args=())
    def op(x: Tensor, *, y: Tensor) -> Tensor:
        return x + y

    @op.register_vmap
    def rule(info, in_dims, x, *, y):
        seen.append((in_dims, info.keyword_in_dims))
        return x + y, 0

    library.get_kernel(op, "Vmap")(2, "error", [None, 1], ow.ones(2), ow.ones(2))

    assert seen == [((None,), {"y": 1})]


def test_the_dims_of_a_list_argument_are_a_tuple():
    seen = []

    @library.custom_op("trial_rules::total", mutates_args=())
    def total(xs: list[Tensor]) -> Tensor:
        return xs[0] + xs[1]

    @total.register_vmap
    def rule(info, in_dims, xs):
        seen.append(in_dims)
        return xs[0], 0

    library.get_kernel(total, "Vmap")(2, "error", [[0, None]], [ow.ones(2), ow.ones(2)])

    assert seen == [((0, None),)]


def test_one_out_dim_is_for_all_results(pair):
    pair.register_vmap(lambda info, in_dims, x, n, y: ((x, y), 0))

    *_, out_dims = library.get_kernel(pair, "Vmap")(
        5, "error", [0, None, 0], ow.ones(2), 3, ow.ones(2)
    )

    assert list(out_dims) == [0, 0]


def test_an_operator_without_results_has_no_out_dims():
    @library.custom_op("trial_rules::nothing", mutates_args=())
    def nothing(x: Tensor) -> None: ...

    nothing.register_vmap(lambda info, in_dims, x: (None, None))

    out_dims = library.get_kernel(nothing, "Vmap")(5, "error", [0], ow.ones(2))

    assert list(out_dims) == []


def test_a_vmap_rule_that_gives_no_out_dims_is_told(single):
    single.register_vmap(lambda info, in_dims, x, factor: x)

    with pytest.raises(RuntimeError) as failure:
        library.get_kernel(single, "Vmap")(2, "error", [0, None], ow.ones(2), 2.0)

    assert (
        "trial_rules::single: the vmap rule must return (output, out_dims), got one value"
        in str(failure.value)
    )


def test_a_vmap_rule_with_the_wrong_number_of_outputs_is_told(pair):
    pair.register_vmap(lambda info, in_dims, x, n, y: ((x,), (0,)))

    with pytest.raises(RuntimeError) as failure:
        library.get_kernel(pair, "Vmap")(2, "error", [0, None, 0], ow.ones(2), 3, ow.ones(2))

    assert (
        "trial_rules::pair: the vmap rule returned 1 outputs and 1 out_dims, but the operator has "
        "2 results" in str(failure.value)
    )


class Mode(Enum):
    FAST = 1


def test_rules_get_members_of_an_enum_and_tuples_as_kernels_do():
    seen = []

    @library.custom_op("trial_rules::restored", mutates_args=())
    def restored(x: Tensor, mode: Mode, *, pair: tuple[int, int]) -> Tensor:
        return x

    @restored.register_vmap
    def rule(info, in_dims, x, mode, *, pair):
        seen.append((mode, pair))
        return x, 0

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        seen.append((inputs[1], keyword_only_inputs["pair"]))

    restored.register_autograd(lambda ctx, grad: grad, setup_context=setup_context)

    x = ow.ones(1)
    library.get_kernel(restored, "Vmap")(1, "error", [0, None, None], x, 1, [2, 3])
    library.get_kernel(restored, "SetupContext")(SimpleNamespace(), x, 1, [2, 3], x)

    assert seen == [(Mode.FAST, (2, 3))] * 2


# ---- autograd ----


def run_backward(op: ow.Operator, context: object, *gradients: Tensor) -> tuple:
    given = library.get_kernel(op, "Autograd")(context, *gradients)
    return given if isinstance(given, tuple) else (given,)


def test_a_backward_gives_one_gradient_per_argument(pair):
    pair.register_autograd(lambda ctx, gx, gy: (gx * ctx.n, None, gy * ctx.n))

    gx, gy = run_backward(pair, SimpleNamespace(n=3), ow.ones(1), ow.ones(2))

    assert (numbers(gx), numbers(gy)) == ([3.0], [3.0, 3.0])


def test_a_gradient_may_be_none(pair):
    pair.register_autograd(lambda ctx, gx, gy: (None, None, gy))

    gx, gy = run_backward(pair, SimpleNamespace(), ow.ones(1), ow.ones(2))

    assert gx is None
    assert numbers(gy) == [1.0, 1.0]


def test_one_argument_takes_one_value(single):
    library.register_autograd(single, lambda ctx, grad: grad * ctx.factor)

    (grad,) = run_backward(single, SimpleNamespace(factor=4.0), ow.ones(1))

    assert numbers(grad) == [4.0]


@pytest.mark.parametrize("given", [1, 2])
def test_too_few_gradients_name_both_numbers(pair, given):
    pair.register_autograd(lambda ctx, gx, gy: (gx,) * given)

    with pytest.raises(RuntimeError) as failure:
        run_backward(pair, SimpleNamespace(), ow.ones(1), ow.ones(1))

    assert (
        f"trial_rules::pair: the backward formula returned {given} gradients, but the operator has "
        "3 arguments\n"
        "  Return one for each of x, n, y: None for an argument that has no gradient."
        in str(failure.value)
    )


def test_too_many_gradients_name_both_numbers(pair):
    pair.register_autograd(lambda ctx, gx, gy: (gx, None, gy, gy))

    with pytest.raises(
        RuntimeError, match="returned 4 gradients, but the operator has 3 arguments"
    ):
        run_backward(pair, SimpleNamespace(), ow.ones(1), ow.ones(1))


def test_none_behind_the_last_gradient_is_no_error(pair):
    pair.register_autograd(lambda ctx, gx, gy: (gx, None, gy, None))

    assert len(run_backward(pair, SimpleNamespace(), ow.ones(1), ow.ones(1))) == 2


def test_a_gradient_of_what_is_no_tensor_is_told(pair):
    pair.register_autograd(lambda ctx, gx, gy: (gx, gx, gy))

    with pytest.raises(RuntimeError, match="returned a gradient for 'n', which is SymInt"):
        run_backward(pair, SimpleNamespace(), ow.ones(1), ow.ones(1))


def test_a_list_argument_has_a_list_of_gradients():
    @library.custom_op("trial_rules::list_argument", mutates_args=())
    def op(xs: list[Tensor], n: int) -> Tensor:
        return xs[0]

    op.register_autograd(lambda ctx, grad: ([grad, None], None))

    (grads,) = run_backward(op, SimpleNamespace(), ow.ones(1))

    assert [g if g is None else numbers(g) for g in grads] == [[1.0], None]


def test_keyword_only_tensors_have_gradients_behind_the_others():
    @library.custom_op("trial_rules::keyword_gradient", mutates_args=())
    def op(x: Tensor, *, n: int, y: Tensor) -> Tensor:
        return x + y

    op.register_autograd(lambda ctx, grad: (grad, grad * 2))

    gx, gy = run_backward(op, SimpleNamespace(), ow.ones(1))

    assert (numbers(gx), numbers(gy)) == ([1.0], [2.0])


def test_setup_context_gets_inputs_and_the_output(pair):
    def setup_context(ctx, inputs, output):
        ctx.seen = inputs, output

    pair.register_autograd(lambda ctx, gx, gy: None, setup_context=setup_context)
    context = SimpleNamespace()
    x, y, first, second = (ow.ones(1) for _ in range(4))

    library.get_kernel(pair, "SetupContext")(context, x, 3, y, first, second)

    assert context.seen == ((x, 3, y), (first, second))


def test_setup_context_gets_keyword_only_inputs(single):
    def setup_context(ctx, inputs, keyword_only_inputs, output):
        ctx.seen = inputs, keyword_only_inputs, output

    single.register_autograd(lambda ctx, grad: None, setup_context=setup_context)
    context = SimpleNamespace()
    x, output = ow.ones(1), ow.ones(1)

    library.get_kernel(single, "SetupContext")(context, x, 2.5, output)

    assert context.seen == ((x,), {"factor": 2.5}, output)


def test_setup_context_may_name_its_parameters_as_it_likes(pair):
    def save(c, i, o):
        c.seen = i[1]

    pair.register_autograd(lambda ctx, gx, gy: None, setup_context=save)
    context = SimpleNamespace()

    library.get_kernel(pair, "SetupContext")(context, ow.ones(1), 3, *(ow.ones(1),) * 3)

    assert context.seen == 3


def test_a_setup_context_of_another_form_is_refused_at_once(single):
    with pytest.raises(TypeError) as failure:
        single.register_autograd(lambda ctx, grad: grad, setup_context=lambda ctx, inputs: None)

    assert str(failure.value) == (
        "trial_rules::single: setup_context must take (ctx, inputs, keyword_only_inputs, output), "
        "got (ctx, inputs)"
    )


def test_a_formula_without_setup_context_takes_an_older_one_away(pair):
    pair.register_autograd(lambda *args: None, setup_context=lambda ctx, inputs, output: None)
    pair.register_autograd(lambda *args: None)

    assert "SetupContext" not in dict(pair.implementations())


def test_rules_show_the_line_of_the_authors_function(pair, line_of):
    def backward(ctx, gx, gy): ...

    def batch(info, in_dims, x, n, y): ...

    pair.register_autograd(backward)
    pair.register_vmap(batch)

    sites = dict(pair.implementations())
    assert sites["Autograd"] == line_of(backward)
    assert sites["Vmap"] == line_of(batch)


def test_rules_of_a_library_end_with_it(pair):
    with Library("trial_rules", "IMPL") as lib:
        library.register_vmap(pair, lambda *args: None, lib=lib)
        library.register_autograd(pair, lambda *args: None, lib=lib)
        library.register_fake(pair, lambda x, n, y: (x, y), lib=lib)
        library.register_autocast(pair, "cpu", ow.float16, lib=lib)
        assert {"Vmap", "Autograd", "Fake", "Autocast"} <= set(dict(pair.implementations()))

    assert dict(pair.implementations()).keys() == {"AllDevices"}


@pytest.mark.parametrize(
    ("register", "what"),
    [(library.register_vmap, "a vmap rule"), (library.register_autograd, "a backward formula")],
)
def test_a_rule_that_cannot_be_called_is_refused(pair, register, what):
    with pytest.raises(TypeError) as failure:
        register(pair, 3)

    assert str(failure.value) == f"trial_rules::pair: {what} must be callable, got int"


@pytest.mark.parametrize("register", [library.register_vmap, library.register_autograd])
def test_a_rule_for_an_operator_that_is_not_there_names_the_closest(register):
    with pytest.raises(AttributeError, match="there is no operator aten::sine; did you mean"):
        register("aten::sine", lambda *args: None)


# ---- autocast, effect, opaque types ----


def test_autocast_casts_floating_tensors_and_keyword_arguments_too():
    @library.custom_op("trial_rules::cast", mutates_args=())
    def cast(x: Tensor, n: Tensor, *, y: Tensor) -> Tensor:
        return x + y

    cast.register_autocast("cpu", ow.float16)

    x, n, y = library.get_kernel(cast, "Autocast")(
        ow.float16, ow.device("cpu"), ow.ones(1), ow.tensor([1]), ow.ones(1)
    )

    assert (x.dtype, n.dtype, y.dtype) == (ow.float16, ow.int64, ow.float16)


def test_autocast_rules_of_two_devices_stand_side_by_side(single):
    single.register_autocast("cpu", ow.float16)
    single.register_autocast("cuda", ow.bfloat16)

    x, _ = library.get_kernel(single, "Autocast")(ow.float16, ow.device("cpu"), ow.ones(1), 2.0)

    assert x.dtype == ow.float16


def test_autocast_of_an_unknown_device_is_refused(single):
    with pytest.raises(ValueError, match="unknown device 'nowhere'; known: cpu, cuda"):
        library.register_autocast(single, "nowhere", ow.float16)


def test_an_effect_is_a_tag(single):
    library.register_effect(single)

    assert "ordered" in single.tags


def test_another_effect_is_refused(single):
    with pytest.raises(ValueError, match="the effect of an operator is 'ordered', got 'random'"):
        single.register_effect("random")


class Filter:
    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filter) and other.gain == self.gain

    def __hash__(self) -> int:
        return hash(self.gain)


def test_an_opaque_class_is_named_by_its_module_unless_told_otherwise():
    @library.register_opaque_type
    class Local: ...

    assert library.register_opaque_type(Filter, "trial_rules.Filter") is Filter

    def function(x: Filter, y: Local) -> Filter: ...

    name = f"{__name__}.test_an_opaque_class_is_named_by_its_module_unless_told_otherwise.Local"
    assert library.infer_schema(function, mutates_args=()) == (
        f"(trial_rules.Filter x, {name} y) -> trial_rules.Filter"
    )


def test_an_opaque_value_stays_the_same_object():
    library.register_opaque_type(Filter, "trial_rules.Filter")

    @library.custom_op("trial_rules::same", mutates_args=())
    def same(x: Tensor, filter: Filter) -> Filter:
        return filter

    given = Filter(2.0)

    assert same(ow.ones(1), given) is given


def test_a_value_of_another_class_is_refused():
    library.register_opaque_type(Filter, "trial_rules.Filter")

    @library.custom_op("trial_rules::other", mutates_args=())
    def other(filter: Filter) -> None: ...

    with pytest.raises(TypeError, match=r"argument 'filter' .* must be trial_rules.Filter"):
        other(object())
