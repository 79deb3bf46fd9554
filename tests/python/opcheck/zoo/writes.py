"""Kernels that write what their schema does not say."""

import numpy as np

from ..host import Example, Host, dense, same_form
from .fault import fault


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_its_input(host: Host) -> Example:
    """Writes its only input."""

    def kernel(x):
        result = x * 2
        x.add_(1)
        return result

    op = host.define("writes_its_input(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_one_element(host: Host) -> Example:
    """Writes the last element of its input alone."""

    def kernel(x):
        result = x * 2
        x[-1:, -1:].mul_(0.5)
        return result

    op = host.define("writes_one_element(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_through_numpy(host: Host) -> Example:
    """Writes its input through numpy, which no version counter sees."""

    def kernel(x):
        array = x.numpy()
        np.sin(array, out=array)
        return x.clone()

    op = host.define("writes_through_numpy(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_non_contiguous(host: Host) -> Example:
    """Writes its input only if that is not contiguous."""

    def kernel(x):
        result = x.abs()
        if not x.is_contiguous():
            x.copy_(result)
        return result

    op = host.define("writes_non_contiguous(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b.*float64")
def writes_float64(host: Host) -> Example:
    """Writes its input only if that is of float64."""

    def kernel(x):
        if x.dtype != host.tensors.float64:
            return x * 2
        return x.mul_(2).clone()

    op = host.define("writes_float64(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_nan(host: Host) -> Example:
    """Writes its input only where that has a nan."""

    def kernel(x):
        missing = x.isnan()
        if bool(missing.any()):
            x.masked_fill_(missing, 0)
        return x.clone()

    op = host.define("writes_nan(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bx\b")
def writes_at_size_1(host: Host) -> Example:
    """Writes its input only if that has one row."""

    def kernel(x):
        if x.shape[0] == 1:
            x.sub_(1)
        return x - x.mean(0)

    op = host.define("writes_at_size_1(Tensor x) -> Tensor", kernel, fake=dense)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-write", words=r"\bxs\[0\]")
def writes_list_element(host: Host) -> Example:
    """Writes the first tensor of a list."""

    def kernel(xs):
        total = xs[0]
        for x in xs[1:]:
            total.add_(x)
        return total.clone()

    op = host.define(
        "writes_list_element(Tensor[] xs) -> Tensor", kernel, fake=lambda xs: same_form(xs[0])
    )
    return Example(op, ([host.matrix(), host.matrix(), host.matrix()],))


@fault("schema/undeclared-write", words=r"\bbias\b")
def writes_optional(host: Host) -> Example:
    """Writes an optional input."""

    def kernel(x, bias=None):
        return x.clone() if bias is None else x + bias.mul_(2)

    op = host.define(
        "writes_optional(Tensor x, Tensor? bias=None) -> Tensor", kernel, fake=same_form
    )
    return Example(op, (host.matrix(), host.matrix()))


@fault("schema/undeclared-write", words=r"\by\b")
def writes_another(host: Host) -> Example:
    """Writes an input beside the one that it declares."""

    def kernel(x, y):
        x.add_(y)
        y.zero_()

    op = host.define("writes_another(Tensor(a!) x, Tensor y) -> ()", kernel, fake=lambda x, y: None)
    return Example(op, (host.matrix(), host.matrix()))
