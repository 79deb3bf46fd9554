"""C++ sources written for PyTorch compile against Opwright, without torch."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.abi.binary_listing import list_blocks, list_imports, open_binary

from .extension_build import ROOT, build_extension, run_compiler

SOURCES = sorted((ROOT / "tests/operators/compat").glob("compat_*.cpp"))
BASE_LIBRARIES = {"libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64"}

DUAL_RESIDUAL = (ROOT / "tests/seeds/dual_residual.cpp.txt").read_text()

# From the manual of custom operators, with bodies for its two placeholders.
YOUR_SIN = (ROOT / "tests/seeds/your_sin.cpp.txt").read_text()

# What cpp_extension.load_inline(functions="twice") adds around a user's text.
INLINE_EXTENSION = """
#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x) { return x + x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
m.def("twice", torch::wrap_pybind_function(twice), "twice");
}
"""

REFUSED = {
    "a function whose forward returns no tensor": (
        """#include <torch/extension.h>
        using namespace torch::autograd;
        struct Count : Function<Count> {
          static int64_t forward(AutogradContext* ctx, const at::Tensor& x) { return x.numel(); }
          static variable_list backward(AutogradContext* ctx, variable_list grads) { return grads; }
        };
        auto count(const at::Tensor& x) { return Count::apply(x); }""",
        "torch::autograd::Function: forward returns a tensor or a variable_list",
    ),
    "a kernel for versions and views": (
        """#include <torch/library.h>
        TORCH_LIBRARY_IMPL(ns, ADInplaceOrView, m) {}""",
        "TORCH_LIBRARY_IMPL(ns, ADInplaceOrView, m): leave this block out",
    ),
    "foreign memory": (
        """#include <torch/torch.h>
        at::Tensor wrap(float* data) { return torch::from_blob(data, {2, 3}); }""",
        "from_blob: a tensor's memory belongs to the host",
    ),
    "numbers of threads": (
        """#include <ATen/Parallel.h>
        int number() { return at::get_thread_num(); }""",
        "get_thread_num: the host does not number its threads",
    ),
    "a class for TorchScript": (
        """#include <torch/script.h>
        struct Stack : torch::CustomClassHolder {};
        static auto stack = torch::class_<Stack>();""",
        "torch::class_: Opwright has no classes",
    ),
    "a module without a name": (
        """#include <torch/extension.h>
        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}""",
        "compile with -DTORCH_EXTENSION_NAME=<name>",
    ),
}


def build_text(text: str, folder: Path, name: str) -> Path:
    source = folder / f"{name}.cpp"
    source.write_text(text)
    return build_extension(source, folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The library of a sample source; each is compiled once."""
    folder = tmp_path_factory.mktemp("compat")
    libraries = {}

    def build(source: Path) -> Path:
        if source not in libraries:
            libraries[source] = build_extension(source, folder)
        return libraries[source]

    return build


def test_the_dual_residual_source_compiles_as_it_stands(tmp_path):
    binary = open_binary(build_text(DUAL_RESIDUAL, tmp_path, "test"))

    assert list_blocks(binary) == [("", None)]
    assert set(list_imports(binary)) == {"aten::mul.Scalar", "aten::sub.Tensor"}


def test_the_sin_source_compiles_with_bodies_for_its_placeholders(tmp_path):
    binary = open_binary(build_text(YOUR_SIN, tmp_path, "sin"))

    assert list_blocks(binary) == [
        ("your_namespace", None),
        ("your_namespace", "CPU"),
        ("your_namespace", "CUDA"),
    ]
    assert list_imports(binary) == {"aten::sin": "(Tensor arg0) -> Tensor"}


def test_an_inline_extension_is_a_block_of_its_own_name(tmp_path):
    binary = open_binary(build_text(INLINE_EXTENSION, tmp_path, "inline_test"))

    assert list_blocks(binary) == [("inline_test", None)]


def test_only_sources_with_autograd_functions_import_what_records_them(built):
    for source in SOURCES:
        imports = set(list_imports(open_binary(built(source))))

        uses_functions = source.stem == "compat_autograd_function"
        assert ("opwright::apply_function" in imports) == uses_functions
        assert ("opwright::set_below_autograd" in imports) == uses_functions


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_sample_source_registers_blocks(source, built):
    assert list_blocks(open_binary(built(source)))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_binary_needs_the_base_libraries_alone(source, built):
    listing = subprocess.run(
        ["readelf", "--dynamic", built(source)], capture_output=True, text=True, check=True
    ).stdout

    assert set(re.findall(r"NEEDED.*\[(.*)\.so\b", listing)) <= BASE_LIBRARIES


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_binary_shows_no_symbol_that_torch_has_too(source, built):
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--demangle", built(source)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert not re.findall(r".*\b(?:at|c10|torch|pybind11|opwright)::.*", listing)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_left_out_stops_the_compiler_with_the_way_out(case, tmp_path):
    text, message = REFUSED[case]
    source = tmp_path / "refused.cpp"
    source.write_text(text)

    result = run_compiler(source, "-O1", "-c", "-o", "/dev/null")

    assert result.returncode != 0
    assert message in result.stderr
