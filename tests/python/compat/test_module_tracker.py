"""torch.utils.module_tracker: which modules run, forward or backward."""

import opwright.compat.torch as torch
from opwright.compat.torch.utils.module_tracker import ModuleTracker


class Doubling(torch.nn.Module):
    """Calls `show` in its forward and in its backward."""

    def __init__(self, show):
        super().__init__()
        self.show = show

    def forward(self, x):
        self.show("forward")
        y = x * 2
        if y.requires_grad:
            y.register_hook(lambda gradient: self.show("backward"))
        return y * 1


def test_the_running_modules_are_known_forward_and_backward():
    seen = []

    def show(when):
        seen.append((when, tracker.is_bw, sorted(tracker.parents)))

    model = torch.nn.Sequential(Doubling(show), torch.nn.ModuleDict({"b": Doubling(show)})["b"])
    x = torch.ones(2, requires_grad=True)
    with ModuleTracker() as tracker:
        loss = model(x).sum()
        assert tracker.parents == {"Global"}
        loss.backward()
        assert tracker.parents == {"Global"}

    assert seen == [
        ("forward", False, ["Global", "Sequential", "Sequential.0"]),
        ("forward", False, ["Global", "Sequential", "Sequential.1"]),
        ("backward", True, ["Global", "Sequential", "Sequential.1"]),
        ("backward", True, ["Global", "Sequential", "Sequential.0"]),
    ]


def test_a_backward_that_ends_inside_of_a_module_leaves_it():
    with ModuleTracker() as tracker:
        layer = torch.nn.Linear(2, 2)
        layer(torch.ones(2)).sum().backward()

        assert tracker.parents == {"Global"}


def test_nothing_is_observed_after_the_end():
    model = Doubling(lambda when: None)
    with ModuleTracker() as tracker:
        loss = model(torch.ones(2, requires_grad=True)).sum()
    seen = []
    model.show = lambda when: seen.append(set(tracker.parents))

    model(torch.ones(2))
    loss.backward()

    assert seen == [{"Global"}, {"Global"}]
