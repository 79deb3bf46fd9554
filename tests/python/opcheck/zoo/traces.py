"""Bodies that a trace does not see through, and rules of functionalize that are wrong."""

from ..host import Example, Host
from .fault import fault


@fault("trace/trace-raised", "trace/trace-differs", "fake/fake-refuses")
def branches_on_data(host: Host) -> Example:
    """Asks for a value of its input, in a body that is traced."""

    def body(x):
        return x * 2 if bool(x.sum() > 0) else x * 3

    op = host.define("branches_on_data(Tensor x) -> Tensor", composite=body)
    return Example(op, (host.matrix(),))


@fault(
    "trace/trace-differs-at-other-size",
    "trace/trace-differs",
    "trace/trace-raised",
    "fake/fake-specialises",
)
def body_bakes_a_size(host: Host) -> Example:
    """Makes a number of a size, in a body that is traced."""

    def body(x):
        return x / float(int(x.shape[0]))

    op = host.define("body_bakes_a_size(Tensor x) -> Tensor", composite=body)
    return Example(op, (host.matrix(),))


@fault("trace/trace-differs", "trace/trace-differs-at-other-size", twin=False)
def knows_a_trace(host: Host) -> Example:
    """Computes something else for a tensor without data, in a body that is traced."""

    def body(x):
        return x * 3 if host.tensors.is_symbolic(x.shape[0]) else x * 2

    op = host.define("knows_a_trace(Tensor x) -> Tensor", composite=body)
    return Example(op, (host.matrix(),))


@fault(
    "trace/trace-differs", "trace/trace-differs-at-other-size", "determinism/differs-between-runs"
)
def keeps_a_python_number(host: Host) -> Example:
    """Counts its calls in a body that is traced: the trace has the number of one call."""
    calls = []

    def body(x):
        calls.append(None)
        return x * len(calls)

    op = host.define("keeps_a_python_number(Tensor x) -> Tensor", composite=body)
    return Example(op, (host.matrix(),))


@fault("functionalize/functionalize-differs", words=r"\bx\b", twin=False)
def wrong_functional(host: Host) -> Example:
    """Has a form without writes that gives something else."""

    def kernel(x):
        x.mul_(2)

    op = host.define(
        "wrong_functional(Tensor(a!) x) -> ()",
        kernel,
        fake=lambda x: None,
        functional=lambda x: x * 3,
    )
    return Example(op, (host.matrix(),))


@fault("functionalize/functionalize-differs", "functionalize/functionalize-raised", twin=False)
def wrong_scatter(host: Host) -> Example:
    """Gives a view of the first row, with a rule that puts what is written into the last."""
    tensors = host.tensors

    def view(x):
        return x.select(0, 0)

    op = host.define(
        "wrong_scatter(Tensor(a) x) -> Tensor(a)",
        view,
        fake=view,
        scatter=lambda base, value: tensors.select_scatter(base, value, 0, -1),
    )
    return Example(op, (host.matrix(),))


@fault("functionalize/functionalize-raised", "functionalize/functionalize-differs", twin=False)
def functional_raises(host: Host) -> Example:
    """Has a form without writes that raises."""

    def kernel(x):
        x.mul_(2)

    def functional(x):
        raise RuntimeError("no form without writes")

    op = host.define(
        "functional_raises(Tensor(a!) x) -> ()",
        kernel,
        fake=lambda x: None,
        functional=functional,
    )
    return Example(op, (host.matrix(),))
