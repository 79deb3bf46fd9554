"""Schedulers give PyTorch's rates, step by step."""

import copy
import io
import pickle
import weakref

import opwright as ow
import pytest
import torch
from opwright.optim import lr_scheduler

STEPS = 25


class Halver:
    """A callable object: its attributes are part of a state dict."""

    def __init__(self, factor: float = 0.5):
        self.factor = factor

    def __call__(self, step: int) -> float:
        return self.factor ** (step // 3)


def make_optimizer(library, kind="SGD"):
    parameters = [library.nn.Parameter(library.ones(2)) for _ in range(2)]
    for each in parameters:
        each.grad = library.ones(2)
    groups = [{"params": [parameters[0]]}, {"params": [parameters[1]], "lr": 0.5}]
    settings = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(library.optim, kind)(groups, lr=0.05, **settings)


CASES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, [lambda step: 0.9**step, Halver()]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda step: 0.95),
    "StepLR": lambda s, o: s.StepLR(o, step_size=4, gamma=0.3),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9, 9, 14], gamma=0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o, factor=0.25, total_iters=4),
    "LinearLR": lambda s, o: s.LinearLR(o, start_factor=0.25, total_iters=7),
    "LinearLR down": lambda s, o: s.LinearLR(o, 1.0, end_factor=0.1, total_iters=7),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, gamma=0.8),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=9, power=2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, T_max=6, eta_min=1e-3),
    "WarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=1e-3),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, [0.1, 0.2], step_size_up=3, step_size_down=5),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, mode="triangular2"
    ),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, mode="exp_range", gamma=0.9
    ),
    "CyclicLR scale_fn": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, scale_fn=Halver(), scale_mode="iterations"
    ),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, [0.1, 0.2], total_steps=STEPS + 1),
    "OneCycleLR linear": lambda s, o: s.OneCycleLR(
        o, 0.1, epochs=6, steps_per_epoch=5, anneal_strategy="linear", three_phase=True
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o,
        [s.LinearLR(o, total_iters=4), s.CosineAnnealingLR(o, T_max=6), s.ExponentialLR(o, 0.9)],
        milestones=[4, 12],
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler(
        [s.ConstantLR(o, factor=0.1, total_iters=3), s.ExponentialLR(o, gamma=0.9)]
    ),
    "nested": lambda s, o: s.SequentialLR(
        o,
        [s.ChainedScheduler([s.ConstantLR(o), s.ExponentialLR(o, 0.9)]), s.StepLR(o, 3)],
        milestones=[6],
    ),
}
# What SGD and Adam call momentum.
MOMENTA = {"SGD": lambda group: group["momentum"], "Adam": lambda group: group["betas"][0]}


def follow(optimizer, scheduler, kind, steps=STEPS):
    """Return the rates and momenta of each step."""
    found = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        groups = optimizer.param_groups
        found.append([(group["lr"], MOMENTA[kind](group)) for group in groups])
        assert scheduler.get_last_lr() == [group["lr"] for group in groups]
    return found


def assert_same(actual, expected):
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours == [pytest.approx(each, rel=1e-12, abs=1e-15) for each in theirs]


@pytest.mark.parametrize("kind", MOMENTA)
@pytest.mark.parametrize("case", CASES)
def test_rates_and_momenta_are_those_of_torch(case, kind):
    ours, theirs = make_optimizer(ow, kind), make_optimizer(torch, kind)
    actual = CASES[case](lr_scheduler, ours)
    expected = CASES[case](torch.optim.lr_scheduler, theirs)

    assert actual.get_last_lr() == pytest.approx(expected.get_last_lr(), rel=1e-12)
    assert_same(follow(ours, actual, kind), follow(theirs, expected, kind))


@pytest.mark.parametrize("case", CASES)
def test_a_loaded_scheduler_continues_where_the_saved_one_stopped(case):
    optimizer = make_optimizer(ow)
    scheduler = CASES[case](lr_scheduler, optimizer)
    follow(optimizer, scheduler, "SGD", 7)
    file = io.BytesIO()
    ow.save((optimizer.state_dict(), scheduler.state_dict()), file)
    expected = follow(optimizer, scheduler, "SGD", 10)

    saved = ow.load(io.BytesIO(file.getvalue()))
    resumed = make_optimizer(ow)
    loaded = CASES[case](lr_scheduler, resumed)
    resumed.load_state_dict(saved[0])
    loaded.load_state_dict(saved[1])

    assert_same(follow(resumed, loaded, "SGD", 10), expected)


