"""Numbers that a program reads from its tensors: item() and tolist()."""

import subprocess
import sys

import opwright as ow
import pytest
from opwright.export import export, load, save


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


def test_floats_from_data_stay_symbolic():
    program = export(lambda x: [2 * each - 1 for each in x.tolist()], (ow.ones(2),))

    result = program(ow.tensor([0.5, 3.0]))
    assert result == [0.0, 5.0]
    assert [type(each) for each in result] == [float, float]


def test_a_float_from_data_keeps_the_dtype_of_a_tensor():
    def f(x, y):
        number = y.sum().item() / 3
        return x * number, number**2 + x, x > number, -number

    for dtype in (ow.float16, ow.bfloat16, ow.float32, ow.float64, ow.int64):
        x, y = ow.tensor([1, 2, 3], dtype=dtype), ow.tensor([0.1, 0.7])
        expected, actual = f(x, y), export(f, (x, y))(x, y)
        assert [each.dtype for each in actual[:3]] == [each.dtype for each in expected[:3]]
        assert all(map(ow.equal, actual[:3], expected[:3]))
        assert actual[3] == expected[3]


def test_a_bool_from_data_selects_a_branch():
    def f(x):
        return ow.cond((x.sum() > 2).item(), lambda x: x + 1, lambda x: x - 1, (x,))

    program = export(f, (ow.ones(2),))

    assert program(ow.full((2,), 3.0)).tolist() == [4.0, 4.0]
    assert program(ow.zeros(2)).tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("read", [bool, float, int])
def test_the_value_of_a_float_from_data_is_an_error_with_the_line(read):
    with pytest.raises(RuntimeError, match=r"cannot decide its .* at .*test_numbers_from_data\.py"):
        export(lambda x: x * read(x.sum().item()), (ow.ones(2),))


def test_a_float_from_data_where_an_operator_needs_a_number_is_an_error():
    with pytest.raises(TypeError, match="SymFloat"):
        export(lambda x: ow.full((2,), x.sum().item()), (ow.ones(2),))


def test_a_tensor_of_numbers_from_data():
    def f(n, x, flag):
        return ow.tensor([n.item(), 2]), ow.tensor([[x.item()], [1]]), ow.tensor([flag.item()])

    program = export(f, (ow.tensor(3), ow.tensor(0.5), ow.tensor(True)))

    given = (ow.tensor(7), ow.tensor(-1.25), ow.tensor(False))
    for actual, expected in zip(program(*given), f(*given), strict=True):
        assert actual.dtype == expected.dtype
        assert ow.equal(actual, expected)


def test_a_number_from_a_buffer_is_read_when_the_program_runs():
    class Module(ow.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", ow.tensor(2))
            self.register_buffer("shift", ow.tensor(0.5))

        def forward(self, x):
            return x * self.scale.item() + self.shift.item()

    module = export(Module(), (ow.ones(2),)).module()
    module.load_state_dict({"scale": ow.tensor(5), "shift": ow.tensor(0.25)})

    assert module(ow.ones(2)).tolist() == [5.25, 5.25]


@pytest.mark.parametrize("read", [bool, float, lambda scale: scale.numpy().item(), memoryview])
def test_other_reads_of_a_buffer_are_refused(read):
    class Module(ow.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", ow.tensor(2.0))

        def forward(self, x):
            return x * read(self.scale)

    with pytest.raises(RuntimeError, match="which may change before the program runs"):
        export(Module(), (ow.ones(2),))


def test_the_program_of_a_float_result_is_saved(tmp_path):
    save(export(lambda x: (x.sum().item(), x), (ow.ones(2),)), tmp_path / "program.opw")

    assert load(tmp_path / "program.opw")(ow.ones(2))[0] == 2.0


# Needs 80 GB if it computes what the program computes.
LARGE_CONSTANT = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
import opwright as ow
from opwright.export import export

def f(x):
    return x + ow.tensor(1.0).new_ones(20_000_000_000).sum()

print(export(f, (ow.ones(2),)).graph)
"""


def test_large_results_of_literals_are_not_computed_at_the_export():
    done = subprocess.run(
        [sys.executable, "-c", LARGE_CONSTANT], check=True, capture_output=True, text=True
    )
    assert "float32[20000000000]" in done.stdout


def test_a_number_of_a_literal_is_a_constant_of_the_program():
    def f(x):
        step = (ow.tensor([2, 3])[1] + 3).add_(1)
        return x.reshape(-1, int(step.item()))

    assert export(f, (ow.ones(14),))(ow.ones(14)).shape == (2, 7)
