"""Operators of authors under vmap: by their rule, by their body, or sample by sample."""

import warnings

import opwright as ow
import pytest
from opwright import Tensor, library, vmap

from .samples import assert_same, counted


@pytest.fixture
def shift() -> ow.Operator:
    @library.custom_op("trial_vmap::shift", mutates_args=())
    def shift(x: Tensor, *, by: Tensor) -> Tensor:
        return x + by

    return shift


def quietly(func, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ow.PerformanceWarning)
        return func(*args)


# ---- Rules ----


def test_a_rule_runs_once_and_is_told_where_the_batches_are():
    seen = []

    @library.custom_op("trial_vmap::gain", mutates_args=())
    def gain(x: Tensor, factor: float = 2.0) -> Tensor:
        seen.append(tuple(x.shape))
        return x * factor

    @gain.register_vmap
    def _(info, in_dims, x, factor):
        seen.append((info.batch_size, info.randomness, in_dims))
        return gain(x, factor), in_dims[0]

    given = vmap(gain, in_dims=1, randomness="same")(counted(2, 3))

    assert seen == [(3, "same", (1, None)), (2, 3)]
    assert_same(given, counted(2, 3).t() * 2)


def test_a_keyword_only_tensor_may_have_a_batch(shift):
    seen = []

    @shift.register_vmap
    def _(info, in_dims, x, *, by):
        seen.append((in_dims, info.keyword_in_dims))
        return x.unsqueeze(0) + by, 0

    given = vmap(lambda x, by: shift(x, by=by), in_dims=(None, 0))(counted(2), counted(3, 2))

    assert seen == [((None,), {"by": 0})]
    assert_same(given, counted(2) + counted(3, 2))


def test_lists_and_optional_tensors_have_dims_of_their_own():
    seen = []

    @library.custom_op("trial_vmap::total", mutates_args=())
    def total(xs: list[Tensor], bias: Tensor | None = None) -> Tensor:
        return xs[0] + xs[1] + (0 if bias is None else bias)

    @total.register_vmap
    def _(info, in_dims, xs, bias):
        seen.append(in_dims)
        return total(xs, bias), 0

    x, y = counted(3), ow.ones(())
    vmap(lambda x, y: total([x, y]), in_dims=(0, None))(x, y)
    given = vmap(lambda x, y: total([x, y], x), in_dims=(0, None))(x, y)

    assert seen == [((0, None), None), ((0, None), 0)]
    assert given.tolist() == [1, 3, 5]


