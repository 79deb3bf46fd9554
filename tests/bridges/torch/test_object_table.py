"""Rules of operator binaries over torch's Python objects: real, fake and symbolic ones."""

import gc
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import opwright.torch
import pytest
import torch
from opwright import _torch
from torch._subclasses import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    ShapeEnv,
    StatelessSymbolicContext,
)
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from .sample_hosts import binary

LIBRARIES = ("object_table", "shapes", "failing", "rules", "sound", "batched", "stack_kinds")


@pytest.fixture(autouse=True, scope="module")
def libraries() -> None:
    """Open the sample binaries for rules; nothing goes into torch.ops."""
    for name in LIBRARIES:
        _torch.open_library(binary(name))


def rule(name: str, slot: str) -> Callable:
    """Return the function of a binary."""
    found = _torch.make_operator(name).rule(slot)
    assert found is not None
    return found


class Symbols:
    """A fake mode whose tensors have a symbol for every size."""

    def __init__(self) -> None:
        self.shape_env = ShapeEnv()
        self.mode = FakeTensorMode(shape_env=self.shape_env)

    def tensor(self, *sizes: int) -> FakeTensor:
        context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * len(sizes))
        with _disable_current_modes():
            real = torch.ones(sizes)
        return self.mode.from_tensor(real, symbolic_context=context)

    def unbacked(self) -> FakeTensor:
        with self.mode:
            return torch.empty(self.shape_env.create_unbacked_symint())

    def guards(self) -> list[str]:
        return [str(guard.expr) for guard in self.shape_env.guards]


@pytest.fixture
def symbols() -> Symbols:
    return Symbols()


class Context:
    """What a rule uses of the ctx of an autograd.Function."""

    def __init__(self, arguments: tuple, needs: tuple) -> None:
        self.opwright_arguments = arguments
        self.opwright_needs = needs

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: torch.Tensor) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, on: bool) -> None:
        self.materialize = on


class TestOperator:
    def test_shows_what_the_bridge_needs_to_know(self):
        operator = _torch.make_operator("object_table::new_residuals")

        assert operator.name == "object_table::new_residuals"
        assert operator.schema == (
            "object_table::new_residuals(Tensor x, Tensor y, float alpha=1.0) -> (Tensor, Tensor)"
        )
        assert operator.arguments[2] == ("alpha", "float", False, False)
        assert operator.results == (("Tensor", -1, -1), ("Tensor", -1, -1))
        assert operator.slots == ("CPU", "Fake")
        assert Path(operator.library).name == "libobject_table.so"
        assert operator.uncarried == ""

    def test_shows_written_arguments_and_the_results_that_they_are(self):
        operator = _torch.make_operator("object_table::fill_")

        assert operator.arguments[0] == ("x", "Tensor", True, False)
        assert operator.results == (("Tensor", 0, -1),)

    def test_says_why_the_stable_abi_cannot_carry_a_schema(self):
        assert "Scalar" in _torch.make_operator("object_table::describe").uncarried

    def test_has_no_rule_for_a_slot_without_a_function(self):
        assert _torch.make_operator("object_table::sized").rule("CPU") is None

    def test_that_is_not_there_is_an_attribute_error(self):
        with pytest.raises(AttributeError, match="object_table::new_residual"):
            _torch.make_operator("object_table::new_residual")


