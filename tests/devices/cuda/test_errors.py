"""What is said about bad input on the device."""

import os
import subprocess
import sys

import opwright as ow
import pytest

FAULTY = """
import opwright as ow
kernel = ow.SourceKernel(
    "cuda", 'extern "C" __global__ void fault(float* x) { x[1ull << 40] = 1; }', "fault"
)
x = ow.ones(4, device="cuda")
kernel(1, 1, x)
ow.cuda.synchronize()
"""


def test_tensors_on_two_devices_are_refused():
    with pytest.raises(RuntimeError, match="the tensors are on two devices"):
        ow.add(ow.ones(3), ow.ones(3, device="cuda"))


def test_out_of_memory_tells_sizes_and_leaves_the_device_usable():
    with pytest.raises(MemoryError) as error:
        ow.empty(1 << 50, dtype=ow.uint8, device="cuda")

    text = str(error.value)
    assert text.startswith("cannot allocate 1 PiB (1125899906842624 bytes) on cuda:0: cuda:0 has ")
    assert "are cached" in text
    assert "opwright.cuda.empty_cache()" in text
    assert ow.ones(4, device="cuda").sum().item() == 4


def test_the_log_of_the_compiler_is_in_the_error():
    with pytest.raises(RuntimeError, match="no_such_name"):
        ow.SourceKernel(
            "cuda", 'extern "C" __global__ void f(float* x) { x[0] = no_such_name; }', "f"
        ).build()


def test_an_index_outside_is_told_at_the_next_wait():
    table = ow.ones(10, 4, device="cuda")

    table[ow.tensor([3, 12]).to("cuda")]

    with pytest.raises(IndexError, match="12, outside of a dimension of size 10"):
        ow.cuda.synchronize()
    assert table.sum().item() == 40


@pytest.mark.parametrize("named", [False, True])
def test_a_fault_of_a_kernel_ends_the_device_with_a_reason(named):
    environment = {**os.environ, **({"OPWRIGHT_SYNCHRONIZE": "1"} if named else {})}

    done = subprocess.run(
        [sys.executable, "-c", FAULTY], env=environment, capture_output=True, text=True
    )

    assert done.returncode != 0
    assert "an illegal memory access was encountered" in done.stderr
    assert ("in the source kernel 'fault'" in done.stderr) == named
    assert ("set OPWRIGHT_SYNCHRONIZE=1" in done.stderr) != named
