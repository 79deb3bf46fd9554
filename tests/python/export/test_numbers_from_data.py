"""Numbers that a program reads from its tensors: item() and tolist()."""

import opwright as ow
import pytest
from opwright.export import export


def test_tolist_gives_numbers_that_are_known_when_the_program_runs():
    def f(sizes):
        rows, columns = sizes.tolist()
        ow.check(rows >= 0)
        ow.check(columns >= 0)
        return ow.ones(rows, columns)

    program = export(f, (ow.tensor([2, 3]),))

    assert program(ow.tensor([4, 1])).shape == (4, 1)


def test_tolist_keeps_the_nesting():
    program = export(lambda x: x.tolist(), (ow.tensor([[1, 2], [3, 4]]),))

    assert program(ow.tensor([[5, 6], [7, 8]])) == [[5, 6], [7, 8]]


def test_tolist_in_a_program_gives_what_torch_gives():
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):
        def forward(self, x):
            return x.tolist()

    expected = torch.export.export(Module(), (torch.tensor([1, 2]),)).module()(torch.tensor([3, 4]))

    assert export(lambda x: x.tolist(), (ow.tensor([1, 2]),))(ow.tensor([3, 4])) == expected


def test_tolist_of_floats_is_refused_with_the_line():
    with pytest.raises(RuntimeError, match="tolist: cannot read the data of a tensor"):
        export(lambda x: x.tolist(), (ow.ones(2),))
