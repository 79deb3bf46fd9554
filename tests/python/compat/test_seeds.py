"""The examples of the seeds, unchanged except for their import lines.

`source` names the seed and the heading; what needs an engine that is to come is cut there, and the
test says which.
"""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import opwright
import opwright.compat.torch as torch
import pytest
from opwright import library


def run(source: str, **names: object) -> SimpleNamespace:
    """Run an example with `torch` replaced in its import lines."""
    lines = []
    for line in source.splitlines():
        if line.startswith("import torch"):
            line = "import opwright.compat.torch as torch"
        elif line.startswith(("from torch", "from torchvision")):
            line = line.replace("from torch", "from opwright.compat.torch", 1)
        lines.append(line)
    code = compile("\n".join(lines), "<seed>", "exec")
    names = {"__name__": "seed", **names}
    exec(code, names)
    return SimpleNamespace(**names)


@pytest.fixture(autouse=True)
def same_numbers_in_every_run() -> None:
    torch.manual_seed(0)


IMPORTS = """
import torch
from torch import Tensor
from torch.library import custom_op
import numpy as np
"""


# ---- Seed 000 ----


def test_seed_000_how_to_define_a_custom_operator():
    run(
        """
import torch
import numpy as np

@torch.library.custom_op("your_namespace::sin", mutates_args=())
def sin(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.numpy(force=True)))
"""
    )
    x = torch.randn(3)

    np.testing.assert_array_equal(torch.ops.your_namespace.sin(x).numpy(), np.sin(x.numpy()))


CHECK_SIN = """
x = torch.tensor([0.0, 1.0, 2.0])
assert torch.ops.your_namespace.sin(x).tolist() == x.sin().tolist()
slots = {slot for slot, _ in torch.ops.your_namespace.sin.default.implementations()}
assert slots == {"CPU", "CUDA"}, slots
"""


def run_in_a_process(source: str) -> None:
    """Run an example that defines what another one defines too."""
    source = source.replace("import torch\n", "import opwright.compat.torch as torch\n", 1)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_seed_000_define_with_one_string_and_kernels_for_cpu_and_cuda():
    # The bodies are placeholders in the seed.
    run_in_a_process(
        """
import torch

torch.library.define("your_namespace::sin(Tensor x) -> Tensor")

@torch.library.register_kernel("your_namespace::sin", "cpu")
def _(x: torch.Tensor) -> torch.Tensor:
    # your CPU implementation
    return x.sin()

@torch.library.register_kernel("your_namespace::sin", "cuda")
def _(x: torch.Tensor) -> torch.Tensor:
    # your CUDA implementation
    return x.sin()
"""
        + CHECK_SIN
    )


def test_seed_000_define_and_implement_in_cpp():
    # `using at::Tensor;` and the two placeholder functions are not in the seed.
    run_in_a_process(
        '''
import torch

torch.utils.cpp_extension.load_inline(name="seed_000", is_python_module=False, cpp_sources="""
#include <torch/library.h>

using at::Tensor;
Tensor my_custom_sin_implementation_on_cpu(const Tensor& x) { return at::sin(x); }
Tensor my_custom_sin_implementation_on_cuda(const Tensor& x) { return at::sin(x); }

// Define the operator
TORCH_LIBRARY(your_namespace, m) {
    m.def("sin(Tensor x) -> Tensor");
}

Tensor custom_sin_cpu(const Tensor& x) {
    // Replace this with at::sin if you want to test it out.
    return my_custom_sin_implementation_on_cpu(x);
}

// Register the CPU implementation for the operator
TORCH_LIBRARY_IMPL(your_namespace, CPU, m) {
    m.impl("sin", &custom_sin_cpu);
}

Tensor custom_sin_cuda(const Tensor& x) {
    // Replace this with at::sin if you want to test it out.
    return my_custom_sin_implementation_on_cuda(x);
}

// Register the CUDA implementation for the operator
TORCH_LIBRARY_IMPL(your_namespace, CUDA, m) {
    m.impl("sin", &custom_sin_cuda);
}
""")
'''
        + CHECK_SIN
    )


def test_seed_000_opcheck_of_sin():
    # The seed's function of samples returns none; its sample on cuda needs the device, to come.
    seed = run(
        """
import torch
import unittest
from torch.library import opcheck

def sin_sample_inputs():
    sample_inputs = [
        (torch.randn(3, requires_grad=True, device='cpu'),),
    ]
    return sample_inputs

class TestOps(unittest.TestCase):
    def test_sin(self):
        sample_inputs = sin_sample_inputs()
        for i in range(len(sample_inputs)):
            opcheck(torch.ops.aten.sin.default, sample_inputs[i])
"""
    )

    result = seed.TestOps("test_sin").run()

    assert (result.testsRun, result.errors, result.failures) == (1, [], [])


