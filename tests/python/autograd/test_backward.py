"""C.4: backward and grad, accumulation, graphs that are kept and graphs of gradients."""

import threading

import opwright as ow
import pytest


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def test_gradients_add_up_over_backwards():
    x = leaf(1, 2)

    (x * 2).sum().backward()
    (x * 3).sum().backward()

    assert x.grad.tolist() == [5.0, 5.0]


def test_a_tensor_used_twice_gets_the_sum():
    x = leaf(2)

    (x * x + x).sum().backward()

    assert x.grad.tolist() == [5.0]


def test_grad_is_a_tensor_of_its_own():
    x, y = leaf(1), leaf(1)

    (x + y).sum().backward()
    x.grad.add_(1)

    assert y.grad.tolist() == [1.0]


def test_grad_may_be_set_and_deleted():
    x = leaf(1, 2)

    x.grad = ow.ones(2)
    x.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    del x.grad
    assert x.grad is None


def test_a_gradient_of_other_sizes_cannot_be_set():
    with pytest.raises(RuntimeError, match=r"must have its sizes and device: \[2\] on cpu"):
        leaf(1, 2).grad = ow.ones(3)


def test_a_gradient_is_given_for_an_output_of_several_elements():
    x = leaf(1, 2)

    (x * x).backward(ow.tensor([1.0, 10.0]))

    assert x.grad.tolist() == [2.0, 40.0]


def test_retain_graph_lets_a_backward_run_again():
    x = leaf(3)
    y = (x * x).sum()

    y.backward(retain_graph=True)
    y.backward()

    assert x.grad.tolist() == [12.0]


def test_create_graph_gives_gradients_that_are_differentiated():
    x = leaf(2)
    (x * x * x).sum().backward(create_graph=True)
    first = x.grad
    x.grad = None

    first.sum().backward()

    assert (first.tolist(), x.grad.tolist()) == ([12.0], [12.0])


def test_third_derivative():
    x = leaf(2)
    y = (x**4).sum()
    for expected in (32.0, 48.0, 48.0):
        (y,) = ow.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


def test_backward_with_inputs_leaves_other_leaves_alone():
    x, y = leaf(1), leaf(1)

    (x * y).sum().backward(inputs=[x])

    assert (x.grad.tolist(), y.grad) == ([1.0], None)


def test_backward_of_several_tensors():
    x = leaf(1)

    ow.autograd.backward([(x * 2).sum(), x * 3], [None, ow.tensor([10.0])])

    assert x.grad.tolist() == [32.0]


def test_grad_leaves_grad_alone():
    x = leaf(3)

    (found,) = ow.autograd.grad((x * x).sum(), x)

    assert (found.tolist(), x.grad) == ([6.0], None)


def test_grad_with_respect_to_what_was_computed():
    x = leaf(3)
    y = x * 2

    (found,) = ow.autograd.grad((y * y).sum(), [y])

    assert found.tolist() == [12.0]


def test_an_unused_input_is_none_when_allowed_and_zeros_when_wanted():
    x, y = leaf(1), leaf(1, 2)

    assert ow.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None
    zeros = ow.autograd.grad(x.sum(), [x, y], materialize_grads=True)[1]
    assert zeros.tolist() == [0.0, 0.0]


def test_a_batch_of_gradients():
    x = leaf(1, 2, 3)
    y = x * x

    (rows,) = ow.autograd.grad(y, x, ow.eye(3), is_grads_batched=True)

    assert rows.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def test_nothing_is_recorded_under_no_grad():
    x = leaf(1)

    with ow.no_grad():
        y = x * 2

    assert (y.requires_grad, y.grad_fn) == (False, None)


def test_what_was_computed_keeps_its_gradient_when_asked():
    x = leaf(1)
    y = x * 2
    y.retain_grad()

    (y * 3).sum().backward()

    assert (y.grad.tolist(), y.retains_grad, x.retains_grad) == ([3.0], True, False)


def test_detach_in_place_makes_a_leaf():
    y = leaf(1) * 2

    y.detach_()

    assert (y.is_leaf, y.requires_grad, y.grad_fn) == (True, False, None)


def test_data_is_the_same_memory_without_history():
    x = leaf(1, 2)

    x.data.mul_(10)
    (x * x).sum().backward()

    assert (x.tolist(), x.grad.tolist()) == ([10.0, 20.0], [20.0, 40.0])


