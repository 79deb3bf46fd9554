"""Control flow on data refuses, naming the line and the ways out."""

import opwright as ow
import pytest
from opwright import make_fx

MODES = ["real", "fake", "symbolic"]


def refusal(f, mode, *args):
    with pytest.raises(RuntimeError) as error:
        make_fx(f, tracing_mode=mode)(*args)
    return str(error.value)


@pytest.mark.parametrize("mode", MODES)
def test_a_branch_on_data_is_refused(mode, here):
    def f(x):
        if x.sum() > 0:  # branch
            return x
        return -x

    text = refusal(f, mode, ow.ones(3))

    assert here("branch") in text
    assert "opwright.cond" in text
    assert "custom_op" in text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.numpy(),
        lambda x: x.tolist(),
        lambda x: float(x[0]),
        lambda x: x[0].item(),
        lambda x: x.data_ptr(),
    ],
    ids=["numpy", "tolist", "float", "item", "data_ptr"],
)
def test_reading_data_is_refused(mode, read):
    def f(x):
        read(x)
        return x

    text = refusal(f, mode, ow.ones(3))

    assert "test_data_dependence.py" in text


def test_an_operator_without_a_fake_kernel_is_named():
    @ow.library.custom_op("trial_trace::unfaked", mutates_args=())
    def unfaked(x: ow.Tensor) -> ow.Tensor:
        return x

    with pytest.raises(NotImplementedError) as error:
        make_fx(unfaked, tracing_mode="symbolic")(ow.ones(2))

    assert "trial_trace::unfaked has no fake kernel" in str(error.value)
    assert "test_data_dependence.py" in str(error.value)
    assert "register_fake" in str(error.value)


def test_a_returned_object_is_named():
    class Box:
        pass

    def f(x):
        return {"box": [x, Box()]}

    with pytest.raises(TypeError) as error:
        make_fx(f)(ow.ones(2))

    assert "Box" in str(error.value)
    assert 'result["box"][1]' in str(error.value)
    assert "return tensors" in str(error.value)


def test_assertions_of_a_graph_hold_for_what_it_is_taken_apart_into():
    def f(counts):
        n = counts.sum().item()
        ow.check_size(n, min=1, max=8)
        return ow.addmm(ow.ones(n, n), ow.ones(n, 2), ow.ones(2, n))

    traced = make_fx(f, tracing_mode="symbolic")(ow.tensor([1, 2]))

    apart = traced.decompose([ow.ops.aten.addmm.default])

    assert apart(ow.tensor([1, 2, 1])).shape == (4, 4)
    with pytest.raises(ValueError, match="must be at most 8"):
        apart(ow.tensor([4, 5]))
