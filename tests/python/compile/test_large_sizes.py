"""Sizes at which nests are split into parts for threads, and vectors have a remainder."""

import opwright as ow
import pytest

from .random_programs import EXACT, ROUNDING, Program, make_tensor
from .same_results import check_against_eager

STEPS = {**EXACT, **ROUNDING}


@pytest.fixture(params=[1, 2])
def threads(request):
    before = ow.num_threads()
    ow.set_num_threads(request.param)
    yield request.param
    ow.set_num_threads(before)


@pytest.mark.parametrize("step", sorted(STEPS))
def test_each_step_gives_what_eager_gives_on_many_elements(step, threads):
    for shape, layout in (([301, 517], "dense"), ([70, 1031], "transposed")):
        x = make_tensor(ow.float32, shape, layout, 3)
        check_against_eager(Program([(step, (0,))], (1,)), x, calls=1)


CHAINS = {
    "softmax of a sum": lambda x, y: ow.softmax(x * y + 1, -1),
    "softmax of columns": lambda x, y: ow.softmax(x - y, 0),
    "norm and gate": lambda x, y: ow.sigmoid(ow.nn.functional.layer_norm(x, (x.shape[-1],))) * y,
    "sum of columns": lambda x, y: (ow.sin(x) * y).sum(0),
    "sum of everything": lambda x, y: (x * y).sum(),
    "mean and variance": lambda x, y: (x.var(-1), (x + y).mean(0), x.amax((0, 1))),
    "turned": lambda x, y: (x * 2).transpose(0, 1) + ow.tanh(y).transpose(0, 1),
    "several outputs": lambda x, y: (x + y, x * y, ow.exp(-x.abs()), (x > y)),
    "normalized rows": lambda x, y: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + y),
    "parts": lambda x, y: x[:, : x.shape[1] // 2] * y[:, 5:6],
}


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.bfloat16, ow.float16], ids=str)
@pytest.mark.parametrize("name", CHAINS)
def test_chains_give_what_eager_gives_on_many_elements(name, dtype, threads):
    x, y = (make_tensor(dtype, [300, 1027], layout, 4) for layout in ("dense", "gaps"))

    check_against_eager(CHAINS[name], x, y, calls=1)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129])
def test_every_length_of_a_row_has_its_rest(size):
    def function(x):
        return ow.softmax(x, -1), ow.exp(-x.abs()) * 2, x.sum(-1), x.amax(0), (x * 2).sum(0)

    for dtype in (ow.float32, ow.float64, ow.float16):
        for dynamic in (False, True):
            x = make_tensor(dtype, [5, size], "dense", 1)
            check_against_eager(function, x, calls=1, dynamic=dynamic)
