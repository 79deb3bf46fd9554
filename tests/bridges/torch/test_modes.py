"""Sample operators in the modes and surroundings of an ordinary torch program."""
# Covers: bridges/torch/*.

import copy
import io
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import opwright as ow
import opwright.torch
import pytest
import torch

from .ordinary_use import Cubes, Limited, load_training
from .sample_hosts import binary

pytestmark = pytest.mark.usefixtures("samples_in_torch", "fresh_compiler")
close = torch.testing.assert_close


def ones_that_train() -> torch.Tensor:
    return torch.ones(3, requires_grad=True)


class TestProcesses:
    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_workers_of_a_data_loader_call_it(self, method: str) -> None:
        loader = torch.utils.data.DataLoader(
            Cubes(), batch_size=4, num_workers=2, multiprocessing_context=method
        )
        batches = torch.cat(list(loader))
        close(batches, torch.arange(8.0).pow(3).unsqueeze(1).expand(8, 2))

    def test_a_program_may_import_torch_first_or_last(self, tmp_path: Path) -> None:
        for imports in ("import torch, opwright.torch", "import opwright.torch, torch"):
            program = f"""
                {imports}
                opwright.torch.load({binary("torch_training")!r})
                print(torch.ops.samples_training.cube(torch.full((2,), 2.0)).tolist())
            """
            assert run_program(program, tmp_path) == "[8.0, 8.0]\n"

    def test_the_core_alone_imports_no_torch(self, tmp_path: Path) -> None:
        program = f"""
            import sys
            import opwright as ow
            ow.load_library({binary("torch_training")!r})
            print(ow.ops.samples_training.cube(ow.ones(2)).tolist(), "torch" in sys.modules)
        """
        assert run_program(program, tmp_path) == "[1.0, 1.0] False\n"


def run_program(text: str, folder: Path) -> str:
    file = folder / "program.py"
    file.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestThreads:
    def test_threads_call_it_at_once(self) -> None:
        def work(number: int) -> torch.Tensor:
            x = torch.full((100,), float(number))
            for _ in range(200):
                y = torch.ops.samples_training.cube(x)
            return y

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(8)))
        close(torch.stack(results)[:, 0], torch.arange(8.0) ** 3)

    def test_threads_train_at_once(self) -> None:
        def work(number: int) -> torch.Tensor:
            x = torch.full((10,), float(number), requires_grad=True)
            for _ in range(50):
                (gradient,) = torch.autograd.grad(torch.ops.samples_training.cube(x).sum(), x)
            return gradient

        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(work, range(4)))
        close(torch.stack(results)[:, 0], 3 * torch.arange(4.0) ** 2)

    def test_errors_of_threads_stay_theirs(self) -> None:
        def work(number: int) -> str:
            texts = set()
            for _ in range(100):
                try:
                    torch.ops.samples_training.quantize(torch.ones(2), -number)
                except ValueError as error:
                    texts.add(str(error).splitlines()[0])
            return "; ".join(sorted(texts))

        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(work, range(1, 5)))
        assert texts == [f"quantize: levels must be positive, got -{i}" for i in range(1, 5)]


