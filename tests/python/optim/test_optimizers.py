"""Optimizers against torch: values and groups; and what they refuse."""

import re

import numpy as np
import opwright as ow
import pytest
import torch

CASES = {
    "plain sgd": ("SGD", {"lr": 0.1}),
    "momentum": ("SGD", {"lr": 0.05, "momentum": 0.9}),
    "dampening": ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.3}),
    "nesterov": ("SGD", {"lr": 0.05, "momentum": 0.8, "nesterov": True}),
    "decaying sgd": ("SGD", {"lr": 0.1, "weight_decay": 0.01, "maximize": True}),
    "all of sgd": ("SGD", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1, "nesterov": True}),
    "adam": ("Adam", {"lr": 0.02}),
    "decaying adam": ("Adam", {"lr": 0.02, "weight_decay": 0.1, "betas": (0.8, 0.95)}),
    "amsgrad": ("Adam", {"lr": 0.02, "amsgrad": True, "eps": 1e-6}),
    "maximizing adam": ("Adam", {"lr": 0.02, "maximize": True}),
    "decoupled adam": ("Adam", {"lr": 0.02, "weight_decay": 0.2, "decoupled_weight_decay": True}),
    "adamw": ("AdamW", {"lr": 0.02}),
    "all of adamw": (
        "AdamW",
        {"lr": 0.02, "weight_decay": 0.3, "amsgrad": True, "maximize": True},
    ),
    "rmsprop": ("RMSprop", {"lr": 0.02}),
    "all of rmsprop": (
        "RMSprop",
        {"lr": 0.02, "momentum": 0.5, "centered": True, "weight_decay": 0.1, "maximize": True},
    ),
    "adagrad": ("Adagrad", {"lr": 0.02}),
    "all of adagrad": (
        "Adagrad",
        {"lr": 0.02, "lr_decay": 0.1, "initial_accumulator_value": 0.3, "weight_decay": 0.1},
    ),
    "adadelta": ("Adadelta", {"lr": 0.5}),
    "all of adadelta": ("Adadelta", {"rho": 0.8, "weight_decay": 0.1, "maximize": True}),
    "adamax": ("Adamax", {"lr": 0.02}),
    "all of adamax": ("Adamax", {"lr": 0.02, "weight_decay": 0.1, "maximize": True}),
    "nadam": ("NAdam", {"lr": 0.02}),
    "all of nadam": (
        "NAdam",
        {"lr": 0.02, "weight_decay": 0.1, "decoupled_weight_decay": True, "momentum_decay": 0.01},
    ),
    "radam": ("RAdam", {"lr": 0.02}),
    "all of radam": ("RAdam", {"lr": 0.02, "betas": (0.8, 0.9), "weight_decay": 0.1}),
    "rprop": ("Rprop", {"lr": 0.02}),
    "all of rprop": ("Rprop", {"etas": (0.4, 1.3), "step_sizes": (1e-3, 0.1), "maximize": True}),
    "asgd": ("ASGD", {"lr": 0.02}),
    "all of asgd": ("ASGD", {"lr": 0.02, "t0": 10, "lambd": 0.1, "weight_decay": 0.1}),
}
# torch's Adafactor and Muon refuse complex numbers.
COMPLEX = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1, "maximize": True}),
    ("AdamW", {"amsgrad": True}),
    ("RMSprop", {}),
    ("Adagrad", {}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("Rprop", {}),
    ("ASGD", {}),
]
SIZES = [(3, 4), (5,), (), (2, 3, 2), (0, 2), (20000,)]
ADAM = {"lr": 0.02, "amsgrad": True}
SGD = {"lr": 0.1, "momentum": 0.9}


