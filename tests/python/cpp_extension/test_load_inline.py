"""load_inline: from source text to operators that are called."""

import os
import re
from pathlib import Path

import opwright as ow
import pytest
from opwright import _C
from opwright.cpp_extension import load_inline

from .conftest import NATIVE, QUICK

pytestmark = pytest.mark.usefixtures("shared_cache")

# The text of the seed, unchanged.
DUAL_RESIDUAL = (Path(__file__).parents[2] / "seeds/dual_residual.cpp.txt").read_text()


def scaled(factor, namespace="inline_scaled"):
    """A source with an operator of its own, and a function of the same meaning."""
    return f"""
#include "opwright/opwright.h"
using opwright::Tensor;
Tensor scale(const Tensor& x) {{ return x * {factor}; }}
OPWRIGHT_LIBRARY_FRAGMENT({namespace}, m) {{ m.def("scale", &scale); }}
"""


def values(tensor):
    return tensor.tolist()


@pytest.mark.own_process  # a binary of other tests has the operator too
def test_the_source_of_the_seed_gives_its_numbers():
    module = load_inline(
        name="test",
        cpp_sources=DUAL_RESIDUAL,
        functions="dual_residual",
        verbose=True,
        is_python_module=True,
    )
    x, y = ow.tensor([1.0, 2.0]), ow.tensor([3.0, 5.0])

    for function in (ow.ops.cst.dual_residual, module.dual_residual):
        first, second = function(x, y, 0.5)
        assert values(first) == [-2.5, -4.0]
        assert values(second) == [0.5, 0.5]


def test_the_module_has_the_functions_with_their_documentation():
    module = load_inline(
        "documented",
        NATIVE + "namespace deep { int64_t number(int n, float f) { return n + f; } }\n",
        functions={"twice": "Return x + x.", "deep::number": ""},
        extra_cflags=QUICK,
    )

    assert module.__name__ == "documented"
    assert sorted(module.__all__) == ["number", "twice"]
    assert "Return x + x." in module.twice.__doc__
    assert values(module.twice(ow.tensor([1.5]))) == [3.0]
    assert module.number(3, 4.0) == 7


def test_an_operator_knows_the_line_of_its_function():
    module = load_inline("documented_again", NATIVE, functions=["twice"], extra_cflags=QUICK)

    assert module.twice.default.site == "documented_again.cpp:3"


def test_a_module_of_pybind_has_its_functions():
    source = """
    at::Tensor add(at::Tensor x, int64_t number) { return x + number; }
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
      m.def("add", &add, "adds", py::arg("x"), py::arg("number") = 2);
    }"""

    module = load_inline("bound", source, extra_cflags=QUICK)

    assert values(module.add(ow.tensor([1.0]))) == [3.0]
    assert values(module.add(x=ow.tensor([1.0]), number=4)) == [5.0]


def test_strings_of_a_list_are_one_file():
    module = load_inline(
        "listed",
        [NATIVE, "Tensor four_times(const Tensor& x) { return twice(twice(x)); }"],
        functions="four_times",
        extra_cflags=QUICK,
    )

    assert values(module.four_times(ow.tensor([1.0]))) == [4.0]


def test_the_same_source_gives_the_same_module():
    first = load_inline("same", NATIVE, functions="twice", extra_cflags=QUICK)

    assert load_inline("same", NATIVE, functions="twice", extra_cflags=QUICK) is first


def test_a_library_that_is_no_module_gives_its_path():
    path = load_inline("plain", NATIVE, extra_cflags=QUICK, is_python_module=False)

    assert os.path.basename(path).startswith("plain_")
    assert os.path.exists(path)


def test_changed_source_replaces_the_operators_of_its_name():
    older = load_inline("scaled", scaled(2), functions="scale", extra_cflags=QUICK)
    taken, handle = older.scale, ow.ops.inline_scaled.scale
    x = ow.tensor([1.0])
    assert values(handle(x)) == [2.0]

    newer = load_inline("scaled", scaled(3), functions="scale", extra_cflags=QUICK)

    assert values(ow.ops.inline_scaled.scale(x)) == values(handle(x)) == [3.0]
    assert values(newer.scale(x)) == [3.0]
    assert values(taken(x)) == values(older.scale(x)) == [2.0]  # the old code is alive
    assert load_inline("scaled", scaled(2), functions="scale", extra_cflags=QUICK) is older
    assert values(ow.ops.inline_scaled.scale(x)) == [2.0]
    assert values(newer.scale(x)) == [3.0]


