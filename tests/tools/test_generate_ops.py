"""The generator: YAML in, C++ out, and errors that name their line."""

import re
from pathlib import Path

import pytest
from generate_ops.__main__ import write_if_changed
from generate_ops.declarations import DeclarationError, Reader, read_declarations
from generate_ops.headers import write_functions_header, write_methods_header
from generate_ops.operator_names import write_operator_names
from generate_ops.registration import write_registrations
from generate_ops.slots import DEVICE_KEYS
from generate_ops.stubs import write_operators
from generate_ops.tags import TAGS

ROOT = Path(__file__).resolve().parents[2]

YAML = """\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
  tags: [core, pointwise]
  dispatch:
    CPU: add_cpu
- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  variants: method
  tags: [inplace]
  dispatch:
    CPU: add_in_place_cpu
- func: slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt step=1) -> Tensor(a)
  dispatch:
    CompositeExplicitAutograd: slice_all_devices
- func: zeros(SymInt[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor
  dispatch:
    CPU: zeros_cpu
    Fake: zeros_fake
- func: split(Tensor self, int[2] sizes=1, float? scale=None, str mode="a, b") -> (Tensor, Tensor[])
  dispatch:
    CompositeImplicitAutograd: split_composite
"""

METHODS = """\
template <class Self>
struct TensorMethods {
  Self add(const Self& other, const Scalar& alpha = 1) const;
  Self& add_(const Self& other, const Scalar& alpha = 1);
};
"""

FUNCTIONS = """\
// add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
template <AnyTensor Self = Tensor>
Self add(const Self& self, const Same<Self>& other, const Scalar& alpha = 1) {
  return imported<"aten::add.Tensor", Self(const Self&, const Self&, const Scalar&)>(
      self, other, alpha);
}

// slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt step=1) -> Tensor(a)
template <AnyTensor Self = Tensor>
Self slice(
    const Self& self, int64_t dim = 0, const std::optional<SymInt>& start = std::nullopt,
    const SymInt& step = 1) {
  return imported<
      "aten::slice.Tensor",
      Self(const Self&, int64_t, const std::optional<SymInt>&, const SymInt&)>(
      self, dim, start, step);
}

// zeros(SymInt[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor
template <AnyTensor Self = Tensor>
Self zeros(
    SymIntList size, const std::optional<DType>& dtype = std::nullopt,
    const std::optional<Device>& device = std::nullopt) {
  return imported<
      "aten::zeros",
      Self(std::span<const SymInt>, const std::optional<DType>&, const std::optional<Device>&)>(
      size, dtype, device);
}

// split(Tensor self, int[2] sizes=1, float? scale=None, str mode="a, b") -> (Tensor, Tensor[])
template <AnyTensor Self = Tensor>
std::tuple<Self, std::vector<Self>> split(
    const Self& self, IntList sizes = {1, 1}, const std::optional<double>& scale = std::nullopt,
    std::string_view mode = "a, b") {
  return imported<
      "aten::split",
      std::tuple<Self, std::vector<Self>>(
          const Self&, std::span<const int64_t>, const std::optional<double>&, std::string_view)>(
      self, sizes, scale, mode);
}

template <class Self>
Self TensorMethods<Self>::add(const Self& other, const Scalar& alpha) const {
  return imported<"aten::add.Tensor", Self(const Self&, const Self&, const Scalar&)>(
      static_cast<const Self&>(*this), other, alpha);
}

template <class Self>
Self& TensorMethods<Self>::add_(const Self& other, const Scalar& alpha) {
  return imported<"aten::add_.Tensor", Self&(Self&, const Self&, const Scalar&)>(
      static_cast<Self&>(*this), other, alpha);
}

template <class Self>
Self operator+(const TensorMethods<Self>& a, const Same<Self>& b) {
  return add(self_of(a), b);
}
}  // namespace opwright
"""

