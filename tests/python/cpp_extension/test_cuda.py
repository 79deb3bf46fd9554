"""CUDA sources: compiled by nvcc into the same library; nothing is run on a device here."""

import subprocess
from pathlib import Path

import pytest
from opwright.cpp_extension import CompileError, CompilerNotFoundError, _cuda, load_inline

from .conftest import MINIMAL


@pytest.fixture
def nvcc() -> None:
    """Skip the test where there is no nvcc."""
    try:
        _cuda.find_nvcc()
    except CompilerNotFoundError as problem:
        pytest.skip(f"CUDA WAS NOT TESTED: {problem}")


KERNEL = """
__global__ void scale_kernel(const float* x, float* y, int64_t size, float factor) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < size) y[i] = factor * x[i];
}
torch::Tensor scale(torch::Tensor x, double factor) {
  torch::Tensor y = torch::empty_like(x);
  const int64_t blocks = (x.numel() + 255) / 256;
  scale_kernel<<<blocks, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), factor);
  return y;
}
"""
DECLARATION = """
torch::Tensor scale(torch::Tensor x, double factor);
TORCH_LIBRARY(inline_cuda, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
TORCH_LIBRARY_IMPL(inline_cuda, CUDA, m) { m.impl("scale", &scale); }
"""


@pytest.mark.devices
def test_a_cuda_kernel_is_built_and_registered(nvcc, cache):
    import opwright as ow

    path = load_inline(
        "device_code",
        DECLARATION,
        cuda_sources=KERNEL,
        extra_cflags=["-O0"],
        is_python_module=False,
    )

    operator = ow.ops.inline_cuda.scale.default
    assert [slot.lower() for slot, _ in operator.implementations()] == ["cuda"]
    content = Path(path).read_bytes()
    assert b".nv_fatbin" in content
    assert b"sm_90" in content
    needed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    assert "cudart" not in needed


@pytest.mark.devices
def test_an_error_in_a_cuda_source_names_its_line(nvcc, cache):
    with pytest.raises(CompileError, match=r"wrong\.cu\(2\): error: identifier \"nothing\""):
        load_inline(
            "wrong",
            MINIMAL,
            cuda_sources="\nint f() { return nothing; }",
            no_implicit_headers=True,
        )


def test_without_nvcc_the_message_says_what_to_do(cache, monkeypatch, tmp_path):
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(CompilerNotFoundError, match="set CUDA_HOME to its folder") as caught:
        load_inline("absent", "int f();", cuda_sources=KERNEL)

    assert "CUDA sources need nvcc, and there is none" in str(caught.value)