class TestArguments:
    def test_are_taken_by_position_and_by_name_with_defaults(self):
        residuals = rule("object_table::new_residuals", "CPU")
        x, y = torch.ones(2), torch.full((2,), 3.0)

        by_position = residuals(x, y, 2.0)
        by_name = residuals(alpha=2.0, y=y, x=x)

        assert [each.tolist() for each in by_position] == [[5, 5], [-1, -1]]
        assert [each.tolist() for each in by_name] == [[5, 5], [-1, -1]]
        assert residuals(x, y)[0].tolist() == [4, 4]

    @pytest.mark.parametrize(
        ("number", "text"),
        [(3, "3"), (2.5, "2.5"), (True, "true"), (1 + 2j, "1+2")],
    )
    def test_of_type_scalar_keep_their_type(self, number, text):
        described = rule("object_table::describe", "CompositeImplicitAutograd")(number, 1j, [], [])

        assert described.startswith(text)

    def test_of_uncarried_kinds_arrive(self):
        describe = rule("object_table::describe", "CompositeImplicitAutograd")

        text = describe(1, 2 + 3j, [torch.ones(3), None], ["a", "bc"])

        assert text == "1 2+3i 3 -1 a bc"

    def test_of_all_plain_kinds_arrive(self):
        describe = rule("stack_kinds::describe", "CompositeImplicitAutograd")

        text = describe(1, 2.5, True, "wörd", torch.int8, torch.device("cpu"), torch.channels_last)

        assert text == "1 2.5 true wörd int8 cpu 2"

    def test_that_are_left_out_are_none(self):
        describe = rule("stack_kinds::describe_optional", "CompositeImplicitAutograd")

        assert describe() == "None None None None None None None"
        assert describe(device="meta", tensor=torch.ones(2)) == (
            "None None None None None meta float32[2]"
        )

    def test_that_are_lists_arrive(self):
        describe = rule("stack_kinds::describe_lists", "CompositeImplicitAutograd")

        text = describe([1, 2], (0.5, 1), [True], torch.Size([3]), ["w"], [torch.ones(1)])

        assert text == "[1, 2][0.5, 1][true][3][w][float32[1]]None"

    def test_and_results_of_all_kinds_come_back(self):
        x = torch.ones(2)

        full = rule("stack_kinds::give_all", "CPU")(x, True)
        bare = rule("stack_kinds::give_all", "CPU")(x, False)

        assert full[:5] == (3, 0.5, True, "word", [1, 2])
        assert full[5] is x
        assert full[6] == 7
        assert full[7][0] is x
        assert bare[5] is None
        assert bare[6] is None

    def test_that_are_generators_are_passed_on(self):
        fill = rule("stack_kinds::fill_randomly_", "CPU")
        generator = torch.Generator().manual_seed(7)
        x = torch.empty(4)

        assert fill(x, generator) is x

        again = torch.empty(4).uniform_(generator=torch.Generator().manual_seed(7))
        assert torch.equal(x, again)

    @pytest.mark.parametrize(
        ("args", "kwargs", "text"),
        [
            ((3, 1), {}, "failing::fail: argument 'x': expected Tensor, got int"),
            ((None, 1), {}, "failing::fail: argument 'x': expected Tensor, got NoneType"),
            ((1.5,), {"x": 1}, "failing::fail: argument 'x' is given twice"),
            ((), {"x": torch.ones(1)}, "failing::fail: argument 'how': it is missing"),
            ((), {"z": 1}, "failing::fail has no argument 'z'"),
            ((1, 2, 3), {}, "failing::fail: CPU takes 2 arguments, got 3"),
        ],
    )
    def test_that_do_not_fit_are_named(self, args, kwargs, text):
        with pytest.raises(TypeError) as raised:
            rule("failing::fail", "CPU")(*args, **kwargs)

        assert str(raised.value) == text

    def test_of_a_wrong_type_are_named(self):
        with pytest.raises(TypeError, match="argument 'alpha': expected float, got str"):
            rule("object_table::new_residuals", "CPU")(torch.ones(1), torch.ones(1), "x")