RESUMED = {
    "StepLR": lambda s, o: s.StepLR(o, 4, last_epoch=6),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9], last_epoch=6),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8, last_epoch=6),
    "LinearLR": lambda s, o: s.LinearLR(o, total_iters=12, last_epoch=6),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=12, last_epoch=6),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 5, last_epoch=6),
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda step: 0.9**step, last_epoch=6),
}


@pytest.mark.parametrize("case", RESUMED)
def test_last_epoch_resumes_as_in_torch(case):
    found = []
    for library, schedulers in ((ow, lr_scheduler), (torch, torch.optim.lr_scheduler)):
        optimizer = make_optimizer(library)
        for group in optimizer.param_groups:
            group["initial_lr"] = 0.5
        found.append(follow(optimizer, RESUMED[case](schedulers, optimizer), "SGD", 10))

    assert_same(*found)


@pytest.mark.parametrize(
    "case", ["StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR"]
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_step_to_an_epoch_sets_its_rate_as_in_torch(case):
    found = []
    for library, schedulers in ((ow, lr_scheduler), (torch, torch.optim.lr_scheduler)):
        optimizer = make_optimizer(library)
        scheduler = CASES[case](schedulers, optimizer)
        rates = []
        for epoch in (3, 11, 4, 5):
            scheduler.step(epoch)
            rates.append(scheduler.get_last_lr())
        found.append(rates)

    assert_same(*found)


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_lowers_the_rates_as_in_torch(mode, threshold_mode):
    metrics = [3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0]
    settings = {"factor": 0.3, "patience": 1, "cooldown": 1, "min_lr": [0.01, 0.02]}
    settings |= {"mode": mode, "threshold_mode": threshold_mode}
    found = []
    for library, schedulers in ((ow, lr_scheduler), (torch, torch.optim.lr_scheduler)):
        optimizer = make_optimizer(library)
        scheduler = schedulers.ReduceLROnPlateau(optimizer, **settings)
        rates = []
        for metric in metrics:
            scheduler.step(library.tensor(metric))
            rates.append(list(scheduler.get_last_lr()))
        found.append(rates)

    assert_same(*found)


def test_a_step_before_the_optimizers_is_a_warning():
    optimizer = make_optimizer(ow)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)

    with pytest.warns(UserWarning, match=r"called before optimizer\.step\(\)"):
        scheduler.step()


def test_steps_of_the_optimizer_count_from_the_first_scheduler_on():
    optimizer = make_optimizer(ow)
    optimizer.step()
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)

    with pytest.warns(UserWarning, match=r"called before optimizer\.step\(\)"):
        scheduler.step()


def test_a_replaced_step_is_a_warning():
    optimizer = make_optimizer(ow)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step = lambda: None

    with pytest.warns(UserWarning, match=r"optimizer\.step\(\) was replaced"):
        scheduler.step()


class Descent(ow.optim.Optimizer):
    """An optimizer with a step of its own."""

    def __init__(self, params):
        super().__init__(params, {"lr": 1.0})

    def step(self, closure=None):
        for group in self.param_groups:
            for each in group["params"]:
                each.detach().sub_(each.grad, alpha=group["lr"])


@pytest.mark.filterwarnings("error")
def test_a_step_of_a_subclass_counts():
    parameter = ow.nn.Parameter(ow.ones(2))
    parameter.grad = ow.ones(2)
    optimizer = Descent([parameter])
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)

    optimizer.step()
    scheduler.step()

    assert parameter.tolist() == [0.0, 0.0]
    assert scheduler.get_last_lr() == [0.5]


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda each: pickle.loads(pickle.dumps(each))}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_an_optimizer_with_a_scheduler_steps_its_own_parameters(copied):
    optimizer = make_optimizer(ow)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)

    other, other_scheduler = COPIES[copied]((optimizer, scheduler))
    for group in other.param_groups:
        for each in group["params"]:
            each.grad = ow.ones(2)
    other.step()
    other_scheduler.step()

    assert other_scheduler.optimizer is other
    assert [group["lr"] for group in other.param_groups] == [0.025, 0.25]
    assert [group["lr"] for group in optimizer.param_groups] == [0.05, 0.5]
    assert optimizer.param_groups[0]["params"][0].tolist() == [1.0, 1.0]
    assert other.param_groups[0]["params"][0].tolist() == pytest.approx([0.95, 0.95])


