"""One operator, several kernels; the call picks by the device of its tensors."""

import opwright as ow
import pytest
from opwright import library


def test_a_call_picks_the_kernel_of_the_device_of_its_tensors(trial):
    trial.define("where(Tensor x) -> str")
    trial.impl("where", lambda x: "cpu", "CPU")
    trial.impl("where", lambda x: "cuda", "CUDA")
    trial.impl("where", lambda x: "meta", "Meta")

    assert ow.ops.trial.where(ow.ones(2)) == "cpu"
    assert ow.ops.trial.where(ow.empty([2], device="meta")) == "meta"
    assert library.get_kernel("trial::where", "cuda")(ow.ones(2)) == "cuda"


def test_a_missing_kernel_names_operator_device_argument_kernels_and_remedy(trial):
    trial.define("where(Tensor x) -> str")
    trial.impl("where", lambda x: "cuda", "CUDA")

    with pytest.raises(NotImplementedError) as failure:
        ow.ops.trial.where(ow.ones(2, 3))

    assert str(failure.value) == (
        "trial::where has no kernel for CPU (x is float32[2, 3] on cpu); it has: CUDA.\n"
        "  Register one with OPWRIGHT_LIBRARY_IMPL(trial, CPU, m) or "
        'opwright.library.register_kernel("trial::where", "cpu").'
    )


def test_tensors_on_two_devices_are_refused_with_both_named(trial):
    trial.define("pair(Tensor x, Tensor y) -> Tensor")
    trial.impl("pair", lambda x, y: x, "CPU")

    with pytest.raises(RuntimeError) as failure:
        ow.ops.trial.pair(ow.ones(2), ow.empty([2], device="meta"))

    assert str(failure.value) == (
        "trial::pair: the tensors are on two devices: x is float32[2] on cpu, "
        "y is float32[2] on meta\n"
        "  Move one of them with to()."
    )
