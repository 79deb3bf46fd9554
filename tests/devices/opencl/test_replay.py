"""Pointwise operators and reductions of torch's operator database on the OpenCL device: a seeded
share of the calls, with OPWRIGHT_ALL=1 all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no call was replayed")

REPLAY = Path(__file__).parent / "device_replay.py"

POINTWISE = [
    "add.*",
    "sub.*",
    "mul.*",
    "div.*",
    "rsub.*",
    "neg*",
    "abs*",
    "exp*",
    "expm1*",
    "log",
    "log10*",
    "log1p*",
    "log2*",
    "sin",
    "sin.*",
    "cos",
    "cos.*",
    "tan",
    "tan.*",
    "tanh*",
    "sinh*",
    "cosh*",
    "atanh*",
    "asinh*",
    "sigmoid*",
    "silu*",
    "gelu*",
    "relu*",
    "elu*",
    "leaky_relu*",
    "hardtanh*",
    "clamp*",
    "maximum*",
    "minimum*",
    "where*",
    "eq.*",
    "ne.*",
    "lt.*",
    "le.*",
    "gt.*",
    "ge.*",
    "logical_*",
    "bitwise_and*",
    "bitwise_or*",
    "bitwise_xor*",
    "bitwise_not*",
    "fmod*",
    "remainder*",
    "floor*",
    "ceil*",
    "trunc*",
    "round*",
    "sqrt*",
    "rsqrt*",
    "reciprocal*",
    "pow*",
    "square*",
    "erf.*",
    "lerp*",
    "addcmul*",
    "addcdiv*",
    "sign*",
    "isnan*",
    "isinf*",
    "copy_*",
    "fill_*",
    "zero_*",
    "masked_fill*",
    "threshold*",
    "softshrink*",
    "xlogy*",
    "logit*",
]
REDUCTIONS = [
    "sum*",
    "mean*",
    "prod*",
    "amax*",
    "amin*",
    "max*",
    "min*",
    "argmax*",
    "argmin*",
    "any*",
    "all*",
    "var*",
    "std*",
    "norm*",
    "linalg_vector_norm*",
    "logsumexp*",
    "count_nonzero*",
    "softmax*",
    "log_softmax*",
]
DTYPES = ["float32", "float16", "bfloat16", "float64", "int64", "bool"]


@pytest.mark.parametrize(
    ("operators", "share"),
    [(POINTWISE, "0.02"), (REDUCTIONS, "0.04")],
    ids=["pointwise", "reductions"],
)
@pytest.mark.usefixtures("device")
def test_recorded_calls_give_on_the_device_what_they_give_on_the_cpu(operators, share):
    size = ["1"] if os.environ.get("OPWRIGHT_ALL") == "1" else [share, "--samples", "2"]
    chosen = ["--op", *operators, "--dtypes", *DTYPES, "--seed", "14", "--share", *size]

    # In a process of its own: workers are forked, which OpenCL does not survive once it was used.
    run = subprocess.run(
        [sys.executable, REPLAY, *chosen, "--least", "60"],
        capture_output=True,
        text=True,
        check=False,
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]
