"""Kernels that call a vendor's single operators in two phases (opwright/aclnn.h)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
STAND_IN = BUILD / "operators" / "libaclnn_stand_in.so"


def run(program: str, libraries: str = str(STAND_IN)) -> subprocess.CompletedProcess:
    """Run in a process of its own: the libraries are looked for once."""
    source = (
        "import opwright as ow\n"
        f"ow.load_library({str(BUILD / 'operators' / 'libaclnn_add_custom.so')!r})\n"
        "ops = ow.ops.trial_aclnn\n" + program
    )
    return subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        env={**os.environ, "OPWRIGHT_ACLNN_LIBRARIES": libraries},
    )


def test_a_kernel_asks_for_the_workspace_and_then_executes():
    done = run(
        "print(ops.add_custom(ow.tensor([1.0, 2.0]), ow.tensor([10.0, 20.0])).tolist())\n"
        "import ctypes\n"
        f"print(ctypes.CDLL({str(STAND_IN)!r}).aclnn_stand_in_live_objects())\n"
    )

    assert done.stdout == "[11.0, 22.0]\n0\n", done.stderr


def test_strides_reach_the_vendors_operator():
    done = run("x = ow.arange(6.0).view(3, 2)[:, 1]\nprint(ops.add_custom(x, x).tolist())\n")

    assert done.stdout == "[2.0, 6.0, 10.0]\n", done.stderr


def test_every_kind_of_argument_is_passed():
    done = run(
        "like = ow.ones(1)\n"
        "print(ops.mixed(like, None, [3], 0.5, 4, True).item())\n"
        "print(ops.mixed(like, like, [3], 0.5, 4, False).item())\n"
    )

    assert done.stdout == "5.5\n994.5\n", done.stderr


@pytest.mark.parametrize(
    ("program", "libraries", "problem"),
    [
        (
            "ops.add_custom(ow.ones(2, dtype=ow.int64), ow.ones(2, dtype=ow.int64))\n",
            str(STAND_IN),
            "RuntimeError: aclnnAddCustomGetWorkspaceSize failed with status 161002: "
            "EZ9999: AddCustom computes float32 alone\n",
        ),
        (
            "ops.absent(ow.ones(2))\n",
            str(STAND_IN),
            "AttributeError: no library of the vendor has aclnnAbsentGetWorkspaceSize; looked in\n"
            f"  {STAND_IN}\n"
            "  The environment variable OPWRIGHT_ACLNN_LIBRARIES names others.",
        ),
        (
            "ops.add_custom(ow.ones(2), ow.ones(2))\n",
            "libnowhere.so",
            "no library of the vendor has aclCreateTensor; looked in\n"
            "  libnowhere.so: libnowhere.so: cannot open shared object file",
        ),
    ],
)
def test_errors_of_the_vendor_are_told(program, libraries, problem):
    done = run(program, libraries)

    assert problem in done.stderr, done.stderr