DECLARED_KERNELS = """\
Tensor add_cpu(const Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor& add_in_place_cpu(Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor zeros_cpu(
    std::span<const int64_t> size, const std::optional<DType>& dtype,
    const std::optional<Device>& device);
"""
DECLARED_FAKES = """\
FakeTensor zeros_fake(
    std::span<const SymInt> size, const std::optional<DType>& dtype,
    const std::optional<Device>& device);
"""
DECLARED_COMPOSITES = """\
Tensor slice_all_devices(
    const Tensor& self, int64_t dim, const std::optional<SymInt>& start, const SymInt& step);
std::tuple<Tensor, std::vector<Tensor>> split_composite(
    const Tensor& self, std::span<const int64_t> sizes, const std::optional<double>& scale,
    std::string_view mode);
"""

OPERATOR_NAMES = """\
inline constexpr const char* kFunctionNames[] = {
    "add",
    "slice",
    "split",
    "zeros",
};

inline constexpr const char* kMethodNames[] = {
    "add",
    "add_",
};
"""

DEFINITIONS = """\
OPWRIGHT_LIBRARY(aten, m) {
#line 1 "ops.yaml"
  m.def("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", \
with_properties({opwright::Tag::Core, opwright::Tag::Pointwise}, {Property::Builtin}));
"""

KERNELS = """\
OPWRIGHT_LIBRARY_IMPL(aten, CPU, m) {
#line 1 "ops.yaml"
  m.impl("add.Tensor", &add_cpu);
#line 6 "ops.yaml"
  m.impl("add_.Tensor", &add_in_place_cpu);
#line 14 "ops.yaml"
  m.impl("zeros", &zeros_cpu);
}
"""
FAKES = """\
OPWRIGHT_LIBRARY_IMPL(aten, Fake, m) {
#line 14 "ops.yaml"
  m.impl("zeros", &zeros_fake);
}
"""


def read(text: str):
    return Reader("ops.yaml").read(text)


def register(declarations: list) -> str:
    return "".join(write_registrations(declarations, "ops.yaml", "aten").values())


def test_methods_are_declared_for_any_tensor_class():
    assert METHODS in write_methods_header(read(YAML), "ops.yaml")


def test_braced_sizes_are_never_taken_for_a_dtype():
    overloads = """
- func: view(Tensor(a) self, SymInt[] size) -> Tensor(a)
  variants: method
  dispatch:
    CPU: view_sizes
- func: view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)
  variants: method
  dispatch:
    CPU: view_dtype
"""
    assert (
        "  Self view(SymIntList size) const;\n"
        "  Self view(std::initializer_list<SymInt> size) const { return view(SymIntList(size)); }\n"
        "  Self view(DType dtype) const;\n"
    ) in write_methods_header(read(overloads), "ops.yaml")


def test_functions_methods_and_operators_call_their_operator():
    header = write_functions_header(read(YAML), "ops.yaml", "aten")

    assert header.endswith(FUNCTIONS)
    assert header.startswith(
        "// Operators as C++ functions, methods and arithmetic. Made from ops.yaml; do not edit.\n"
    )


def test_kernels_are_declared_with_plain_ints_and_rules_with_symbolic_ones():
    sources = write_registrations(read(YAML), "ops.yaml", "aten")

    assert DECLARED_KERNELS in sources["register_kernels.cpp"]
    assert DECLARED_FAKES in sources["register_fakes.cpp"]
    assert DECLARED_COMPOSITES in sources["register_composites.cpp"]


def test_properties_are_stated_with_the_definition():
    yaml = "- func: f_backward(Tensor x) -> Tensor\n  properties: [backward]\n  pointwise: f\n"

    text = write_registrations(read(yaml), "ops.yaml", "aten")["register_ops.cpp"]

    assert '#include "opwright/dispatch/property.h"\n' in text
    assert "with_properties({}, {Property::Builtin, Property::Backward}));" in text


