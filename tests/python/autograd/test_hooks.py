"""C.4: hooks of tensors, leaves and nodes."""

import opwright as ow
import pytest
from opwright.autograd.graph import register_multi_grad_hook, saved_tensors_hooks


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def test_a_hook_sees_the_gradient_and_may_replace_it():
    seen = []
    x = leaf(1)
    y = x * 2

    def hook(gradient):
        seen.append(gradient.tolist())
        return gradient * 10

    y.register_hook(hook)
    (y * 3).sum().backward()

    assert (seen, x.grad.tolist()) == ([[3.0]], [60.0])


def test_a_hook_of_a_leaf_sees_the_sum_of_one_backward():
    seen = []
    x = leaf(1)
    x.register_hook(lambda gradient: seen.append(gradient.tolist()))

    (x * 2 + x * 3).sum().backward()

    assert seen == [[5.0]]


def test_a_removed_hook_is_not_called():
    seen = []
    x = leaf(1)
    handle = x.register_hook(seen.append)

    handle.remove()
    handle.remove()
    x.sum().backward()

    assert seen == []


def test_a_handle_removes_its_hook_at_the_end_of_a_block():
    seen = []
    x = leaf(1)

    with x.register_hook(lambda gradient: seen.append(1)):
        x.sum().backward()
    x.sum().backward()

    assert seen == [1]


def test_hooks_run_in_the_order_of_their_registration():
    seen = []
    x = leaf(1)
    x.register_hook(lambda gradient: seen.append("first"))
    x.register_hook(lambda gradient: seen.append("second"))

    x.sum().backward()

    assert seen == ["first", "second"]


def test_a_hook_may_remove_itself():
    seen = []
    x = leaf(1)

    def hook(gradient):
        seen.append(1)
        handle.remove()

    handle = x.register_hook(hook)
    x.sum().backward()
    x.sum().backward()

    assert seen == [1]


def test_a_leaf_hook_runs_after_its_gradient_was_added():
    seen = []
    x = leaf(1)
    x.register_post_accumulate_grad_hook(lambda each: seen.append((each is x, each.grad.tolist())))

    (x * 2).sum().backward()

    assert seen == [(True, [2.0])]


def test_hooks_of_a_node():
    seen = []
    x = leaf(1)
    y = x * 2

    def before(got):
        seen.append(got[0].tolist())
        return (got[0] * 10,)

    def after(given, got):
        seen.append((given[0].tolist(), got[0].tolist()))
        return (given[0] + 1,)

    y.grad_fn.register_prehook(before)
    y.grad_fn.register_hook(after)
    y.sum().backward()

    assert seen == [[1.0], ([20.0], [10.0])]
    assert x.grad.tolist() == [21.0]


def test_an_exception_in_a_hook_is_raised():
    x = leaf(1)

    def hook(gradient):
        raise KeyError("mine")

    x.register_hook(hook)

    with pytest.raises(KeyError, match="mine"):
        x.sum().backward()


def test_a_hook_that_returns_something_else_is_told():
    x = leaf(1)
    x.register_hook(lambda gradient: 3)

    with pytest.raises(TypeError, match="a hook must return a gradient or None, got int"):
        x.sum().backward()


def test_a_tensor_that_does_not_require_grad_takes_no_hook():
    with pytest.raises(RuntimeError, match="register_hook: the tensor does not require grad"):
        ow.ones(1).register_hook(print)


def test_only_leaves_take_leaf_hooks():
    with pytest.raises(RuntimeError, match="only a leaf that requires grad has its gradient"):
        (leaf(1) * 2).register_post_accumulate_grad_hook(print)


def test_what_cannot_be_called_is_no_hook():
    with pytest.raises(TypeError, match="a hook must be callable, got int"):
        leaf(1).register_hook(3)


def test_saved_tensors_go_through_hooks():
    packed = []
    x = leaf(3)

    def pack(tensor):
        packed.append(tensor.requires_grad)
        return tensor.tolist()

    with ow.autograd.graph.saved_tensors_hooks(pack, ow.tensor):
        y = (x * x).sum()
    y.backward()

    assert packed == [False, False]
    assert x.grad.tolist() == [6.0]


def test_saved_tensors_that_went_through_hooks_are_differentiated():
    x = leaf(2)

    with ow.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.tolist(), ow.tensor):
        y = (x * x * x).sum()
    (first,) = ow.autograd.grad(y, x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)

    assert (first.tolist(), second.tolist()) == ([12.0], [12.0])


