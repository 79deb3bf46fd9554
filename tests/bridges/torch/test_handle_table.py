"""Operators in torch through its stable C ABI only, loaded without the package."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: the bridge to it was not tested"
)

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


def load(name: str) -> str:
    """Load a binary of tests/operators into torch; return the error, or nothing."""
    bridge = ctypes.CDLL(str(BUILD / "libopwright_torch.so"))
    error = ctypes.create_string_buffer(2000)
    status = bridge.opw_torch_load(
        str(BUILD / "operators" / f"lib{name}.so").encode(), error, ctypes.c_size_t(2000)
    )
    assert (status != 0) == bool(error.value)
    return error.value.decode()


@pytest.fixture(scope="module")
def kinds():
    assert load("stack_kinds") == ""
    return torch.ops.stack_kinds


def run_alone(program: str) -> str:
    """Run a program in a process that has torch and the bridge, but not the package."""
    setup = f"""
import ctypes, sys, torch
bridge = ctypes.CDLL("{BUILD / "libopwright_torch.so"}")
def load(name):
    error = ctypes.create_string_buffer(2000)
    path = f"{BUILD / "operators"}/lib{{name}}.so".encode()
    bridge.opw_torch_load(path, error, ctypes.c_size_t(2000))
    return error.value.decode()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", setup + program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestValues:
    def test_single_values_arrive_as_they_were_given(self, kinds):
        text = kinds.describe(
            -3, 0.5, True, "hé", torch.bfloat16, torch.device("cuda:1"), torch.channels_last
        )

        assert text == "-3 0.5 true hé bfloat16 cuda:1 2"

    def test_optionals_arrive_as_none_or_as_values(self, kinds):
        x = torch.zeros(2, 3)

        assert kinds.describe_optional() == "None None None None None None None"
        assert (
            kinds.describe_optional(1, 2.5, False, "w", torch.int8, "cpu", x)
            == "1 2.5 false w int8 cpu float32[2, 3]"
        )

    def test_lists_of_every_kind_arrive(self, kinds):
        x = torch.zeros(2)

        text = kinds.describe_lists(
            [1, 2], [0.5], [True, False], [3], ["a", "bc"], [x, x.long()], [4]
        )

        assert text == "[1, 2][0.5][true, false][3][a, bc][float32[2], int64[2]][4]"
        assert kinds.describe_lists([], [], [], [], [], []) == "[][][][][][]None"

    def test_a_list_may_have_holes(self, kinds):
        x = torch.zeros(2)

        text = kinds.describe_holes([x], [None, x, x.bool()], x)

        assert text == "[float32[2]] None float32[2] bool[2] float32[2]"

    def test_results_of_every_kind_come_back(self, kinds):
        x = torch.ones(2)

        full = kinds.give_all(x, True)
        empty = kinds.give_all(x, False)

        assert full[:5] == (3, 0.5, True, "word", [1, 2])
        assert full[6] == 7
        assert torch.equal(full[5], x)
        assert [t.data_ptr() for t in full[7]] == [x.data_ptr(), x.data_ptr()]
        assert empty[5:7] == (None, None)

    def test_a_generator_goes_through_to_torch(self, kinds):
        ours, theirs = (torch.Generator().manual_seed(3) for _ in range(2))

        filled = kinds.fill_randomly_(torch.zeros(5), ours)

        assert torch.equal(filled, torch.zeros(5).uniform_(generator=theirs))

    @pytest.mark.parametrize(
        "dtype",
        [
            torch.bool,
            torch.uint8,
            torch.uint16,
            torch.uint32,
            torch.uint64,
            torch.int8,
            torch.float16,
            torch.bfloat16,
            torch.float64,
            torch.complex64,
            torch.complex128,
            torch.float8_e4m3fn,
            torch.float8_e5m2,
        ],
    )
    def test_every_dtype_has_its_number_in_both_directions(self, kinds, dtype):
        x = torch.zeros(2, dtype=dtype)

        assert kinds.empty_like_of(x).dtype is dtype
        assert kinds.new_rows(torch.zeros(1), [2], dtype).dtype is dtype


LAYOUTS = {
    "contiguous": lambda: torch.zeros(2, 3),
    "transposed": lambda: torch.zeros(2, 3).t(),
    "channels_last": lambda: torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "with gaps": lambda: torch.zeros(4, 4)[::2],
    "expanded": lambda: torch.zeros(3, 1).expand(3, 4),
    "permuted": lambda: torch.zeros(2, 3, 4).permute(2, 0, 1),
    "an odd stride of a size 1": lambda: torch.zeros(3).as_strided((1, 3), (77, 1)),
    "empty": lambda: torch.zeros(0, 3),
    "no dimension": lambda: torch.tensor(1.0),
}


class TestMemory:
    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("memory_format", [None, torch.contiguous_format])
    def test_empty_like_has_the_strides_that_torch_gives(self, kinds, layout, memory_format):
        x = LAYOUTS[layout]()
        expected = torch.empty_like(x, memory_format=memory_format or torch.preserve_format)

        made = kinds.empty_like_of(x, memory_format)

        assert (made.shape, made.stride()) == (expected.shape, expected.stride())

    def test_sizes_are_read_again_after_an_operator_changed_them(self, kinds):
        assert kinds.grow_(torch.zeros(3), [2, 3, 4, 5, 6, 7]) == 5040

    def test_a_lazy_conjugate_is_resolved_before_a_kernel_reads_it(self, kinds):
        x = torch.randn(3, dtype=torch.complex64)

        assert torch.equal(kinds.conjugate_imaginary(x), -x.imag)
        assert torch.equal(kinds.conjugate_imaginary(x.conj()), x.imag)

    def test_a_written_argument_gets_a_new_version(self, kinds):
        x = torch.zeros(3)
        before = x._version

        kinds.fill_randomly_(x)

        assert x._version > before


