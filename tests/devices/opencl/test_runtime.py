"""The OpenCL device's runtime: memory, streams, events, users' kernels, and errors."""

import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_double, c_float, c_int32, c_void_p

import numpy
import pytest

from .device_driver import OPENCL, DeviceOf


def statistic(driver, key):
    return driver.table.statistic(0, key.encode())


def property_of(driver, key):
    buffer = ctypes.create_string_buffer(256)
    length = driver.table.property(0, key.encode(), buffer, 256)
    return buffer.value.decode() if length else None


# ---- devices ------------------------------------------------------------------------------------


def test_the_device_tells_its_properties(driver):
    assert driver.table.name == b"opencl"
    assert driver.table.type == OPENCL
    assert property_of(driver, "name")
    assert property_of(driver, "vendor")
    assert property_of(driver, "driver_version")
    assert property_of(driver, "platform")
    assert int(property_of(driver, "total_memory")) > 1 << 20
    assert int(property_of(driver, "compute_units")) >= 1
    assert 0 < int(property_of(driver, "free_memory")) <= int(property_of(driver, "total_memory"))
    assert property_of(driver, "colour") is None


def test_a_property_is_cut_to_the_room_that_it_has(driver):
    buffer = ctypes.create_string_buffer(4)

    length = driver.table.property(0, b"name", buffer, 4)

    assert buffer.value.decode() == property_of(driver, "name")[:3]
    assert length == len(property_of(driver, "name"))


def test_a_device_that_is_not_there(driver):
    last = driver.table.count() - 1

    with pytest.raises(
        RuntimeError, match=f"there is no device opencl:99; the last one is .*{last}"
    ):
        driver.call("set_current", 99)


# ---- memory -------------------------------------------------------------------------------------


def test_freed_memory_is_given_out_again(driver):
    driver.table.empty_cache(0)
    first = driver.allocate(5000)
    reserved = statistic(driver, "reserved")
    driver.free(first, 5000)
    second = driver.allocate(4900)

    assert second == first
    assert statistic(driver, "reserved") == reserved
    driver.free(second, 4900)
    driver.table.empty_cache(0)
    assert statistic(driver, "reserved") < reserved


def test_statistics_count_bytes_and_allocations(driver):
    driver.table.reset_peaks(0)
    before, times = statistic(driver, "allocated"), statistic(driver, "allocations")
    memory = driver.allocate(1 << 20)

    assert statistic(driver, "allocated") - before >= 1 << 20
    assert statistic(driver, "allocations") == times + 1
    driver.free(memory, 1 << 20)
    assert statistic(driver, "allocated") == before
    assert statistic(driver, "peak_allocated") >= before + (1 << 20)
    driver.table.reset_peaks(0)
    assert statistic(driver, "peak_allocated") == before
    assert statistic(driver, "temperature") == -1


def test_memory_is_aligned(driver):
    memory = [driver.allocate(3) for _ in range(5)]

    assert all(address % 64 == 0 for address in memory)
    for address in memory:
        driver.free(address, 3)


def test_out_of_memory_tells_what_there_is_and_what_to_do(driver):
    with pytest.raises(MemoryError) as error:
        driver.allocate(1 << 50)

    text = str(error.value)
    assert text.startswith("opencl:0 is out of memory: wanted 1024.00 TiB, allocated ")
    for part in (", cached ", ", total ", "empty_cache()"):
        assert part in text


def test_bytes_are_copied_on_the_device(driver):
    values = numpy.arange(1000, dtype=numpy.int64)
    first, second = driver.array(values), driver.array(numpy.zeros_like(values))
    device = DeviceOf(OPENCL, 0)

    driver.call("copy", second.memory, device, first.memory, device, values.nbytes, None)

    numpy.testing.assert_array_equal(second.read(), numpy.arange(1000))


# ---- streams and events -------------------------------------------------------------------------


@pytest.fixture
def stream(driver):
    made = c_void_p()
    driver.call("new_stream", 0, 0, byref(made))
    yield made
    driver.table.free_stream(0, made)


def test_the_current_stream_is_the_default_one_until_it_is_set(driver, stream):
    assert driver.table.current_stream(0) is None
    assert driver.table.set_current_stream(0, stream) is None
    assert driver.table.current_stream(0) == stream.value
    assert driver.table.set_current_stream(0, None) == stream.value


def test_a_stream_waits_for_an_event_of_another(driver, stream):
    x = driver.array(numpy.zeros(100_000, numpy.float32))
    for _ in range(10):
        driver.loop("x + 1", x, [x.operand()], stream=stream)
    event = c_void_p()
    driver.call("record_event", 0, stream, byref(event))
    driver.call("wait_event", 0, None, event)
    driver.loop("x * 2", x, [x.operand()])

    assert (x.read() == 20).all()
    driver.table.free_event(event)


def test_events_tell_whether_they_came_and_the_time_between(driver):
    x = driver.array(numpy.zeros(1000, numpy.float32))
    events = [c_void_p(), c_void_p()]
    driver.call("record_event", 0, None, byref(events[0]))
    driver.loop("x + 1", x, [x.operand()])
    driver.call("record_event", 0, None, byref(events[1]))
    for event in events:
        driver.call("synchronize_event", event)
    has_come, milliseconds = c_int32(), c_double()
    driver.call("query_event", events[1], byref(has_come))
    driver.call("event_time", events[0], events[1], byref(milliseconds))

    assert has_come.value == 1
    assert 0 <= milliseconds.value < 10_000
    for event in events:
        driver.table.free_event(event)


