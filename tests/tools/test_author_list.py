"""The generator over an author's list: what a build generates, and sources to start from."""

import pytest
from generate_ops.author_list import write_author_files
from generate_ops.declarations import DeclarationError, Reader
from generate_ops.skeletons import write_skeletons

LIST = """\
all_version: [v2.1, v2.2]
custom:
  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor
    op_api: all_version
    tags: [pointwise, pt2_compliant_tag]
    dispatch: {CPU: add_custom_cpu, Meta: add_custom_fake}
  - func: npu_seed() -> int
empty:
backward:
  - func: npu_pad(Tensor self, SymInt[2] sizes=1, *, str? mode=None) -> Tensor
    structured: true
"""

LIST_FUNCTION = """\
namespace npu {

// npu_add_custom(Tensor x, Tensor y) -> Tensor
template <opwright::AnyTensor Self = opwright::Tensor>
Self npu_add_custom(const Self& x, const opwright::Same<Self>& y) {
  return opwright::imported<"npu::npu_add_custom", Self(const Self&, const Self&)>(x, y);
}
"""

LIST_KERNELS = """\
namespace npu {

opwright::Tensor add_custom_cpu(const opwright::Tensor& x, const opwright::Tensor& y);
opwright::FakeTensor add_custom_fake(const opwright::FakeTensor& x, const opwright::FakeTensor& y);

}  // namespace npu
"""

LIST_REGISTRATION = """\
OPWRIGHT_LIBRARY_FRAGMENT(npu, m) {
#line 3 "ops.yaml"
  m.def("npu_add_custom(Tensor x, Tensor y) -> Tensor", {opwright::Tag::Pointwise});
#line 7 "ops.yaml"
  m.def("npu_seed() -> int", {});
"""


def read_list(text: str, **options):
    return Reader("ops.yaml", built_in=False, **options).read(text)


def test_a_list_may_have_sections_and_hints_of_other_generators():
    sections = {each.schema.name: (each.section, each.line) for each in read_list(LIST)}

    assert sections == {
        "npu_add_custom": ("custom", 3),
        "npu_seed": ("custom", 7),
        "npu_pad": ("backward", 10),
    }


def test_a_schema_may_be_spaced_as_the_core_takes_it():
    (declaration,) = read_list("- func: f(Tensor  x, int n = 1)->(Tensor, int)\n")

    assert [each.name for each in declaration.schema.arguments] == ["x", "n"]
    assert [each.base for each in declaration.schema.returns] == ["Tensor", "int"]


def test_a_list_makes_functions_declarations_and_the_registration():
    files = write_author_files(read_list(LIST), "ops.yaml", "ops", "npu")

    assert list(files) == ["npu/ops.h", "npu/ops_kernels.h", "npu/register_ops.cpp"]
    assert LIST_FUNCTION in files["npu/ops.h"]
    assert "opwright::SymIntList sizes = {1, 1}" in files["npu/ops.h"]
    assert LIST_KERNELS in files["npu/ops_kernels.h"]
    assert '#include "npu/ops_kernels.h"\n' in files["npu/register_ops.cpp"]
    assert LIST_REGISTRATION in files["npu/register_ops.cpp"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("custom: text\n", "ops.yaml:1: the section 'custom' must be a list"),
        ("custom:\n  - text\n", "ops.yaml:2: an operator must be a mapping"),
        (
            "custom:\n  - func: f(Tensor x) -> Tensor\n    kernal: f\n",
            "ops.yaml:3: unknown key 'kernal'; there are func, variants, tags, dispatch, decompose",
        ),
        (
            "custom:\n  - func: f(Tensor x) -> Tensor\nmore:\n  - func: f(Tensor y) -> Tensor\n",
            "ops.yaml:4: 'f' is declared twice and differently, first in line 2",
        ),
        ("func: f(Tensor x) -> Tensor\n", "ops.yaml:1: 'func' is outside an entry; entr"),
        (
            "- func: f(Tensor x) -> Tensor\n  pointwise: f\n",
            "ops.yaml:2: unknown key 'pointwise'",
        ),
        (
            "- func: f(Tensor x) -> Tensor\n  dispatch: {NPU: f}\n",
            "ops.yaml:2: unknown dispatch key 'NPU'; there are CPU, CUDA, OpenCL, ",
        ),
    ],
)
def test_a_problem_of_a_list_is_told_with_its_line(text, problem):
    with pytest.raises(DeclarationError) as raised:
        read_list(text)

    assert str(raised.value).startswith(problem)


def test_a_list_may_name_the_device_of_a_plug_in():
    text = "- func: f(Tensor x) -> Tensor\n  dispatch: {NPU: f_npu}\n"

    (declaration,) = read_list(text, devices=("npu",))

    assert declaration.dispatch == {"NPU": "f_npu"}


# ---- files to start from -------------------------------------------------------------------------

SKELETON = """\
// npu_add_custom(Tensor x, Tensor y) -> Tensor
opwright::Tensor add_custom_cpu(const opwright::Tensor& /*x*/, const opwright::Tensor& /*y*/) {
  opwright::throw_error(
      "NotImplementedError",
      "npu::npu_add_custom: the kernel for CPU is not written yet");
}

// Returns the sizes, dtype and device of the results without data, e.g.
//   return opwright::empty_like(x);
opwright::FakeTensor add_custom_fake("""


def test_a_skeleton_has_functions_that_say_that_they_are_not_written():
    files = write_skeletons(read_list(LIST), "ops.yaml", "npu", ["CPU"])

    assert list(files) == ["npu_add_custom.cpp", "npu_seed.cpp", "npu_pad.cpp", "CMakeLists.txt"]
    assert SKELETON in files["npu_add_custom.cpp"]
    assert "OPWRIGHT_LIBRARY_IMPL(npu, Fake, m) {" in files["npu_pad.cpp"]


def test_a_skeleton_without_tensors_is_for_all_devices():
    files = write_skeletons(read_list(LIST), "ops.yaml", "npu", ["CPU"])

    assert "OPWRIGHT_LIBRARY_IMPL(npu, CompositeExplicitAutograd, m)" in files["npu_seed.cpp"]


def test_a_skeleton_of_a_composite_has_its_body_alone():
    declarations = read_list("- func: f(Tensor x) -> Tensor\n  decompose: f_body\n")

    source = write_skeletons(declarations, "ops.yaml", "npu", ["CPU"])["f.cpp"]

    assert "opwright::Tensor f_body(const opwright::Tensor& /*x*/) {" in source
    assert source.count("OPWRIGHT_LIBRARY_IMPL") == 1