class TestComposites:
    def test_torch_differentiates_through_a_composite(self, kinds):
        x, y = torch.randn(3, 4, requires_grad=True), torch.randn(4, 2)

        kinds.multiply(x, y).sum().backward()

        assert torch.allclose(x.grad, y.sum(1).expand(3, 4))

    def test_a_list_with_holes_goes_to_an_operator_of_torch(self, kinds):
        x, columns = torch.arange(12.0).reshape(3, 4), torch.tensor([1, 2])

        assert torch.equal(kinds.pick(x, [None, columns]), x[:, columns])


class TestErrors:
    @pytest.mark.parametrize("kind", [ValueError, IndexError, OverflowError, RuntimeError])
    def test_kinds_that_torch_passes_on_arrive_as_themselves(self, kinds, kind):
        with pytest.raises(kind, match=r"^not so ü$"):
            kinds.fail(torch.zeros(1), kind.__name__, "not so ü")

    def test_another_kind_stands_before_the_text_where_the_package_is_not(self):
        program = """
load("stack_kinds")
try:
    torch.ops.stack_kinds.fail(torch.zeros(1), "KeyError", "no such key")
except RuntimeError as error:
    print(error)
"""
        assert run_alone(program) == "KeyError: no such key\n"

    def test_an_unknown_dtype_names_operator_and_argument(self, kinds):
        with pytest.raises(
            (TypeError, RuntimeError),  # the first where the package was imported
            match=r"stack_kinds::new_rows: argument 'x': "
            r"torch.complex32 is a dtype that Opwright does not have$",
        ):
            kinds.new_rows(torch.zeros(1, dtype=torch.complex32), [2])

    def test_an_error_of_torch_keeps_its_text(self, kinds):
        with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
            kinds.multiply(torch.zeros(2, 3), torch.zeros(2, 3))

    def test_a_bad_size_is_refused_by_torch_itself(self, kinds):
        with pytest.raises(RuntimeError, match="negative dimension -1"):
            kinds.new_rows(torch.zeros(1), [-1])

    def test_a_schema_that_the_stack_cannot_carry_is_refused_as_a_whole(self):
        assert run_alone('print(load("compat_crop"))') == (
            "TypeError: compat_crop::convert: torch's stable ABI cannot carry "
            "argument 'factor' (Scalar)\n"
        )

    def test_a_file_that_is_no_operator_binary_is_refused(self):
        assert "it does not export opw_binary" in run_alone('print(load("not_an_operator_binary"))')

    def test_a_process_without_torch_says_what_to_import(self):
        program = f"""
import ctypes
bridge = ctypes.CDLL("{BUILD / "libopwright_torch.so"}")
error = ctypes.create_string_buffer(500)
bridge.opw_torch_load(b"{BUILD / "operators" / "libsoft_clip.so"}", error, ctypes.c_size_t(500))
print(error.value.decode())
"""
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )

        assert done.stdout == (
            "ImportError: opwright.torch: torch is not in this process; import torch first\n"
        )


class TestProcessesWithoutThePackage:
    def test_operators_run_and_errors_of_workers_arrive(self):
        program = """
print([load(name) for name in ("soft_clip", "soft_clip", "failing", "mutation", "sound")])
x = torch.arange(-3.0, 3.0)
print(torch.allclose(torch.ops.audio.soft_clip(x, 0.5), 0.5 * torch.tanh(x / 0.5)))
many = torch.arange(100000.0)
print(torch.equal(torch.ops.sound.parallel_double(many), many * 2))
print(torch.ops.mutation.first_row(x.reshape(2, 3)).data_ptr() == x.data_ptr())
print(torch.ops.failing.remember(x) is not None, torch.ops.failing.remember(many).sum())
torch.ops.failing.forget(x)
for how in range(6):
    try:
        torch.ops.failing.fail(x, how)
    except Exception as error:
        print(type(error).__name__, str(error).rstrip("0123456789"))
print("opwright" in sys.modules)
"""
        assert run_alone(program).splitlines() == [
            "['', '', '', '', '']",
            "True",
            "True",
            "True",
            "True tensor(-3.)",
            "RuntimeError KeyError: no such key",
            "RuntimeError beyond the end",
            "MemoryError out of memory",
            "RuntimeError an exception that is not a std::exception",
            "IndexError a worker failed at ",
            "RuntimeError TypeError: failing::fail returned nothing for result 0 (Tensor)",
            "False",
        ]


def ignore_error(call: Callable[[], object]) -> None:
    with pytest.raises((RuntimeError, KeyError, TypeError)):
        call()


class TestLeaks:
    def test_calls_and_errors_free_all_that_they_were_given(self, kinds):
        x, unknown = torch.zeros(4, 4), torch.zeros(1, dtype=torch.complex32)
        generator, index = torch.Generator(), torch.tensor([0, 1])

        def call_all() -> None:
            kinds.fill_randomly_(x, generator)
            kinds.new_rows(x, [40, 40], torch.float64)
            kinds.pick(x, [None, index])
            kinds.grow_(x.clone(), [2, 2])
            ignore_error(lambda: kinds.fail(x, "KeyError", "a text that is long enough to count"))
            ignore_error(lambda: kinds.describe_holes([x], [None, x, unknown], x))

        def resident_bytes() -> int:
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(200):
            call_all()
        before = resident_bytes()
        for _ in range(3000):
            call_all()

        assert resident_bytes() - before < 3000 * 100
