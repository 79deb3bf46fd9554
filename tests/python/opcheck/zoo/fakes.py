"""Fake kernels that tell something else than the kernel gives."""

from ..host import Example, Host, dense, same_form
from .fault import fault

HERE = r"fakes\.py:\d+"


@fault("fake/missing-fake")
def no_fake(host: Host) -> Example:
    """Has no fake kernel."""
    op = host.define("no_fake(Tensor x) -> Tensor", lambda x: x * 2)
    return Example(op, (host.matrix(),))


@fault("fake/fake-shape", words=r"sizes")
def fake_wrong_shape(host: Host) -> Example:
    """Tells the sizes of the input; the kernel sums over one."""
    op = host.define("fake_wrong_shape(Tensor x) -> Tensor", lambda x: x.sum(0), fake=dense)
    return Example(op, (host.matrix(),))


@fault("fake/fake-strides", words=r"stride")
def fake_transposed(host: Host) -> Example:
    """Tells strides in another order than those of the kernel."""
    op = host.define(
        "fake_transposed(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=lambda x: x.new_empty((x.shape[1], x.shape[0])).t(),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-strides", words=r"stride")
def fake_contiguous(host: Host) -> Example:
    """Tells contiguous strides; the kernel keeps those of the input."""
    op = host.define("fake_contiguous(Tensor x) -> Tensor", lambda x: x * 2, fake=dense)
    return Example(op, (host.matrix(),))


@fault("fake/fake-dtype", words=r"int64|int32|bool|int")
def fake_dtype_of_ints(host: Host) -> Example:
    """Tells the dtype of the input; for integers the kernel gives floats."""
    op = host.define("fake_dtype_of_ints(Tensor x) -> Tensor", lambda x: x / 2, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("fake/fake-device", words=r"meta")
def fake_on_meta(host: Host) -> Example:
    """Tells the device meta."""
    op = host.define(
        "fake_on_meta(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=lambda x: host.tensors.empty(x.shape, dtype=x.dtype, device="meta"),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-other-size", "fake/fake-shape", words=r"\b3\b")
def fake_bakes_a_number(host: Host) -> Example:
    """Tells a size that is written down as a number."""
    op = host.define(
        "fake_bakes_a_number(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=lambda x: x.new_empty((3, x.shape[1])),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-specialises", words=HERE)
def fake_takes_int(host: Host) -> Example:
    """Makes an int of a size."""
    op = host.define(
        "fake_takes_int(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=lambda x: x.new_empty((int(x.shape[0]), x.shape[1])),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-specialises", words=HERE)
def fake_branches(host: Host) -> Example:
    """Asks whether a size is 3."""

    def fake(x):
        if x.shape[0] == 3:
            return x.new_empty((3, x.shape[1]))
        return x.new_empty(x.shape)

    op = host.define("fake_branches(Tensor x) -> Tensor", lambda x: x.contiguous() * 2, fake=fake)
    return Example(op, (host.matrix(),))


@fault("fake/fake-shape", "fake/fake-other-size", words=r"\b0\b")
def fake_wrong_at_size_0(host: Host) -> Example:
    """Forgets that without rows the kernel gives a single number."""

    def kernel(x):
        return x.mean(0) if x.shape[0] else x.new_zeros(())

    op = host.define(
        "fake_wrong_at_size_0(Tensor x) -> Tensor", kernel, fake=lambda x: x.new_empty(x.shape[1:])
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-shape", "fake/fake-other-size", words=r"\b1\b")
def fake_wrong_at_size_1(host: Host) -> Example:
    """Forgets that the kernel drops a dimension of size 1."""
    op = host.define(
        "fake_wrong_at_size_1(Tensor x) -> Tensor",
        lambda x: x.contiguous().squeeze(0).clone(),
        fake=dense,
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-shape", "fake/fake-other-size", words=r"result")
def fake_rounds_up(host: Host) -> Example:
    """Rounds a halved size up; the kernel rounds down, which is the same for even ones."""
    op = host.define(
        "fake_rounds_up(Tensor x) -> Tensor",
        lambda x: x[:, : x.shape[1] // 2].contiguous().clone(),
        fake=lambda x: x.new_empty((x.shape[0], (x.shape[1] + 1) // 2)),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-range", words=r"\b1\b")
def fake_wrong_range(host: Host) -> Example:
    """Tells that at least one element is positive."""

    def fake(x):
        count = host.tensors.library.get_ctx().new_dynamic_size(min=1)
        return x.new_empty((count,))

    op = host.define(
        "fake_wrong_range(Tensor x) -> Tensor",
        lambda x: x[x > 0],
        fake=fake,
        tags=("dynamic_output_shape",),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-refuses", words=r"no fake for you")
def fake_raises(host: Host) -> Example:
    """Raises where the kernel runs."""

    def fake(x):
        raise NotImplementedError("no fake for you")

    op = host.define("fake_raises(Tensor x) -> Tensor", lambda x: x * 2, fake=fake)
    return Example(op, (host.matrix(),))


@fault("fake/fake-refuses", words=r"only contiguous")
def fake_refuses_strides(host: Host) -> Example:
    """Refuses an input that is not contiguous; the kernel takes it."""

    def fake(x):
        if not x.is_contiguous():
            raise ValueError("only contiguous inputs")
        return x.new_empty(x.shape)

    op = host.define(
        "fake_refuses_strides(Tensor x) -> Tensor", lambda x: x.contiguous() * 2, fake=fake
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-refuses", words=r"fakes\.py|data|number|item")
def fake_reads_data(host: Host) -> Example:
    """Reads a number of a tensor that has none."""
    op = host.define(
        "fake_reads_data(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=lambda x: x.new_empty(x.shape) if x.sum().item() > 0 else x.new_zeros(x.shape),
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-alias", words=r"\bx\b")
def fake_returns_its_input(host: Host) -> Example:
    """Returns its input; the kernel returns a new tensor."""
    op = host.define(
        "fake_returns_its_input(Tensor x) -> Tensor", lambda x: x * 2, fake=lambda x: x
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-alias", "fake/fake-strides", "fake/fake-offset", words=r"offset")
def fake_wrong_offset(host: Host) -> Example:
    """Tells a view that begins at the first row; the kernel's begins at the second."""
    op = host.define(
        "fake_wrong_offset(Tensor(a) x) -> Tensor(a)",
        lambda x: x[1:],
        fake=lambda x: x[: x.shape[0] - 1],
    )
    return Example(op, (host.matrix(),))


@fault("fake/fake-refuses", "fake/fake-shape", "results/wrong-results", words=r"result")
def fake_too_few_results(host: Host) -> Example:
    """Gives one of two results."""
    op = host.define(
        "fake_too_few_results(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x * 2, x * 3),
        fake=same_form,
    )
    return Example(op, (host.matrix(),))