class TestModes:
    def test_nothing_is_recorded_under_no_grad(self) -> None:
        with torch.no_grad():
            assert not torch.ops.samples_training.soft_limit(ones_that_train(), 2.0).requires_grad

    def test_an_operator_without_a_formula_runs_under_no_grad(self) -> None:
        with torch.no_grad():
            close(torch.ops.samples_training.quantize(ones_that_train(), 4), torch.ones(3))

    def test_inference_mode_gives_inference_tensors(self) -> None:
        with torch.inference_mode():
            result = torch.ops.samples_training.soft_limit(ones_that_train(), 2.0)
        assert result.is_inference()

    def test_an_operator_that_writes_runs_in_inference_mode(self) -> None:
        with torch.inference_mode():
            x = torch.ones(3)
            torch.ops.samples_writing.square_(x.mul_(3))
        close(x, torch.full((3,), 9.0))

    def test_autocast_casts_as_the_rule_says(self) -> None:
        x, weight = torch.ones(2, 3), torch.ones(4, 3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result = torch.ops.samples_training.affine(x, weight)
        assert result.dtype == torch.bfloat16
        assert torch.ops.samples_training.affine(x, weight).dtype == torch.float32

    def test_autocast_leaves_an_operator_without_a_rule_alone(self) -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.ops.samples_training.cube(torch.ones(2)).dtype == torch.float32

    def test_gradients_go_through_autocast(self) -> None:
        x, weight = torch.ones(2, 3, requires_grad=True), torch.ones(4, 3, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            torch.ops.samples_training.affine(x, weight).sum().backward()
        close((x.grad, weight.grad), (torch.full((2, 3), 4.0), torch.full((4, 3), 2.0)))

    def test_checkpointing_runs_it_again(self) -> None:
        x, y = ones_that_train(), ones_that_train()
        run = torch.ops.samples_training.soft_limit
        torch.utils.checkpoint.checkpoint(run, x, 2.0, use_reentrant=False).sum().backward()
        run(y, 2.0).sum().backward()
        close(x.grad, y.grad)

    def test_a_write_raises_the_version(self) -> None:
        x = torch.ones(3)
        before = x._version
        torch.ops.samples_writing.square_(x)
        assert x._version > before

    def test_a_write_to_what_a_formula_saved_is_found(self) -> None:
        x = ones_that_train()
        y = x * 1
        z = torch.ops.samples_training.cube(y)
        torch.ops.samples_writing.exchange(y.detach(), torch.zeros(3))
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()

    def test_a_write_to_a_leaf_is_refused(self) -> None:
        with pytest.raises(RuntimeError, match="leaf Variable"):
            torch.ops.samples_writing.halve_(ones_that_train())

    def test_subclasses_see_the_call(self) -> None:
        seen = []

        class Watch(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                seen.append(str(func))
                return func(*args, **(kwargs or {}))

        with Watch():
            torch.ops.samples_training.cube(torch.ones(2))
        assert "samples_training.cube.default" in seen

    def test_the_profiler_sees_its_name(self) -> None:
        with torch.profiler.profile() as profile:
            torch.ops.samples_training.cube(torch.ones(2))
        assert "samples_training::cube" in {event.key for event in profile.key_averages()}


class TestModules:
    def test_a_copy_of_a_module_that_uses_it_trains(self) -> None:
        module = copy.deepcopy(Limited())
        module(torch.ones(3)).sum().backward()
        assert module.weight.grad is not None

    def test_a_pickled_module_that_uses_it_runs(self) -> None:
        module = pickle.loads(pickle.dumps(Limited()))
        close(module(torch.ones(3)), Limited()(torch.ones(3)))

    def test_a_saved_module_that_uses_it_runs(self) -> None:
        kept = io.BytesIO()
        torch.save(Limited().state_dict(), kept)
        kept.seek(0)
        module = Limited()
        module.load_state_dict(torch.load(kept))
        close(module(torch.ones(3)), Limited()(torch.ones(3)))

    def test_a_result_that_carries_a_gradient_copies(self) -> None:
        result = torch.ops.samples_training.cube(torch.ones(3))
        close(copy.deepcopy(result), result)


class TestTwoHosts:
    def test_one_binary_serves_both_in_one_process(self) -> None:
        x = torch.randn(4)
        in_torch = torch.ops.samples_training.soft_limit(x, 2.0)
        in_core = ow.ops.samples_training.soft_limit(ow.from_dlpack(x), 2.0)
        close(in_torch, torch.from_dlpack(in_core))

    def test_both_train_in_one_process(self) -> None:
        x, y = ones_that_train(), ow.ones(3, requires_grad=True)
        torch.ops.samples_training.cube(x).sum().backward()
        ow.ops.samples_training.cube(y).sum().backward()
        assert x.grad.tolist() == y.grad.tolist() == [3.0, 3.0, 3.0]

    def test_an_error_in_one_leaves_the_other_alone(self) -> None:
        with pytest.raises(ValueError, match="levels must be positive"):
            torch.ops.samples_training.quantize(torch.ones(2), 0)
        with pytest.raises(ValueError, match="levels must be positive"):
            ow.ops.samples_training.quantize(ow.ones(2), 0)
        assert ow.ops.samples_training.quantize(ow.ones(2), 4).tolist() == [1.0, 1.0]

    def test_the_same_file_twice_is_harmless(self) -> None:
        loaded = load_training()
        assert load_training() is loaded
        assert "samples_training::cube" in loaded.operators


class TestData:
    def test_0_dim_and_empty_tensors(self) -> None:
        close(torch.ops.samples_training.cube(torch.tensor(2.0)), torch.tensor(8.0))
        close(torch.ops.samples_training.cube(torch.empty(0, 3)), torch.empty(0, 3))

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_other_floating_dtypes(self, dtype: torch.dtype) -> None:
        x = torch.tensor([0.5, 2.0], dtype=dtype)
        close(torch.ops.samples_training.cube(x), x**3)

    @pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64])
    def test_other_integral_dtypes(self, dtype: torch.dtype) -> None:
        x = torch.tensor([12, 99], dtype=dtype)
        close(torch.ops.samples_sizes.digit_sums(x), torch.tensor([3, 18]))

    def test_slices_and_transposed_tensors(self) -> None:
        x = torch.randn(6, 8)[1:5:2, ::2].t()
        close(torch.ops.samples_training.cube(x), x**3)
        close(torch.ops.samples_sizes.row_energies(x), (x * x).sum(1))

    @pytest.mark.parametrize("by", [2, 2.5, True])
    def test_scalars_of_every_type(self, by: complex) -> None:
        x = torch.randn(3)
        close(torch.ops.samples_arguments.shift(x, by), x + by)

    def test_views_share_memory(self) -> None:
        x = torch.zeros(3, 2)
        torch.ops.samples_composites.rest(x).fill_(1)
        close(x.sum(), torch.tensor(4.0))


@pytest.mark.devices
@pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no CUDA device: the bridge was not tested on one"
)
class TestCuda:
    def test_a_composite_runs_on_the_device(self) -> None:
        x = torch.randn(3, device="cuda")
        close(torch.ops.samples_composites.center(x), x - x.mean())
        close(torch.ops.samples_composites.gate(x, x), x * x.sigmoid())

    def test_training_runs_there(self) -> None:
        x = torch.randn(3, device="cuda", requires_grad=True)
        torch.ops.samples_composites.center(x).pow(2).sum().backward()
        assert x.grad.device.type == "cuda"

    def test_an_operator_without_a_kernel_for_it_says_so(self) -> None:
        with pytest.raises(NotImplementedError, match="samples_training::cube"):
            torch.ops.samples_training.cube(torch.ones(2, device="cuda"))