def test_every_operator_is_defined_and_implemented_with_its_line():
    sources = write_registrations(read(YAML), "ops.yaml", "aten")

    assert DEFINITIONS in sources["register_ops.cpp"]
    assert KERNELS in sources["register_kernels.cpp"]
    assert FAKES in sources["register_fakes.cpp"]
    assert 'str mode=\\"a, b\\")' in sources["register_ops.cpp"]


def test_the_names_of_functions_and_methods_are_sorted():
    assert OPERATOR_NAMES in write_operator_names(read(YAML), "ops.yaml")


def test_a_name_with_several_overloads_is_listed_once():
    header = write_operator_names(
        read(
            "- func: f.a(Tensor self, int x) -> Tensor\n  dispatch: {CPU: f}\n"
            "- func: f.b(Tensor self, bool x) -> Tensor\n  dispatch: {CPU: g}\n"
        ),
        "ops.yaml",
    )

    assert header.count('"f"') == 1


def test_a_default_that_would_make_a_call_ambiguous_is_left_out():
    header = write_functions_header(
        read(
            "- func: sum(Tensor self, int a=1) -> Tensor\n  dispatch: {CPU: f}\n"
            "- func: sum.more(Tensor self, int a=1, bool b=False) -> Tensor\n  dispatch: {CPU: g}\n"
        ),
        "ops.yaml",
        "aten",
    )

    assert "Self sum(const Self& self, int64_t a = 1) {" in header
    assert "Self sum(const Self& self, int64_t a, bool b) {" in header


def test_overloads_that_cpp_cannot_tell_apart_are_refused():
    declarations = read(
        "- func: f.a(Tensor self, int x) -> Tensor\n  dispatch: {CPU: f}\n"
        "- func: f.b(Tensor self, int y) -> Tensor\n  dispatch: {CPU: g}\n"
    )

    with pytest.raises(
        DeclarationError, match=r"^ops\.yaml:3: f\.b and f\.a have the same C\+\+ parameters"
    ):
        write_functions_header(declarations, "ops.yaml", "aten")


