"""torch.profiler: the same events as torch.autograd.profiler, with torch.profiler's options."""

import importlib

import opwright.compat.torch as compat
import pytest


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    return compat if request.param == "compat" else pytest.importorskip("torch")


def test_a_profile_counts_operators_and_ranges(torch):
    profiler = importlib.import_module(f"{torch.__name__}.profiler")
    x = torch.ones(3)

    with (
        profiler.profile(activities=[profiler.ProfilerActivity.CPU]) as recorded,
        profiler.record_function("a range"),
    ):
        x.sin()
        x.sin()

    counts = {row.key: row.count for row in recorded.key_averages()}
    assert (counts["aten::sin"], counts["a range"]) == (2, 1)


def test_a_profile_starts_and_stops(torch):
    profile = importlib.import_module(f"{torch.__name__}.profiler").profile()
    x = torch.ones(3)

    profile.start()
    x.sin()
    profile.stop()
    x.cos()

    names = [event.name for event in profile.events()]
    assert ("aten::sin" in names, "aten::cos" in names) == (True, False)


def test_a_device_whose_times_are_not_recorded_is_refused():
    from opwright.compat.torch.profiler import ProfilerActivity, profile

    with pytest.raises(
        NotImplementedError,
        match=r"profile: only the CPU's times are recorded; leave ProfilerActivity\.CUDA out",
    ):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
