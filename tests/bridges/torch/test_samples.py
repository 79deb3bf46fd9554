"""torch's own referees on every sample operator."""

import io
import warnings

import opwright as ow
import pytest
import torch

from .sample_hosts import SAMPLES, call_of, core_operator, in_core, to_core, torch_operator
from .samples import Sample

pytestmark = pytest.mark.usefixtures("samples_in_torch", "fresh_compiler")

SIZES = (4, 5, 7, 10)
close = torch.testing.assert_close


def every(*, referee: str = "", trains: bool | None = None) -> pytest.MarkDecorator:
    """Parametrise a test by the samples that a referee applies to."""
    chosen = [
        sample
        for sample in SAMPLES
        if sample.applies(referee) and (trains is None or sample.trains == trains)
    ]
    return pytest.mark.parametrize("sample", chosen, ids=lambda sample: sample.name)


def tensors_that_train(sample: Sample, size: int, dtype: torch.dtype | None = None) -> tuple:
    """Make leaves that require grad, in the precision that differences need."""
    tensors = sample.tensors(size)
    wide = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    return tuple(
        tensor.to(wide[tensor.dtype] if dtype is None else dtype).requires_grad_()
        if tensor.dtype in wide
        else tensor
        for tensor in tensors
    )


def functional(sample: Sample):
    """Give the sample as a function that writes copies and returns all that it computed."""
    op = torch_operator(sample)
    is_written = any(argument.alias_info for argument in op._schema.arguments)

    def call(*tensors):
        copies = tuple(tensor.clone() for tensor in tensors)
        result = sample.run(op, *copies)
        results = result if isinstance(result, tuple | list) else (result,)
        kept = [value for value in results if isinstance(value, torch.Tensor)]
        if is_written:
            kept.extend(copies)
        return tuple(kept)

    return call


def floating_results(sample: Sample):
    call = functional(sample)

    def floating(*tensors):
        return tuple(r for r in call(*tensors) if r.is_floating_point() or r.is_complex())

    return floating


class TestValues:
    @every()
    def test_torch_and_the_core_give_what_the_reference_gives(self, sample: Sample) -> None:
        written, expected, in_the_core = (sample.tensors(5) for _ in range(3))
        result = sample.run(torch_operator(sample), *written)

        wanted = sample.reference(*expected)
        close((result, written), (wanted, expected))
        close((sample.run(in_core(sample), *in_the_core), in_the_core), (wanted, expected))

    @every()
    def test_the_core_finds_no_fault(self, sample: Sample) -> None:
        args, kwargs = call_of(sample, sample.tensors(4))
        ow.opcheck(core_operator(sample), to_core(args), to_core(kwargs), examples=10)


class TestOpcheck:
    @every()
    def test_torch_finds_no_fault(self, sample: Sample) -> None:
        torch.library.opcheck(torch_operator(sample), *call_of(sample, sample.tensors(4)))

    @every(trains=True)
    def test_torch_finds_no_fault_where_it_trains(self, sample: Sample) -> None:
        leaves = tensors_that_train(sample, 4)
        if sample.name.startswith("samples_writing"):
            leaves = tuple(leaf * 1 for leaf in leaves)
        torch.library.opcheck(torch_operator(sample), *call_of(sample, leaves))


class TestCompile:
    @every()
    def test_four_sizes_are_one_graph(self, sample: Sample) -> None:
        op, graphs = torch_operator(sample), []

        def count(graph_module, inputs):
            graphs.append(graph_module)
            return torch._dynamo.lookup_backend("aot_eager")(graph_module, inputs)

        compiled = torch.compile(
            lambda *tensors: sample.run(op, *tensors), backend=count, fullgraph=True
        )
        for size in SIZES:
            tensors, expected = sample.tensors(size), sample.tensors(size)
            for tensor, dims in zip(tensors, sample.dynamic_dims(tensors), strict=True):
                torch._dynamo.maybe_mark_dynamic(tensor, dims) if not dims else [
                    torch._dynamo.mark_dynamic(tensor, dim) for dim in dims
                ]
            result = compiled(*tensors)
            close((result, tensors), (sample.reference(*expected), expected))
        assert len(graphs) == 1

    @every(trains=True)
    def test_compiled_training_gives_the_same_gradients(self, sample: Sample) -> None:
        call = floating_results(sample)
        compiled = torch.compile(call, backend="aot_eager", fullgraph=True, dynamic=True)
        for size in SIZES[:2]:
            given, expected = (tensors_that_train(sample, size) for _ in range(2))
            close(gradients_of(compiled, given), gradients_of(call, expected))


def gradients_of(call, leaves):
    results = call(*leaves)
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    total = sum((r.abs() ** 2).sum() for r in results if r.requires_grad)
    return torch.autograd.grad(total, wanted)


class Program(torch.nn.Module):
    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample
        self.operator = torch_operator(sample)

    def forward(self, *tensors):
        return self.sample.run(self.operator, *tensors)


