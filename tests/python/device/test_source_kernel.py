"""Kernels that are texts: opwright.SourceKernel, opwright/source_kernel.h."""

import ctypes

import numpy as np
import opwright as ow
import pytest

TEXT = """
kernel void scaled_add(global const float* x, global float* y, float factor, int n) {
    const size_t i = get_global_id(0);
    if (i < n) y[i] += factor * x[i];
}
kernel void show(...) {}
"""


@pytest.fixture
def scaled_add(sample):
    """Return a kernel of the sample device."""
    return ow.SourceKernel("sample", TEXT, "scaled_add")


def test_a_kernel_runs_on_the_tensors_of_a_device(scaled_add):
    x = ow.arange(5.0).to("sample")
    y = ow.ones(5).to("sample")

    scaled_add(1, 8, x, y, 2.0, 5)

    assert y.cpu().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


def test_without_a_group_size_groups_are_elements(scaled_add):
    x, y = ow.ones(4).to("sample:1"), ow.zeros(4).to("sample:1")

    scaled_add(3, None, x, y, 1.0, 4)

    assert y.cpu().tolist() == [1.0, 1.0, 1.0, 0.0]


def test_without_a_group_nothing_runs(scaled_add, source_operators):
    empty = ow.zeros(0, device="sample")

    scaled_add(0, 8, empty, empty, 1.0, 0)

    assert source_operators.scaled_add(empty, empty, 1.0).shape == (0,)


def test_extents_have_up_to_three_dimensions(scaled_add):
    x, y = ow.ones(8).to("sample"), ow.zeros(8).to("sample")

    scaled_add((1, 2), [2, 1, 2], x, y, 1.0, 8)

    assert y.cpu().tolist() == [1.0] * 8


@pytest.mark.parametrize(
    ("given", "size"),
    [
        (1, 4),
        (-(2**31), 4),
        (2**31, 8),
        (1.0, 4),
        (True, 1),
        ((1, ow.int64), 8),
        ((1.0, ow.float64), 8),
        ((1.0, ow.float16), 2),
        ((1j, ow.complex64), 8),
        (np.float64(1), 8),
        (np.int16(1), 2),
        (ctypes.c_double(1), 8),
        (ctypes.c_uint8(1), 1),
    ],
)
def test_numbers_have_the_types_that_are_documented(sample, given, size):
    show = ow.SourceKernel("sample", TEXT, "show")
    sizes = ow.zeros(5).to("sample")

    show(1, 1, sizes, given, 0, 0, 0, 0)

    assert sizes.cpu().tolist()[0] == size


def test_a_kernel_tells_what_it_is(scaled_add):
    assert scaled_add.name == "scaled_add"
    assert scaled_add.source == TEXT
    assert scaled_add.device == ow.device("sample")
    assert repr(scaled_add) == "SourceKernel('scaled_add', device='sample')"
    scaled_add.build()


def test_a_kernel_is_the_body_of_a_custom_operator(scaled_add):
    @ow.library.custom_op("source_test::axpy", mutates_args=(), device_types="sample")
    def axpy(x: ow.Tensor, y: ow.Tensor, factor: float) -> ow.Tensor:
        result = y.clone()
        scaled_add(x.numel(), None, x, result, factor, x.numel())
        return result

    x = ow.ones(3).to("sample")

    assert axpy(x, x, 2.0).cpu().tolist() == [3.0, 3.0, 3.0]


def test_an_operator_of_a_binary_has_a_text_as_its_kernel(source_operators):
    x, y = ow.arange(100.0), ow.ones(100)

    there = source_operators.scaled_add(x.to("sample"), y.to("sample"), 0.5)

    assert ow.equal(there.cpu(), source_operators.scaled_add(x, y, 0.5))