class Twins:
    """The same parameters with an optimizer of each package."""

    def __init__(self, name, settings, dtype="float32", sizes=SIZES):
        self.random = np.random.default_rng(0)
        values = [self.random.standard_normal(each) for each in sizes]
        self.ours = [ow.nn.Parameter(ow.tensor(v, dtype=getattr(ow, dtype))) for v in values]
        self.theirs = [
            torch.nn.Parameter(torch.tensor(v, dtype=getattr(torch, dtype))) for v in values
        ]
        self.optimizer = getattr(ow.optim, name)(self.ours, **settings)
        self.torch_optimizer = getattr(torch.optim, name)(self.theirs, **settings)

    def step(self, without=()):
        for i, (ours, theirs) in enumerate(zip(self.ours, self.theirs, strict=True)):
            value = self.random.standard_normal(theirs.shape)
            theirs.grad = torch.tensor(value, dtype=theirs.dtype)
            ours.grad = ow.tensor(value, dtype=ours.dtype)
            if i in without:
                theirs.grad = ours.grad = None
        self.optimizer.step()
        self.torch_optimizer.step()

    def expect_equal(self, **tolerance):
        for ours, theirs in zip(self.ours, self.theirs, strict=True):
            torch.testing.assert_close(from_ours(ours), theirs.detach(), **tolerance)


def from_ours(tensor):
    return torch.from_dlpack(tensor.detach())


# ---- Values ----


@pytest.mark.parametrize("case", CASES)
def test_fifty_steps_give_the_parameters_of_torch(case):
    twins = Twins(*CASES[case])
    for _ in range(50):
        twins.step()
    twins.expect_equal(rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(
    "case", ["all of sgd", "amsgrad", "adamw", "all of rmsprop", "all of nadam", "all of asgd"]
)
def test_steps_in_float64_are_exact(case):
    twins = Twins(*CASES[case], dtype="float64")
    for _ in range(50):
        twins.step()
    twins.expect_equal(rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("name", "settings"), COMPLEX)
def test_complex_parameters_move_as_pairs_of_real_ones(name, settings):
    values = np.random.default_rng(0).standard_normal((6, 5, 2)).view(np.complex128)[..., 0]
    ours = ow.nn.Parameter(ow.tensor(values[0]))
    theirs = torch.nn.Parameter(torch.tensor(values[0]))
    optimizer = getattr(ow.optim, name)([ours], lr=0.02, **settings)
    torch_optimizer = getattr(torch.optim, name)([theirs], lr=0.02, **settings)
    for value in values:
        ours.grad, theirs.grad = ow.tensor(value), torch.tensor(value)
        optimizer.step()
        torch_optimizer.step()

    torch.testing.assert_close(from_ours(ours), theirs.detach())
    for key, value in torch_optimizer.state[theirs].items():
        torch.testing.assert_close(from_ours(optimizer.state[ours][key]), value)


@pytest.mark.parametrize(
    "settings", [{}, {"eps": (1e-4, 1e-2), "d": 2.0, "weight_decay": 0.1, "maximize": True}]
)
def test_adafactor_gives_the_parameters_of_torch(settings):
    # torch's Adafactor divides by the number of elements, so it refuses an empty parameter.
    twins = Twins("Adafactor", {"lr": 0.02, **settings}, sizes=[(3, 4), (5,), (), (2, 3, 2)])
    for _ in range(50):
        twins.step()
    twins.expect_equal(rtol=2e-5, atol=2e-6)


def test_adafactor_accepts_an_empty_parameter():
    weight = ow.nn.Parameter(ow.ones(0, 2))
    optimizer = ow.optim.Adafactor([weight])
    weight.grad = ow.ones(0, 2)
    optimizer.step()
    assert optimizer.state[weight]["step"].item() == 1


@pytest.mark.parametrize(
    "settings",
    [{}, {"nesterov": False, "weight_decay": 0.0}, {"adjust_lr_fn": "match_rms_adamw"}],
)
def test_muon_moves_matrices_as_in_torch(settings):
    twins = Twins("Muon", {"lr": 0.1, **settings}, sizes=[(3, 5), (6, 2)])
    for _ in range(4):
        twins.step()
    # The iterations round to bfloat16, in the order of each library's products.
    twins.expect_equal(rtol=0, atol=5e-3)


def minimize_rosenbrock(library, steps, **settings):
    point = library.nn.Parameter(library.tensor([-1.2, 1.0, 0.7], dtype=library.float64))
    optimizer = library.optim.LBFGS([point], **settings)

    def closure():
        optimizer.zero_grad()
        first, second = point[:-1], point[1:]
        loss = (100 * (second - first * first) ** 2 + (1 - first) ** 2).sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(steps)]
    return losses, point.tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"line_search_fn": "strong_wolfe"},
        {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 7},
        {"lr": 1e-3, "max_iter": 5},
        {"lr": 1e-2, "tolerance_change": 1e-3},
    ],
)
def test_lbfgs_visits_the_points_of_torch(settings):
    losses, point = minimize_rosenbrock(ow, 4, **settings)
    expected_losses, expected_point = minimize_rosenbrock(torch, 4, **settings)

    assert losses == pytest.approx(expected_losses, rel=1e-5, abs=1e-12)
    assert point == pytest.approx(expected_point, rel=1e-5)


