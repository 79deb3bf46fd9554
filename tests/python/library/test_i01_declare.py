"""Lists of operators in YAML files: what opwright.declare.load accepts, defines and rejects."""

import subprocess
import sys

import opwright as ow
import pytest

ADD = "- func: npu_add_custom(Tensor x, Tensor y) -> Tensor\n"
F = "- func: f(Tensor x) -> Tensor\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file of the folder that the test runs in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write_file(text: str, name: str = "functions.yaml") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write_file


def test_a_declared_operator_is_called_once_it_has_a_kernel(write):
    with ow.declare.load(write(ADD), namespace="trial_i1") as lib:
        with pytest.raises(NotImplementedError, match="trial_i1::npu_add_custom has no kernel for"):
            ow.ops.trial_i1.npu_add_custom(ow.tensor([1.0]), ow.tensor([2.0]))

        @ow.library.impl(lib, "npu_add_custom", "CPU")
        def add(x, y):
            return x + y

        assert ow.ops.trial_i1.npu_add_custom(ow.tensor([1.0]), ow.tensor([2.0])).tolist() == [3.0]


def test_a_kernel_needs_no_library(write):
    with ow.declare.load(write(F), namespace="trial_i1"):
        ow.library.impl("trial_i1::f", "cpu", lambda x: x + x)
        ow.library.register_fake("trial_i1::f", lambda x: ow.empty_like(x))

        assert ow.ops.trial_i1.f(ow.tensor([1.0])).tolist() == [2.0]
        assert ow.ops.trial_i1.f(ow.empty([3], device="meta")).shape == (3,)


def test_a_definition_lasts_without_a_name_for_its_library(write):
    ow.declare.load(write("- func: lasting(Tensor x) -> Tensor\n"), namespace="trial_i1")

    assert "trial_i1::lasting" in ow.library.list("trial_i1")


def test_the_end_of_a_with_removes_all(write):
    with ow.declare.load(write(F + ADD), namespace="trial_i1_gone"):
        assert len(ow.library.list("trial_i1_gone")) == 2

    assert ow.library.list("trial_i1_gone") == []


def test_an_operator_knows_its_line_and_its_tags(write):
    name = write("custom:\n  - func: f_(Tensor(a!) self) -> Tensor(a!)\n    tags: [pointwise]\n")

    with ow.declare.load(name, namespace="trial_i1"):
        operator = ow.ops.trial_i1.f_.default
        assert operator.site == "functions.yaml:2"
        assert set(operator.tags) == {"pointwise", "inplace"}


def test_tags_of_torch_alone_are_kept_beside_the_operator(write):
    with ow.declare.load(write(F + "  tags: [pt2_compliant_tag]\n"), namespace="trial_i1"):
        assert ow.ops.trial_i1.f.default.foreign_tags == ("pt2_compliant_tag",)


def test_sections_and_hints_of_vendors_are_taken(write):
    text = """\
all_version: [v2.1, v2.2]
official:
custom:
  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor
    op_api: all_version
    gen_opapi:
      out: {size: x, dtype: x}
      exec: aclnnAddCustom
backward:
  - func: npu_add_custom_backward(Tensor grad) -> (Tensor, Tensor)
    structured: true
    exposed: all_version
"""
    with ow.declare.load(write(text), namespace="trial_i1_sections"):
        assert ow.library.list("trial_i1_sections") == [
            "trial_i1_sections::npu_add_custom",
            "trial_i1_sections::npu_add_custom_backward",
        ]


def test_a_decomposition_is_the_body_of_the_operator(write):
    write("def twice(x):\n    return x + x\n", "declared_bodies.py")

    with ow.declare.load(write(F + "  decompose: declared_bodies:twice\n"), namespace="trial_i1"):
        operator = ow.ops.trial_i1.f.default
        assert [slot for slot, _ in operator.implementations()] == ["CompositeImplicitAutograd"]
        assert operator(ow.tensor([2.0])).tolist() == [4.0]
        assert operator(ow.empty([3], device="meta")).shape == (3,)


def test_python_kernels_are_registered_and_a_decomposition_is_their_rule(write):
    write("def one(x):\n    return x\n\nclass Kernels:\n    two = one\n", "declared_kernels.py")
    text = (
        F + "  dispatch:\n    CPU: declared_kernels:one\n    Meta: declared_kernels:Kernels.two\n"
        "  decompose: declared_kernels:one\n"
    )

    with ow.declare.load(write(text), namespace="trial_i1"):
        slots = [slot for slot, _ in ow.ops.trial_i1.f.default.implementations()]
        assert sorted(slots) == ["CPU", "Decompose", "Fake"]


def test_cpp_functions_are_left_to_an_operator_binary(write):
    with ow.declare.load(write(F + "  dispatch: {CPU: f_cpu}\n"), namespace="trial_i1"):
        assert ow.ops.trial_i1.f.default.implementations() == []


def test_the_built_in_composite_is_declared_by_its_decomposition():
    slots = [slot for slot, _ in ow.ops.aten.matmul.default.implementations()]
    slots = [slot for slot in slots if slot != "Convert"]  # there once something was exported

    assert slots == ["CompositeImplicitAutograd", "Autocast"]


# ---- twice ---------------------------------------------------------------------------------------


