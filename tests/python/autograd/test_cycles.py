"""Decision 20: autograd's Python objects are collected, and chains are freed without recursion."""

import gc
import weakref

import opwright as ow
import pytest
from opwright import _C, Tensor
from opwright.library import custom_op


@pytest.fixture
def level():
    """Fail when more tensors live after a test than before it."""
    gc.collect()
    gc.disable()
    before = _C.live_counts()
    yield
    gc.enable()
    gc.collect()
    assert _C.live_counts() == before


def define_kept(save):
    @custom_op("cycles::kept", mutates_args=())
    def kept(x: Tensor) -> Tensor:
        return x * 2

    kept.register_autograd(lambda ctx, grad: grad * 2, setup_context=save)
    return kept


def set_output(ctx, inputs, output):
    ctx.y = output


def save_output(ctx, inputs, output):
    ctx.save_for_backward(output)


def set_itself(ctx, inputs, output):
    ctx.itself = ctx


@pytest.mark.parametrize("save", [set_output, save_output, set_itself])
def test_what_a_formula_keeps_of_its_output_is_collected(level, save):
    kept = define_kept(save)
    y = kept(ow.ones(2, requires_grad=True))

    assert y.grad_fn is not None


@pytest.mark.parametrize("save", [set_output, save_output, set_itself])
def test_what_a_formula_keeps_is_collected_after_a_backward(level, save):
    kept = define_kept(save)
    x = ow.ones(2, requires_grad=True)

    kept(x).sum().backward()


def test_a_hook_that_closes_over_its_tensor_is_collected(level):
    x = ow.ones(2, requires_grad=True)
    y = x * 2

    y.register_hook(lambda gradient: y)


def test_a_hook_of_a_leaf_that_closes_over_it_is_collected(level):
    x = ow.ones(2, requires_grad=True)
    x.register_hook(lambda gradient: x)
    x.register_post_accumulate_grad_hook(lambda leaf: print(end="") if x is leaf else None)

    (x * 2).sum().backward()


def test_a_hook_of_a_node_that_closes_over_its_tensor_is_collected(level):
    y = ow.ones(2, requires_grad=True) * 2

    y.grad_fn.register_hook(lambda given, got: y.grad_fn)
    y.grad_fn.register_prehook(lambda got: y.grad_fn)


def test_a_tensor_that_is_its_own_attribute_is_collected(level):
    x = ow.ones(2, requires_grad=True)
    y = x.sin()
    y.itself = y
    x.result = y

    y.sum().backward()


def test_an_argument_whose_attribute_is_the_result_is_collected(level):
    x = ow.ones(2, requires_grad=True) * 1

    x.result = x.sin().exp()


def test_a_function_that_keeps_its_output_is_collected(level):
    class Keeps(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.y = x * 2
            ctx.save_for_backward(x, ctx.y)
            return ctx.y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = ow.ones(2, requires_grad=True)
    y = Keeps.apply(x)
    y.grad_fn.y = y

    Keeps.apply(x).sum().backward()


def test_attributes_of_a_ctx_live_until_its_node_goes():
    class Box:
        pass

    box = Box()

    def save(ctx, inputs, output):
        ctx.box = box  # noqa: F821

    kept = define_kept(save)
    y = kept(ow.ones(2, requires_grad=True))
    reference = weakref.ref(box)
    del save, box
    kept.register_autograd(lambda ctx, grad: grad)
    gc.collect()
    assert reference() is not None

    del y

    assert reference() is None


def test_a_ctx_in_use_is_not_cleared():
    kept = define_kept(set_output)
    y = kept(ow.ones(2, requires_grad=True))
    node = y.grad_fn
    gc.collect()

    assert node.y is y
    del y
    gc.collect()
    assert node.y.tolist() == [2.0, 2.0]


def test_a_node_that_somebody_holds_keeps_the_history(level):
    x = ow.ones(2, requires_grad=True)
    node = x.sin().exp().grad_fn

    assert node.next_functions[0][0].next_functions[0][0].variable is x