def test_the_milestones_of_a_loaded_scheduler_are_counted():
    optimizer = make_optimizer(ow)
    first = lr_scheduler.MultiStepLR(optimizer, [3, 9, 9])
    second = lr_scheduler.MultiStepLR(optimizer, [1])

    second.load_state_dict(first.state_dict())

    assert [second.milestones[step] for step in (1, 3, 9)] == [0, 1, 2]


def test_an_optimizer_with_a_scheduler_is_freed_without_a_collection():
    optimizer = make_optimizer(ow)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    gone = weakref.ref(optimizer)

    del optimizer, scheduler

    assert gone() is None


ERRORS = {
    "not an optimizer": (
        lambda o: lr_scheduler.StepLR(3, 2),
        TypeError,
        "StepLR: int is not an Optimizer",
    ),
    "one function too few": (
        lambda o: lr_scheduler.LambdaLR(o, [abs]),
        ValueError,
        "LambdaLR: lr_lambda must have one value for each of the 2 parameter groups, got 1",
    ),
    "no function": (
        lambda o: lr_scheduler.MultiplicativeLR(o, 0.5),
        TypeError,
        "MultiplicativeLR: lr_lambda should be a function, got 0.5",
    ),
    "no initial rate": (
        lambda o: lr_scheduler.StepLR(o, 2, last_epoch=3),
        KeyError,
        "param 'initial_lr' is not specified in param_groups[0], which last_epoch=3 needs",
    ),
    "factor": (
        lambda o: lr_scheduler.ConstantLR(o, factor=2),
        ValueError,
        "ConstantLR: factor must be between 0 and 1, got 2",
    ),
    "steps": (
        lambda o: lr_scheduler.OneCycleLR(o, 0.1, epochs=3),
        ValueError,
        "OneCycleLR: define either total_steps or both epochs and steps_per_epoch",
    ),
    "plateau in a chain": (
        lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.ReduceLROnPlateau(o)]),
        ValueError,
        "ChainedScheduler: it does not support `ReduceLROnPlateau`, whose step needs a metric",
    ),
    "two optimizers": (
        lambda o: lr_scheduler.ChainedScheduler(
            [lr_scheduler.StepLR(o, 2), lr_scheduler.StepLR(make_optimizer(ow), 2)]
        ),
        ValueError,
        "expects all schedulers to belong to the same optimizer, but the StepLR at index 1",
    ),
    "milestones": (
        lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.StepLR(o, 2)], [3]),
        ValueError,
        "got 1 schedulers and 1 milestones",
    ),
    "mode": (
        lambda o: lr_scheduler.ReduceLROnPlateau(o, mode="least"),
        ValueError,
        "ReduceLROnPlateau: mode must be 'min' or 'max', got 'least'",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_bad_settings_are_refused_with_the_scheduler_and_the_setting(case):
    make, kind, text = ERRORS[case]

    with pytest.raises(kind) as raised:
        make(make_optimizer(ow))

    assert text in str(raised.value)


def test_one_cycle_refuses_a_step_beyond_its_last():
    optimizer = make_optimizer(ow)
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)

    follow(optimizer, scheduler, "SGD", 2)

    with pytest.raises(ValueError, match=r"tried to step 3 times\. The specified number of total"):
        scheduler.step()


def test_compat_has_the_schedulers_as_a_module():
    from opwright.compat.torch.optim import lr_scheduler as schedulers
    from opwright.compat.torch.optim.lr_scheduler import StepLR

    assert schedulers.StepLR is StepLR is lr_scheduler.StepLR
