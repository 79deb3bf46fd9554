"""The differentiated programs: a custom operator, mul, a chain, and a training step."""

import importlib.util
import itertools

from harness import release_build
from tracing.timing import Case

CHAIN = 1000
BATCH, WIDTH, LAYERS, CLASSES = 32, 64, 3, 10


def save_factor(ctx, inputs, output):
    _, ctx.factor = inputs


def scale_gradient(ctx, grad):
    return grad * ctx.factor, None


def python_scale(package):
    """Define a custom operator in Python with a backward formula."""

    def scale(x: package.Tensor, factor: float) -> package.Tensor:
        return x * factor

    operator = package.library.custom_op("differentiation::python_scale", scale, mutates_args=())
    operator.register_autograd(scale_gradient, setup_context=save_factor)
    return operator


def step_case(package, forward, parts=1):
    """Time the forward and backward pass of `forward(x)`, where x has 4 elements."""
    x = package.ones(4, requires_grad=True)
    gradient = package.ones(4)

    def run():
        forward(x).backward(gradient)
        x.grad = None

    return Case(run, parts=parts)


def product_chain(x):
    y = x
    for _ in range(CHAIN):
        y = y * x
    return y


def training_case(package):
    """Time one SGD step of a small multi-layer perceptron."""
    package.manual_seed(0)
    nn = package.nn
    widths = [WIDTH] * LAYERS + [CLASSES]
    layers = []
    for before, after in itertools.pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    optimizer = package.optim.SGD(model.parameters(), lr=0.01)
    x = package.randn(BATCH, WIDTH)
    labels = package.zeros(BATCH, dtype=package.int64)

    def run():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()

    return Case(run, parts=1)


def cases_of(package):
    scale = python_scale(package)
    return {
        "Python formula": step_case(package, lambda x: scale(x, 2.0)),
        "mul": step_case(package, lambda x: x * x),
        "chain": step_case(package, product_chain, parts=CHAIN),
        "training": training_case(package),
    }


def our_cases(package):
    package.load_library(release_build() / "operators" / "libdifferentiation.so")
    scale = package.ops.differentiation.scale.default
    return cases_of(package) | {"C++ formula": step_case(package, lambda x: scale(x, 2.0))}


def torch_cases():
    """Return the cases of torch; empty without torch."""
    if importlib.util.find_spec("torch") is None:
        return {}
    import torch

    torch.set_num_threads(1)
    return cases_of(torch)
