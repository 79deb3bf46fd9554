"""Programs of Opwright with cond and while_loop, as own_models."""

import opwright as ow
from opwright import cond, nn, while_loop
from opwright.export import Dim


class Branches(nn.Module):
    """Branches in branches that close over weights and a literal."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        def positive(x):
            return cond(x.max() > 2, lambda x: self.layer(x), lambda x: x * 5, (x,))

        return cond(x.sum() > 0, positive, lambda x: x + ow.tensor([1.0, 2.0, 3.0, 4.0]), (x,))


def with_sizes(x, y):
    """Sizes that no operand has are operands."""
    rows, columns = x.shape[0], 2 * x.shape[1]
    return cond(y.sum() > 0, lambda y: y * rows + columns, lambda y: y - rows, (y,))


def with_fixed_size(x, y):
    """A size that a later call shows to be a number."""
    rows = x.shape[0]
    chosen = cond(y.sum() > 0, lambda y: y * rows, lambda y: y - (rows + 1), (y,))
    return chosen.sum() + x.reshape(4)


def given_back(x, y):
    """Operands, views of them and transposed results: new tensors, whichever branch ran."""
    same, turned = cond(x.sum() > 0, lambda x: (x, x[:2].t()), lambda x: (x + 1, x[1:].mT), (x,))
    x.add_(y)
    return same, turned.view(-1) + 1


def counted(x):
    """A size that is known only when the branch runs, with a condition on it."""

    def select(x):
        chosen = x[x > 0]
        ow.check(chosen.shape[0] <= x.shape[0], "too many")
        return chosen.sum() * chosen.shape[0]

    return cond(x.max() > 0, select, lambda x: x.sum(), (x,)) + x.reshape(2, -1).sum()


def in_grad_modes(x):
    def scaled(x):
        with ow.no_grad():
            mean = x.mean()
        return x * mean

    first = cond(x.sum() > 0, scaled, lambda x: x + 1, (x,))
    with ow.no_grad():
        second = cond(x.sum() > 0, lambda x: x * 3, lambda x: x - 3, (first,))
    return first, second


def several_loops(n, x):
    """A counter, a tensor of the caller and its size; a condition that is not a bool scalar."""
    shift, size = x * 0.5, x.shape[0]

    def advance(n, y):
        return n - 1, y * 2 + shift + size

    n, y = while_loop(lambda n, y: n > 0, advance, (n, x))
    (last,) = while_loop(lambda left: left, lambda left: (left - 1,), (n.float().reshape(1) + 2,))
    return n, y, last


def carried_as_it_is(n, x):
    """A loop that does not run; one that gives a value back as it was."""
    return while_loop(lambda n, y, z: n > 0, lambda n, y, z: (n - 1, y, z + 1), (n, x, x.t()))


def branch_in_a_loop(n, x):
    def advance(n, x):
        return n - 1, cond(x.sum() > 4, lambda x: x - 3, lambda x: x * 2, (x,))

    return while_loop(lambda n, x: (n > 0) & (x.max() < 9), advance, (n, x))


def cases():
    """Yield name, function, calls (the first one is exported), keyword arguments, dynamic sizes."""
    batch = Dim("batch", min=2, max=64)
    r, one = ow.randn, ow.ones
    signs = [(one(3, 4),), (one(5, 4) * 3,), (-one(2, 4),)]
    yield "branches", Branches(), signs, {}, [{0: batch}]
    pairs = [(r(3, 5), one(4)), (r(6, 5), one(4)), (r(6, 5), -one(4))]
    yield "branch_sizes", with_sizes, pairs, {}, [{0: batch}, None]
    fixed = [(one(4), one(3)), (one(4), -one(3))]
    yield "branch_fixed", with_fixed_size, fixed, {}, [{0: Dim.AUTO}, None]
    squares = [(one(3, 3) * sign + r(3, 3) * 0.1, r(3, 3)) for sign in (1, -1)]
    yield "branch_aliases", given_back, squares, {}, None
    yield "branch_count", counted, [(r(6),), (r(8),), (-one(4),)], {}, [{0: 2 * batch}]
    yield "branch_modes", in_grad_modes, [(one(3),), (-one(4),)], {}, [{0: batch}]
    counts = [(ow.tensor(2), r(3)), (ow.tensor(5), r(4)), (ow.tensor(0), r(4))]
    yield "loops", several_loops, counts, {}, [None, {0: batch}]
    counts = [(ow.tensor(2), r(3, 3)), (ow.tensor(0), r(3, 3))]
    yield "loop_carried", carried_as_it_is, counts, {}, None
    counts = [(ow.tensor(4), one(3)), (ow.tensor(9), one(4))]
    yield "loop_branch", branch_in_a_loop, counts, {}, [None, {0: batch}]