class TestRealTensors:
    def test_show_their_memory_through_strides_and_offsets(self):
        row_sums = rule("sound::row_sums", "CPU")
        x = torch.arange(24.0).reshape(4, 6)[1:, 1::2].t()

        assert torch.equal(row_sums(x), x.sum(1))

    def test_are_described(self):
        describe = rule("object_table::describe_tensor", "CompositeImplicitAutograd")

        assert describe(torch.ones(2, 3)) == "float32[2, 3]"
        assert describe(torch.ones((), dtype=torch.bfloat16)) == "bfloat16[]"
        assert describe(torch.nn.Parameter(torch.ones(1))) == "float32[1] requires_grad"

    def test_of_a_subclass_without_dispatch_have_memory(self):
        class Named(torch.Tensor):
            pass

        first = rule("object_table::first_element", "CompositeImplicitAutograd")

        assert first(torch.full((2,), 4.0).as_subclass(Named)) == 4.0

    def test_that_are_lazily_negated_have_no_memory_to_show(self):
        first = rule("object_table::first_element", "CompositeImplicitAutograd")
        negated = torch._neg_view(torch.ones(2))

        with pytest.raises(RuntimeError, match="the data of a fake tensor was read"):
            first(negated)

    def test_that_a_kernel_returns_are_the_same_objects(self):
        x = torch.zeros(2)

        assert rule("object_table::fill_", "CPU")(x, 5.0) is x
        assert x.tolist() == [5, 5]

    def test_that_a_kernel_keeps_stay_alive(self):
        x = torch.ones(3)
        rule("failing::forget", "CPU")(x)
        rule("failing::remember", "CPU")(x)
        del x
        gc.collect()

        kept = rule("failing::remember", "CPU")(torch.zeros(1))
        rule("failing::forget", "CPU")(kept)

        assert kept.tolist() == [1, 1, 1]

    def test_are_read_again_after_torch_resized_them(self):
        x = torch.ones(2)

        assert rule("stack_kinds::grow_", "CPU")(x, [5, 7]) == 35

    def test_may_be_kept_and_used_by_the_threads_of_a_loop(self):
        x = torch.arange(64.0)

        assert torch.equal(rule("object_table::doubled_by_threads", "CPU")(x), 2 * x)


class TestTensorsWithoutMemory:
    def test_that_are_fake_say_so(self):
        with FakeTensorMode():
            x = torch.empty(2, 3, dtype=torch.int64)

        describe = rule("object_table::describe_tensor", "CompositeImplicitAutograd")

        assert describe(x) == "int64[2, 3] fake"

    def test_on_meta_are_fake(self):
        describe = rule("object_table::describe_tensor", "CompositeImplicitAutograd")

        assert describe(torch.empty(2, device="meta")) == "float32[2] on meta fake"

    def test_do_not_show_data(self):
        with FakeTensorMode():
            x = torch.empty(2)

        with pytest.raises(RuntimeError, match="a fake kernel may look at sizes, strides"):
            rule("shapes::reads_data", "Fake")(x)

    def test_inside_of_a_transform_do_not_show_data(self):
        first = rule("object_table::first_element", "CompositeImplicitAutograd")

        with pytest.raises(RuntimeError, match="the data of a tensor inside a transform was read"):
            torch.vmap(lambda x: torch.tensor(first(x)))(torch.ones(2, 3))

    def test_inside_of_a_transform_show_the_sizes_of_a_sample(self):
        describe = rule("object_table::describe_tensor", "CompositeImplicitAutograd")
        seen = []

        torch.vmap(lambda x: seen.append(describe(x)) or x)(torch.ones(2, 3))

        assert seen == ["float32[3]"]