# The seed's export signature needs export, which is to come.


# ---- Seed 001: torch.library ----


def test_seed_001_custom_op_for_all_devices():
    run(
        IMPORTS
        + """
@custom_op("mylib::numpy_sin", mutates_args=())
def numpy_sin(x: Tensor) -> Tensor:
    x_np = x.cpu().numpy()
    y_np = np.sin(x_np)
    return torch.from_numpy(y_np).to(device=x.device)

x = torch.randn(3)
y = numpy_sin(x)
assert torch.allclose(y, x.sin())
"""
    )


def test_seed_001_custom_op_for_one_device():
    run(
        IMPORTS
        + """
@custom_op("mylib::numpy_sin_cpu", mutates_args=(), device_types="cpu")
def numpy_sin_cpu(x: Tensor) -> Tensor:
    x_np = x.numpy()
    y_np = np.sin(x_np)
    return torch.from_numpy(y_np)

x = torch.randn(3)
y = numpy_sin_cpu(x)
assert torch.allclose(y, x.sin())
"""
    )


def test_seed_001_custom_op_that_mutates_an_input():
    run(
        IMPORTS
        + """
@custom_op("mylib::numpy_sin_inplace", mutates_args={"x"}, device_types="cpu")
def numpy_sin_inplace(x: Tensor) -> None:
    x_np = x.numpy()
    np.sin(x_np, out=x_np)

x = torch.randn(3)
expected = x.sin()
numpy_sin_inplace(x)
assert torch.allclose(x, expected)
"""
    )


def test_seed_001_factory_function():
    seed = run(
        IMPORTS
        + """
@custom_op("mylib::bar", mutates_args={}, device_types="cpu")
def bar(device: torch.device) -> Tensor:
    return torch.ones(3)
result = bar("cpu")
"""
    )

    assert seed.result.tolist() == [1.0, 1.0, 1.0]


def test_seed_001_register_kernel():
    # x_cpu.cuda() needs the CUDA device, which is to come: the kernel is called directly.
    seed = run(
        IMPORTS
        + """
# Create a custom op that works on cpu
@custom_op("mylib::numpy_sin", mutates_args=(), device_types="cpu")
def numpy_sin(x: Tensor) -> Tensor:
    x_np = x.numpy()
    y_np = np.sin(x_np)
    return torch.from_numpy(y_np)

# Add implementations for the cuda device
@torch.library.register_kernel("mylib::numpy_sin", "cuda")
def _(x):
    x_np = x.cpu().numpy()
    y_np = np.sin(x_np)
    return torch.from_numpy(y_np).to(device=x.device)

x_cpu = torch.randn(3)

assert torch.allclose(numpy_sin(x_cpu), x_cpu.sin())
"""
    )

    kernel = library.get_kernel(seed.numpy_sin, "cuda")
    assert torch.allclose(kernel(seed.x_cpu), seed.x_cpu.sin())


def test_seed_001_register_fake_without_data_dependent_shape():
    seed = run(
        IMPORTS
        + """
@torch.library.custom_op("mylib::custom_linear", mutates_args=())
def custom_linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    raise NotImplementedError("Implementation goes here")

@torch.library.register_fake("mylib::custom_linear")
def _(x, weight, bias):
    assert x.dim() == 2
    assert weight.dim() == 2
    assert bias.dim() == 1
    assert x.shape[1] == weight.shape[1]
    assert weight.shape[0] == bias.shape[0]
    assert x.device == weight.device
    return (x @ weight.t()) + bias

with torch._subclasses.fake_tensor.FakeTensorMode():
    x = torch.randn(2, 3)
    w = torch.randn(3, 3)
    b = torch.randn(3)
    y = torch.ops.mylib.custom_linear(x, w, b)
assert y.shape == (2, 3)
"""
    )

    assert (seed.y.device.type, seed.y.is_fake) == ("cpu", True)
    with pytest.raises(AssertionError):
        torch.ops.mylib.custom_linear(seed.x, seed.w, seed.w)

    with pytest.raises(NotImplementedError, match="Implementation goes here"):
        seed.custom_linear(torch.ones(2, 3), torch.ones(3, 3), torch.ones(3))