F = "- func: f(Tensor self) -> Tensor\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (F + "  kernel: f\n", "ops.yaml:2: unknown key 'kernel'; there are func, variants, tags, "),
        (
            F + "  dispatch: {CPU: f}\n" + F + "  dispatch: {CPU: g}\n",
            "ops.yaml:3: 'f' is declared twice and differently, first in line 1",
        ),
        (
            F + "  dispatch: {CPU: f}\n  dispatch: {CPU: f}\n",
            "ops.yaml:3: 'dispatch' appears twice",
        ),
        (F, "ops.yaml:1: an operator needs a 'dispatch' with at least one function"),
        (
            F + "  dispatch: {GPU: f}\n",
            "ops.yaml:2: unknown dispatch key 'GPU'; there are CPU, CUDA",
        ),
        (F + "  dispatch: {CPU: f()}\n", "ops.yaml:2: 'f()' is not the name of a C++ function"),
        (
            F + "  tags: [fast]\n  dispatch: {CPU: f}\n",
            "ops.yaml:2: unknown tag 'fast'; there are p",
        ),
        (F + "  tags: core\n  dispatch: {CPU: f}\n", "ops.yaml:2: 'tags' must be a list"),
        (F + "  variants: static\n  dispatch: {CPU: f}\n", "ops.yaml:2: unknown variant 'static'"),
        (
            "- func: f(int x) -> int\n  variants: method\n  dispatch: {CPU: f}\n",
            "ops.yaml:2: a method needs 'self' as its first argument: f(int x) -> int",
        ),
        (
            "- func: f(Tensor self)\n",
            "ops.yaml:1: 'f(Tensor self)' is not 'name.overload(arguments)",
        ),
        (
            "- func: npu::f(Tensor x) -> Tensor\n",
            "ops.yaml:1: 'npu::f(Tensor x) -> Tensor' has a namespace; pass it separately",
        ),
        ("- func: f(Tensor) -> Tensor\n", "ops.yaml:1: 'Tensor' is not an argument"),
        (
            "- func: f(int x=1, int y) -> int\n",
            "ops.yaml:1: 'y' has no default but follows one that has",
        ),
        ("- func: f(int x, int x) -> int\n", "ops.yaml:1: there are two arguments 'x'"),
        ("- func: f(Dimname x) -> int\n", "ops.yaml:1: the type Dimname has no C++ form yet"),
        ("- func: f(int x=y) -> int\n", "ops.yaml:1: the default y of 'x' has no C++ form yet"),
        (
            "- func: f(Scalar x) -> Tensor\n  pointwise: f\n  in_place: f_\n",
            "ops.yaml:3: 'f(Scalar x) -> Tensor' has no self that an in-place form could write",
        ),
        (
            F + "  autocast: half\n  pointwise: f\n",
            "ops.yaml:2: unknown policy 'half'; there are lower, float32, widest",
        ),
        (
            F + "  autocast: {tpu: lower}\n  pointwise: f\n",
            "ops.yaml:2: unknown device 'tpu'; there are cpu, accelerator",
        ),
        (
            F + "  properties: [fast]\n  pointwise: f\n",
            "ops.yaml:2: unknown property 'fast'; there are backward, cheap, ",
        ),
        (F + "  pointwise: f()\n", "ops.yaml:2: 'f()' is not the name of a pointwise operation"),
        ("- func: [f]\n", "ops.yaml:1: 'func' must be text"),
        ("- tags: []\n", "ops.yaml:1: an operator needs a 'func'"),
        ("func: f\n", "ops.yaml:1: expected a list of operators"),
        ("- f\n", "ops.yaml:1: an operator must be a mapping"),
        ("- func: {\n", "ops.yaml:2: "),
        (F + "  dispatch: f\n", "ops.yaml:2: 'dispatch' must be a mapping"),
        (F + "  dispatch: {CPU: [f]}\n", "ops.yaml:2: 'CPU' must be text"),
        (
            F + "  dispatch: {Fake: f, Meta: g}\n",
            "ops.yaml:2: there are two functions for 'Meta'",
        ),
        (F + "  decompose: [f]\n", "ops.yaml:2: 'decompose' must be text"),
        (
            F + "  decompose: audio.bodies:f\n",
            "ops.yaml:2: 'audio.bodies:f' is a Python function, which opwright.declare.load regis",
        ),
        (F + "  tags: [[core]]\n", "ops.yaml:2: a tag must be text"),
        (F + "  tags: [view]\n", "ops.yaml:2: the tag 'view' contradicts the schema f(Tensor "),
        (F + "  tags: [inplace]\n", "ops.yaml:2: the tag 'inplace' contradicts the schema "),
        (F + "  op_api: all\n", "ops.yaml:2: unknown key 'op_api'; there are func, variants, "),
        ("", "ops.yaml:1: the file is empty; expected a list of operators"),
        ("# nothing\n", "ops.yaml:1: the file is empty; expected a list of operators"),
        ("just text\n", "ops.yaml:1: expected a list of operators"),
        ("- func: f\n\t- x\n", "ops.yaml:2: "),
        ("- a: 1\n---\n- b: 2\n", "ops.yaml:2: but found another document"),
        (F + "\x01", "ops.yaml:2: the character 0x1 is not allowed in YAML"),
        ("[" * 3000, "ops.yaml:1: "),
    ],
)
def test_a_problem_is_told_with_its_line(text, problem):
    with pytest.raises(DeclarationError) as raised:
        read(text)

    assert str(raised.value).startswith(problem)


def test_a_function_has_one_signature():
    declarations = read(
        "- func: f(Tensor self) -> Tensor\n  dispatch: {CPU: same}\n"
        "- func: g(Tensor self, int x) -> Tensor\n  dispatch: {CPU: same}\n"
    )

    with pytest.raises(DeclarationError, match=r"^ops\.yaml:3: same is named with two signatures"):
        register(declarations)


