"""Settings, promotion of dtypes and queries under the names of torch."""

import itertools
import threading

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch

DTYPES = [
    *("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32"),
    *("float64", "complex64", "complex128"),
]
PAIRS = list(itertools.product(DTYPES, DTYPES))


def name(dtype):
    return str(dtype).partition(".")[2]


@pytest.mark.parametrize("function", ["promote_types", "can_cast"])
def test_dtypes_are_promoted_and_cast_as_in_torch(function):
    def table(lib):
        results = [getattr(lib, function)(getattr(lib, a), getattr(lib, b)) for a, b in PAIRS]
        return [each if isinstance(each, bool) else name(each) for each in results]

    assert table(compat) == table(torch)


def test_the_dtype_of_a_sum_is_that_of_torch():
    def table(lib):
        values = [
            lib.ones(2, dtype=lib.int8),
            lib.ones(2, dtype=lib.bfloat16),
            lib.ones((), dtype=lib.int64),
            lib.ones((), dtype=lib.float64),
            lib.ones((), dtype=lib.complex64),
            True,
            3,
            1.5,
            2j,
        ]
        return [name(lib.result_type(a, b)) for a, b in itertools.product(values, values)]

    assert table(compat) == table(torch)


def test_the_default_device_is_that_of_new_tensors_until_it_is_unset():
    compat.set_default_device("meta")
    try:
        made = [compat.ones(1), compat.tensor([1.0]), compat.ones(1, device="cpu")]
        shown = compat.get_default_device()
        compat.set_default_device("cpu")
        after = compat.ones(1)
    finally:
        compat.set_default_device(None)

    assert [each.device.type for each in made] == ["meta", "meta", "cpu"]
    assert shown == compat.device("meta")
    assert after.device.type == "cpu"
    assert compat.get_default_device() == compat.device("cpu")


def test_the_default_device_is_that_of_one_thread():
    found = []
    ow.set_default_device("meta")
    try:
        thread = threading.Thread(target=lambda: found.append(ow.ones(1).device.type))
        thread.start()
        thread.join()
    finally:
        ow.set_default_device(None)

    assert found == ["cpu"]


def test_the_default_device_cannot_be_set_below_a_device_context():
    with ow.device("meta"), pytest.raises(RuntimeError, match="leave it first"):
        ow.set_default_device("cpu")


def test_threads_are_counted():
    before = compat.get_num_threads()
    compat.set_num_threads(1)
    try:
        assert compat.get_num_threads() == 1
    finally:
        compat.set_num_threads(before)
    assert compat.get_num_interop_threads() == 1
    with pytest.raises(NotImplementedError, match="operators run one after the other"):
        compat.set_num_interop_threads(4)


@pytest.mark.parametrize("mode", [0, "warn"])
@pytest.mark.parametrize("lib", [compat, torch])
def test_the_deterministic_mode_is_kept(lib, mode):
    lib.set_deterministic_debug_mode(mode)

    assert lib.get_deterministic_debug_mode() == (1 if mode == "warn" else 0)
    assert lib.are_deterministic_algorithms_enabled() == (mode == "warn")
    assert lib.is_deterministic_algorithms_warn_only_enabled() == (mode == "warn")
    lib.use_deterministic_algorithms(False)
    assert lib.get_deterministic_debug_mode() == 0


def test_wrong_modes_and_precisions_are_refused():
    with pytest.raises(RuntimeError, match="expected 0, 1, 2, 'default', 'warn' or 'error', got 7"):
        compat.set_deterministic_debug_mode(7)
    with pytest.raises(RuntimeError, match="expected one of highest, high, medium, got 'low'"):
        compat.set_float32_matmul_precision("low")


def test_the_precision_of_products_is_kept():
    compat.set_float32_matmul_precision("medium")
    try:
        assert compat.get_float32_matmul_precision() == "medium"
    finally:
        compat.set_float32_matmul_precision("highest")


@pytest.mark.parametrize("lib", [compat, torch])
def test_queries_answer_for_the_present_state(lib):
    assert not lib.is_anomaly_enabled()
    with lib.autograd.detect_anomaly(check_nan=False):
        assert lib.is_anomaly_enabled()
        assert not lib.is_anomaly_check_nan_enabled()
    with lib.autocast("cpu"):
        assert lib.is_autocast_cpu_enabled()
    assert name(lib.get_autocast_cpu_dtype()) == "bfloat16"
    lib.set_warn_always(True)
    assert lib.is_warn_always_enabled()
    lib.set_warn_always(False)


@pytest.mark.parametrize("lib", [compat, torch])
def test_numbers_are_converted(lib):
    assert [lib.sym_int(-1.7), lib.sym_float(2), lib.sym_ite(True, 1, 2), lib.sym_sum([1, 2])] == [
        -1,
        2.0,
        1,
        3,
    ]
    assert [lib.typename(each) for each in (3, "x", len, int)] == ["int", "str", "len", "int"]
    assert lib.typename(lib.ones(1)) == "torch.FloatTensor"
    assert not lib.is_storage(lib.ones(1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lib", [compat, torch])
def test_tensors_are_swapped(lib):
    a = lib.nn.Parameter(lib.zeros(2))
    b = lib.ones(3, dtype=lib.float64)
    b.mark = "b"

    lib.utils.swap_tensors(a, b)

    assert isinstance(b, lib.nn.Parameter)
    assert type(a) is lib.Tensor
    assert (a.mark, hasattr(b, "mark")) == ("b", False)
    assert (a.tolist(), b.tolist()) == ([1, 1, 1], [0, 0])
    assert (a.requires_grad, b.requires_grad) == (False, True)


def test_the_result_of_an_operator_cannot_be_swapped():
    x = ow.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="the tensors must be leaves"):
        compat.utils.swap_tensors(x * 2, ow.ones(1))


@pytest.mark.parametrize("lib", [compat, torch])
def test_streams_and_events_of_a_device_are_instances_of_the_general_classes(lib):
    stream, event = lib.Stream("cpu"), lib.Event("cpu")

    with stream:
        pass
    assert isinstance(stream, lib.Stream)
    assert isinstance(event, lib.Event)
    assert stream.device.type == "cpu"
