"""What a device has no kernel for: refused, or run on the CPU where that is allowed."""

import threading

import opwright as ow
import pytest


@pytest.fixture(autouse=True)
def _counts_begin_anew():
    ow.reset_fallback_counts()
    yield
    ow.reset_fallback_counts()


@pytest.fixture
def x(sample):
    return ow.tensor([1.0, 2.0], device="sample")


def test_without_permission_the_missing_kernel_is_named(x):
    with pytest.raises(NotImplementedError) as failure:
        ow.ops.sample.cpu_twice(x)

    assert str(failure.value) == (
        "sample::cpu_twice has no kernel for SAMPLE (x is float32[2] on sample:0); it has: CPU, "
        "Fake.\n  Register one with OPWRIGHT_LIBRARY_IMPL(sample, SAMPLE, m) or "
        'opwright.library.register_kernel("sample::cpu_twice", "sample").\n'
        "  Under opwright.allow_fallback() it runs on the CPU, on copies."
    )
    assert ow.fallback_counts() == {}


def test_where_it_is_allowed_the_cpu_runs_on_copies_and_is_counted(x):
    with ow.allow_fallback():
        y = ow.ops.sample.cpu_twice(ow.ops.sample.cpu_twice(x))

    assert y.device == ow.device("sample:0")
    assert y.cpu().tolist() == [4.0, 8.0]
    assert ow.fallback_counts() == {"sample::cpu_twice": 2}
    ow.reset_fallback_counts()
    assert ow.fallback_counts() == {}


def test_it_ends_with_the_with(x):
    with ow.allow_fallback():
        ow.ops.sample.cpu_twice(x)
        with ow.allow_fallback(False), pytest.raises(NotImplementedError):
            ow.ops.sample.cpu_twice(x)
        ow.ops.sample.cpu_twice(x)
    with pytest.raises(NotImplementedError):
        ow.ops.sample.cpu_twice(x)


def test_without_a_with_it_holds_until_it_is_changed(x):
    ow.allow_fallback()
    try:
        ow.ops.sample.cpu_twice(x)
    finally:
        ow.allow_fallback(False)
    with pytest.raises(NotImplementedError):
        ow.ops.sample.cpu_twice(x)


def test_it_is_of_one_thread(x):
    seen = []

    def use():
        try:
            ow.ops.sample.cpu_twice(x)
        except NotImplementedError as error:
            seen.append(error)

    with ow.allow_fallback():
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()

    assert len(seen) == 1


def test_a_kernel_of_the_device_comes_first(x):
    with ow.allow_fallback():
        assert ow.ops.sample.twice(x).cpu().tolist() == [2.0, 4.0]

    assert ow.fallback_counts() == {}


def test_calls_wait_for_the_device_under_the_debug_switch(sample, x):
    before = ow._C.device_statistic("sample", "synchronisations")

    ow.ops.sample.twice(x)
    unwaited = ow._C.device_statistic("sample", "synchronisations")
    with ow.debug.synchronize_calls():
        ow.ops.sample.twice(x)
    waited = ow._C.device_statistic("sample", "synchronisations")

    assert unwaited == before
    assert waited > unwaited