class TestSymbols:
    def test_are_computed_with(self, symbols):
        x, y = symbols.tensor(6), symbols.tensor(9)
        with symbols.mode:
            result = rule("object_table::sized", "Fake")(x, y)

        assert [int(size) for size in result.shape[:1]] == [15]
        n, m = x.shape[0].node.expr, y.shape[0].node.expr
        assert str(result.shape[0]) == str(n + m)
        assert "Max" in str(result.shape[3])
        assert "Min" in str(result.shape[4])

    def test_are_guarded_by_an_if(self, symbols):
        with symbols.mode:
            result = rule("shapes::halves", "Fake")(symbols.tensor(6))

        assert str(result.shape[0]).endswith("//2)")
        assert len(symbols.guards()) == 1
        assert symbols.guards()[0].startswith("Eq(Mod(")

    def test_of_unknown_size_are_asked_without_an_error(self, symbols):
        with symbols.mode:
            result = rule("object_table::unknown", "Fake")(symbols.unbacked())

        assert tuple(result.shape) == (1,)

    def test_are_joined_to_conditions(self, symbols):
        with symbols.mode:
            first = rule("object_table::both", "Fake")(symbols.tensor(4), symbols.tensor(5))
            second = rule("object_table::both", "Fake")(symbols.tensor(4), symbols.tensor(4))

        assert first.shape[0] == 1
        assert second.shape[0] == 2

    def test_of_unknown_size_refuse_an_if_with_the_authors_line(self, symbols):
        with symbols.mode, pytest.raises(GuardOnDataDependentSymNode) as raised:
            rule("shapes::halves", "Fake")(symbols.unbacked())

        assert raised.value.__notes__ == [
            "required at tests/operators/shapes.cpp:16",
            "in the rule for Fake of shapes::halves",
        ]

    def test_that_break_a_check_tell_the_authors_message_and_line(self, symbols):
        with symbols.mode, pytest.raises(ValueError, match="one size") as raised:
            rule("shapes::same_size", "Fake")(symbols.tensor(6), symbols.tensor(7))

        assert str(raised.value) == "same_size: x and y must have one size"
        assert raised.value.__notes__[0] == "required at tests/operators/shapes.cpp:22"

    def test_of_unknown_size_are_checked_when_the_program_runs(self, symbols):
        with symbols.mode:
            rule("shapes::same_size", "Fake")(symbols.unbacked(), symbols.tensor(7))

        asserted = [
            str(each.expr)
            for every in symbols.shape_env.deferred_runtime_asserts.values()
            for each in every
        ]
        assert any(each.startswith("Eq(") for each in asserted)

    def test_that_are_read_as_ints_become_fixed(self, symbols):
        with symbols.mode:
            result = rule("shapes::frozen", "Fake")(symbols.tensor(12))

        assert result.shape == (12,)
        assert symbols.guards()[0].endswith(", 12)")

    def test_stay_symbols_through_calls_of_operators(self, symbols):
        with symbols.mode:
            sine, _ = rule("sound::sine_and_cosine", "Fake")(symbols.tensor(6, 5))

        assert all(isinstance(size, torch.SymInt) for size in sine.shape)
        assert symbols.guards() == []

    def test_of_sizes_that_depend_on_data_are_made_in_a_fake_kernel(self):
        with opwright.torch.load(binary("shapes")):
            traced = torch.fx.experimental.proxy_tensor.make_fx(
                lambda x: torch.ops.shapes.rows(x), tracing_mode="symbolic"
            )(torch.ones(3))

            (rows,) = traced.graph.find_nodes(
                op="call_function", target=torch.ops.shapes.rows.default
            )

        assert str(rows.meta["val"].shape[0]).startswith("u")


class TestErrors:
    @pytest.mark.parametrize(
        ("how", "kind", "text"),
        [
            (0, KeyError, "no such key"),
            (1, RuntimeError, "beyond the end"),
            (2, MemoryError, "out of memory"),
            (4, IndexError, "a worker failed at"),
            (5, RuntimeError, "returned nothing for result 0, which is a Tensor"),
        ],
    )
    def test_have_the_class_of_their_kind_and_name_the_operator(self, how, kind, text):
        with pytest.raises(kind) as raised:
            rule("failing::fail", "CPU")(torch.ones(4), how)

        assert text in str(raised.value)
        assert "in the kernel for CPU of failing::fail" in str(raised.value)

    def test_of_torch_come_back_as_the_same_object(self):
        class RefusedError(Exception):
            pass

        refused = RefusedError("not today")

        class Refusing(TorchDispatchMode):
            def __torch_dispatch__(self, *args):
                raise refused

        x = torch.ones(1)
        with Refusing(), pytest.raises(RefusedError) as raised:
            rule("rules::sum_and_product", "CPU")(x, x, 2.0)

        assert raised.value is refused
        assert raised.value.__notes__ == ["in the kernel for CPU of rules::sum_and_product"]

    def test_say_that_an_operator_was_removed(self):
        operator = _torch.make_operator("object_table::first_half")
        function = operator.rule("CPU")
        operator.remove()

        with pytest.raises(RuntimeError, match="object_table::first_half was removed from torch"):
            function(torch.ones(2))