def test_setting_data_keeps_the_leaf():
    x = leaf(1, 2)
    y = x

    x.data = ow.tensor([5.0, 6.0, 7.0])
    (x * x).sum().backward()

    assert y is x
    assert (x.requires_grad, x.grad.tolist()) == (True, [10.0, 12.0, 14.0])


# ---- The tape ----


def test_grad_fn_is_the_same_object_while_it_lives():
    y = leaf(1) * 2
    node = y.grad_fn

    assert y.grad_fn is node
    assert node.name() == "MulBackward0"
    assert repr(node) == "<MulBackward0>"


def test_next_functions_lead_to_the_leaves():
    x = leaf(1)
    y = (x * 2).sin()

    ((product, place),) = y.grad_fn.next_functions
    ((accumulate, _),) = product.next_functions

    assert (product.name(), place, accumulate.name()) == ("MulBackward0", 0, "AccumulateGrad")
    assert accumulate.variable is x


def test_metadata_stays_with_its_node():
    y = leaf(1) * 2

    y.grad_fn.metadata["key"] = 1

    assert y.grad_fn.metadata == {"key": 1}


def test_output_nr_tells_which_result_it_is():
    first, second = leaf(1, 2, 3, 4).split(2)

    assert (first.output_nr, second.output_nr) == (0, 1)


# ---- Large and parallel ----


def test_a_chain_of_a_million_nodes_is_run_and_freed():
    x = leaf(1)
    y = x
    for _ in range(1_000_000):
        y = y + 1
    y.sum().backward()
    assert x.grad.tolist() == [1.0]
    del y


def test_a_chain_of_a_million_nodes_is_freed_without_a_backward():
    y = leaf(1)
    for _ in range(1_000_000):
        y = y * 1
    del y


def test_threads_run_backwards_of_their_own():
    grads = []

    def work(factor):
        x = leaf(1, 2)
        for _ in range(50):
            (x * factor).sin().sum().backward()
        grads.append((factor, x.grad))

    threads = [threading.Thread(target=work, args=(float(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for factor, found in grads:
        expected = 50 * factor * (ow.tensor([1.0, 2.0]) * factor).cos()
        assert ow.allclose(found, expected, rtol=1e-4)


def test_threads_add_to_one_leaf():
    x = leaf(1)

    def work():
        for _ in range(100):
            (x * 1).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert x.grad.tolist() == [400.0]


# ---- what gradients are taken of ----


def test_grad_takes_iterables_and_returns_a_dict_for_a_dict():
    x, y = leaf(1), leaf(2)

    (first,) = ow.autograd.grad(iter([(x * y).sum()]), (each for each in [x]))
    named = ow.autograd.grad((x * y).sum(), {"x": x, "y": y})

    assert first.tolist() == [2.0]
    assert {name: grad.tolist() for name, grad in named.items()} == {"x": [2.0], "y": [1.0]}


def test_a_gradient_edge_is_an_output_or_an_input():
    x = leaf(3)
    y = x * x
    edge = ow.autograd.graph.get_gradient_edge

    (by_output,) = ow.autograd.grad(edge(y), x, ow.ones(1), retain_graph=True)
    (by_input,) = ow.autograd.grad(y.sum(), edge(x), retain_graph=True)
    ow.autograd.backward(y.sum(), inputs=[edge(x)])

    assert by_output.tolist() == by_input.tolist() == x.grad.tolist() == [6.0]


def test_what_is_neither_tensor_nor_edge_is_refused():
    with pytest.raises(TypeError, match="grad: inputs must be tensors or gradient edges, got int"):
        ow.autograd.grad(leaf(1).sum(), [3])
    with pytest.raises(TypeError, match="must be a tensor or an iterable of them, got int"):
        ow.autograd.grad(leaf(1).sum(), 3)


def test_materialized_gradients_of_an_output_without_history_are_zeros():
    x = leaf(1)

    (gradient,) = ow.autograd.grad(ow.ones(1), x, materialize_grads=True)

    assert gradient.tolist() == [0.0]


def test_no_inputs_are_refused():
    with pytest.raises(RuntimeError, match="grad: inputs cannot be empty"):
        ow.autograd.grad(leaf(1).sum(), [])
