"""vmap rules that give something else than the loop over samples."""

from ..host import Example, Host, dense, same_form
from .fault import fault


@fault("vmap/vmap-differs", "vmap/vmap-raised", words=r"in_dims")
def rule_for_in_dim_0(host: Host) -> Example:
    """Takes every batch for one at dimension 0."""

    def rule(info, in_dims, x):
        return x.softmax(-1), 0

    op = host.define(
        "rule_for_in_dim_0(Tensor x) -> Tensor",
        lambda x: x.contiguous().softmax(-1),
        fake=dense,
        vmap=rule,
    )
    return Example(op, (host.matrix(),))


@fault("vmap/vmap-differs", words=r"in_dims")
def rule_wrong_for_in_dim_1(host: Host) -> Example:
    """Sums over rows in place of columns if the batch is at dimension 1."""

    def rule(info, in_dims, x):
        if in_dims[0] == 1:
            return x.sum(0), 0
        return x.movedim(in_dims[0], 0).sum(-1), 0

    op = host.define(
        "rule_wrong_for_in_dim_1(Tensor x) -> Tensor",
        lambda x: x.sum(-1),
        fake=lambda x: x.new_empty(x.shape[:-1]),
        vmap=rule,
    )
    return Example(op, (host.matrix(),))


@fault("vmap/vmap-differs", "vmap/vmap-raised", words=r"in_dims|out_dim")
def rule_forgets_out_dim(host: Host) -> Example:
    """Tells that its result has no batch."""
    op = host.define(
        "rule_forgets_out_dim(Tensor x) -> Tensor",
        lambda x: x * 2,
        fake=same_form,
        vmap=lambda info, in_dims, x: (x * 2, None),
    )
    return Example(op, (host.matrix(),))


@fault("vmap/vmap-raised", words=r"both must be mapped")
def rule_raises_for_one(host: Host) -> Example:
    """Raises if the second argument has no batch."""

    def rule(info, in_dims, x, y):
        if in_dims[1] is None:
            raise ValueError("both must be mapped")
        x = x if in_dims[0] is None else x.movedim(in_dims[0], 0)
        return x * y.movedim(in_dims[1], 0), 0

    op = host.define(
        "rule_raises_for_one(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x * y,
        fake=lambda x, y: x * y,
        vmap=rule,
    )
    return Example(op, (host.matrix(), host.matrix()))


@fault("vmap/vmap-differs", words=r"in_dims")
def rule_takes_first_sample(host: Host) -> Example:
    """Uses the first sample of the second argument for all."""

    def rule(info, in_dims, x, y):
        if in_dims[1] is not None:
            y = y.select(in_dims[1], 0)
        if in_dims[0] is None:
            return (x * y).unsqueeze(0).expand(info.batch_size, *x.shape).clone(), 0
        return x.movedim(in_dims[0], 0) * y, 0

    op = host.define(
        "rule_takes_first_sample(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x * y,
        fake=lambda x, y: x * y,
        vmap=rule,
    )
    return Example(op, (host.matrix(), host.matrix()))
