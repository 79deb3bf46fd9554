"""Kernels whose results share memory with something, or do not share what they should."""

from ..host import Example, Host, dense, same_form
from .fault import fault


@fault("schema/undeclared-alias", words=r"\bx\b")
def returns_its_input(host: Host) -> Example:
    """Returns its input as a new tensor."""
    op = host.define("returns_its_input(Tensor x) -> Tensor", lambda x: x, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-alias", words=r"\bx\b")
def returns_a_slice(host: Host) -> Example:
    """Returns a part of its input."""
    op = host.define(
        "returns_a_slice(Tensor x) -> Tensor",
        lambda x: x[:, 1:],
        fake=lambda x: same_form(x)[:, 1:],
    )
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-alias", words=r"\bx\b")
def returns_contiguous_input(host: Host) -> Example:
    """Returns its input only if that is contiguous; the example is not."""
    op = host.define(
        "returns_contiguous_input(Tensor x) -> Tensor", lambda x: x.contiguous(), fake=dense
    )
    return Example(op, (host.matrix(4, 3).t(),))


@fault("schema/undeclared-alias", words=r"\bx\b")
def returns_input_at_size_1(host: Host) -> Example:
    """Returns its input only if that has one row."""

    def kernel(x):
        return x if x.shape[0] == 1 else x.sum(0, keepdim=True)

    op = host.define(
        "returns_input_at_size_1(Tensor x) -> Tensor",
        kernel,
        fake=lambda x: x.new_empty((1, x.shape[1])),
    )
    return Example(op, (host.matrix(),))


@fault("schema/undeclared-alias", words=r"\bx\b.*float32")
def returns_float32_input(host: Host) -> Example:
    """Returns its input only if that has the dtype of the result; the example has not."""
    float32 = host.tensors.float32
    op = host.define(
        "returns_float32_input(Tensor x) -> Tensor",
        lambda x: x.to(float32),
        fake=lambda x: same_form(x).to(float32, copy=True),
    )
    return Example(op, (host.tensors.arange(12).reshape(3, 4),))


@fault("schema/undeclared-alias", words=r"\bxs\[0\]")
def returns_list_element(host: Host) -> Example:
    """Returns a tensor of its list in a list of new ones."""
    op = host.define(
        "returns_list_element(Tensor[] xs) -> Tensor[]",
        lambda xs: [xs[0], *(x * 2 for x in xs[1:])],
        fake=lambda xs: [same_form(x) for x in xs],
    )
    return Example(op, ([host.matrix(), host.matrix()],))


@fault("schema/results-share-memory", words=r"result")
def results_share(host: Host) -> Example:
    """Returns two results over the same memory."""

    def kernel(x):
        result = x * 2
        return result, result[:1]

    op = host.define(
        "results_share(Tensor x) -> (Tensor, Tensor)",
        kernel,
        fake=lambda x: (dense(x), dense(x[:1])),
    )
    return Example(op, (host.matrix(),))


@fault("schema/results-share-memory", words=r"result")
def list_results_share(host: Host) -> Example:
    """Returns a list whose tensors overlap."""

    def kernel(x):
        padded = (x * 2).contiguous()
        return [padded[:, :3], padded[:, 1:]]

    op = host.define(
        "list_results_share(Tensor x) -> Tensor[]",
        kernel,
        fake=lambda x: [dense(x)[:, :3], dense(x)[:, 1:]],
    )
    return Example(op, (host.matrix(),))


@fault("schema/view-is-copy", words=r"\bx\b")
def view_copies(host: Host) -> Example:
    """Declares a view, and copies if its input is not contiguous."""
    op = host.define(
        "view_copies(Tensor(a) x) -> Tensor(a)",
        lambda x: x.reshape(-1),
        fake=lambda x: x.reshape(-1),
    )
    return Example(op, (host.matrix(),))


@fault("schema/view-is-copy", "schema/undeclared-alias", words=r"\b[xy]\b")
def views_another(host: Host) -> Example:
    """Declares a view of one argument, and gives one of the other."""
    op = host.define(
        "views_another(Tensor(a) x, Tensor y) -> Tensor(a)",
        lambda x, y: y[:1],
        fake=lambda x, y: x[:1],
    )
    return Example(op, (host.matrix(), host.matrix()))