POINTWISE = """\
- func: clip.Tensor(Tensor self, Tensor low, *, Scalar scale=1) -> Tensor
  variants: function, method
  tags: [core, pointwise]
  pointwise: clip
  in_place: clip_.Tensor
  out: clip.out
- func: flip(Tensor self) -> Tensor
  pointwise: flip
  out: flip.out
"""


def test_a_pointwise_operator_has_its_in_place_and_out_forms():
    forms = {each.schema.text: (each.variants, each.tags) for each in read(POINTWISE)}

    assert forms == {
        "clip.Tensor(Tensor self, Tensor low, *, Scalar scale=1) -> Tensor": (
            ("function", "method"),
            ("core", "pointwise"),
        ),
        "clip_.Tensor(Tensor(a!) self, Tensor low, *, Scalar scale=1) -> Tensor(a!)": (
            ("method",),
            ("pointwise", "inplace"),
        ),
        "clip.out(Tensor self, Tensor low, *, Scalar scale=1, Tensor(a!) out) -> Tensor(a!)": (
            (),
            ("pointwise", "out"),
        ),
        "flip(Tensor self) -> Tensor": (("function",), ()),
        "flip.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)": ((), ("out",)),
    }


def test_every_form_of_a_pointwise_operator_is_registered_with_its_operation():
    source = register(read(POINTWISE))

    assert "const PointwiseOp& clip_op();\nconst PointwiseOp& flip_op();\n" in source
    assert (
        'register_pointwise("ops.yaml", {\n'
        '    {"aten::clip.Tensor", &clip_op, 1},\n'
        '    {"aten::clip_.Tensor", &clip_op, 5},\n'
        '    {"aten::clip.out", &clip_op, 6},\n'
        '    {"aten::flip", &flip_op, 7},\n'
        '    {"aten::flip.out", &flip_op, 9},\n'
        "});\n" in source
    )


AUTOCAST = """\
- func: product(Tensor self) -> Tensor
  autocast: lower
  dispatch: {CPU: product_cpu}
- func: power(Tensor self) -> Tensor
  autocast: {accelerator: float32}
  pointwise: power
  in_place: power_
- func: join(Tensor self) -> Tensor
  autocast: {cpu: widest, accelerator: lower}
  pointwise: join
"""


def test_the_functional_form_of_an_operator_has_its_autocast_policies():
    source = register(read(AUTOCAST))

    assert '#include "opwright/ops/rule/autocast_policy.h"\n' in source
    assert (
        'register_autocast("ops.yaml", {\n'
        '    {"aten::product", AutocastPolicy::Lower, AutocastPolicy::Lower, 1},\n'
        '    {"aten::power", AutocastPolicy::None, AutocastPolicy::Float32, 4},\n'
        '    {"aten::join", AutocastPolicy::Widest, AutocastPolicy::Lower, 8},\n'
        "});\n" in source
    )


RANDOM = """\
- func: uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> ()
  variants: method
  dispatch:
    CPU: uniform_cpu
- func: randperm(SymInt n, *, ScalarType? dtype=long) -> Tensor
  dispatch:
    CompositeExplicitAutograd: randperm_all_devices
"""


def test_a_generator_is_an_optional_handle():
    declarations = Reader("random.yaml").read(RANDOM)

    methods = write_methods_header(declarations, "random.yaml")
    functions = write_functions_header(declarations, "random.yaml", "aten")

    assert "const std::optional<Generator>& generator = std::nullopt" in methods
    assert "const std::optional<DType>& dtype = DType::Int64" in functions


def test_a_stub_renames_what_python_cannot_write():
    declarations = Reader("random.yaml").read(RANDOM)

    stub = write_operators(declarations, "method", set(), "")

    assert "self, from_: _float = 0.0, /, to: _float = 1.0, *, generator: " in stub


def test_an_unchanged_file_is_left_alone(tmp_path):
    path = tmp_path / "folder" / "file.h"
    write_if_changed(path, "text")
    before = path.stat().st_mtime_ns

    write_if_changed(path, "text")

    assert path.stat().st_mtime_ns == before