def test_lbfgs_finds_the_minimum():
    losses, point = minimize_rosenbrock(ow, 10, line_search_fn="strong_wolfe")

    assert losses[-1] < 1e-9
    assert point == pytest.approx([1.0, 1.0, 1.0], abs=1e-4)


# In float16 torch's own Adam divides by a root that is zero there.
@pytest.mark.parametrize(
    ("case", "dtype"), [("momentum", "bfloat16"), ("momentum", "float16"), ("adam", "bfloat16")]
)
def test_steps_of_halves_are_near(case, dtype):
    twins = Twins(*CASES[case], dtype=dtype)
    for _ in range(5):
        twins.step()
    twins.expect_equal(rtol=5e-2, atol=5e-2)


@pytest.mark.parametrize("case", ["momentum", "amsgrad"])
def test_parameters_without_a_gradient_stay_and_may_join_later(case):
    twins = Twins(*CASES[case])
    for without in [(0, 2), (0,), (), (1, 3), ()]:
        twins.step(without)
    twins.expect_equal(rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("name", "settings"), [("SGD", SGD), ("Adam", ADAM)])
def test_any_strides_give_the_same(name, settings):
    value = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)

    def run(parameter, gradient):
        optimizer = getattr(ow.optim, name)([parameter], **settings)
        for _ in range(3):
            parameter.grad = gradient
            optimizer.step()
        return parameter.tolist()

    dense, gradient = ow.tensor(value), ow.tensor(value[::-1].copy())
    expected = run(dense.clone(), gradient)
    assert run(dense.clone(), gradient.t().clone().t()) == expected
    assert run(dense.t().clone().t(), gradient) == expected
    assert run(ow.zeros(4, 12)[:, ::2].copy_(dense), gradient) == expected


def test_a_step_changes_the_parameter_itself():
    weight = ow.nn.Parameter(ow.ones(2))
    view = weight.detach()
    weight.grad = ow.ones(2)
    ow.optim.SGD([weight], lr=1.0).step()
    assert view.tolist() == [0.0, 0.0]
    assert weight.requires_grad
    assert weight.is_leaf


def test_a_step_fits_a_line():
    x = ow.linspace(-1, 1, 20)
    y = 3 * x + 0.5
    slope, offset = ow.nn.Parameter(ow.zeros(())), ow.nn.Parameter(ow.zeros(()))
    optimizer = ow.optim.Adam([slope, offset], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = ((slope * x + offset - y) ** 2).mean()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(300)]

    assert losses[-1] < 1e-6 < losses[0]
    assert slope.item() == pytest.approx(3, abs=1e-2)


# ---- Groups ----


def test_groups_have_settings_of_their_own():
    twins = Twins("SGD", SGD)
    ours, theirs = ow.nn.Parameter(ow.ones(3)), torch.nn.Parameter(torch.ones(3))
    twins.optimizer.add_param_group({"params": ours, "lr": 0.5, "momentum": 0.0})
    twins.torch_optimizer.add_param_group({"params": theirs, "lr": 0.5, "momentum": 0.0})
    for _ in range(3):
        ours.grad, theirs.grad = ow.ones(3), torch.ones(3)
        twins.step()
    assert ours.tolist() == theirs.tolist()
    twins.expect_equal()