def test_changed_source_comes_in_place_of_a_library_that_was_unloaded_by_its_path():
    load_inline("gone", scaled(2, "inline_gone"), extra_cflags=QUICK)
    _C.unload_library(ow.ops.inline_gone.scale.default.origin)

    load_inline("gone", scaled(3, "inline_gone"), extra_cflags=QUICK)

    assert values(ow.ops.inline_gone.scale(ow.tensor([1.0]))) == [3.0]


def test_source_that_cannot_be_loaded_leaves_the_older_in_place():
    name, space = "kept", "inline_kept"
    older = load_inline(name, scaled(2, space), functions="scale", extra_cflags=QUICK)
    bad = (
        scaled(3, space)
        + f'OPWRIGHT_LIBRARY_FRAGMENT({space}, m) {{ m.def("broken(Tensr x) -> ()"); }}'
    )

    with pytest.raises(ValueError, match=r"unknown type 'Tensr'"):
        load_inline(name, bad, functions="scale", extra_cflags=QUICK)

    x = ow.tensor([1.0])
    assert values(ow.ops.inline_kept.scale(x)) == values(older.scale(x)) == [2.0]
    assert load_inline(name, scaled(2, space), functions="scale", extra_cflags=QUICK) is older


def test_an_operator_that_another_extension_has_is_refused():
    load_inline("owner", scaled(2, "inline_owned"), extra_cflags=QUICK)

    with pytest.raises(ValueError, match="inline_owned::scale is defined twice") as caught:
        load_inline("thief", scaled(2, "inline_owned"), extra_cflags=QUICK)

    assert "owner.cpp:5 (extension 'owner')" in str(caught.value)
    assert "thief.cpp:5 (extension 'thief')" in str(caught.value)
    assert values(ow.ops.inline_owned.scale(ow.tensor([1.0]))) == [2.0]


def test_an_operator_of_the_core_is_refused():
    source = (
        NATIVE + 'static auto registry = opwright::RegisterOperators().op("aten::sin", &twice);'
    )

    with pytest.raises(ValueError, match=r"aten::sin is defined twice: .* and at sinful.cpp:4"):
        load_inline("sinful", source, extra_cflags=QUICK)


def test_a_kernel_that_throws_tells_the_call():
    source = NATIVE + 'Tensor fail(const Tensor& x) { OPWRIGHT_CHECK_VALUE(false, "no"); }\n'
    module = load_inline("failing", source, functions="fail", extra_cflags=[*QUICK, "-w"])

    with pytest.raises(
        ValueError, match=r"^no\n  in _inline_failing_\w+::fail\(arg0=float32\[1\]\)"
    ):
        module.fail(ow.tensor([1.0]))


def test_the_interface_that_source_asks_of_torch_is_there():
    source = """
    #include <torch/library.h>
    TORCH_LIBRARY(inline_torch, m) { m.def("negate(Tensor x) -> Tensor"); }
    at::Tensor negate(const at::Tensor& x) { return x * -1; }
    TORCH_LIBRARY_IMPL(inline_torch, CPU, m) { m.impl("negate", &negate); }"""

    load_inline("spelled", source, extra_cflags=QUICK)

    assert values(ow.ops.inline_torch.negate.default(ow.tensor([2.0]))) == [-2.0]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (
            {"name": "my-ops"},
            ValueError,
            "name must be an identifier such as 'my_ops', got 'my-ops'",
        ),
        ({"sycl_sources": ["x"]}, NotImplementedError, "compiles C++ and CUDA sources, not SYCL"),
        (
            {"extra_cflags": "-O3"},
            TypeError,
            "extra_cflags must be a list of flags, got the string",
        ),
        ({"extra_ldflags": [3]}, TypeError, "extra_ldflags must be a list of strings, got 3 in it"),
        ({"functions": "twise"}, ValueError, "no function 'twise'; did you mean 'twice'?"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, kind, text):
    with pytest.raises(kind, match=re.escape(text)):
        load_inline(**{"name": "refused", "cpp_sources": NATIVE, **arguments})
