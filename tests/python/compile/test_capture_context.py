"""What a compiled function finds besides its arguments: modes of the thread, settings.

A case is a function that reads a setting of this package, and changes of the setting, the last to
what it was.
"""

import pkgutil
import threading
import warnings

import opwright as ow
import opwright._settings
import opwright.compat.torch as compat
import pytest
import torch

from .test_read_guards import results_of


def test_autocast_is_guarded():
    @ow.compile(fullgraph=True)
    def f(x):
        return x @ x

    x = ow.randn(3, 3)
    for _ in range(2):
        assert f(x).dtype is ow.float32
        with ow.autocast("cpu", dtype=ow.bfloat16):
            assert f(x).dtype is ow.bfloat16
            assert ow.equal(f(x), x @ x)
        with ow.autocast("cpu", dtype=ow.bfloat16, enabled=False):
            assert f(x).dtype is ow.float32

    assert f.num_compiles == 3
    assert f.recompile_reasons[0] == "autocast is on, it was off"


def test_inference_mode_is_guarded():
    @ow.compile
    def f(x):
        return x + 1

    x = ow.ones(1)
    assert not f(x).is_inference()
    with ow.inference_mode():
        assert f(x).is_inference()
    assert not f(x).is_inference()
    assert f.num_compiles == 2


def test_a_compiled_function_inside_another_is_part_of_its_graph():
    @ow.compile
    def inner(x):
        return x * 2

    @ow.compile(fullgraph=True)
    def outer(x):
        return inner(x) + 1

    assert outer(ow.ones(1)).item() == 3.0
    assert inner.num_compiles == 0


