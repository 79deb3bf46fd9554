"""Operators that are decomposed before fusion: none of their calls remain, and they compute what
their kernels compute, at static and dynamic sizes."""

import opwright as ow
import pytest
from opwright import nn

from .same_results import assert_same

# Of a batch of rows of six; each is compiled beside a product, so that there is something to fuse.
FUNCTIONS = {
    "softmax": lambda x: nn.functional.softmax(x * 2, -1),
    "log_softmax": lambda x: nn.functional.log_softmax(x * 2, -1),
    "softmax of columns": lambda x: nn.functional.softmax(x * 2, 0),
    "layer_norm": lambda x: nn.functional.layer_norm(x * 2, (6,)),
    "group_norm": lambda x: nn.functional.group_norm(x * 2, 3),
    "rms_norm": lambda x: nn.functional.rms_norm(x * 2, (6,)),
    "mean": lambda x: (x * 2).mean(1) + 1,
    "var": lambda x: (x * 2).var(0) + 1,
    "std_mean": lambda x: ow.std_mean(x * 2, 1)[0] * 3,
    "logsumexp": lambda x: ow.logsumexp(x * 2, (1,)) + 1,
    "vector_norm": lambda x: ow.linalg_vector_norm(x * 2, 2, (1,)) + 1,
    "mse_loss": lambda x: nn.functional.mse_loss(x * 2, x + 1) * 2,
    "huber_loss": lambda x: nn.functional.huber_loss(x * 2, x + 1, reduction="none"),
    "smooth_l1_loss": lambda x: nn.functional.smooth_l1_loss(x * 2, x + 1, reduction="sum") + 1,
    "glu": lambda x: nn.functional.glu(x * 2, -1),
    "logsigmoid": lambda x: nn.functional.logsigmoid(x * 2),
}


def left_calls(compiled) -> set[str]:
    fused = [
        text for each in compiled.descriptions for title, text in each if title == "fused graph"
    ]
    assert fused, "nothing was fused"
    lines = (line.partition(" = ")[2].partition("(")[0] for line in "\n".join(fused).splitlines())
    return {name for name in lines if name.startswith("aten::")}


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.bfloat16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_gives_what_its_kernel_gives(name, dtype):
    function = FUNCTIONS[name]
    x = ow.randn(5, 6).to(dtype)

    assert_same(ow.compile(function)(x), function(x))


# The groups of a norm are split dimensions: the dimensions before them are a separate loop.
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "group_norm"])
def test_it_is_fused_also_where_sizes_change(name):
    function = FUNCTIONS[name]
    compiled = ow.compile(function)

    for rows in (5, 7, 9, 4):
        x = ow.randn(rows, 6)
        assert_same(compiled(x), function(x))

    assert compiled.num_compiles <= 2
    assert left_calls(compiled) <= {"aten::view", "aten::slice.Tensor"}
