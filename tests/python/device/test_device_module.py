"""opwright.cuda and its like: the current device, streams, events, memory and seeds."""

import opwright as ow
import opwright.cuda
import opwright.opencl
import pytest
from opwright import _C
from opwright.compat.torch import cuda


def test_modules_of_our_own_devices_are_submodules():
    assert opwright.cuda is ow.cuda
    assert ow.cuda.device_count() == ow.device_count("cuda")
    assert opwright.opencl.is_available() == ow.is_available("opencl")
    assert ow.device_module("cuda").Stream is ow.cuda.Stream


def test_compat_has_torch_cuda():
    assert cuda.is_available() == ow.cuda.is_available()
    assert cuda.Stream is ow.cuda.Stream
    with pytest.raises(AttributeError, match=r"torch\.cuda\.nvtx is not available yet"):
        _ = cuda.nvtx


# ---- the current device --------------------------------------------------------------------------


def test_the_current_device_holds_for_a_with(sample):
    assert sample.current_device() == 0
    with sample.device(1):
        assert sample.current_device() == 1
        assert ow.ones(2, device="sample").device == ow.device("sample:1")
        with sample.device("sample:0"):
            assert sample.current_device() == 0
        assert sample.current_device() == 1
    assert sample.current_device() == 0


def test_set_device_holds_until_it_is_changed(sample):
    sample.set_device(1)
    try:
        assert ow.ones(2, device="sample").device == ow.device("sample:1")
    finally:
        sample.set_device(0)


def test_a_device_without_a_choice_keeps_its_current_one(plain):
    plain.set_device(0)
    assert plain.current_device() == 0


def test_a_device_of_another_kind_is_refused(sample):
    with pytest.raises(ValueError, match=r"opwright\.sample is about sample devices, got 'cpu'"):
        sample.synchronize("cpu")


def test_a_stream_of_another_kind_is_refused(sample):
    stream = ow.device_module("cpu").Stream()

    with pytest.raises(
        ValueError, match=r"opwright\.sample is about sample devices, got a stream of 'cpu"
    ):
        sample.set_stream(stream)
    with pytest.raises(ValueError, match="got a stream of 'cpu"):
        sample.stream(stream)
    with pytest.raises(TypeError, match=r"opwright\.sample: expected a Stream, got 3"):
        sample.set_stream(3)


def test_a_device_that_is_not_there_has_no_properties():
    if ow.cuda.is_available():
        pytest.skip("there is a device")
    for read in (ow.cuda.get_device_name, ow.cuda.get_device_capability, ow.cuda.mem_get_info):
        with pytest.raises(RuntimeError, match="nothing runs on cuda here"):
            read()


def test_an_index_that_does_not_exist(sample):
    with pytest.raises(IndexError, match="there is no sample:2: this process sees 2 sample dev"):
        sample.set_device(2)


def test_properties(sample, plain):
    assert sample.get_device_name(1) == "Sample 1"
    assert sample.get_device_properties().total_memory == 1 << 30
    assert repr(sample.get_device_properties(0)) == (
        "DeviceProperties(name='Sample 0', total_memory=1073741824, capability='9.5')"
    )
    assert sample.get_device_capability() == (9, 5)
    assert plain.get_device_capability() == (0, 0)
    assert plain.get_device_properties().multi_processor_count == 0
    assert plain.get_device_name() == "plain"


def test_synchronize_waits_for_the_device(sample):
    before = count(sample, "synchronisations")
    sample.synchronize()
    sample.synchronize(1)
    assert count(sample, "synchronisations") == before + 2


def count(module, key):
    return _C.device_statistic(module._name, key)


# ---- streams and events --------------------------------------------------------------------------


def test_a_stream_is_current_for_a_with(sample):
    default = sample.current_stream()
    stream = sample.Stream()
    other = sample.Stream(priority=-1)

    with sample.stream(stream):
        assert sample.current_stream() == stream
        with other:
            assert sample.current_stream() == other
        assert sample.current_stream() == stream
        with sample.stream(None):
            assert sample.current_stream() == stream
    assert sample.current_stream() == default
    assert stream != other
    assert other.priority == -1
    assert default.address == 0


def test_set_stream_holds_until_it_is_changed(sample):
    default = sample.current_stream()
    stream = sample.Stream()
    sample.set_stream(stream)
    try:
        assert sample.current_stream() == stream
        assert hash(sample.current_stream()) == hash(stream)
    finally:
        sample.set_stream(default)


def test_streams_are_of_a_device(sample):
    assert sample.Stream(1).device == ow.device("sample:1")
    with sample.device(1):
        assert sample.Stream().device == ow.device("sample:1")
    with pytest.raises(ValueError, match="is about sample devices, got 'cpu'"):
        sample.Stream("cpu")


def test_a_stream_is_given_out_again(sample):
    addresses = set()
    for _ in range(20):
        stream = sample.Stream()
        addresses.add(stream.address)
        del stream
    assert len(addresses) < 20


def test_events_mark_work(sample):
    stream = sample.Stream()
    start, end = sample.Event(enable_timing=True), sample.Event(enable_timing=True)

    start.record()
    stream.wait_event(start)
    end.record(stream)
    sample.current_stream().wait_stream(stream)
    end.synchronize()

    assert start.query()
    assert end.query()
    assert stream.query()
    assert 0 <= start.elapsed_time(end) < 10_000
    assert repr(sample.Event()) == "Event(not recorded)"
    assert repr(end) == "Event(recorded)"