def test_a_hook_of_several_tensors_gets_all_gradients_of_each_backward():
    seen = []
    x, y, unused = leaf(1), leaf(2), leaf(3)
    handle = register_multi_grad_hook((x, y, unused), seen.append)

    (x * y).sum().backward()
    x.sum().backward()
    handle.remove()
    (x * y).sum().backward()

    values = [[None if each is None else each.tolist() for each in grads] for grads in seen]
    assert values == [[[2.0], [1.0], None], [[1.0], None, None]]


def test_a_hook_of_any_tensor_runs_once_for_each_backward():
    seen = []
    x, y = leaf(1), leaf(2)
    register_multi_grad_hook((x, y), lambda gradient: seen.append(gradient.shape), mode="any")

    (x * y).sum().backward()
    (x * y).sum().backward()

    assert len(seen) == 2


def test_grad_runs_the_hooks_of_its_inputs_but_not_of_their_nodes():
    seen = []
    x = leaf(1)
    y = x * 2
    y.register_hook(lambda gradient: seen.append("tensor"))
    y.grad_fn.register_prehook(lambda gradients: seen.append("before the node"))

    ow.autograd.grad((y * 3).sum(), y)

    assert seen == ["tensor"]


def test_backward_to_inputs_runs_the_hooks_of_their_nodes():
    seen = []
    x = leaf(1)
    y = x * 2
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    y.grad_fn.register_prehook(lambda gradients: seen.append("before y"))
    y.grad_fn.register_hook(lambda given, gradients: seen.append("after y"))

    (y * 3).sum().backward(inputs=[x, y])

    assert seen == ["before y", "after y", "accumulated"]
    assert (x.grad.tolist(), y.grad.tolist()) == ([6.0], [3.0])


def test_grad_runs_only_the_tensor_hooks_of_an_input():
    seen = []
    y = leaf(1) * 2
    y.register_hook(lambda gradient: seen.append("tensor"))
    y.grad_fn.register_prehook(lambda gradients: seen.append("node"))

    ow.autograd.grad((y * 3).sum(), y)

    assert seen == ["tensor"]


def test_a_hook_after_a_leaf_sees_what_was_accumulated():
    x = leaf(1)
    accumulator = x.view_as(x).grad_fn.next_functions[0][0]
    seen = []

    def add_to_grad(leaf):
        leaf.grad.add_(0.5)

    x.register_post_accumulate_grad_hook(add_to_grad)
    accumulator.register_hook(lambda given, gradients: seen.append(gradients[0].tolist()))

    (x * 2).sum().backward()

    assert seen == [[2.5]]


def test_hooks_of_a_function_get_none_for_outputs_that_are_no_tensors():
    class Pair(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", x * 3

        @staticmethod
        def backward(ctx, first, text, second):
            return first * 2 + second * 3

    x = leaf(1)
    a, _, b = Pair.apply(x)
    a.grad_fn.register_prehook(lambda given: (given[0] * 10, given[1], given[2]))
    seen = []
    a.grad_fn.register_hook(lambda given, gradients: seen.append(gradients[1]))

    (a + b).sum().backward()

    assert (x.grad.tolist(), seen) == ([23.0], [None])


def test_a_pack_hook_must_not_write():
    def pack(tensor):
        tensor += 1
        return tensor

    with (
        saved_tensors_hooks(pack, lambda tensor: tensor),
        pytest.raises(RuntimeError, match="pack hook is modifying its input in place"),
    ):
        leaf(1).exp()


def test_hooks_that_a_backward_enters_end_with_it():
    entered = []

    def unpack(tensor):
        inner = saved_tensors_hooks(lambda tensor: entered.append(tensor), lambda packed: packed)
        inner.__enter__()
        return tensor

    with saved_tensors_hooks(lambda tensor: tensor, unpack):
        leaf(1).sin().sum().backward()
    leaf(1).sin()

    assert entered == []


def test_hooks_that_a_backward_leaves_are_there_after_it():
    packed = []
    hooks = saved_tensors_hooks(lambda tensor: packed.append(1) or tensor, lambda tensor: left())

    def left():
        hooks.__exit__()
        return ow.ones(1)

    with hooks:
        leaf(1).sin().sum().backward()
        leaf(1).sin()

    assert len(packed) == 2


# ---- Nodes ----


def test_a_node_has_a_class_of_its_name():
    y = leaf(1) * 2

    assert type(y.grad_fn).__name__ == "MulBackward0"
    assert isinstance(y.grad_fn, ow.autograd.graph.Node)
    assert type(y.grad_fn) is type((leaf(1) * 3).grad_fn)
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "AccumulateGrad"


def test_a_node_can_be_called():
    y = leaf(3) ** 2

    assert y.grad_fn(ow.ones(1)).tolist() == [6.0]
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        y.grad_fn(ow.ones(1), ow.ones(1))