@pytest.mark.devices
def test_an_operator_of_a_binary_has_a_kernel_in_opencl(opencl, source_operators):
    x, y = ow.arange(100.0), ow.ones(100)

    there = source_operators.scaled_add(x.to("opencl"), y.to("opencl"), 0.5)

    assert ow.equal(there.cpu(), source_operators.scaled_add(x, y, 0.5))


@pytest.mark.devices
def test_a_text_in_opencl_runs_from_python(opencl):
    kernel = ow.SourceKernel("opencl", TEXT.replace("kernel void show(...) {}", ""), "scaled_add")
    x, y = ow.arange(5.0).to("opencl"), ow.ones(5).to("opencl")

    kernel(1, 8, x, y, 2.0, 5)

    assert y.cpu().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


# ---- what is refused -----------------------------------------------------------------------------


def test_a_device_without_a_compiler(plain):
    kernel = ow.SourceKernel("plain", TEXT, "scaled_add")
    with pytest.raises(NotImplementedError) as failure:
        kernel(1, 1, ow.ones(1).to("plain"))
    assert str(failure.value) == (
        "source kernel: the device plain has no compiler (build_kernel, launch_kernel)"
    )


def test_a_text_that_the_compiler_refuses_has_its_log(sample):
    kernel = ow.SourceKernel("sample", "nonsense", "scaled_add")
    with pytest.raises(RuntimeError, match="the compiler's log:\nnonsense\n  error: expected a k"):
        kernel.build()


def test_a_wrong_number_of_arguments(scaled_add):
    with pytest.raises(TypeError, match="kernel scaled_add takes 4 arguments, got 1") as failure:
        scaled_add(1, 1, ow.ones(1).to("sample"))
    assert str(failure.value).endswith("\n  in the source kernel 'scaled_add'")


@pytest.mark.parametrize(
    ("argument", "name"), [("two", "str"), (None, "NoneType"), (b"x", "bytes")]
)
def test_an_argument_of_a_wrong_type(scaled_add, argument, name):
    with pytest.raises(TypeError) as failure:
        scaled_add(1, 1, ow.ones(1).to("sample"), argument)
    assert str(failure.value) == (
        "source kernel scaled_add: argument 2 must be a tensor, a number, (number, dtype) or a "
        f"value of NumPy or ctypes, got {name}"
    )


def test_an_int_that_does_not_fit(scaled_add):
    with pytest.raises(OverflowError, match="argument 1 does not fit into 64 bits"):
        scaled_add(1, 1, 2**64)


def test_tensors_on_two_devices(scaled_add):
    with pytest.raises(ValueError, match="argument 2 is on cpu, but one before it is on sample:0"):
        scaled_add(1, 1, ow.ones(1).to("sample"), ow.ones(1), 1.0, 1)


def test_tensors_of_another_device(scaled_add):
    with pytest.raises(ValueError, match="its tensors are on cpu, but it is one for sample"):
        scaled_add(1, 1, ow.ones(1), ow.ones(1), 1.0, 1)


def test_tensors_of_another_device_in_a_binary(source_operators):
    with pytest.raises(ValueError, match="source kernel scaled_add: argument 2 is on cpu, but the"):
        source_operators.launch_on_two(ow.ones(1).to("sample"), ow.ones(1))


def test_a_tensor_without_memory(scaled_add):
    with pytest.raises(RuntimeError, match="argument 1 has no memory\n  Call the kernel in a cust"):
        scaled_add(1, 1, ow.ones(1, device="meta"))


@pytest.mark.parametrize("groups", [-1, (1, -1), (1, 1, 1, 1), (), 1.5, "1"])
def test_groups_that_cannot_be(scaled_add, groups):
    with pytest.raises(ValueError, match="groups must be an int of at least 0 or up to three of"):
        scaled_add(groups, 1, 1)


@pytest.mark.parametrize("group_size", [0, (1, 0), (), "1"])
def test_group_sizes_that_cannot_be(scaled_add, group_size):
    with pytest.raises(ValueError, match="group_size must be an int of at least 1 or up to three"):
        scaled_add(1, group_size, 1)