def test_seed_001_register_fake_with_data_dependent_shape(capsys):
    seed = run(
        IMPORTS
        + """
@torch.library.custom_op("mylib::custom_nonzero", mutates_args=())
def custom_nonzero(x: Tensor) -> Tensor:
    x_np = x.numpy(force=True)
    res = np.stack(np.nonzero(x_np), axis=1)
    return torch.tensor(res, device=x.device)

@torch.library.register_fake("mylib::custom_nonzero")
def _(x):
# Number of nonzero-elements is data-dependent.
# Since we cannot peek at the data in an fake impl,
# we use the ctx object to construct a new symint that
# represents the data-dependent size.
    ctx = torch.library.get_ctx()
    nnz = ctx.new_dynamic_size()
    shape = [nnz, x.dim()]
    result = x.new_empty(shape, dtype=torch.int64)
    return result

from torch.fx.experimental.proxy_tensor import make_fx
x = torch.tensor([0, 1, 2, 3, 4, 0])
trace = make_fx(torch.ops.mylib.custom_nonzero, tracing_mode="symbolic")(x)
trace.print_readable()
assert torch.allclose(trace(x), torch.ops.mylib.custom_nonzero(x))
"""
    )

    printed = capsys.readouterr().out
    assert 'arg0_1: "i64[s0]"' in printed
    assert ': "i64[u0, 1]" = torch.ops.mylib.custom_nonzero.default(arg0_1)' in printed
    other = torch.tensor([1, 0, 1, 1, 0, 0, 0, 0, 1])
    assert seed.trace(other).tolist() == [[0], [2], [3], [8]]
    with torch._subclasses.fake_tensor.FakeTensorMode():
        result = seed.custom_nonzero(torch.empty(6))
    assert (str(result.shape), result.dtype) == ("(u0, 1)", torch.int64)


def test_seed_001_a_custom_operator_is_mapped_by_its_rule():
    seed = run(
        IMPORTS
        + """
@custom_op("mylib::numpy_mul", mutates_args=())
def numpy_mul(x: Tensor, y: Tensor) -> Tensor:
    return torch.from_numpy(x.numpy() * y.numpy())

@torch.library.register_vmap("mylib::numpy_mul")
def numpy_mul_vmap(info, in_dims, *args, **kwargs):
    x, y = args
    assert in_dims == (0, 0) and kwargs == {}
    return numpy_mul(x, y), 0
"""
    )
    x = torch.randn(4, 3)

    assert torch.allclose(torch.vmap(seed.numpy_mul)(x, x), x * x)


# ---- Seed 002: Python custom operators ----

CROP = """
import torch
from torchvision.transforms.functional import to_pil_image, pil_to_tensor
from typing import Sequence

@torch.library.custom_op("mylib::crop", mutates_args=())
def crop(pic: torch.Tensor, box: Sequence[int]) -> torch.Tensor:
    img = to_pil_image(pic.cpu())
    cropped_img = img.crop(box)
    return (pil_to_tensor(cropped_img) / 255.).to(pic.device, pic.dtype)

@crop.register_fake
def _(pic, box):
    channels = pic.shape[0]
    x0, y0, x1, y1 = box
    return pic.new_empty(channels, y1 - y0, x1 - x0)
"""


def test_seed_002_crop_as_a_plain_function():
    # display() needs matplotlib and is left out.
    pytest.importorskip("PIL")
    seed = run(
        """
import torch
from torchvision.transforms.functional import to_pil_image, pil_to_tensor

def crop(pic, box):
    img = to_pil_image(pic.cpu())
    cropped_img = img.crop(box)
    return pil_to_tensor(cropped_img).to(pic.device) / 255.

img = torch.ones(3, 64, 64)
img *= torch.linspace(0, 1, steps=64) * torch.linspace(0, 1, steps=64).unsqueeze(-1)
cropped_img = crop(img, (10, 10, 50, 50))
"""
    )

    assert tuple(seed.cropped_img.shape) == (3, 40, 40)
    expected = np.floor(seed.img.numpy()[:, 10:50, 10:50] * 255) / 255
    np.testing.assert_allclose(seed.cropped_img.numpy(), expected, atol=1e-6)

    with pytest.raises(opwright.GraphBreakError, match="custom_op"):
        torch.compile(lambda img: seed.crop(img, (10, 10, 50, 50)), fullgraph=True)(seed.img)


