"""Kernels called without torch's dispatcher: only where that is safe."""
# Covers: bridges/torch/python/*.

import sys
import threading
import weakref
from collections.abc import Callable

import pytest
import torch
from opwright import _torch
from torch._subclasses import FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .sample_hosts import binary


class PassingMode(TorchDispatchMode):
    """Lets every operator through."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class PassingFunctionMode(TorchFunctionMode):
    """Lets every function through."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Named(torch.Tensor):
    """A subclass without behaviour of its own."""


class Fallback:
    """Records its arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple, dict]] = []

    def __call__(self, *args: object, **kwargs: object) -> str:
        self.calls.append((args, kwargs))
        return "fallback"


@pytest.fixture(autouse=True, scope="module")
def libraries() -> None:
    for name in ("object_table", "failing", "batched", "rules"):
        _torch.open_library(binary(name))


@pytest.fixture
def fallback() -> Fallback:
    return Fallback()


def fast(name: str, fallback: Callable) -> Callable:
    return _torch.make_operator(name).fast(fallback)


class TestSafeCalls:
    def test_write_into_the_tensors_that_are_given(self, fallback):
        residuals = fast("object_table::residuals", fallback)
        x, y = torch.ones(3), torch.full((3,), 2.0)
        total, difference = torch.empty(3), torch.empty(3)

        assert residuals(x, y, 2.0, total, difference) is None

        assert total.tolist() == [4, 4, 4]
        assert difference.tolist() == [0, 0, 0]
        assert fallback.calls == []

    def test_raise_the_versions_of_what_they_write(self, fallback):
        residuals = fast("object_table::residuals", fallback)
        tensors = [torch.ones(3) for _ in range(4)]
        before = [tensor._version for tensor in tensors]

        residuals(tensors[0], tensors[1], 1.0, tensors[2], tensors[3])

        raised = [tensor._version - old for tensor, old in zip(tensors, before, strict=True)]
        assert raised == [0, 0, 1, 1]

    def test_give_new_tensors(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)
        x = torch.arange(3.0)

        total, difference = residuals(x, x, alpha=3.0)

        assert torch.equal(total, 4 * x)
        assert torch.equal(difference, 2 * x)
        assert type(total) is torch.Tensor
        assert not total.requires_grad
        assert fallback.calls == []

    def test_give_the_argument_itself(self, fallback):
        x = torch.zeros(2)

        assert fast("object_table::fill_", fallback)(x, 3.0) is x
        assert x.tolist() == [3, 3]

    def test_take_lists_options_and_keywords(self, fallback):
        mix = fast("batched::mix", fallback)
        x = torch.ones(2)

        total, scaled = mix([x, x], scale=2 * x)

        assert total.tolist() == [4, 4]
        assert len(scaled) == 2
        assert fallback.calls == []

    def test_take_parameters_while_nothing_is_recorded(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)
        parameter = torch.nn.Parameter(torch.ones(2))

        with torch.no_grad():
            total, _ = residuals(parameter, parameter)

        assert total.tolist() == [2, 2]
        assert fallback.calls == []

    def test_work_under_inference_mode(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)
        with torch.inference_mode():
            x = torch.ones(2)
            total, _ = residuals(x, x)
            filled = fast("object_table::fill_", fallback)(x, 4.0)

        assert total.is_inference()
        assert total.tolist() == [2, 2]
        assert filled.tolist() == [4, 4]
        assert fallback.calls == []

    def test_follow_strides(self, fallback):
        x = torch.arange(6.0).reshape(2, 3).t()

        assert fast("object_table::fill_", fallback)(x, 1.0) is x
        assert x.sum() == 6

    def test_raise_what_the_kernel_raises(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)

        with pytest.raises(ValueError, match="x has 2 elements, but y has 3"):
            residuals(torch.ones(2), torch.ones(3))

        assert fallback.calls == []

    def test_run_on_many_threads_with_large_tensors(self, fallback):
        doubled = fast("object_table::doubled_by_threads", fallback)
        wrong = []

        def work() -> None:
            for size in (16, 40000):
                x = torch.randn(size)
                wrong.extend(x for _ in range(10) if not torch.equal(doubled(x), 2 * x))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert wrong == []

    def test_keep_no_tensor_alive(self, fallback):
        x = torch.ones(1)
        count = sys.getrefcount(x)

        total, _ = fast("object_table::new_residuals", fallback)(x, x)
        is_gone = weakref.ref(total)
        del total, _

        assert sys.getrefcount(x) == count
        assert is_gone() is None


class TestCallsThatNeedAGradient:
    @pytest.fixture
    def recorded(self) -> Fallback:
        return Fallback()

    @pytest.fixture
    def residuals(self, fallback: Fallback, recorded: Fallback) -> Callable:
        return _torch.make_operator("object_table::new_residuals").fast(fallback, recorded)

    def test_go_to_what_records_them(self, residuals, fallback, recorded):
        x, y = torch.ones(2, requires_grad=True), torch.ones(2)
        residuals(y, x, 2.0)
        assert recorded.calls == [((y, x, 2.0), {})]
        assert fallback.calls == []

    def test_go_to_the_fallback_where_not_all_arguments_are_there(
        self, residuals, fallback, recorded
    ):
        x = torch.ones(2, requires_grad=True)
        residuals(x, x)
        residuals(x, x, alpha=2.0)
        assert len(fallback.calls) == 2
        assert recorded.calls == []

    def test_run_the_kernel_while_nothing_is_recorded(self, residuals, fallback, recorded):
        x = torch.ones(2, requires_grad=True)
        with torch.no_grad():
            total, _ = residuals(x, x, 1.0)
        assert torch.equal(total, torch.full((2,), 2.0))
        assert fallback.calls == recorded.calls == []

    def test_go_to_the_fallback_inside_of_a_mode(self, residuals, fallback, recorded):
        x = torch.ones(2, requires_grad=True)
        with PassingMode():
            residuals(x, x, 1.0)
        assert len(fallback.calls) == 1
        assert recorded.calls == []


def test_the_hash_is_that_of_the_fallback(fallback):
    assert hash(fast("object_table::new_residuals", fallback)) == hash(fallback)


def fake_tensor() -> torch.Tensor:
    with FakeTensorMode():
        return torch.ones(2)


UNSAFE = {
    "a tensor that requires a gradient": lambda: torch.ones(2, requires_grad=True),
    "a parameter": lambda: torch.nn.Parameter(torch.ones(2)),
    "a fake tensor": fake_tensor,
    "a meta tensor": lambda: torch.ones(2, device="meta"),
    "a subclass": lambda: torch.ones(2).as_subclass(Named),
    "a sparse tensor": lambda: torch.ones(2).to_sparse(),
    "a lazily negated tensor": lambda: torch._neg_view(torch.ones(2)),
    "a zero tensor": lambda: torch._efficientzerotensor(2),
    "a functional tensor": lambda: torch._to_functional_tensor(torch.ones(2)),
    "a number": lambda: 3,
    "None": lambda: None,
}


class TestUnsafeCalls:
    @pytest.mark.parametrize("make", UNSAFE.values(), ids=UNSAFE.keys())
    def test_go_to_the_fallback_for(self, make, fallback):
        unsafe = make()

        assert fast("object_table::new_residuals", fallback)(torch.ones(2), unsafe) == "fallback"
        assert fallback.calls[0][0][1] is unsafe

    @pytest.mark.parametrize(
        "scope",
        [
            PassingMode,
            PassingFunctionMode,
            FakeTensorMode,
            lambda: torch.autocast("cpu"),
            lambda: torch.device("cpu"),
            lambda: torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]),
        ],
        ids=[
            "a dispatch mode",
            "a function mode",
            "a fake mode",
            "autocast",
            "a default device",
            "a profiler",
        ],
    )
    def test_go_to_the_fallback_inside_of(self, scope, fallback):
        x = torch.ones(2)
        residuals = fast("object_table::new_residuals", fallback)
        with scope():
            assert residuals(x, x) == "fallback"

    @pytest.mark.parametrize("transform", [torch.vmap, torch.func.grad, torch.func.functionalize])
    def test_go_to_the_fallback_inside_of_a_transform(self, transform, fallback):
        plain = torch.ones(2)
        residuals = fast("object_table::new_residuals", fallback)

        transform(lambda x: (residuals(x, x), residuals(plain, plain), x.sum())[2])(torch.ones(2))

        assert len(fallback.calls) == 2

    def test_go_to_the_fallback_while_torchscript_traces(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)

        torch.jit.trace(lambda x: (residuals(x, x), x)[1], torch.ones(2), check_trace=False)

        assert len(fallback.calls) == 1

    def test_go_to_the_fallback_for_tangents_of_forward_mode(self, fallback):
        residuals = fast("object_table::new_residuals", fallback)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
            assert residuals(dual, torch.ones(2)) == "fallback"

    def test_go_to_the_fallback_for_views(self, fallback):
        assert fast("object_table::first_half", fallback)(torch.ones(2)) == "fallback"

    def test_go_to_the_fallback_without_a_kernel(self, fallback):
        assert fast("object_table::sized", fallback)(torch.ones(2), torch.ones(2)) == "fallback"

    def test_go_to_the_fallback_after_removal(self, fallback):
        operator = _torch.make_operator("failing::forget")
        operator.remove()

        assert operator.fast(fallback)(torch.ones(2)) == "fallback"

    def test_give_the_fallback_their_keywords(self, fallback):
        x = torch.ones(2, requires_grad=True)

        fast("object_table::new_residuals", fallback)(x, alpha=2.0, y=x)

        assert fallback.calls == [((x,), {"alpha": 2.0, "y": x})]

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [((), {}), ((1, 2, 3, 4), {}), ((), {"z": 1})],
        ids=["too few", "too many", "an unknown name"],
    )
    def test_with_wrong_arguments_go_to_the_fallback(self, args, kwargs, fallback):
        assert fast("object_table::new_residuals", fallback)(*args, **kwargs) == "fallback"

    def test_raise_what_the_fallback_raises(self):
        def refuse(*args: object) -> None:
            raise LookupError("not here")

        with pytest.raises(LookupError, match="not here"):
            fast("object_table::new_residuals", refuse)(None, None)