def test_threads_share_what_was_compiled():
    @ow.compile
    def f(x):
        return ow.sin(x) * 2

    expected = ow.sin(ow.ones(64)) * 2
    f(ow.ones(64))
    wrong = []

    def work():
        for _ in range(200):
            if not ow.allclose(f(ow.ones(64)), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert f.num_compiles == 1


def test_reset_forgets_all_functions():
    f = ow.compile(lambda x: x + 1)
    f(ow.ones(1))
    ow.compiler.reset()
    assert f.num_compiles == 0
    assert f(ow.ones(1)).item() == 2.0


# ---- Settings of this package ----

CASES = {
    "deterministic": (
        lambda lib: lib.are_deterministic_algorithms_enabled(),
        [
            lambda lib: lib.use_deterministic_algorithms(True, warn_only=True),
            lambda lib: lib.use_deterministic_algorithms(False),
        ],
    ),
    "deterministic warnings": (
        lambda lib: lib.is_deterministic_algorithms_warn_only_enabled(),
        [
            lambda lib: lib.use_deterministic_algorithms(True, warn_only=True),
            lambda lib: lib.use_deterministic_algorithms(False),
        ],
    ),
    "deterministic mode": (
        lambda lib: lib.get_deterministic_debug_mode(),
        [
            lambda lib: lib.set_deterministic_debug_mode("warn"),
            lambda lib: lib.set_deterministic_debug_mode(0),
        ],
    ),
    "precision": (
        lambda lib: len(lib.get_float32_matmul_precision()),
        [
            lambda lib: lib.set_float32_matmul_precision("high"),
            lambda lib: lib.set_float32_matmul_precision("highest"),
        ],
    ),
    "warnings": (
        lambda lib: lib.is_warn_always_enabled(),
        [lambda lib: lib.set_warn_always(True), lambda lib: lib.set_warn_always(False)],
    ),
    "cache of autocast": (
        lambda lib: lib.is_autocast_cache_enabled(),
        [
            lambda lib: lib.set_autocast_cache_enabled(False),
            lambda lib: lib.set_autocast_cache_enabled(True),
        ],
    ),
    "anomaly": (
        lambda lib: lib.is_anomaly_enabled(),
        [lambda lib: lib.set_anomaly_enabled(True), lambda lib: lib.set_anomaly_enabled(False)],
    ),
    "anomaly of NaN": (
        lambda lib: lib.is_anomaly_check_nan_enabled(),
        [
            lambda lib: lib.set_anomaly_enabled(False, False),
            lambda lib: lib.set_anomaly_enabled(False, True),
        ],
    ),
    "threads": (
        lambda lib: lib.get_num_threads(),
        [lambda lib: lib.set_num_threads(2), lambda lib: lib.set_num_threads(1)],
    ),
    "threads of the engine": (
        lambda lib: lib.autograd.is_multithreading_enabled(),
        [
            lambda lib: lib.autograd.set_multithreading_enabled(False),
            lambda lib: lib.autograd.set_multithreading_enabled(True),
        ],
    ),
    "replay of views": (
        lambda lib: lib.autograd.is_view_replay_enabled(),
        [
            lambda lib: lib.autograd._force_original_view_tracking(True),
            lambda lib: lib.autograd._force_original_view_tracking(False),
        ],
    ),
}


def case_of(name):
    read, changes = CASES[name]

    def make(lib):
        return lambda x: x * (int(read(lib)) + 1), [
            lambda change=change: change(lib) for change in changes
        ]

    return make


@pytest.fixture
def one_thread():
    """Let the cases begin with one thread in both packages."""
    before = ow.num_threads(), torch.get_num_threads()
    ow.set_num_threads(1)
    torch.set_num_threads(1)
    yield
    ow.set_num_threads(before[0])
    torch.set_num_threads(before[1])


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("name", CASES)
def test_a_changed_setting_compiles_the_function_again(name):
    pairs, compiled = results_of(compat, lambda f: ow.compile(f, fullgraph=True), case_of(name))

    assert [actual for _, actual in pairs] == [expected for expected, _ in pairs]
    assert len({expected for expected, _ in pairs}) > 2
    assert compiled.num_compiles == 2


@pytest.mark.usefixtures("one_thread")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_a_setting_is_read_as_torch_reads_it(name):
    theirs, _ = results_of(torch, lambda f: f, case_of(name))
    ours, _ = results_of(compat, ow.compile, case_of(name))

    assert [actual for _, actual in ours] == [actual for _, actual in theirs]


@pytest.mark.usefixtures("one_thread")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_torch_compile_reads_a_setting_alike(name):
    theirs, _ = results_of(torch, lambda f: torch.compile(f, backend="eager"), case_of(name))
    torch._dynamo.reset()
    ours, _ = results_of(compat, ow.compile, case_of(name))

    assert [actual for _, actual in ours] == [actual for _, actual in theirs]


@pytest.mark.usefixtures("one_thread")
def test_functions_of_the_core_are_settings_too():
    compiled = ow.compile(lambda x: x * ow.num_threads(), fullgraph=True)

    results = []
    for count in (1, 2, 1):
        ow.set_num_threads(count)
        results.append(compiled(ow.ones(1)).item())

    assert results == [1.0, 2.0, 1.0]
    assert compiled.recompile_reasons == ["opwright._C.num_threads() is 2, it was 1"]


@pytest.mark.filterwarnings("ignore")
def test_the_default_device_is_not_stale():
    compiled = ow.compile(lambda x: x * 2 if ow.get_default_device().type == "cpu" else x)
    x = ow.ones(1)

    first = compiled(x).item()
    ow.set_default_device("meta")
    try:
        second = compiled(x).item()
    finally:
        ow.set_default_device(None)

    assert (first, second, compiled(x).item()) == (2.0, 1.0, 2.0)


@pytest.mark.filterwarnings("ignore")
def test_the_state_of_the_generator_is_not_stale():
    compiled = ow.compile(lambda x: x * int(ow.get_rng_state().sum()))

    for seed in (3, 5, 3):
        ow.manual_seed(seed)
        expected = int(ow.get_rng_state().sum())
        assert compiled(ow.ones(1)).item() == expected


CHANGES = {
    "warnings": (lambda: compat.set_warn_always(True), compat.is_warn_always_enabled),
    "deterministic": (
        lambda: compat.use_deterministic_algorithms(True, warn_only=True),
        compat.are_deterministic_algorithms_enabled,
    ),
    "engine": (
        lambda: compat.autograd.set_multithreading_enabled(False),
        lambda: not compat.autograd.is_multithreading_enabled(),
    ),
    "anomaly": (lambda: compat.set_anomaly_enabled(True), compat.is_anomaly_enabled),
}


def restore_settings():
    compat.set_warn_always(False)
    compat.use_deterministic_algorithms(False)
    compat.autograd.set_multithreading_enabled(True)
    compat.set_anomaly_enabled(False)


@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_is_changed_in_every_call(name):
    change, is_changed = CHANGES[name]

    @ow.compile
    def f(x):
        change()
        return x * 2

    found = []
    try:
        for _ in range(3):
            restore_settings()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                f(ow.ones(1))
            found.append(is_changed())
    finally:
        restore_settings()

    assert found == [True] * 3


def test_a_change_of_a_setting_is_no_part_of_one_graph():
    compiled = ow.compile(lambda x: x * (compat.set_warn_always(False) or 2), fullgraph=True)

    with pytest.raises(ow.GraphBreakError, match="set_warn_always, which changes a setting"):
        compiled(ow.ones(1))


# The context of a capture has autocast; the others never change.
GUARDED_ELSEWHERE = {
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cpu_enabled",
    "get_num_interop_threads",
}


def find_getters():
    for module in pkgutil.iter_modules(opwright._settings.__path__, "opwright._settings."):
        loaded = pkgutil.resolve_name(module.name)
        for name in getattr(loaded, "__all__", ()):
            if name.startswith(("is_", "are_", "get_")) and name not in GUARDED_ELSEWHERE:
                yield pytest.param(getattr(loaded, name), id=name)


@pytest.mark.parametrize("getter", list(find_getters()))
def test_every_getter_of_a_setting_is_guarded(getter):
    explanation = ow.explain(lambda x: x * 2 if getter() is not None else x)(ow.ones(1))

    assert f"{getter.__name__}() is " in str(explanation.guards)