def test_the_tags_are_those_of_the_header():
    header = (ROOT / "include" / "opwright" / "tag.h").read_text()
    body = re.search(r"enum class Tag : uint8_t \{(.*?)\};", header, re.DOTALL)[1]
    names = re.findall(r"^\s*(\w+),", body, re.MULTILINE)

    assert [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in names] == list(TAGS)


def test_the_device_keys_are_those_of_the_header():
    header = (ROOT / "include" / "opwright" / "device.h").read_text()
    body = re.search(r"kDeviceNames\[\] = \{(.*?)\n\};", header, re.DOTALL)[1]

    assert set(re.findall(r'"(\w+)"', body)) == {*DEVICE_KEYS.values(), "meta"}


def test_the_schemas_of_functions_yaml_are_those_of_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed: no schema was compared")
    path = ROOT / "src" / "ops" / "functions.yaml"

    for declaration in Reader("functions.yaml").read(path.read_text()):
        packet = getattr(torch.ops.aten, declaration.schema.name)
        theirs = getattr(packet, declaration.schema.overload or "default")._schema
        assert torch._C.parse_schema(f"aten::{declaration.schema.text}") == theirs


# ---- what an entry says --------------------------------------------------------------------------


def test_the_same_entry_twice_is_harmless():
    entry = F + "  tags: [core]\n  dispatch: {CPU: f}\n"

    assert read(entry + entry) == read(entry)


def test_a_tag_follows_from_the_schema():
    tags = {
        each.schema.name: each.tags
        for each in read(
            "- func: add_(Tensor(a!) self, Tensor x) -> Tensor(a!)\n  dispatch: {CPU: f}\n"
            "- func: sort(Tensor x, *, Tensor(a!) v, Tensor(b!) i) -> (Tensor(a!), Tensor(b!))\n"
            "  dispatch: {CPU: g}\n"
            "- func: fill(Tensor(a!) self) -> ()\n  dispatch: {CPU: h}\n"
        )
    }

    assert tags == {"add_": ("inplace",), "sort": ("out",), "fill": ()}


def test_a_decomposition_alone_is_a_composite_body():
    (declaration,) = read(F + "  decompose: f_composite\n")

    assert declaration.dispatch == {"CompositeImplicitAutograd": "f_composite"}


def test_a_decomposition_beside_kernels_is_a_rule():
    source = register(read(F + "  dispatch: {CPU: f_cpu}\n  decompose: f_parts\n"))

    assert 'OPWRIGHT_LIBRARY_IMPL(aten, Decompose, m) {\n#line 1 "ops.yaml"\n' in source
    assert "Tensor f_parts(const Tensor& self);" in source


def test_a_view_names_its_scatter_rule():
    source = register(
        read(
            "- func: part(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]\n"
            "  dispatch: {CPU: part_cpu}\n  scatter: part_scatter\n"
        )
    )

    assert "OPWRIGHT_LIBRARY_IMPL(aten, Scatter, m) {" in source
    assert (
        "Tensor part_scatter(const Tensor& base, const Tensor& value, int64_t dim, int64_t place);"
        in source
    )


def test_only_a_view_has_a_scatter_rule():
    with pytest.raises(DeclarationError, match=r"ops\.yaml:3: only a view has a 'scatter': f"):
        read(F + "  dispatch: {CPU: f}\n  scatter: g\n")


def test_one_function_may_be_for_several_devices():
    (declaration,) = read(F + "  dispatch: {'CPU, CUDA': f}\n")

    assert declaration.dispatch == {"CPU": "f", "CUDA": "f"}


def test_a_file_that_is_no_text_is_told_with_its_line(tmp_path):
    path = tmp_path / "ops.yaml"
    path.write_bytes(b"- func: f\n- \xff\n")

    with pytest.raises(DeclarationError, match=r"^ops\.yaml:2: the file is not UTF-8 text$"):
        read_declarations(path, "ops.yaml")
