"""The generator: the key `vmap` of an entry."""

import pytest
from generate_ops.declarations import DeclarationError, Reader
from generate_ops.registration import write_registrations

F = "- func: f(Tensor self) -> Tensor\n"


def read(text: str):
    return Reader("ops.yaml").read(text)


def register(declarations: list) -> str:
    return "".join(write_registrations(declarations, "ops.yaml", "aten").values())


def test_an_operator_names_its_vmap_rule():
    source = register(
        read(
            "- func: part(Tensor self, Tensor[] others, SymInt size) -> (Tensor, Tensor)\n"
            "  dispatch: {CPU: part_cpu}\n  vmap: part_vmap\n"
        )
    )

    assert (
        "VmapResult<std::tuple<Tensor, Tensor>> part_vmap(const VmapInfo& info, "
        "const Tensor& self, std::span<const Tensor> others, const SymInt& size);"
    ) in " ".join(source.split()).replace("( ", "(")
    assert (
        'OPWRIGHT_LIBRARY_IMPL(aten, Vmap, m) {\n#line 1 "ops.yaml"\n'
        '  m.register_vmap("part", &part_vmap);\n}' in source
    )


def test_forms_of_a_pointwise_operator_have_vmap_rules_of_their_own():
    declarations = read(
        F + "  pointwise: f\n  in_place: f_\n  out: f.out\n"
        "  vmap: {func: f_vmap, in_place: f_in_place_vmap}\n"
    )
    source = register(declarations)

    assert [each.dispatch for each in declarations] == [
        {"Vmap": "f_vmap"},
        {"Vmap": "f_in_place_vmap"},
        {},
    ]
    assert "VmapResult<Tensor&> f_in_place_vmap(const VmapInfo& info, Tensor& self);" in source


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("{inplace: g}", "unknown form 'inplace'; there are func, in_place, out"),
        ("{out: g}", "there is no 'out' that the rule could be for"),
        ("g h", "'g h' is not the name of a C.. function"),
    ],
)
def test_a_vmap_rule_that_belongs_to_nothing_is_refused(rules, problem):
    with pytest.raises(DeclarationError, match=rf"ops\.yaml:3: {problem}"):
        read(F + f"  pointwise: f\n  vmap: {rules}\n")
