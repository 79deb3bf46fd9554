"""Kernels that give other results than their schema says."""

from ..host import Example, Host, same_form
from .fault import fault


@fault("results/wrong-results", words=r"2 results")
def too_few_results(host: Host) -> Example:
    """Declares two results and gives one."""
    op = host.define(
        "too_few_results(Tensor x) -> (Tensor, Tensor)",
        lambda x: x * 2,
        fake=lambda x: (same_form(x), same_form(x)),
    )
    return Example(op, (host.matrix(),))


@fault("results/wrong-results", words=r"float")
def number_for_tensor(host: Host) -> Example:
    """Declares a tensor and gives a number."""
    op = host.define(
        "number_for_tensor(Tensor x) -> Tensor",
        lambda x: float(x.sum()),
        fake=lambda x: x.new_empty(()),
    )
    return Example(op, (host.matrix(),))


@fault("results/wrong-results", words=r"None")
def nothing_for_empty(host: Host) -> Example:
    """Declares a tensor and gives None if there is nothing to compute."""
    op = host.define(
        "nothing_for_empty(Tensor x) -> Tensor",
        lambda x: x * 2 if x.numel() else None,
        fake=same_form,
    )
    return Example(op, (host.matrix(),))


@fault("results/wrong-results", "fake/fake-refuses", words=r"Tensor")
def tensor_for_number(host: Host) -> Example:
    """Declares an integer and gives a tensor."""
    op = host.define("tensor_for_number(Tensor x) -> int", lambda x: x.sum(), fake=lambda x: 1)
    return Example(op, (host.matrix(),))