def test_the_same_list_twice_is_harmless_and_the_last_to_end_ends_it(write):
    name = write(F + "  tags: [pointwise]\n")
    first = ow.declare.load(name, namespace="trial_i1_twice")
    second = ow.declare.load(name, namespace="trial_i1_twice")

    with first:
        pass
    assert ow.library.list("trial_i1_twice") == ["trial_i1_twice::f"]

    with second:
        pass
    assert ow.library.list("trial_i1_twice") == []


def test_what_something_else_defined_the_same_is_left_alone(write):
    ow.library.define("trial_i1::left", "(Tensor x) -> Tensor")

    with ow.declare.load(write("- func: left(Tensor x)->Tensor\n"), namespace="trial_i1"):
        pass

    assert "trial_i1::left" in ow.library.list("trial_i1")


def test_a_different_operator_of_the_same_name_is_refused_with_both(write):
    with ow.declare.load(write(F), namespace="trial_i1"):
        with pytest.raises(ValueError, match="defined already") as raised:
            ow.declare.load(write(ADD + "- func: f(Tensor y) -> Tensor\n", "more.yaml"), "trial_i1")

        assert str(raised.value) == (
            "more.yaml:2: trial_i1::f is defined already, and differently\n"
            "  here:  trial_i1::f(Tensor y) -> Tensor, no tags\n"
            "  there: trial_i1::f(Tensor x) -> Tensor, no tags, at functions.yaml:1"
        )
        assert not hasattr(ow.ops.trial_i1, "npu_add_custom")  # all or nothing


def test_other_tags_make_a_different_operator(write):
    with ow.declare.load(write(F), namespace="trial_i1"):
        tagged = write(F + "  tags: [reduction, core]\n", "more.yaml")
        with pytest.raises(ValueError, match=r"Tensor, tags core, reduction\n  there: .* no tags"):
            ow.declare.load(tagged, namespace="trial_i1")


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "\n- func: f(Tensr x) -> Tensor\n",
            "functions.yaml:2: schema of trial_i1::f: unknown type 'Tensr' at column 13\n",
        ),
        ("- func: f(Tensor x -> Tensor\n", "functions.yaml:1: schema of trial_i1::f: expected ')'"),
        (
            "\n- func: f(int x=1, Tensor y) -> Tensor\n",
            "functions.yaml:2: schema of trial_i1::f: argument 'y' has no default but follows one ",
        ),
        ("- func: f(ensor x) -> int\n", "functions.yaml:1: schema of trial_i1::f: unknown type 'e"),
        (
            "- func: f(int x) -> int\n  dispatch: {CPU: math:floor}\n",
            "functions.yaml:1: trial_i1::f: a kernel for CPU",
        ),
        ("- func: a::f(Tensor x) -> Tensor\n", "functions.yaml:1: schema of trial_i1::a: a name h"),
        (F + "- func: f(Tensor y) -> Tensor\n", "functions.yaml:2: 'f' is declared twice and diff"),
        (F + "  dispach: {CPU: f}\n", "functions.yaml:2: unknown key 'dispach'; there are func, "),
        (F + "  tags: pointwise\n", "functions.yaml:2: 'tags' must be a list"),
        (F + "  tags: [quick]\n", "functions.yaml:2: unknown tag 'quick'; there are pointwise, "),
        (F + "  dispatch: {NPU: f}\n", "functions.yaml:2: unknown dispatch key 'NPU'; there are "),
        (F + "  dispatch: [CPU]\n", "functions.yaml:2: 'dispatch' must be a mapping"),
        (F + "  dispatch: {CPU: a-b}\n", "functions.yaml:2: 'a-b' names neither a C++ function "),
        (F + "  decompose: nowhere.at:all\n", "functions.yaml:1: 'nowhere.at:all': No module nam"),
        (F + "  decompose: os:none\n", "functions.yaml:1: 'os:none': module 'os' has no attrib"),
        (F + "  decompose: os:sep\n", "functions.yaml:1: 'os:sep' is not a function"),
        ("- func: f: g\n", "functions.yaml:1: mapping values are not allowed here"),
        ("- func: [\n", "functions.yaml:2: "),
        ("custom: 3\n", "functions.yaml:1: the section 'custom' must be a list"),
        ("", "functions.yaml:1: the file is empty; expected a list of operators"),
    ],
)
def test_a_problem_is_told_with_its_line_and_nothing_is_defined(write, text, problem):
    with pytest.raises(ValueError, match=r"functions\.yaml:\d") as raised:
        ow.declare.load(write(text), namespace="trial_i1")

    assert str(raised.value).startswith(problem)
    assert not hasattr(ow.ops.trial_i1, "f")


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.yaml"):
        ow.declare.load("nowhere.yaml", namespace="trial_i1")


def test_a_namespace_is_a_name(write):
    with pytest.raises(ValueError, match="namespace of operators is a name like 'npu', got 'a b'"):
        ow.declare.load(write(F), namespace="a b")


def test_without_pyyaml_the_package_is_imported_and_load_says_what_is_missing(write):
    program = (
        "import sys; sys.modules['yaml'] = None\n"
        "import opwright as ow\n"
        f"ow.declare.load('{write(F)}', namespace='npu')\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stderr.endswith(
        "ImportError: reading a list of operators needs PyYAML, which is not installed: "
        "python -m pip install PyYAML (or opwright[declare])\n"
    )
