"""Device_types."""

import opwright as ow
import pytest
from opwright import Tensor, library


def slots(op: ow.Operator) -> list[str]:
    return sorted(slot for slot, _ in op.implementations())


def name_of(x: Tensor) -> str:
    return "here"


def test_none_is_for_every_device():
    op = library.custom_op("trial_a08::every", name_of, mutates_args=(), device_types=None)

    assert slots(op) == ["AllDevices"]
    assert op(ow.ones(1)) == "here"


def test_a_string_is_one_device():
    op = library.custom_op("trial_a08::one", name_of, mutates_args=(), device_types="cpu")

    assert slots(op) == ["CPU"]


def test_a_sequence_is_several_devices():
    op = library.custom_op(
        "trial_a08::several", name_of, mutates_args=(), device_types=["cpu", "cuda"]
    )

    assert slots(op) == ["CPU", "CUDA"]


@pytest.mark.parametrize(
    "device", ["cpu", "cuda", "xla", "mps", "ipu", "xpu", "hpu", "meta", "opencl", "privateuse1"]
)
def test_the_devices_that_others_know_are_taken_without_a_plug_in(device):
    op = library.custom_op("trial_a08::known", name_of, mutates_args=(), device_types=device)

    assert len(slots(op)) == 1


def test_an_unknown_device_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown device or dispatch key 'cdua'") as failure:
        library.custom_op("trial_a08::typo", name_of, mutates_args=(), device_types="cdua")

    assert "did you mean 'CUDA'?" in str(failure.value)
    assert "CPU" in str(failure.value)


def test_no_device_at_all_is_refused():
    with pytest.raises(ValueError, match="device_types is empty; give None for every device"):
        library.custom_op("trial_a08::empty", name_of, mutates_args=(), device_types=[])


def test_a_device_type_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match="a device type must be a string, got int"):
        library.custom_op("trial_a08::number", name_of, mutates_args=(), device_types=[1])


def test_a_string_is_taken_where_a_device_is_wanted():
    @library.custom_op("trial_a08::bar", mutates_args={}, device_types="cpu")
    def bar(device: ow.device) -> Tensor:
        return ow.ones(3)

    assert bar("cpu").tolist() == [1.0, 1.0, 1.0]
    assert bar(ow.device("cpu")).tolist() == [1.0, 1.0, 1.0]


def test_an_operator_without_tensors_picks_by_its_device():
    @library.custom_op("trial_a08::factory", mutates_args=(), device_types="cpu")
    def factory(n: int, device: ow.device) -> str:
        return "cpu"

    factory.register_kernel("meta", lambda n, device: "meta")

    assert factory(1, "cpu") == "cpu"
    assert factory(1, "meta") == "meta"
    with pytest.raises(NotImplementedError, match="trial_a08::factory has no kernel for CUDA"):
        factory(1, "cuda")


def test_a_kernel_for_a_device_that_can_never_be_chosen_is_refused():
    with pytest.raises(ValueError, match="can never be chosen") as failure:

        @library.custom_op("trial_a08::placeless", mutates_args=(), device_types="cpu")
        def placeless(n: int) -> int:
            return n

    assert "takes no tensor and no device" in str(failure.value)
    assert "trial_a08::placeless(SymInt n) -> SymInt" in str(failure.value)


def test_an_operator_without_tensors_and_device_has_a_default_kernel():
    @library.custom_op("trial_a08::successor", mutates_args=())
    def successor(n: int) -> int:
        return n + 1

    assert successor(1) == 2
    with pytest.raises(ValueError, match="can never be chosen"):
        successor.register_kernel("cpu", lambda n: n)
    assert successor(1) == 2
