"""State of tensors beyond their data, and results of calls: the same as uncompiled."""

import collections
import time
import warnings

import opwright as ow
import pytest


@pytest.fixture(autouse=True)
def breaks_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def leaf(gradient=None):
    tensor = ow.ones(1, requires_grad=True)
    if gradient is not None:
        tensor.grad = ow.full([1], gradient)
    return tensor


# ---- What is read of an argument ----


def gradient(p):
    return p.detach() * 2 if p.grad is None else p.grad * 3


def gradient_of_a_list(ps):
    return sum((p.grad for p in ps if p.grad is not None), ow.zeros(1))


def is_leaf(p):
    return (p * 2 if p.is_leaf else p * 3).detach()


def name_of_history(p):
    return (p * len(p.grad_fn.name())).detach()


def writes(p):
    return p * 0 + p._version


def offset(p):
    return p * 0 + p.storage_offset()


def base(p):
    return p * 2 if p._base is None else p * 3


def is_a_view(p):
    return p * 2 if p._is_view() else p * 3


def keeps_a_gradient(p):
    return (p * 2 if p.retains_grad else p * 3).detach()


def arguments_of(function):
    computed = leaf() * 1
    kept = leaf() * 1
    kept.retain_grad()
    written = ow.ones(1)
    written.add_(1)
    memory = ow.arange(4.0)
    return {
        gradient: [leaf(), leaf(1.0), leaf(5.0), leaf()],
        gradient_of_a_list: [[leaf(), leaf(1.0)], [leaf(2.0), leaf()], [leaf(5.0), leaf(7.0)]],
        is_leaf: [leaf(), computed, leaf()],
        name_of_history: [computed, (leaf() + 1) - 1],
        writes: [ow.ones(1), written],
        offset: [memory[:2], memory[1:3], memory[2:]],
        base: [memory, memory[:]],
        is_a_view: [memory, memory[:]],
        keeps_a_gradient: [computed, kept],
    }[function]


READS = [
    gradient,
    gradient_of_a_list,
    is_leaf,
    name_of_history,
    writes,
    offset,
    base,
    is_a_view,
    keeps_a_gradient,
]


@pytest.mark.parametrize("function", READS, ids=lambda function: function.__name__)
def test_arguments_with_another_history_give_their_own_answer(function):
    compiled = ow.compile(function)

    arguments = arguments_of(function)

    assert [compiled(each).tolist() for each in arguments] == [
        function(each).tolist() for each in arguments
    ]


def test_a_gradient_that_appears_is_noticed():
    p = leaf()
    f = ow.compile(lambda x: x * 2 if p.grad is None else x)
    assert f(ow.ones(1)).item() == 2.0

    p.grad = ow.ones(1)

    assert f(ow.ones(1)).item() == 1.0


# ---- What is set ----


def test_a_gradient_that_it_sets_is_set_on_every_call():
    p = leaf()

    @ow.compile
    def f(x):
        p.grad = x * 2
        return x + 1

    found = []
    for value in (1.0, 2.0, 3.0):
        f(ow.full([1], value))
        found.append(p.grad.item())

    assert found == [2.0, 4.0, 6.0]


def test_a_gradient_that_it_clears_is_cleared_on_every_call():
    model = ow.nn.Linear(1, 1)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    p = leaf()

    @ow.compile
    def f(x):
        p.grad = None
        optimizer.zero_grad()
        return x + 1

    for _ in range(3):
        p.grad, model.weight.grad = ow.ones(1), ow.ones(1, 1)
        f(ow.ones(1))
        assert p.grad is None
        assert model.weight.grad is None


def test_detach_in_place_detaches_the_argument_on_every_call():
    @ow.compile
    def f(x):
        x.detach_()
        return x * 2

    for _ in range(3):
        x = leaf() * 1
        assert not f(x).requires_grad
        assert not x.requires_grad


@pytest.mark.parametrize(
    "make_optimizer",
    [
        lambda parameters: ow.optim.SGD(parameters, lr=0.1, momentum=0.9),
        lambda parameters: ow.optim.Adam(parameters, lr=0.1),
        lambda parameters: ow.optim.AdamW(parameters, lr=0.1),
    ],
)
def test_a_training_step_with_its_optimizer_is_the_same_as_uncompiled(make_optimizer):
    def train(compile):
        parameter = ow.nn.Parameter(ow.ones(2))
        optimizer = make_optimizer([parameter])

        def step(x):
            optimizer.zero_grad()
            loss = (parameter * x).pow(2).sum()
            loss.backward()
            optimizer.step()
            return loss.detach()

        run = compile(step)
        found = []
        for i in range(6):
            found.append((run(ow.ones(2)).item(), parameter.tolist()))
            if i == 3:
                optimizer.param_groups[0]["lr"] = 0.01
        return found

    assert train(ow.compile) == train(lambda step: step)