def test_results_have_dims_of_their_own_and_none_is_the_same_for_all():
    @library.custom_op("trial_vmap::split", mutates_args=())
    def split(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x + 1, x * 2, ow.ones(2)

    @split.register_vmap
    def _(info, in_dims, x):
        x = x.movedim(in_dims[0], 0)
        return (x + 1, (x * 2).t(), ow.ones(2)), (0, -1, None)

    x = counted(3, 2)
    first, second, third = vmap(split)(x)

    assert_same(first, x + 1)
    assert_same(second, x * 2)
    assert_same(third, ow.ones(3, 2))


@pytest.mark.parametrize("out_dims", [0, [0, 0], [0, None]])
def test_a_list_of_results_has_one_dim_or_one_for_each(out_dims):
    @library.custom_op("trial_vmap::pieces", mutates_args=())
    def pieces(x: Tensor) -> list[Tensor]:
        return [x + 1, ow.ones(3)]

    @pieces.register_vmap
    def _(info, in_dims, x):
        return [x + 1, ow.ones(3)], out_dims

    left, right = vmap(lambda x: tuple(pieces(x)))(counted(3))

    assert left.tolist() == [1, 2, 3]
    assert tuple(right.shape) == ((3, 3) if out_dims == [0, None] else (3,))


def test_a_rule_of_an_operator_that_writes():
    @library.custom_op("trial_vmap::scale_", mutates_args={"x"})
    def scale_(x: Tensor, factor: Tensor) -> None:
        x.mul_(factor)

    @scale_.register_vmap
    def _(info, in_dims, x, factor):
        x.movedim(in_dims[0], 0).mul_(factor.unsqueeze(1))
        return None, None

    x = counted(2, 3)
    vmap(lambda x, f: scale_(x, f), in_dims=(1, 0), out_dims=None)(x, counted(3))

    assert x.tolist() == [[0, 1, 4], [0, 4, 10]]


def test_a_written_argument_comes_back_as_the_callers_own_object():
    lib = library.Library("trial_vmap_own", "DEF")
    lib.define("bump_(Tensor(a!) x) -> Tensor(a!)")
    library.impl("trial_vmap_own::bump_", "CPU", lambda x: x.add_(1), lib=lib)
    library.register_vmap(
        "trial_vmap_own::bump_", lambda info, in_dims, x: (x.add_(1), in_dims[0]), lib=lib
    )
    same = []

    vmap(lambda x: same.append(ow.ops.trial_vmap_own.bump_(x) is x) or x)(counted(3))

    assert same == [True]


def test_a_rule_with_a_wrong_number_of_out_dims(shift):
    shift.register_vmap(lambda info, in_dims, x, by: (x, [0, 0]))

    with pytest.raises(
        TypeError, match="trial_vmap::shift: the vmap rule returned a list as the out_"
    ):
        vmap(lambda x: shift(x, by=x))(counted(3))


@pytest.mark.parametrize(
    ("out_dim", "kind", "message"),
    [
        (2, IndexError, "the vmap rule returned out_dim 2 for a result of 2 dimensions"),
        (
            1,
            ValueError,
            r"the vmap rule returned a result \(float32\[3, 2\]\) with out_dim 1, but the batch "
            r"has 3",
        ),
    ],
)
def test_a_rule_whose_out_dim_does_not_fit(shift, out_dim, kind, message):
    shift.register_vmap(lambda info, in_dims, x, by: (x, out_dim))

    with pytest.raises(kind, match="trial_vmap::shift: " + message):
        vmap(lambda x: shift(x, by=x))(counted(3, 2))


def test_an_error_inside_of_a_rule_tells_the_operator(shift):
    def rule(info, in_dims, x, by):
        raise KeyError("mine")

    shift.register_vmap(rule)

    with pytest.raises(KeyError, match="mine") as caught:
        vmap(lambda x: shift(x, by=x))(counted(3))

    assert any("in the rule for Vmap of trial_vmap::shift" in n for n in caught.value.__notes__)


# ---- Bodies ----


def test_a_composite_operator_is_seen_through():
    lib = library.Library("trial_vmap_body", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    sizes = []

    @library.impl("trial_vmap_body::twice", "CompositeImplicitAutograd", lib=lib)
    def twice(x):
        sizes.append(tuple(x.shape))
        return x + x

    given = vmap(ow.ops.trial_vmap_body.twice)(counted(3, 2))

    assert sizes == [(2,)]
    assert_same(given, counted(3, 2) * 2)


def test_a_composite_operator_with_a_rule_stays_whole():
    lib = library.Library("trial_vmap_whole", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    library.impl("trial_vmap_whole::twice", "CompositeImplicitAutograd", lambda x: x + x, lib=lib)
    library.register_vmap(
        "trial_vmap_whole::twice", lambda info, in_dims, x: (x * 20, in_dims[0]), lib=lib
    )

    given = vmap(ow.ops.trial_vmap_whole.twice)(counted(3))

    assert given.tolist() == [0, 20, 40]


# ---- Sample by sample ----


def test_an_operator_without_a_rule_runs_for_each_sample_and_warns_once(shift):
    calls = []

    @library.custom_op("trial_vmap::slow", mutates_args=())
    def slow(x: Tensor) -> Tensor:
        calls.append(tuple(x.shape))
        return x + 1

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        given = vmap(slow)(counted(3, 2))
        vmap(slow)(counted(3, 2))

    assert [str(each.message) for each in warned] == [
        "trial_vmap::slow has no vmap rule, so vmap runs it once for each sample, which is slow\n"
        '  Register a rule with opwright.library.register_vmap("trial_vmap::slow", rule) or, in '
        'C++, m.register_vmap("slow", &rule); an operator that works element by element needs the '
        "tag pointwise instead."
    ]
    assert warned[0].filename == __file__
    assert calls == [(2,)] * 6
    assert_same(given, counted(3, 2) + 1)


def test_the_warning_may_be_an_error():
    @library.custom_op("trial_vmap::refused", mutates_args=())
    def refused(x: Tensor) -> Tensor:
        return x + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error", ow.PerformanceWarning)
        with pytest.raises(ow.PerformanceWarning, match="trial_vmap::refused has no vmap rule"):
            vmap(refused)(counted(3))


def test_samples_of_lists_keyword_only_and_optional_tensors():
    @library.custom_op("trial_vmap::mixed", mutates_args=())
    def mixed(
        xs: list[Tensor], bias: Tensor | None, *, scale: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        total = xs[0] + xs[1] * scale + (0 if bias is None else bias)
        return total, [total.clone(), total * 2]

    x, y = counted(3, 2), counted(2)

    def f(x):
        total, (one, two) = mixed([x, y], None, scale=x)
        return total, one, two, mixed([y, x], x, scale=y)[0]

    total, one, two, other = quietly(vmap(f), x)

    assert_same(total, x + y * x)
    assert_same(one, total)
    assert_same(two, total * 2)
    assert_same(other, y + x * y + x)


def test_writes_to_samples_reach_the_batch():
    @library.custom_op("trial_vmap::accumulate_", mutates_args={"x"})
    def accumulate_(x: Tensor, y: Tensor) -> Tensor:
        x.add_(y)
        return x * 1

    x = counted(2, 3)
    given = quietly(vmap(accumulate_, in_dims=(1, None)), x, ow.tensor([10.0, 20.0]))

    assert x.tolist() == [[10, 11, 12], [23, 24, 25]]
    assert_same(given, x.t())


def test_a_captured_tensor_is_not_written_by_samples():
    @library.custom_op("trial_vmap::add_into_", mutates_args={"x"})
    def add_into_(x: Tensor, y: Tensor) -> None:
        x.add_(y)

    total = ow.zeros(2)
    with pytest.raises(
        RuntimeError, match=r"trial_vmap::add_into_\(.* 'x' is written with values that"
    ):
        vmap(lambda y: add_into_(total, y))(counted(3, 2))


def test_a_number_that_differs_between_samples_is_refused():
    @library.custom_op("trial_vmap::size_of", mutates_args=())
    def size_of(x: Tensor) -> int:
        return int(x.sum().item())

    with pytest.raises(RuntimeError, match="trial_vmap::size_of: result 1 differs between the"):
        quietly(vmap(lambda x: x * size_of(x)), counted(3))


def test_a_number_that_is_the_same_for_all_samples_is_given():
    @library.custom_op("trial_vmap::length", mutates_args=())
    def length(x: Tensor) -> int:
        return x.shape[0]

    assert quietly(vmap(lambda x: x * length(x)), ow.ones(3, 2)).tolist() == [[2, 2]] * 3


def test_results_of_other_sizes_are_refused():
    @library.custom_op("trial_vmap::positive", mutates_args=())
    def positive(x: Tensor) -> Tensor:
        return x[x > 2]

    with pytest.raises(
        RuntimeError, match=r"trial_vmap::positive: result 1 has sizes \[0\] for one sample of vmap"
    ):
        quietly(vmap(positive), counted(3, 2))


def test_a_view_is_not_given_sample_by_sample():
    lib = library.Library("trial_vmap_view", "DEF")
    lib.define("first(Tensor(a) x) -> Tensor(a)")
    library.impl("trial_vmap_view::first", "CPU", lambda x: x[0], lib=lib)

    with pytest.raises(
        NotImplementedError, match="trial_vmap_view::first: it returns a view and has no vmap rule"
    ):
        vmap(ow.ops.trial_vmap_view.first)(counted(3, 2))


def test_without_samples_zeros_tell_the_sizes():
    @library.custom_op("trial_vmap::widen", mutates_args=())
    def widen(x: Tensor) -> Tensor:
        return ow.cat([x, x])

    assert tuple(quietly(vmap(widen), ow.zeros(0, 3)).shape) == (0, 6)


def test_nested_vmaps_run_each_sample_of_each():
    calls = []

    @library.custom_op("trial_vmap::inner", mutates_args=())
    def inner(x: Tensor, y: Tensor) -> Tensor:
        calls.append(tuple(x.shape))
        return x * y

    x, y = counted(2, 3, 2), counted(3, 2)
    given = quietly(vmap(vmap(inner), in_dims=(0, None)), x, y)

    assert calls == [(2,)] * 6
    assert_same(given, x * y)
