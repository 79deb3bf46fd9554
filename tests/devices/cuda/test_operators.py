"""Custom operators with CUDA kernels of every kind: a library, inline sources, Python, a text."""

import os
from pathlib import Path

import opwright as ow
import pytest

from .beside_cpu import assert_close

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))

INLINE = """
#include <cuda_runtime.h>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace {
__global__ void cube_elements(const float* in, float* out, int64_t size) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < size) out[i] = in[i] * in[i] * in[i];
}
opwright::Tensor cube_cuda(const opwright::Tensor& x) {
  const opwright::Tensor in = x.contiguous();
  opwright::Tensor out = opwright::empty_like(in);
  const auto stream = static_cast<cudaStream_t>(opwright::current_stream(in.device()));
  const auto blocks = static_cast<unsigned>((in.numel() + 255) / 256);
  cube_elements<<<blocks, 256, 0, stream>>>(in.data<float>(), out.mutable_data<float>(),
                                            in.numel());
  return out;
}
}  // namespace

OPWRIGHT_LIBRARY(inline_cuda, m) { m.def("cube(Tensor x) -> Tensor"); }
OPWRIGHT_LIBRARY_IMPL(inline_cuda, CUDA, m) { m.impl("cube", &cube_cuda); }
"""

SOURCE = """
extern "C" __global__ void shift(const float* in, float* out, float by, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = in[i] + by;
}
"""


@pytest.fixture(scope="module")
def scale():
    library = BUILD / "operators" / "libscale_cuda.so"
    if not library.exists():
        pytest.skip(f"{library} was not built: tools/build release device_tests")
    ow.load_library(str(library))
    return ow.ops.on_device.scale


def test_a_kernel_of_a_library_runs_on_the_device(scale):
    x = ow.arange(1000, dtype=ow.float32)

    actual = scale(x.to("cuda"), 2.5)

    assert actual.device.type == "cuda"
    assert_close(actual, x * 2.5)


def test_its_gradient_runs_on_the_device(scale):
    x = ow.ones(10, device="cuda", requires_grad=True)

    scale(x, 3.0).sum().backward()

    assert_close(x.grad, ow.full((10,), 3.0))


def test_it_is_mapped_on_the_device(scale):
    x = ow.arange(12, dtype=ow.float32).reshape(3, 4).to("cuda")

    assert_close(ow.vmap(lambda row: scale(row, 2.0))(x), x.to("cpu") * 2)


def test_inline_cuda_sources_become_an_operator():
    ow.cpp_extension.load_inline(
        "inline_cuda_test", cpp_sources="", cuda_sources=INLINE, is_python_module=False
    )
    x = ow.arange(300, dtype=ow.float32)

    assert_close(ow.ops.inline_cuda.cube(x.to("cuda")), x * x * x)


def test_a_python_function_is_an_operator_of_device_tensors():
    @ow.library.custom_op("cuda_tests::halve", mutates_args=())
    def halve(x: ow.Tensor) -> ow.Tensor:
        return x / 2

    x = ow.arange(5, dtype=ow.float32)

    assert_close(halve(x.to("cuda")), x / 2)


def test_a_kernel_for_the_device_alone_comes_first_there():
    @ow.library.custom_op("cuda_tests::where_am_i", mutates_args=())
    def where_am_i(x: ow.Tensor) -> ow.Tensor:
        return x * 0

    @where_am_i.register_kernel("cuda")
    def _(x):
        return x * 0 + 1

    assert where_am_i(ow.ones(1)).item() == 0
    assert where_am_i(ow.ones(1, device="cuda")).item() == 1


def test_a_source_text_is_a_kernel():
    kernel = ow.SourceKernel("cuda", SOURCE, "shift")
    x = ow.arange(1000, dtype=ow.float32).to("cuda")
    out = ow.empty_like(x)

    kernel(4, 256, x, out, ow.tensor(2.5).item(), 1000)

    assert_close(out, x.to("cpu") + 2.5)


def test_opcheck_takes_device_tensors(scale):
    ow.library.opcheck(scale.default, (ow.randn(8, device="cuda"), 2.0))


def test_opcheck_finds_a_kernel_of_the_device_that_differs():
    @ow.library.custom_op("cuda_tests::thrice", mutates_args=())
    def thrice(x: ow.Tensor) -> ow.Tensor:
        return x * 3

    thrice.register_fake(lambda x: ow.empty_like(x))
    thrice.register_kernel("cuda")(lambda x: x * 3.5)

    with pytest.raises(ow.testing.OpCheckError) as error:
        ow.library.opcheck(thrice, (ow.ones(3),))

    assert (
        "devices/device-differs: cuda_tests::thrice on cuda:0: the result: element [0] is 3.5 and "
        "should be 3 (1 of 1 element differs), as on the cpu; correct its kernel for CUDA"
    ) in str(error.value)