def test_an_event_without_a_record_has_come_but_has_no_time(sample):
    event = sample.Event()

    assert event.query()
    event.synchronize()
    event.wait()
    with pytest.raises(RuntimeError, match="both events must have been recorded first"):
        event.elapsed_time(event)


def test_events_are_freed(sample):
    before = count(sample, "live_events")
    event = sample.Event()
    event.record()
    event.record()
    assert count(sample, "live_events") == before + 1
    del event
    assert count(sample, "live_events") == before


def test_a_device_without_streams_has_done_its_work(plain):
    stream = plain.Stream()
    with stream:
        assert plain.current_stream() == stream
    event = stream.record_event()
    event.wait()
    assert event.query()


def test_a_tensor_that_another_stream_uses_is_recorded(sample):
    x = ow.ones(100, device="sample")
    before = count(sample, "live_events"), sample.memory_allocated()

    x.record_stream(sample.Stream())
    x.record_stream(sample.Stream())
    x.record_stream(sample.current_stream())
    del x

    assert count(sample, "live_events") == before[0]
    assert sample.memory_allocated() < before[1]


def test_record_stream_refuses_what_is_not_of_the_tensors_device(sample):
    x = ow.ones(2, device="sample")
    with pytest.raises(ValueError, match="the stream is one of sample:1, but the tensor is on sam"):
        x.record_stream(sample.Stream(1))
    with pytest.raises(TypeError, match="record_stream: expected a Stream of a device, got int"):
        x.record_stream(3)


# ---- memory --------------------------------------------------------------------------------------


def test_memory_is_counted(sample):
    before = sample.memory_allocated()
    sample.reset_peak_memory_stats()

    x = ow.empty(1000, device="sample")
    y = ow.empty(500, device="sample")
    del x
    now = sample.memory_allocated()

    assert now - before == 2000
    assert sample.max_memory_allocated() - before == 6000
    assert sample.memory_reserved() == now
    assert sample.max_memory_reserved() - before == 6000
    sample.reset_peak_memory_stats()
    assert sample.max_memory_allocated() == now
    del y
    stats = sample.memory_stats()
    assert stats["allocated"] == before
    assert set(stats) == {
        "allocated",
        "reserved",
        "peak_allocated",
        "peak_reserved",
        "allocations",
    }


def test_a_device_that_counts_nothing_has_no_memory_statistics(plain):
    assert plain.memory_stats() == {}
    assert plain.memory_allocated() == 0
    assert plain.mem_get_info() == (0, 0)
    plain.empty_cache()
    plain.reset_peak_memory_stats()


def test_the_cache_is_emptied(sample):
    before = count(sample, "emptied")
    sample.empty_cache()
    assert count(sample, "emptied") == before + 1


def test_free_and_whole_memory(sample):
    assert sample.mem_get_info() == (1_000_000_000, 1 << 30)


def test_too_much_memory_names_size_and_device(sample):
    with pytest.raises(MemoryError, match=r"cannot allocate 4 TiB \(\d+ bytes\) on sample:0: the"):
        ow.empty(1 << 40, device="sample")


def test_pinned_memory(sample):
    before = count(sample, "pinned")

    x = ow.arange(4.0).pin_memory()

    assert x.is_pinned()
    assert not ow.ones(2).is_pinned()
    assert x.device == ow.device("cpu")
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert x.pin_memory() is x
    assert x[1:].is_pinned()
    assert x.to("sample", non_blocking=True).cpu().tolist() == x.tolist()
    if not (ow.is_available("cuda") or ow.is_available("opencl")):
        assert count(sample, "pinned") == before + 16
        del x
        assert count(sample, "pinned") == before


def test_a_copy_from_pinned_memory_is_waited_for_unless_it_need_not_block(sample):
    x = ow.ones(4).pin_memory()
    before = count(sample, "synchronisations")

    x.to("sample", non_blocking=True)
    unwaited = count(sample, "synchronisations")
    x.to("sample")

    assert unwaited == before
    assert count(sample, "synchronisations") == unwaited + 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: ow.empty(3, pin_memory=True),
        lambda: ow.zeros(3, pin_memory=True),
        lambda: ow.full((2, 3), 1.5, pin_memory=True),
        lambda: ow.rand(3, pin_memory=True),
        lambda: ow.empty_like(ow.ones(2, 3).t(), pin_memory=True),
        lambda: ow.empty_strided((2, 3), (1, 2), pin_memory=True),
    ],
)
def test_factories_pin_memory(sample, make):
    assert make().is_pinned()


def test_only_memory_of_the_cpu_is_pinned(sample):
    with pytest.raises(RuntimeError, match="empty: only memory of the cpu is pinned, got sample"):
        ow.empty(2, device="sample", pin_memory=True)


# ---- seeds ---------------------------------------------------------------------------------------


def test_every_device_has_a_generator(sample):
    sample.manual_seed(7)
    sample.set_device(0)

    assert sample.initial_seed() == 7
    assert sample.default_generator(1) != sample.default_generator(0)
    sample.manual_seed_all(9)
    assert [sample.default_generator(i).initial_seed() for i in range(2)] == [9, 9]
    ow.manual_seed(11)
    assert sample.initial_seed() == 11


def test_the_state_of_a_generator_is_taken_up_again(sample):
    sample.manual_seed(3)
    state = sample.get_rng_state()
    sample.manual_seed(4)
    sample.set_rng_state(state)
    assert sample.initial_seed() == 3
