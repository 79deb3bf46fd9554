"""Wrong input in torch leads to an error that says what to do, or to the slow path; never to a
crash."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import opwright as ow
import opwright.torch
import pytest
import torch
from opwright.library import custom_op
from torch._subclasses.fake_tensor import FakeTensorMode

from .sample_hosts import binary

pytestmark = pytest.mark.usefixtures("samples_in_torch", "fresh_compiler")
close = torch.testing.assert_close


class TestDefinitions:
    def test_a_name_that_another_library_defined_is_refused_with_its_owner(self) -> None:
        @custom_op("bad_input::taken", mutates_args=())
        def taken(x: ow.Tensor) -> ow.Tensor:
            return x + 1

        with torch.library._scoped_library("bad_input", "FRAGMENT") as other:
            other.define("taken(Tensor x) -> Tensor")
            with pytest.raises(
                ValueError, match="bad_input::taken is defined in torch already"
            ) as e:
                opwright.torch.register(taken)
        assert "registered at" in str(e.value)

    def test_a_refused_registration_leaves_nothing_behind(self) -> None:
        @custom_op("bad_input::later", mutates_args=())
        def later(x: ow.Tensor) -> ow.Tensor:
            return x + 1

        with torch.library._scoped_library("bad_input", "FRAGMENT") as other:
            other.define("later(Tensor x) -> Tensor")
            with pytest.raises(ValueError, match="defined in torch already"):
                opwright.torch.register(later)
        with opwright.torch.register(later):
            close(torch.ops.bad_input.later(torch.ones(2)), torch.full((2,), 2.0))

    def test_an_operator_that_is_not_there(self) -> None:
        with pytest.raises((AttributeError, ValueError), match="bad_input::nothing"):
            opwright.torch.register("bad_input::nothing")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises((OSError, RuntimeError, ValueError), match=r"libnone\.so"):
            opwright.torch.load(tmp_path / "libnone.so")

    def test_a_file_that_is_no_binary(self, tmp_path: Path) -> None:
        file = tmp_path / "libtext.so"
        file.write_text("no library")
        with pytest.raises((OSError, RuntimeError, ValueError), match=r"libtext\.so"):
            opwright.torch.load(file)

    def test_a_library_without_operators(self) -> None:
        with pytest.raises(
            ImportError, match=r"not_an_operator_binary\.so is a shared library, but"
        ):
            opwright.torch.load(binary("not_an_operator_binary"))

    def test_a_name_that_was_not_loaded(self) -> None:
        with pytest.raises(AttributeError, match="samples_training::cubes"):
            _ = opwright.torch.ops.samples_training.cubes

    def test_torch_that_is_not_installed(self, tmp_path: Path) -> None:
        program = (
            "import sys; sys.modules['torch'] = None\nimport opwright\n"
            "try:\n    import opwright.torch\n"
            "except ModuleNotFoundError as error:\n    print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "opwright.torch needs PyTorch" in done.stdout
        assert "pip install torch" in done.stdout


ERRORS = [
    (1, ValueError, "fail: how must not be 1 for float32[2, 3]"),
    (2, IndexError, "fail: 2 is out of range"),
    (3, TypeError, "fail: 3 is of the wrong type"),
    (4, RuntimeError, "fail: 4 went wrong"),
    (5, NotImplementedError, "fail: 5 is not implemented"),
    (6, KeyError, "fail: 6 is no key"),
    (7, ZeroDivisionError, "fail: 7 divides by zero"),
    (8, MemoryError, "out of memory"),
    (9, RuntimeError, "fail: 9 is a std::exception"),
    (10, RuntimeError, "an exception that is not a std::exception"),
    (11, RuntimeError, "mat"),
]


class TestErrorsOfKernels:
    @pytest.mark.parametrize(("how", "kind", "text"), ERRORS)
    def test_kind_and_text_arrive(self, how: int, kind: type, text: str) -> None:
        with pytest.raises(kind) as raised:
            torch.ops.samples_composites.fail(torch.ones(2, 3), how)
        assert text in str(raised.value)

    @pytest.mark.parametrize(("how", "kind", "text"), ERRORS)
    def test_the_quick_way_raises_the_same(self, how: int, kind: type, text: str) -> None:
        with pytest.raises(kind) as raised:
            opwright.torch.ops.samples_composites.fail(torch.ones(2, 3), how)
        assert text in str(raised.value)

    def test_the_next_call_is_right(self) -> None:
        with pytest.raises(ValueError, match="how must not be 1"):
            torch.ops.samples_composites.fail(torch.ones(2, 3), 1)
        close(torch.ops.samples_composites.fail(torch.ones(2, 3), 0), torch.ones(2, 3))

    def test_an_exception_of_python_that_crosses_a_function_in_c_is_the_same_object(self) -> None:
        given = KeyError("stop")

        class Stop(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                raise given

        with pytest.raises(KeyError) as raised, Stop():
            torch.ops.samples_training.cube(torch.ones(2))
        assert raised.value is given

    def test_an_error_in_a_backward_pass_keeps_its_kind(self) -> None:
        x = torch.ones(2, requires_grad=True)
        y = torch.ops.samples_training.cube(x)
        with pytest.raises(ValueError, match="cube_backward: gradient and x must have one size"):
            torch.ops.samples_training.cube_backward(y, torch.ones(3))

    def test_an_exception_of_a_python_kernel_is_the_same_object(self) -> None:
        given = KeyError("table")

        @custom_op("bad_input::raises", mutates_args=())
        def raises(x: ow.Tensor) -> ow.Tensor:
            raise given

        with opwright.torch.register(raises), pytest.raises(KeyError) as raised:
            torch.ops.bad_input.raises(torch.ones(2))
        assert raised.value is given

    def test_an_error_of_a_fake_kernel_arrives_in_compile(self) -> None:
        compiled = torch.compile(
            lambda x: torch.ops.samples_composites.fail(x, 20), backend="eager", fullgraph=True
        )
        with pytest.raises(Exception, match="the fake kernel refuses 20"):
            compiled(torch.ones(2, 3))

    def test_a_tensor_given_by_keyword_alone_is_refused_by_vmap(self) -> None:
        x = torch.ones(2, 3)

        def add(x: torch.Tensor) -> torch.Tensor:
            return torch.ops.samples_writing.add_to(x, x, out=torch.empty_like(x))

        with pytest.raises((NotImplementedError, RuntimeError), match="samples_writing::add_to"):
            torch.vmap(add)(x)

    def test_a_failed_check_of_sizes_arrives_in_compile(self) -> None:
        compiled = torch.compile(
            torch.ops.samples_sizes.multiply_pairs, backend="aot_eager", fullgraph=True
        )
        with pytest.raises(Exception, match="multiply_pairs: x and y must have one size"):
            compiled(torch.ones(2), torch.ones(3))


class TestArguments:
    def test_a_dtype_that_the_kernel_does_not_take(self) -> None:
        with pytest.raises((TypeError, RuntimeError), match="cube: dtype int64 is not supported"):
            torch.ops.samples_training.cube(torch.ones(2, dtype=torch.int64))

    def test_a_value_that_the_kernel_does_not_take(self) -> None:
        with pytest.raises(ValueError, match="mode must be 'zeros' or 'ends', got 'none'"):
            torch.ops.samples_arguments.pad_ends(torch.ones(2), [1, 1], "none")

    @pytest.mark.parametrize("ops", [torch.ops, opwright.torch.ops])
    def test_an_argument_of_the_wrong_type(self, ops: object) -> None:
        with pytest.raises((TypeError, RuntimeError), match="limit"):
            ops.samples_training.soft_limit(torch.ones(2), "loud")

    @pytest.mark.parametrize("ops", [torch.ops, opwright.torch.ops])
    def test_a_missing_argument(self, ops: object) -> None:
        with pytest.raises((TypeError, RuntimeError), match="levels"):
            ops.samples_training.quantize(torch.ones(2))

    @pytest.mark.parametrize("ops", [torch.ops, opwright.torch.ops])
    def test_an_argument_too_many(self, ops: object) -> None:
        with pytest.raises((TypeError, RuntimeError), match="cube"):
            ops.samples_training.cube(torch.ones(2), 1.0, 2)

    @pytest.mark.parametrize("ops", [torch.ops, opwright.torch.ops])
    def test_an_unknown_name(self, ops: object) -> None:
        with pytest.raises((TypeError, RuntimeError), match="speed"):
            ops.samples_training.soft_limit(torch.ones(2), speed=1)

    def test_a_sparse_tensor_is_refused(self) -> None:
        with pytest.raises((NotImplementedError, RuntimeError), match="samples_training::cube"):
            torch.ops.samples_training.cube(torch.eye(3).to_sparse())


class TestMissingRules:
    def test_compile_without_a_fake_kernel_says_how_to_add_one(self) -> None:
        compiled = torch.compile(
            torch.ops.samples_composites.plain, backend="aot_eager", fullgraph=True
        )
        with pytest.raises(Exception, match="samples_composites::plain has no fake kernel") as e:
            compiled(torch.ones(2))
        assert "register_fake" in str(e.value)

    def test_a_meta_tensor_without_a_fake_kernel(self) -> None:
        with pytest.raises(Exception, match="samples_composites::plain"):
            torch.ops.samples_composites.plain(torch.ones(2, device="meta"))

    def test_training_without_a_formula_names_the_operator_and_the_way_out(self) -> None:
        def train() -> None:
            x = torch.ones(2, requires_grad=True)
            torch.ops.samples_training.quantize(x, 4).sum().backward()

        with pytest.raises(RuntimeError, match="samples_training::quantize") as raised:
            train()
        assert "register_autograd" in str(raised.value)

    def test_a_formula_registered_after_loading_counts(self) -> None:
        @custom_op("bad_input::late_formula", mutates_args=())
        def late_formula(x: ow.Tensor) -> ow.Tensor:
            return x * 2

        with opwright.torch.register(late_formula):
            late_formula.register_autograd(lambda ctx, grad: grad * 2)
            x = torch.ones(2, requires_grad=True)
            torch.ops.bad_input.late_formula(x).sum().backward()
            assert x.grad.tolist() == [2.0, 2.0]


@pytest.fixture
def short_lived() -> Iterator[Callable]:
    """Return an operator that a test can remove."""

    @custom_op("bad_input::short_lived", mutates_args=())
    def double(x: ow.Tensor) -> ow.Tensor:
        return x * 2

    double.register_fake(lambda x: ow.empty_like(x))
    loaded = opwright.torch.register(double)
    yield loaded
    loaded.close()


class TestRemoval:
    def test_the_name_goes(self, short_lived: opwright.torch.Loaded) -> None:
        short_lived.close()
        assert not hasattr(torch.ops.bad_input, "short_lived")
        with pytest.raises(AttributeError, match="short_lived"):
            _ = opwright.torch.ops.bad_input.short_lived

    def test_a_held_overload_raises(self, short_lived: opwright.torch.Loaded) -> None:
        held = torch.ops.bad_input.short_lived.default
        short_lived.close()
        with pytest.raises(Exception, match="short_lived"):
            held(torch.ones(2))

    def test_a_held_quick_callable_raises(self, short_lived: opwright.torch.Loaded) -> None:
        held = opwright.torch.ops.bad_input.short_lived
        short_lived.close()
        with pytest.raises(Exception, match="short_lived"):
            held(torch.ones(2))

    def test_a_compiled_graph_that_holds_it_raises(
        self, short_lived: opwright.torch.Loaded
    ) -> None:
        compiled = torch.compile(
            lambda x: torch.ops.bad_input.short_lived(x) + 1, backend="aot_eager", fullgraph=True
        )
        close(compiled(torch.ones(2)), torch.full((2,), 3.0))
        short_lived.close()
        with pytest.raises(Exception, match="short_lived"):
            compiled(torch.ones(2))

    def test_it_can_come_back(self, short_lived: opwright.torch.Loaded) -> None:
        short_lived.close()
        with opwright.torch.register("bad_input::short_lived"):
            close(torch.ops.bad_input.short_lived(torch.ones(2)), torch.full((2,), 2.0))

    def test_a_binary_can_come_back_while_a_graph_holds_it(self) -> None:
        path = binary("dual_residual")
        loaded = opwright.torch.load(path)
        (name,) = loaded.operators
        namespace, base = name.split("::")
        held = getattr(getattr(torch.ops, namespace), base).default
        loaded.close()
        x = torch.ones(2)
        with pytest.raises(Exception, match=base):
            held(x, x, 0.5)
        with opwright.torch.load(path):
            again = getattr(getattr(torch.ops, namespace), base)
            assert len(again(x, x, 0.5)) == 2

    def test_closing_twice_is_harmless(self, short_lived: opwright.torch.Loaded) -> None:
        short_lived.close()
        short_lived.close()
        assert short_lived.operators == ()


class TestQuickWay:
    """The fast path falls back to the slow one for everything that is not a plain call."""

    def test_plain_tensors(self) -> None:
        close(
            opwright.torch.ops.samples_training.cube(torch.full((2,), 2.0)), torch.full((2,), 8.0)
        )

    def test_gradients_are_recorded(self) -> None:
        x = torch.ones(2, requires_grad=True)
        opwright.torch.ops.samples_training.cube(x).sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]

    def test_a_parameter_under_no_grad(self) -> None:
        weight = torch.nn.Parameter(torch.full((2,), 2.0))
        with torch.no_grad():
            result = opwright.torch.ops.samples_training.cube(weight)
        assert result.tolist() == [8.0, 8.0]
        assert not result.requires_grad

    def test_meta_tensors(self) -> None:
        result = opwright.torch.ops.samples_training.cube(torch.ones(2, 3, device="meta"))
        assert result.device.type == "meta"
        assert result.shape == (2, 3)

    def test_fake_tensors(self) -> None:
        with FakeTensorMode() as mode:
            inside = opwright.torch.ops.samples_training.cube(torch.ones(2, 3))
        outside = opwright.torch.ops.samples_training.cube(mode.from_tensor(torch.ones(2, 3)))
        assert type(inside) is type(outside) is torch._subclasses.FakeTensor
        assert inside.shape == outside.shape == (2, 3)

    def test_batches_of_vmap(self) -> None:
        x = torch.randn(3, 4)
        close(torch.vmap(opwright.torch.ops.samples_training.cube)(x), x**3)

    def test_grad_of_func(self) -> None:
        gradient = torch.func.grad(lambda x: opwright.torch.ops.samples_training.cube(x).sum())
        close(gradient(torch.full((2,), 2.0)), torch.full((2,), 12.0))

    def test_forward_mode(self) -> None:
        x = torch.randn(3, dtype=torch.float64)
        call = opwright.torch.ops.samples_training.from_polar
        _, moved = torch.func.jvp(call, (x, x), (torch.ones_like(x), torch.ones_like(x)))
        close(moved, (x.cos() - x * x.sin(), x.sin() + x * x.cos()))

    def test_subclasses(self) -> None:
        class Marked(torch.Tensor):
            pass

        x = torch.full((2,), 2.0).as_subclass(Marked)
        assert opwright.torch.ops.samples_training.cube(x).tolist() == [8.0, 8.0]

    def test_inside_of_compile(self) -> None:
        compiled = torch.compile(
            lambda x: opwright.torch.ops.samples_training.cube(x) + 1,
            backend="aot_eager",
            fullgraph=True,
        )
        close(compiled(torch.full((2,), 2.0)), torch.full((2,), 9.0))

    def test_views_conjugated_and_negated_lazily(self) -> None:
        x = torch.tensor([1 + 2j, 3 - 1j])
        close(opwright.torch.ops.samples_arguments.turn(x.conj(), 1j), x.conj() * 1j)
        imaginary = x.conj().imag  # a tensor that is negated when it is read
        assert imaginary.is_neg()
        close(opwright.torch.ops.samples_training.cube(imaginary), imaginary.resolve_neg() ** 3)
        close(torch.ops.samples_training.cube(imaginary), imaginary.resolve_neg() ** 3)

    def test_writes_raise_the_version(self) -> None:
        x = torch.ones(3)
        before = x._version
        opwright.torch.ops.samples_writing.square_(x)
        assert x._version > before
