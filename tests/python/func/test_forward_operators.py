"""Built-in operators in forward mode: the tangent is the slope along a random direction."""

import opwright as ow
import pytest
from opwright.func import jvp
from opwright.nn import functional

from .programs import assert_same

GENERATOR = ow.Generator()
GENERATOR.manual_seed(8)


def numbers(*sizes: int) -> ow.Tensor:
    return ow.rand(list(sizes), generator=GENERATOR, dtype=ow.float64) + 0.1


CASES = {
    "conv2d": (
        lambda x, w: functional.conv2d(x, w, padding=1),
        numbers(1, 2, 4, 4),
        numbers(3, 2, 3, 3),
    ),
    "layer_norm": (lambda x: functional.layer_norm(x, (4,)), numbers(3, 4)),
    "batch_norm": (lambda x: functional.batch_norm(x, None, None, training=True), numbers(3, 4)),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 2), numbers(1, 1, 4, 4)),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 2), numbers(1, 1, 4, 4)),
    "log_softmax": (lambda x: functional.log_softmax(x, dim=0), numbers(4)),
    "gelu": (functional.gelu, numbers(4)),
    "silu": (functional.silu, numbers(4)),
    "cross_entropy": (lambda x: functional.cross_entropy(x, ow.tensor([1, 0])), numbers(2, 3)),
    "bmm": (lambda a, b: a @ b, numbers(2, 2, 3), numbers(2, 3, 2)),
    "addmm": (lambda a, b, c: ow.addmm(a, b, c), numbers(2, 2), numbers(2, 3), numbers(3, 2)),
    "std": (lambda x: x.std(0), numbers(4, 3)),
    "var": (lambda x: x.var(), numbers(4)),
    "prod": (lambda x: x.prod(), numbers(4)),
    "amax": (lambda x: x.amax(0), numbers(4, 2)),
    "sort": (lambda x: x.sort()[0], numbers(5)),
    "topk": (lambda x: x.topk(2)[0], numbers(5)),
    "gather": (lambda x: x.gather(0, ow.tensor([0, 2, 1])), numbers(4)),
    "scatter_add": (
        lambda x: ow.zeros(3, dtype=x.dtype).scatter_add(0, ow.tensor([0, 0, 2, 1]), x),
        numbers(4),
    ),
    "index_put": (
        lambda x: ow.zeros(5, dtype=x.dtype).index_put((ow.tensor([0, 2, 4]),), x),
        numbers(3),
    ),
    "embedding": (lambda w: functional.embedding(ow.tensor([0, 2]), w), numbers(3, 4)),
    "attention": (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v),
        numbers(1, 2, 3, 4),
        numbers(1, 2, 3, 4),
        numbers(1, 2, 3, 4),
    ),
    "interpolate": (
        lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"),
        numbers(1, 1, 3, 3),
    ),
    "split": (lambda x: ow.cat([a * a for a in x.split(2)]), numbers(5)),
    "cumprod": (lambda x: x.cumprod(0), numbers(4)),
    "pow": (lambda x, y: x**y, numbers(4), numbers(4)),
    "div": (lambda x, y: x / y, numbers(4), numbers(2, 4)),
    "atan2": (lambda x, y: ow.atan2(x, y), numbers(4), numbers(4)),
    "norm": (lambda x: x.norm(), numbers(4)),
    "logcumsumexp": (lambda x: x.logcumsumexp(0), numbers(4)),
    "tril": (lambda x: x.tril(), numbers(3, 3)),
    "diag": (lambda x: x.diagonal() * 2, numbers(3, 3)),
    "unfold": (lambda x: x.unfold(0, 2, 1) * 2, numbers(4)),
    "as_strided": (lambda x: ow.as_strided(x, (2, 2), (1, 1)) * 1, numbers(4)),
    "dropout": (lambda x: functional.dropout(x, 0.0), numbers(4)),
    "pad": (lambda x: functional.pad(x, (1, 1)), numbers(4)),
    "mse": (lambda x, y: functional.mse_loss(x, y), numbers(4), numbers(4)),
    "lerp_": (lambda x, y: (x * 1).lerp_(y, 0.3), numbers(4), numbers(4)),
    "addcmul_": (lambda x, y: (x * 1).addcmul_(y, y), numbers(4), numbers(4)),
    "fill": (lambda x, y: (x * 1).fill_(y), numbers(4), numbers()),
    "masked_fill": (lambda x, y: x.masked_fill(x > 0.5, y), numbers(4), numbers()),
    "copy_": (lambda x, y: (x * 1).copy_(y), numbers(3, 4), numbers(4)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_tangent_is_the_slope(name):
    f, *primals = CASES[name]
    tangents = [numbers(*primal.shape) for primal in primals]
    eps = 1e-6
    ahead = f(*[x + eps * t for x, t in zip(primals, tangents, strict=True)])
    behind = f(*[x - eps * t for x, t in zip(primals, tangents, strict=True)])

    _, tangent = jvp(f, tuple(primals), tuple(tangents))

    assert_same(tangent, (ahead - behind) / (2 * eps), 1e-5)