class TestExport:
    @pytest.mark.parametrize("strict", [False, True])
    @every()
    def test_a_dynamic_program_runs_at_other_sizes(self, sample: Sample, strict: bool) -> None:
        tensors = sample.tensors(4)
        dynamic = tuple(
            dict.fromkeys(dims, torch.export.Dim.DYNAMIC) for dims in sample.dynamic_dims(tensors)
        )
        program = torch.export.export(
            Program(sample), tensors, dynamic_shapes=(dynamic,), strict=strict
        )

        targets = [node.target for node in program.graph.nodes]
        assert torch_operator(sample) in targets
        kept = io.BytesIO()
        torch.export.save(program, kept)
        kept.seek(0)
        for module in (program.module(), torch.export.load(kept).module()):
            for size in SIZES[1:]:
                given, expected = sample.tensors(size), sample.tensors(size)
                result = module(*given)
                close((result, given), (sample.reference(*expected), expected))


class TestGradients:
    @every(trains=True)
    def test_gradients_are_those_of_differences(self, sample: Sample) -> None:
        call = floating_results(sample)
        assert torch.autograd.gradcheck(call, tensors_that_train(sample, 4))

    @every(trains=True)
    def test_second_derivatives_are_those_of_differences(self, sample: Sample) -> None:
        call = floating_results(sample)
        assert torch.autograd.gradgradcheck(call, tensors_that_train(sample, 4))

    @pytest.mark.parametrize(
        "sample",
        [sample for sample in SAMPLES if sample.without.get("gradients") == "it has no formula"],
        ids=lambda sample: sample.name,
    )
    def test_training_without_a_formula_raises(self, sample: Sample) -> None:
        leaves = tensors_that_train(sample, 4, torch.float32)
        with pytest.raises(RuntimeError, match=sample.name) as raised:
            gradients_of(floating_results(sample), leaves)
        assert "formula" in str(raised.value)


class TestFunc:
    @every(referee="vmap")
    def test_vmap_gives_what_a_loop_gives(self, sample: Sample) -> None:
        call = functional(sample)
        samples = [sample.tensors(size) for size in (4, 4, 4)]
        varied = [
            tuple(t + i if t.is_floating_point() else t for t in tensors)
            for i, tensors in enumerate(samples)
        ]
        expected = [call(*tensors) for tensors in varied]
        batch = [torch.stack(tensors) for tensors in zip(*varied, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own about a loop over samples
            mapped = torch.vmap(call)(*batch)
        close(mapped, tuple(torch.stack(r) for r in zip(*expected, strict=True)))

    @every(trains=True)
    def test_grad_is_that_of_autograd(self, sample: Sample) -> None:
        call = floating_results(sample)

        def total(*tensors):
            return sum((r.abs() ** 2).sum() for r in call(*tensors))

        leaves = tensors_that_train(sample, 4)
        places = tuple(i for i, leaf in enumerate(leaves) if leaf.requires_grad)
        plain = tuple(leaf.detach() for leaf in leaves)
        expected = torch.autograd.grad(total(*leaves), [leaves[i] for i in places])
        close(torch.func.grad(total, argnums=places)(*plain), expected)

    def test_grad_of_grad_is_the_second_derivative(self) -> None:
        def slope(x):
            return torch.func.grad(lambda x: torch.ops.samples_training.cube(x).sum())(x).sum()

        second = torch.func.grad(slope)(torch.tensor([1.0, -2.0, 3.0]))
        assert second.tolist() == [6.0, -12.0, 18.0]

    @every(referee="vmap", trains=True)
    def test_vmap_of_grad_is_a_loop_over_grad(self, sample: Sample) -> None:
        call = floating_results(sample)

        def total(*tensors):
            return sum((r.abs() ** 2).sum() for r in call(*tensors))

        gradient = torch.func.grad(total)
        tensors = tuple(leaf.detach() for leaf in tensors_that_train(sample, 4))
        batch = [torch.stack([tensor, tensor * 2]) for tensor in tensors]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own about a loop over samples
            mapped = torch.vmap(gradient)(*batch)
        close(mapped, torch.stack([gradient(*(b[i] for b in batch)) for i in range(2)]))

    @every(trains=True)
    def test_forward_mode_is_right_or_an_error_that_names_the_operator(
        self, sample: Sample
    ) -> None:
        call = floating_results(sample)
        tensors = tuple(leaf.detach() for leaf in tensors_that_train(sample, 4))
        tangents = tuple(torch.ones_like(tensor) for tensor in tensors)
        try:
            _, moved = torch.func.jvp(call, tensors, tangents)
        except RuntimeError as error:
            assert sample.name in str(error)  # noqa: PT017
            assert sample.name != "samples_training::from_polar"
            return
        expected = torch.autograd.functional.jvp(call, tensors, tangents)[1]
        close(moved, expected)


INDUCTOR = ("soft_limit", "square_", "positives", "gate", "product")


@pytest.mark.parametrize(
    "sample",
    [sample for sample in SAMPLES if sample.name.split("::")[1] in INDUCTOR],
    ids=lambda sample: sample.name,
)
def test_inductor_compiles_it(sample: Sample) -> None:
    op = torch_operator(sample)
    compiled = torch.compile(lambda *tensors: sample.run(op, *tensors), fullgraph=True)
    given, expected = sample.tensors(5), sample.tensors(5)
    result = compiled(*given)
    close((result, given), (sample.reference(*expected), expected))
