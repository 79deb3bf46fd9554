"""Kernels for another device that do not do what the CPU's do: on the tests' device "sample"."""

import opwright as ow

from ..host import BUILD, Example, Host, same_form
from .fault import fault


def _use_sample_device() -> None:
    ow.load_device(BUILD / "operators" / "libsample_device.so")


@fault(
    "devices/device-differs",
    words=r"on sample:0: the result: element .* is .* and should be .*, as on the cpu",
    twin=False,
)
def adds_on_the_device(host: Host) -> Example:
    """Adds a half on another device, and only there."""
    _use_sample_device()
    op = host.define("adds_on_the_device(Tensor x) -> Tensor", lambda x: x * 2, fake=same_form)
    host.implement("adds_on_the_device", lambda x: (x.cpu() * 2 + 0.5).to(x.device), "sample")
    return Example(op, (host.matrix(),))


@fault("devices/device-differs", words=r"argument 'x' after the call: element", twin=False)
def forgets_to_write(host: Host) -> Example:
    """Writes its argument on the CPU and leaves it as it is on another device."""
    _use_sample_device()

    def kernel(x):
        x.add_(1)

    op = host.define("forgets_to_write(Tensor(a!) x) -> ()", kernel)
    host.implement("forgets_to_write", lambda x: None, "sample")
    return Example(op, (host.matrix(),))


@fault(
    "devices/device-raises", words=r"on sample:0: it raises ValueError: only matrices", twin=False
)
def refuses_on_the_device(host: Host) -> Example:
    """Takes fewer arguments on another device than on the CPU."""
    _use_sample_device()

    def kernel(x):
        if x.dim() != 2:
            raise ValueError("only matrices")
        return (x.cpu() * 2).to(x.device)

    op = host.define("refuses_on_the_device(Tensor x) -> Tensor", lambda x: x * 2, fake=same_form)
    host.implement("refuses_on_the_device", kernel, "sample")
    return Example(op, (host.tensors.randn(2, 3, 4),))


@fault("devices/device-gradient", words=r"on sample:0: the gradient of 'x': element", twin=False)
def another_gradient_on_the_device(host: Host) -> Example:
    """Has a formula that gives something else on another device."""
    _use_sample_device()

    def backward(context, grad):
        if grad.device.type == "sample":
            return (grad.cpu() * 3).to(grad.device)
        return grad * 2

    op = host.define(
        "another_gradient_on_the_device(Tensor x) -> Tensor",
        lambda x: x * 2,
        fake=same_form,
        backward=backward,
    )
    host.implement("another_gradient_on_the_device", lambda x: (x.cpu() * 2).to(x.device), "sample")
    return Example(op, (host.matrix(),))