def test_seed_002_crop_as_a_custom_operator():
    pytest.importorskip("PIL")
    seed = run(CROP)
    img = torch.ones(3, 64, 64)

    cropped = seed.crop(img, (10, 10, 50, 50))

    assert tuple(cropped.shape) == (3, 40, 40)
    assert cropped.dtype == torch.float32
    assert np.all(cropped.numpy() == 1)
    assert str(seed.crop.schema) == "mylib::crop(Tensor pic, SymInt[] box) -> Tensor"


def test_seed_002_the_fake_kernel_of_crop():
    seed = run(CROP)

    cropped = seed.crop(torch.empty(3, 64, 64, device="meta"), [10, 10, 50, 50])

    assert tuple(cropped.shape) == (3, 40, 40)


def test_seed_002_the_custom_operator_never_breaks_the_graph():
    pytest.importorskip("PIL")
    seed = run(
        CROP
        + """
@torch.compile(fullgraph=True)
def f(img):
    return crop(img, (10, 10, 50, 50))

img = torch.ones(3, 64, 64)
cropped_img = f(img)
"""
    )

    assert tuple(seed.cropped_img.shape) == (3, 40, 40)
    assert np.all(seed.f(seed.img).numpy() == 1)
    assert seed.f.num_compiles == 1


def add_formula_of_crop() -> None:
    """Train through crop; the seed leaves the code of this part out."""

    def setup_context(ctx, inputs, output):
        pic, ctx.box = inputs
        ctx.sizes = pic.shape

    def backward(ctx, grad):
        x0, y0, x1, y1 = ctx.box
        whole = grad.new_zeros(ctx.sizes)
        whole[:, y0:y1, x0:x1] = grad
        return whole, None

    torch.library.register_autograd("mylib::crop", backward, setup_context=setup_context)


OPCHECK_EXAMPLES = """
import torch

crop = torch.ops.mylib.crop.default
examples = [
    [torch.randn(3, 64, 64), [0, 0, 10, 10]],
    [torch.randn(3, 91, 91, requires_grad=True), [10, 0, 20, 10]],
    [torch.randn(3, 60, 60, dtype=torch.double), [3, 4, 32, 20]],
    [torch.randn(3, 512, 512, requires_grad=True, dtype=torch.double), [3, 4, 32, 45]],
]
"""


def test_seed_002_the_examples_for_opcheck_run():
    pytest.importorskip("PIL")
    run(CROP)
    add_formula_of_crop()
    run(
        OPCHECK_EXAMPLES
        + """
for example in examples:
    torch.library.opcheck(crop, example)
"""
    )


def test_seed_002_crop_is_trained_through_by_its_formula():
    # The seed names register_autograd and the error.
    pytest.importorskip("PIL")
    seed = run(CROP)
    pic = torch.rand(3, 8, 8, requires_grad=True)
    with pytest.raises(NotImplementedError, match="mylib::crop has no backward formula"):
        seed.crop(pic, [2, 1, 6, 4]).sum().backward()

    add_formula_of_crop()
    (seed.crop(pic, [2, 1, 6, 4]) * 3).sum().backward()

    expected = np.zeros((3, 8, 8), dtype=np.float32)
    expected[:, 1:4, 2:6] = 3
    np.testing.assert_array_equal(pic.grad.numpy(), expected)


# ---- Seed 003: inline C++ ----


@pytest.mark.own_process  # a binary of other tests has the operator too
def test_seed_003_inline_cpp_gives_the_operator():
    # The operator by itself; tests/python/onnx/test_seed_003.py runs the entire seed.
    seed = run(
        '''
import torch
import torch.utils.cpp_extension

cpp_source = """
#include <torch/script.h>
std::tuple<torch::Tensor, torch::Tensor> dual_residual(torch::Tensor x, torch::Tensor y, double_t alpha) {
    torch::Tensor tmp1 = x* alpha - y;
    torch::Tensor tmp2 = y* alpha - x;
    return std::tuple<torch::Tensor, torch::Tensor>(tmp1, tmp2);}
static auto registry = torch::RegisterOperators()
    .op("cst::dual_residual", &dual_residual);
"""

torch.utils.cpp_extension.load_inline(
        name="test",
        cpp_sources=cpp_source,
        functions="dual_residual",
        verbose=True,
        is_python_module=True,
    )
# The string input dual_residual of functions needs to be consistent with the function name in the cpp definition

x = torch.randn(2, 3)
y = torch.randn(2, 3)
r1, r2 = torch.ops.cst.dual_residual(x, y, .5)
'''  # noqa: E501
    )

    assert torch.allclose(seed.r1, seed.x * 0.5 - seed.y)
    assert torch.allclose(seed.r2, seed.y * 0.5 - seed.x)