def test_a_changed_lr_counts_from_the_next_step():
    weight = ow.nn.Parameter(ow.zeros(1))
    optimizer = ow.optim.SGD([weight], lr=1.0)
    optimizer.param_groups[0]["lr"] = 0.25
    weight.grad = ow.ones(1)
    optimizer.step()
    assert weight.tolist() == [-0.25]


def test_zero_grad_drops_or_fills():
    weight = ow.nn.Parameter(ow.ones(2))
    optimizer = ow.optim.SGD([weight])
    weight.grad = ow.ones(2)
    optimizer.zero_grad(set_to_none=False)
    assert weight.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert weight.grad is None
    optimizer.zero_grad(set_to_none=False)
    assert weight.grad is None


def test_the_settings_are_shown():
    optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    assert repr(optimizer) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    lr: 0.1\n    maximize: False\n"
        "    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


# ---- Wrong uses ----

WEIGHT = ow.nn.Parameter(ow.ones(2))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: ow.optim.SGD(WEIGHT),
            TypeError,
            "SGD: params must be an iterable of tensors or of dicts, got Parameter; put it in a "
            "list",
        ),
        (lambda: ow.optim.Adam([]), ValueError, "Adam: params is empty"),
        (lambda: ow.optim.SGD([1]), TypeError, "SGD: params must be tensors, got int"),
        (
            lambda: ow.optim.SGD([WEIGHT * 2]),
            ValueError,
            "SGD: params must be leaves, got one that was computed from others; give the optimizer "
            "what it was computed from",
        ),
        (
            lambda: ow.optim.SGD([WEIGHT, WEIGHT]),
            ValueError,
            "SGD: a parameter appears twice in one group",
        ),
        (
            lambda: ow.optim.SGD([{"params": [WEIGHT]}, {"params": [WEIGHT]}]),
            ValueError,
            "SGD: a parameter appears in more than one group",
        ),
        (
            lambda: ow.optim.SGD([{"lr": 1.0}]),
            TypeError,
            "SGD: a group of parameters must be a dict with 'params', got {'lr': 1.0}",
        ),
        (lambda: ow.optim.SGD([WEIGHT], lr=-1), ValueError, "SGD: lr must not be negative, got -1"),
        (
            lambda: ow.optim.AdamW([WEIGHT], lr=ow.ones(1)),
            TypeError,
            "AdamW: lr must be a number, got Tensor",
        ),
        (
            lambda: ow.optim.SGD([WEIGHT], nesterov=True),
            ValueError,
            "SGD: nesterov needs momentum above 0 and no dampening, got momentum 0 and dampening 0",
        ),
        (
            lambda: ow.optim.Adam([WEIGHT], betas=(0.9, 1.0)),
            ValueError,
            "Adam: betas must be at least 0 and below 1, got (0.9, 1.0)",
        ),
        (
            lambda: ow.optim.Rprop([WEIGHT], etas=(1.0, 2.0)),
            ValueError,
            "Rprop: etas must be a number between 0 and 1 and a number above 1, got (1.0, 2.0)",
        ),
        (
            lambda: ow.optim.Adadelta([WEIGHT], rho=2),
            ValueError,
            "Adadelta: rho must be between 0 and 1, got 2",
        ),
        (
            lambda: ow.optim.Muon([WEIGHT]),
            ValueError,
            "Muon: only supports real 2D parameters, got a parameter with size (2,) and dtype "
            "opwright.float32",
        ),
        (
            lambda: ow.optim.LBFGS([{"params": [WEIGHT]}, {"params": []}]),
            ValueError,
            "LBFGS: doesn't support per-parameter options (parameter groups); pass all parameters "
            "in one list",
        ),
        (
            lambda: ow.optim.LBFGS([WEIGHT]).step(None),
            TypeError,
            "LBFGS: step needs a closure that computes the loss and its gradients",
        ),
        (
            lambda: ow.optim.Adafactor([WEIGHT], d=0.5),
            ValueError,
            "Adafactor: d must be at least 1, got 0.5",
        ),
        (
            lambda: ow.optim.Adam([WEIGHT], betas=(0.9,)),
            ValueError,
            "Adam: betas must be two numbers, got (0.9,)",
        ),
    ],
)
def test_wrong_settings_are_named(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (
            ([ow.ones(2)], [], [], [], [], [ow.ones(())]),
            "_fused_adam_: grads must have 1 tensors, one for each parameter, got 0",
        ),
        (
            ([ow.ones(2)], [ow.ones(3)], [ow.ones(2)], [ow.ones(2)], [], [ow.ones(())]),
            "_fused_adam_: grads[0] must match its parameter (float32[2]), got float32[3]",
        ),
        (
            ([ow.ones(2)], [ow.ones(2)], [ow.ones(2)], [ow.ones(2)], [], []),
            "_fused_adam_: state_steps must have 1 tensors, one for each parameter, got 0",
        ),
        (
            ([ow.ones(2)], [ow.ones(2)], [ow.ones(2)], [ow.ones(2)], [], [ow.zeros(())]),
            "_fused_adam_: state_steps[0] must be incremented before the step and at least 1, "
            "got 0",
        ),
    ],
)
def test_lists_that_do_not_fit_are_named(lists, message):
    settings = {"lr": 0.1, "beta1": 0.9, "beta2": 0.9, "weight_decay": 0.0, "eps": 1e-8}
    with pytest.raises(ValueError, match=re.escape(message)):
        ow.ops.aten._fused_adam_(*lists, **settings, amsgrad=False, maximize=False)


