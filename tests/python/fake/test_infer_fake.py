"""infer_fake: shapes of an operator without a fake kernel by running it."""

import opwright as ow
import pytest
from opwright import FakeTensorMode, library


@pytest.fixture
def mode() -> FakeTensorMode:
    return FakeTensorMode()


@pytest.fixture
def x(mode) -> ow.Tensor:
    return mode.from_tensor(ow.zeros(8, 6), dynamic=True)


def make(body) -> ow.Operator:
    def infer(x: ow.Tensor) -> ow.Tensor:
        x.data_ptr()
        return body(x)

    return library.custom_op(f"trial_i::op{id(body)}", infer, mutates_args=(), device_types="cpu")


@pytest.mark.filterwarnings("ignore:trial_i")
@pytest.mark.parametrize(
    ("body", "shape", "stride"),
    [
        (lambda x: x.clone(), "(s0, s1)", "(s1, 1)"),
        (lambda x: x.t().clone(), "(s1, s0)", "(1, s1)"),
        (lambda x: x[::2].clone(), "((s0 + 1)//2, s1)", "(s1, 1)"),
        (lambda x: x[1:].clone(), "(s0 - 1, s1)", "(s1, 1)"),
        (lambda x: ow.cat([x, x], 1), "(s0, 2*s1)", "(2*s1, 1)"),
        (lambda x: x.reshape(-1).clone(), "(s0*s1,)", "(1,)"),
        (lambda x: x.sum(), "()", "()"),
        (lambda x: ow.zeros(5), "(5,)", "(1,)"),
    ],
)
def test_two_runs_tell_the_sizes(x, body, shape, stride):
    op = make(body)

    with library.infer_fake(op):
        result = op(x)

    assert (result.is_fake, str(result.shape), str(result.stride())) == (True, shape, stride)


def test_there_is_one_warning_for_each_operator(x):
    op = make(lambda x: x.clone())

    with library.infer_fake(op), pytest.warns(UserWarning, match="has no fake kernel") as warned:
        _ = [op(x) for _ in range(2)]

    assert [str(w.message) for w in warned] == [
        f"{op.name} has no fake kernel: the shapes of its results are inferred by running it on "
        "zeros; register one with opwright.library.register_fake"
    ]


@pytest.mark.filterwarnings("ignore:trial_i")
@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            lambda x: ow.zeros(x.shape[0] ** 2 + 1),
            "a size of a result was 65 and 442 for sizes s0 = 8 and 21, s1 = 6 and 32, which does "
            "not determine it",
        ),
        (
            lambda x: x.nonzero(),
            "the sizes of its results depend on data, for which a fake kernel has "
            "get_ctx().new_dynamic_size()",
        ),
        (lambda x: (x + 1)[:, ::2], "the strides of a result are not those of dense memory"),
        (lambda x: 1 / 0, "it fails on zeros: division by zero"),
    ],
)
def test_what_the_runs_do_not_determine_is_refused(x, body, why):
    op = make(body)

    with library.infer_fake(op), pytest.raises(RuntimeError) as failure:
        op(x)

    assert str(failure.value) == (
        f"{op.name}: its fake kernel cannot be inferred: {why}\n"
        f'  Register one with opwright.library.register_fake("{op.name}").'
    )


@pytest.mark.filterwarnings("ignore:trial_i")
def test_it_ends_with_its_scope(x):
    op = make(lambda x: x.clone())

    with library.infer_fake(op):
        op(x)
    with pytest.raises(NotImplementedError, match="has no fake kernel"):
        op(x)


@pytest.mark.filterwarnings("ignore:trial_i")
def test_it_can_be_for_all_operators(x):
    op = make(lambda x: x.clone())

    @library.custom_op("trial_i::through_numpy", mutates_args=())
    def through_numpy(x: ow.Tensor) -> ow.Tensor:
        return ow.from_numpy(x.numpy().copy())

    with library.infer_fake():
        assert str(op(x).shape) == str(through_numpy(x).shape) == "(s0, s1)"
    with pytest.raises(NotImplementedError):
        op(x)


@pytest.mark.filterwarnings("ignore:trial_i")
def test_a_fake_kernel_goes_first(x):
    op = make(lambda x: x.clone())
    op.register_fake(lambda x: x.new_empty([1]))

    with library.infer_fake(op):
        assert op(x).shape == (1,)


@pytest.mark.filterwarnings("ignore:trial_i")
def test_guards_hold_at_the_second_size(mode, x):
    assert x.shape[0] % 4 == 0

    def body(x):
        return x.reshape(-1, 4).clone()

    op = make(body)

    with library.infer_fake(op):
        assert str(op(x[:, :4].clone()).shape) in ("(s0, 4)", "(8, 4)")