def test_synchronize_waits_for_every_stream(driver, stream):
    x = driver.array(numpy.zeros(1000, numpy.float32))
    driver.loop("x + 1", x, [x.operand()], stream=stream)

    driver.call("synchronize", 0)
    driver.call("synchronize_stream", 0, stream)

    assert (x.read() == 1).all()


# ---- kernels of users ---------------------------------------------------------------------------

SCALE = """
__kernel void scale(__global float* x, float factor) { x[get_global_id(0)] *= factor; }
"""


def test_a_users_kernel_runs_with_memory_and_values(driver):
    x = driver.array(numpy.arange(64, dtype=numpy.float32))

    driver.launch(driver.build(SCALE, "scale"), [x, c_float(3)], (64, 1, 1))

    numpy.testing.assert_array_equal(x.read(), numpy.arange(64) * 3)


def test_the_same_source_is_compiled_once(driver):
    assert driver.build(SCALE, "scale") == driver.build(SCALE, "scale")
    assert driver.build(SCALE, "scale", "-DOTHER=1") != driver.build(SCALE, "scale")


def test_groups_and_local_memory(driver):
    source = """
    __kernel void reverse(__global float* x, __local float* shared) {
      const int i = get_local_id(0), n = get_local_size(0);
      shared[i] = x[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      x[get_global_id(0)] = shared[n - 1 - i];
    }"""
    x = driver.array(numpy.arange(16, dtype=numpy.float32))

    driver.launch(driver.build(source, "reverse"), [x], (2, 1, 1), (8, 1, 1), 8 * 4)

    assert x.read().tolist() == [*range(7, -1, -1), *range(15, 7, -1)]


def test_an_invalid_source_has_the_compilers_log(driver):
    with pytest.raises(
        RuntimeError, match=r"opencl: the kernel 'f' cannot be built, CL_BUILD_PROGRAM_FAILURE"
    ) as error:
        driver.build("__kernel void f(__global float* x) { x[0] = nowhere; }", "f")

    assert "undeclared identifier 'nowhere'" in str(error.value)


def test_a_kernel_that_the_source_does_not_have(driver):
    with pytest.raises(RuntimeError, match=r"no kernel 'g'; write it as __kernel void g\(\.\.\.\)"):
        driver.build(SCALE, "g")


def test_a_launch_with_too_few_arguments(driver):
    with pytest.raises(TypeError, match="the kernel 'scale' takes 2 arguments, got 1"):
        driver.launch(driver.build(SCALE, "scale"), [c_float(3)], (1, 1, 1))


def test_an_argument_of_another_size(driver):
    x, kernel = driver.array(numpy.zeros(1, numpy.float32)), driver.build(SCALE, "scale")

    with pytest.raises(TypeError, match=r"argument 2 of the kernel 'scale' .*8 bytes: CL_INVALID"):
        driver.launch(kernel, [x, c_double(3)], (1, 1, 1))


# ---- machines and processes ---------------------------------------------------------------------


def run_alone(code, **environment):
    """The output of a process of its own that has `driver`."""
    start = "from device_driver import *; driver = Driver();"
    folder = os.path.dirname(__file__)
    result = subprocess.run(
        [sys.executable, "-c", start + code],
        env={**os.environ, **environment, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout + result.stderr


FAIL = """
print(driver.table.count())
try:
    driver.allocate(64)
except RuntimeError as error:
    print(error)
"""


def test_a_platform_that_is_not_there_is_told_with_those_that_are(driver):
    output = run_alone(FAIL, OPWRIGHT_OPENCL_PLATFORM="no such platform")

    assert output.startswith("0\nopencl: there is no device: OPWRIGHT_OPENCL_PLATFORM is 'no such ")
    assert "but the platforms are '" in output


def test_a_machine_without_a_platform(tmp_path):
    output = run_alone(FAIL, OCL_ICD_VENDORS=str(tmp_path))

    assert output == (
        "0\nopencl: there is no device: the ICD loader knows no platform; "
        "install a runtime (Debian: pocl-opencl-icd)\n"
    )


def test_a_machine_without_the_loader(tmp_path):
    (tmp_path / "libOpenCL.so.1").write_text("no library")

    output = run_alone(FAIL, LD_LIBRARY_PATH=str(tmp_path))

    assert output.startswith(
        "0\nopencl: there is no device: the ICD loader libOpenCL.so.1 cannot be opened ("
    )
    assert "install it (Debian: ocl-icd-libopencl1) and a runtime, e.g. pocl-opencl-icd" in output


def test_a_platform_is_chosen_by_a_part_of_its_name(driver):
    name = property_of(driver, "platform")

    output = run_alone("print(driver.table.count())", OPWRIGHT_OPENCL_PLATFORM=name[:8].upper())

    assert int(output) >= 1


FORK = """
import os
driver.free(driver.allocate(64), 64)
if os.fork() == 0:
    try:
        driver.allocate(64)
    except RuntimeError as error:
        print(error, flush=True)
    driver.free(1, 1)
    os._exit(0)
os.wait()
"""


def test_a_forked_process_is_told_to_start_otherwise(driver):
    output = run_alone(FORK)

    assert "the device was used before this process was forked" in output
    assert "start the process with the method 'spawn'" in output