def test_an_optimizer_step_notices_another_learning_rate():
    def train(compile):
        parameter = ow.nn.Parameter(ow.ones(2))
        optimizer = ow.optim.SGD([parameter], lr=0.5)
        run = compile(lambda: optimizer.step())
        found = []
        for rate in (0.5, 0.25, 0.125):
            parameter.grad = ow.ones(2)
            optimizer.param_groups[0]["lr"] = rate
            run()
            found.append(parameter.tolist())
        return found

    assert train(ow.compile) == train(lambda step: step)


# ---- Backward functions ----


def scaled_backward(state):
    class Scaled(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return gradient * state["scale"]

    return Scaled.apply


def test_what_a_backward_function_reads_is_guarded():
    state = {"scale": 2.0}
    f = ow.compile(scaled_backward(state), fullgraph=True)
    found = []

    for state["scale"] in (2.0, 5.0, 2.0):
        x = leaf()
        f(x).backward()
        found.append(x.grad.item())

    assert found == [2.0, 5.0, 2.0]
    assert f.num_compiles == 2


def test_effects_of_a_backward_function_happen_on_every_call():
    calls = []

    class Counted(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            calls.append(1)
            return gradient * 2

    f = ow.compile(Counted.apply)
    f(leaf()).backward()
    before = len(calls)
    f(leaf()).backward()

    assert len(calls) == before + 1


def test_a_backward_function_that_reads_the_time_runs_as_it_is():
    class Timed(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return gradient * (time.perf_counter() > 0)

    f = ow.compile(Timed.apply)
    x = leaf()
    f(x).backward()

    assert x.grad.item() == 1.0
    assert "perf_counter" in f.breaks[0]


# ---- Modules whose dicts are written ----


def test_members_that_are_replaced_in_the_dicts_of_a_module_are_noticed():
    class Scale(ow.nn.Module):
        def __init__(self, value):
            super().__init__()
            self.register_buffer("value", ow.full([1], value))

        def forward(self, x):
            return x * self.value

    model = ow.nn.Sequential(Scale(2.0), ow.nn.Linear(1, 1, bias=False))
    model[1].weight.requires_grad_(False).fill_(1.0)
    f = ow.compile(model, fullgraph=True)
    found = [f(ow.ones(1)).item()]
    model[0]._buffers["value"] = ow.full([1], 5.0)
    found.append(f(ow.ones(1)).item())
    model[1]._parameters["weight"] = ow.full([1, 1], 10.0)
    found.append(f(ow.ones(1)).item())
    model._modules["0"] = Scale(3.0)
    found.append(f(ow.ones(1)).item())

    assert found == [2.0, 5.0, 50.0, 30.0]


# ---- What it returns ----


def test_a_container_from_outside_is_returned_itself():
    history = [1.0, 2.0]
    f = ow.compile(lambda x, given: (x * 2, history, given))
    given = {"a": ow.ones(1)}

    for _ in range(2):
        _, outside, back = f(ow.ones(1), given)
        assert outside is history
        assert back is given


def test_a_new_container_is_new_in_every_call():
    f = ow.compile(lambda x: (x * 2, [1, 2], {"a": 1}), fullgraph=True)

    _, numbers, table = f(ow.ones(1))
    numbers.append(3)
    table["b"] = 2

    assert f(ow.ones(1))[1:] == ([1, 2], {"a": 1})


# ---- Arguments that hold more than their pytree ----


def test_an_attribute_that_is_no_part_of_the_pytree_is_noticed():
    class Pair(collections.namedtuple("Pair", "a")):
        pass

    class Node:
        def __init__(self, x, scale):
            self.x, self.scale = x, scale

    ow.pytree.register_pytree_node(
        Node, lambda node: ([node.x], None), lambda children, context: Node(*children, None)
    )
    of_tuple = ow.compile(lambda x, pair: x * pair.scale * pair.a)
    of_node = ow.compile(lambda node: node.x * node.scale)

    for scale in (2.0, 3.0, 4.0):
        pair = Pair(1.0)
        pair.scale = scale
        assert of_tuple(ow.ones(1), pair).item() == scale
        assert of_node(Node(ow.ones(1), scale)).item() == scale


def test_an_attribute_in_the_context_of_a_pytree_keeps_the_graph():
    class Scaled:
        def __init__(self, x, scale):
            self.x, self.scale = x, scale

    ow.pytree.register_pytree_node(
        Scaled,
        lambda node: ([node.x], (node.scale,)),
        lambda children, context: Scaled(*children, *context),
    )
    f = ow.compile(lambda node: node.x * node.scale, fullgraph=True)

    assert [f(Scaled(ow.ones(1), scale)).item() for scale in (2.0, 3.0, 2.0)] == [2.0, 3.0, 2.0]
    assert f.num_compiles == 2
