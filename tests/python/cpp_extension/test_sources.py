"""The author's strings as one file: names, line numbers, functions."""

import pytest
from opwright.cpp_extension import _sources
from opwright.cpp_extension._sources import Text


def texts(*contents):
    return _sources.texts_of("cpp_sources", "test", ".cpp", list(contents))


def test_strings_of_a_list_are_numbered_files():
    assert [text.file for text in texts("a", "b", "c")] == ["test.cpp", "test_2.cpp", "test_3.cpp"]


def test_a_source_that_is_no_string_is_refused():
    with pytest.raises(
        TypeError, match="cpp_sources must be a string or a list of strings, got int"
    ):
        _sources.texts_of("cpp_sources", "test", ".cpp", ["int f();", 3])


def test_functions_are_a_string_a_list_or_a_dict():
    assert _sources.functions_of("f") == {"f": ""}
    assert _sources.functions_of(["f", "g"]) == {"f": "", "g": ""}
    assert _sources.functions_of({"f": "doc"}) == {"f": "doc"}
    assert _sources.functions_of(None) == {}


@pytest.mark.parametrize("name", ["f g", "", "f()", 3, "1f", "f;"])
def test_functions_must_be_names(name):
    with pytest.raises(ValueError, match="functions must be names of C\\+\\+ functions, got"):
        _sources.functions_of([name])


def test_two_functions_of_one_attribute_are_refused():
    with pytest.raises(ValueError, match="two that would be the attribute 'f'"):
        _sources.functions_of(["a::f", "b::f"])


def test_a_function_that_is_only_in_a_comment_or_a_literal_is_not_there():
    source = 'int g() { return 1\'000; }  // f()\n/* f(x) */ auto s = "f(1)"; auto r = R"x(f())x";'

    with pytest.raises(
        ValueError, match=r"load_inline\('test'\): cpp_sources has no function 'f'$"
    ):
        _sources.check_functions("test", {"f": ""}, texts(source), [])


def test_a_near_name_is_suggested():
    source = "int dual_residual(int x) { if (x) { return 1; } return 2; }"

    with pytest.raises(ValueError, match="no function 'dual_resid'; did you mean 'dual_residual'"):
        _sources.check_functions("test", {"dual_resid": ""}, texts(source), [])


def test_a_function_of_the_cuda_source_needs_a_declaration():
    cuda = [Text("test.cu", "int f(int x) { return x; }")]

    with pytest.raises(ValueError, match="'f' is only in cuda_sources; declare it in cpp_sources"):
        _sources.check_functions("test", {"f": ""}, texts("int g();"), cuda)


def test_pytorchs_header_comes_first_unless_ours_is_included():
    def leading(source, no_implicit_headers=False):
        return _sources.leading_header(texts(source), no_implicit_headers)

    assert leading("int f();") == ("torch/extension.h", True)
    assert leading("#include <torch/library.h>\n") == ("torch/extension.h", True)
    assert leading("#include <torch/script.h>\n") == ("torch/script.h", False)
    assert leading("#include <torch/script.h>\nPYBIND11_MODULE") == ("torch/extension.h", True)
    assert leading('#include <cmath>\n#include "opwright/library.h"\n') == ("", False)
    assert leading('// ours\n#include "opwright/opwright.h"\n') == ("opwright/opwright.h", False)
    assert leading('#define N 1\n#include "opwright/opwright.h"\n') == ("", False)
    assert leading("int f();", no_implicit_headers=True) == ("", False)


def test_every_string_keeps_its_line_numbers():
    whole = _sources.compose(texts("a\nb", "c"), "#include <x>\n", {}, "ns")

    assert whole == '#include <x>\n#line 1 "test.cpp"\na\nb\n#line 1 "test_2.cpp"\nc\n'


def test_a_function_is_registered_at_its_own_line():
    whole = _sources.compose(texts("int a;", "\n\nint f(int x) {}"), "", {"f": ""}, "ns")

    assert '#line 3 "test_2.cpp"\n  m.def("f", &f);' in whole


@pytest.mark.parametrize(
    ("source", "little"),
    [
        ("std::tuple<at::Tensor, std::vector<int64_t>> f();  // std::function", True),
        ("#include <cmath>\n#include <torch/script.h>\n", True),
        ("void f(std::function<int()> g);", False),
        ("using namespace std;", False),
        ('#include "mine.h"', False),
    ],
)
def test_a_text_shows_whether_it_needs_much_of_the_standard_library(source, little):
    assert _sources.uses_little(texts(source)) is little
