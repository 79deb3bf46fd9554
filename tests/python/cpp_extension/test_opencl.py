"""load_inline with kernels in OpenCL C."""

import opwright as ow
import pytest
from opwright import cpp_extension

SCALE = """
kernel void scale(global const float* x, global float* y, float factor) {
    const size_t i = get_global_id(0);
    y[i] = factor * x[i]; // ")opencl" may stand in it
}
"""
OPERATOR = """
#include "opwright/opwright.h"

using opwright::Tensor;

static Tensor scale_cpu(const Tensor& x, double factor) { return factor * x; }

static Tensor scale_opencl(const Tensor& x, double factor) {
  const Tensor input = x.contiguous();
  const Tensor result = opwright::empty_like(input);
  opencl::scale.launch(x.device(), {x.numel()}, {}, input, result, static_cast<float>(factor));
  return result;
}

OPWRIGHT_LIBRARY(opencl_inline, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
OPWRIGHT_LIBRARY_IMPL(opencl_inline, CPU, m) { m.impl("scale", &scale_cpu); }
OPWRIGHT_LIBRARY_IMPL(opencl_inline, OpenCL, m) { m.impl("scale", &scale_opencl); }
"""


@pytest.fixture(scope="module")
def operators():
    cpp_extension.load_inline("opencl_inline", OPERATOR, opencl_sources={"scale": SCALE})
    return ow.ops.opencl_inline


def test_the_operator_runs_on_the_cpu_wherever_there_is_no_opencl(operators):
    assert operators.scale(ow.ones(2), 3.0).tolist() == [3.0, 3.0]


@pytest.mark.devices
def test_the_text_is_the_kernel_for_opencl(operators):
    if not ow.is_available("opencl"):  # checked here, so that nothing is loaded before
        pytest.skip("there is no OpenCL device")
    x = ow.arange(5.0)

    assert operators.scale(x.to("opencl"), 0.5).cpu().tolist() == (x * 0.5).tolist()
    assert operators.scale(ow.zeros(0, device="opencl"), 0.5).shape == (0,)


def test_a_text_without_the_kernel_is_refused_before_anything_is_compiled():
    with pytest.raises(ValueError, match=r"opencl_sources\['other'\] has no such kernel"):
        cpp_extension.load_inline("opencl_wrong", OPERATOR, opencl_sources={"other": SCALE})


@pytest.mark.parametrize("given", [SCALE, [SCALE], {"not a name": SCALE}, {"scale": 1}])
def test_what_is_no_dict_of_texts_is_refused(given):
    with pytest.raises(TypeError, match="must be a dict of texts by the names of their kernels"):
        cpp_extension.load_inline("opencl_wrong", OPERATOR, opencl_sources=given)