# ---- The operators ----


def test_gradients_are_unscaled_and_a_step_with_an_infinite_one_is_left_out():
    parameter, gradient = ow.ones(2), ow.tensor([8.0, 16.0])
    settings = {
        "weight_decay": 0.0,
        "momentum": 0.0,
        "lr": 1.0,
        "dampening": 0.0,
        "nesterov": False,
        "maximize": False,
        "is_first_step": False,
        "grad_scale": ow.tensor(8.0),
    }
    step = ow.ops.aten._fused_sgd_
    step([parameter], [gradient], [], **settings, found_inf=ow.tensor(1.0))
    assert parameter.tolist() == [1.0, 1.0]
    step([parameter], [gradient], [], **settings, found_inf=ow.tensor(0.0))
    assert parameter.tolist() == [0.0, -1.0]
    assert gradient.tolist() == [1.0, 2.0]


def test_foreach_add_adds_to_each_tensor():
    tensors = [ow.ones(2), ow.tensor(3), ow.zeros(2, 2).t()]
    ow.ops.aten._foreach_add_(tensors, 2)
    assert [each.tolist() for each in tensors] == [[3.0, 3.0], 5, [[2.0, 2.0], [2.0, 2.0]]]


def test_a_whole_training_step_is_a_graph():
    x = ow.tensor([1.0, 2.0])
    weight, twin = ow.nn.Parameter(ow.ones(2)), ow.nn.Parameter(ow.ones(2))

    def make_step(parameter):
        optimizer = ow.optim.SGD([parameter], lr=0.5)

        def step(x):
            optimizer.zero_grad()
            loss = (parameter * x).sum()
            loss.backward()
            optimizer.step()
            return loss

        return step

    traced, eager = ow.make_fx(make_step(weight))(x), make_step(twin)
    eager(x)  # tracing ran the step once
    for _ in range(3):
        assert traced(x).tolist() == eager(x).tolist()
    assert weight.tolist() == twin.tolist() == [-1.0, -3.0]


def test_a_step_is_functionalized():
    def step(parameter, gradient):
        settings = {"weight_decay": 0.0, "momentum": 0.0, "lr": 1.0, "dampening": 0.0}
        flags = {"nesterov": False, "maximize": False, "is_first_step": False}
        ow.ops.aten._fused_sgd_([parameter], [gradient], [], **settings, **flags)
        return parameter * 2

    parameter = ow.ones(2)
    assert ow.func.functionalize(step)(parameter, ow.ones(2)).tolist() == [0.0, 0.0]
    assert parameter.tolist() == [0.0, 0.0]
