"""torch.library and torch.ops under compat: what torch's code reads from operators."""

import warnings

import opwright
import opwright.compat.torch as torch
import opwright.compat.torch.utils._python_dispatch
import pytest


def test_tags_are_members_of_torch_tag_in_a_list():
    assert torch.Tag.pt2_compliant_tag in torch.ops.aten.sin.default.tags
    assert isinstance(torch.ops.aten.sin.default.tags, list)
    with torch.library._scoped_library("trial_tags", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor", tags=(torch.Tag.pointwise,))

        assert torch.ops.trial_tags.f.default.tags == [torch.Tag.pointwise]


def test_an_operator_has_the_names_that_torch_gives_it():
    op = torch.ops.aten.add.Tensor

    assert op.name() == op.name == op._name == "aten::add.Tensor"
    assert op._qualname == "aten::add"
    assert op._opoverload is op
    assert op._schema.overload_name == "Tensor"


def test_alias_info_tells_writes_and_sets():
    schema = torch.ops.aten.add_.Tensor._schema

    assert schema.arguments[0].alias_info.is_write
    assert schema.arguments[0].alias_info.before_set == schema.returns[0].alias_info.before_set
    assert schema.arguments[1].alias_info is None


def test_load_library_reports_a_file_that_is_not_there():
    with pytest.raises(OSError, match=r"libnot_there\.so"):
        torch.ops.load_library("libnot_there.so")


def test_deleting_a_namespace_keeps_its_operators():
    with torch.library._scoped_library("trial_gone", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", torch.sin, "CPU")
        torch.ops.trial_gone.f(torch.ones(1))

        del torch.ops.trial_gone

        assert torch.ops.trial_gone.f(torch.zeros(1)).tolist() == [0.0]


def test_opcheck_gives_the_results_of_torchs_four_checks():
    x = torch.randn(3, requires_grad=True)

    assert torch.library.opcheck(torch.ops.aten.sin.default, (x,)) == {
        "test_schema": "SUCCESS",
        "test_autograd_registration": "SUCCESS",
        "test_faketensor": "SUCCESS",
        "test_aot_dispatch_dynamic": "SUCCESS",
    }


def test_opcheck_refuses_packets_and_unknown_checks():
    with pytest.raises(ValueError, match="OpOverload"):
        torch.library.opcheck(torch.sin, (torch.ones(3),))
    with pytest.raises(ValueError, match="test_utils to be subset of"):
        torch.library.opcheck(torch.ops.aten.sin.default, (torch.ones(3),), test_utils="blah")


def test_opcheck_looks_at_the_given_example_and_warns_of_more():
    @torch.library.custom_op("trial_check::first_row", mutates_args=())
    def first_row(x: torch.Tensor) -> torch.Tensor:
        return x[0].clone() if x.shape[0] > 1 else x.clone()

    first_row.register_fake(lambda x: x.new_empty(x.shape[1:]))

    with pytest.warns(UserWarning, match=r"opwright\.opcheck finds more: .*fake/fake-shape"):
        result = torch.library.opcheck(first_row, (torch.ones(3, 2),))

    assert set(result.values()) == {"SUCCESS"}
    assert not opwright.opcheck(first_row, (torch.ones(3, 2),), raise_exception=False).ok


def test_opcheck_gives_the_error_of_a_check_that_fails():
    @torch.library.custom_op("trial_check::hidden_write", mutates_args=())
    def hidden_write(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x.clone()

    hidden_write.register_fake(torch.empty_like)

    with pytest.raises(RuntimeError, match="changed its argument 'x'"):
        torch.library.opcheck(hidden_write, (torch.ones(3),))
    result = torch.library.opcheck(hidden_write, (torch.ones(3),), raise_exception=False)
    assert isinstance(result["test_schema"], RuntimeError)
    assert result["test_faketensor"] == "SUCCESS"


def test_a_formula_for_real_numbers_passes_both_checks():
    @torch.library.custom_op("trial_check::square", mutates_args=())
    def square(x: torch.Tensor) -> torch.Tensor:
        return x * x

    square.register_fake(torch.empty_like)
    square.register_autograd(
        lambda ctx, grad: grad * 2 * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = torch.randn(3, requires_grad=True)

    with warnings.catch_warnings(action="error"):
        torch.library.opcheck(square, (x,))
    opwright.opcheck(square, (x,))


def test_register_fake_can_refuse_to_replace():
    with torch.library._scoped_library("trial_fake", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
        torch.library.register_fake("trial_fake::f", torch.empty_like, lib=lib)

        with pytest.raises(RuntimeError, match="already has a fake impl"):
            torch.library.register_fake(
                "trial_fake::f", torch.empty_like, lib=lib, allow_override=False
            )


def test_register_fake_can_refuse_to_replace_a_kernel_of_another_library():
    with (
        torch.library._scoped_library("trial_fake", "FRAGMENT") as lib,
        torch.library._scoped_library("trial_fake", "FRAGMENT") as other,
    ):
        lib.define("g(Tensor x) -> Tensor")
        lib.impl("g", torch.empty_like, "Meta")

        with pytest.raises(RuntimeError, match=r"already has .*Meta implementation"):
            torch.library.register_fake(
                "trial_fake::g", torch.empty_like, lib=other, allow_override=False
            )


def test_a_composite_takes_no_fake_kernel():
    with torch.library._scoped_library("trial_fake", "FRAGMENT") as lib:
        lib.define("h(Tensor x) -> Tensor")
        lib.impl("h", lambda x: x.sin(), "CompositeImplicitAutograd")

        with pytest.raises(RuntimeError, match=r"trial_fake::h is a composite \(Composite"):
            torch.library.register_fake("trial_fake::h", torch.empty_like, lib=lib)


def test_a_fake_kernel_of_a_tagged_operator_is_needless():
    @torch.library.custom_op("trial_fake::add_", mutates_args={"x"}, tags=torch.Tag.inplace)
    def add_(x: torch.Tensor) -> torch.Tensor:
        return x.add_(1)

    with pytest.warns(UserWarning, match=r"torch\.Tag\.inplace"):
        add_.register_fake(lambda x: x)


def test_triton_op_launches_its_kernel_only_on_tensors_with_memory():
    class Kernel:  # stands for a function of triton.jit
        launches = 0

        def __getitem__(self, grid):
            def launch(x, out):
                Kernel.launches += 1
                out.copy_(x + 1)

            return launch

    @torch.library.triton_op("trial_triton::add_one", mutates_args={})
    def add_one(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        torch.library.wrap_triton(Kernel())[(1,)](x, out)
        return out

    assert add_one(torch.ones(2, device="meta")).shape == (2,)
    assert Kernel.launches == 0
    assert add_one(torch.ones(2)).tolist() == [2.0, 2.0]
    assert Kernel.launches == 1


def test_a_rule_for_a_mode_replaces_its_torch_dispatch():
    class Plain(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    @torch.library.custom_op("trial_mode::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @torch.library.register_torch_dispatch("trial_mode::twice", Plain)
    def _(mode, func, types, args, kwargs):
        return func(*args) + 1

    with Plain():
        inside = twice(torch.ones(2))

    assert inside.tolist() == [3.0, 3.0]
    assert twice(torch.ones(2)).tolist() == [2.0, 2.0]