class TestContexts:
    def test_save_tensors_attributes_and_marks(self):
        x, y = torch.ones(2), torch.zeros(2)
        context = Context((None, 3.0, "fancy"), (True,))

        rule("object_table::scaled", "SetupContext")(context, x, 3.0, "fancy", y)

        assert context.saved_tensors[0] is x
        assert context.saved_tensors[1] is None
        assert context.non_differentiable == (y,)
        assert context.materialize is False
        assert set(context.opwright_attributes) == {"twice", "sizes"}

    def test_give_back_what_was_kept(self):
        context = Context((None, 3.0, "fancy"), (True,))
        rule("object_table::scaled", "SetupContext")(
            context, torch.full((2,), 5.0), 3.0, "fancy", torch.zeros(2)
        )

        gradient = rule("object_table::scaled", "Autograd")(context, torch.ones(2))

        assert gradient.tolist() == [90, 90]

    def test_tell_which_gradients_are_needed(self):
        context = Context((None, 3.0, "fancy"), (False,))
        rule("object_table::scaled", "SetupContext")(
            context, torch.ones(2), 3.0, "fancy", torch.zeros(2)
        )

        assert rule("object_table::scaled", "Autograd")(context, torch.ones(2)) is None

    def test_without_an_attribute_say_so(self):
        context = Context((None, None, 1.0), (True, True))
        context.saved_tensors = ()

        with pytest.raises(AttributeError, match="has no attribute 'half_scale'"):
            rule("rules::sum_and_product", "Autograd")(context, torch.ones(1), torch.ones(1))

    def test_without_a_saved_tensor_say_so(self):
        context = Context((None, 3.0, "fancy"), (True,))
        rule("object_table::scaled", "SetupContext")(
            context, torch.ones(2), 3.0, "fancy", torch.zeros(2)
        )

        context.saved_tensors = context.saved_tensors[:1]

        with pytest.raises(IndexError, match="requested saved tensor 1, but 1 were saved"):
            rule("object_table::scaled", "Autograd")(context, torch.ones(2))


class TestVmapRules:
    def test_take_dims_of_lists_and_give_those_of_results(self):
        total, scaled, dims = rule("batched::mix", "Vmap")(
            4, "error", [[0, None], None, None], [torch.ones(4, 3), torch.ones(3)], None,
            torch.ones(3),
        )  # fmt: skip

        assert total.shape == (4, 3)
        assert len(scaled) == 2
        assert dims == [0, 0]


class TestThreadsAndMemory:
    def test_rules_run_on_many_threads(self):
        function = rule("object_table::doubled_by_threads", "CPU")
        wrong = []

        def work() -> None:
            for _ in range(50):
                x = torch.randn(16)
                if not torch.equal(function(x), 2 * x):
                    wrong.append(x)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert wrong == []

    def test_calls_and_errors_leave_nothing_behind(self, symbols):
        x, s = torch.ones(8), symbols.tensor(6, 5)
        context = Context((None, 3.0, "fancy"), (True,))

        def work(times: int) -> None:
            for _ in range(times):
                rule("sound::windowed", "CPU")(x)
                with symbols.mode:
                    rule("sound::row_sums", "Fake")(s)
                rule("object_table::scaled", "SetupContext")(context, x, 3.0, "fancy", x)
                rule("object_table::scaled", "Autograd")(context, x)
                with pytest.raises(KeyError):
                    rule("failing::fail", "CPU")(x, 0)
                with pytest.raises(RuntimeError):
                    rule("batched::mix", "CPU")([x, torch.ones(3)], scale=x)

        work(300)
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work(1500)
        gc.collect()

        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 3000  # KiB
