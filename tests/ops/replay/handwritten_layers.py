"""Samples of windows, recurrent layers, resized images, embedding bags, losses and rearrangements.

They are overloads that no entry of the database reaches; see handwritten.py.
"""

from collections.abc import Iterator

import torch

from .sample_tensors import DTYPES, REALS, layouts, values

WINDOWS = ("bartlett_window", "blackman_window", "hann_window", "hamming_window")


def sequences() -> Iterator[tuple]:
    """Tensors made of numbers alone."""
    for count in (0, 1, 2, 7, 8, -1):
        for dtype in (torch.float32, torch.float64):
            given = {"dtype": dtype}
            for name in WINDOWS:
                yield name, (count,), given
                for is_periodic in (True, False):
                    yield f"{name}.periodic", (count, is_periodic), given
            for parameters in ((0.5,), (0.5, 0.25)):
                form = "periodic_alpha" + "_beta" * (len(parameters) - 1)
                yield f"hamming_window.{form}", (count, True, *parameters), given
            for distance in (1.0, 0.25):
                yield "fft_fftfreq", (count, distance), given
                yield "fft_rfftfreq", (count, distance), given
            yield "range", (1, count), given
            yield "range.step", (1, count, 0.5), given


def cells() -> Iterator[tuple]:
    """One step of a recurrent layer, with and without biases."""
    for dtype in (torch.float32, torch.float64):
        x, state = values(2, 3, dtype=dtype), values(2, 4, dtype=dtype) / 4
        for gates, names in ((1, ("rnn_tanh_cell", "rnn_relu_cell")), (3, ("gru_cell",))):
            for name in names:
                yield from cell_calls(name, x, state, gates)
        for _, args, _ in cell_calls("lstm_cell", x, state, 4):
            yield "lstm_cell", (x, [state, state + 0.5], *args[2:]), {}


def cell_calls(name: str, x: torch.Tensor, state: torch.Tensor, gates: int) -> Iterator[tuple]:
    rows = gates * state.shape[1]
    weights = [values(rows, each.shape[1], dtype=x.dtype) / 4 for each in (x, state)]
    biases = [values(rows, dtype=x.dtype) / 8, values(rows, dtype=x.dtype).flip(0) / 8]
    yield name, (x, state, *weights, *biases), {}
    yield name, (x, state, *weights), {}
    yield name, (x, state, weights[0], weights[1][:-1]), {}


def layers() -> Iterator[tuple]:
    """Recurrent layers over a sequence, and a convolution over time."""
    for dtype in (torch.float32, torch.float64):
        x, state = values(5, 2, 3, dtype=dtype), values(1, 2, 4, dtype=dtype) / 4
        for name, gates in (("rnn_tanh", 1), ("rnn_relu", 1), ("gru", 3), ("lstm", 4)):
            rows = gates * 4
            sizes = ((rows, 3), (rows, 4), (rows,), (rows,))
            weights = [values(*each, dtype=dtype) / 8 for each in sizes]
            states = [state, state + 0.25] if name == "lstm" else state
            rest = (1, 0.0, False, False, False)
            yield f"{name}.input", (x, states, weights, True, *rest), {}
            yield f"{name}.input", (x, states, weights[:2], False, *rest), {}
        kernel, bias = values(3, 3, 6, dtype=dtype), values(6, dtype=dtype)
        for padding in (0, 1, 2):
            yield "conv_tbc", (x, kernel, bias, padding), {}


def resized_images() -> Iterator[tuple]:
    for dtype in (torch.float32, torch.float64):
        x = values(2, 3, 8, 6, dtype=dtype)
        for size in ([4, 3], [8, 6], [13, 11], [1, 1]):
            for is_aligned in (True, False):
                for name in ("_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"):
                    yield name, (x, size, is_aligned), {}
                    yield f"{name}.vec", (x, size, is_aligned, None), {}
                    gradient = values(2, 3, *size, dtype=dtype)
                    yield f"{name}_backward", (gradient, size, [2, 3, 8, 6], is_aligned), {}
            yield "_upsample_nearest_exact2d", (x, size), {}
        theta = values(2, 2, 3, dtype=dtype)
        for is_aligned in (True, False):
            sizes = [2, 1, 4, 5]
            yield "affine_grid_generator", (theta, sizes, is_aligned), {}
            gradient = values(2, 4, 5, 2, dtype=dtype)
            yield "affine_grid_generator_backward", (gradient, sizes, is_aligned), {}
            grid = values(2, 5, 4, 2, dtype=dtype) / 4
            for mode in (0, 1, 2):
                for padding in (0, 1, 2):
                    yield "grid_sampler", (x, grid, mode, padding, is_aligned), {}
        yield "native_channel_shuffle", (x, 3), {}


def bags() -> Iterator[tuple]:
    rows, begins = torch.tensor([0, 2, 2, 1, 4, 3]), torch.tensor([0, 2, 2, 5])
    for dtype in REALS:
        table = values(5, 4, dtype=dtype)
        for mode in (0, 1, 2):
            # Of sums without gradients torch's sizes of bags have an element too many.
            for includes_last in (False, True) if mode else (False,):
                args = (table, rows, begins, False, mode, False, None, includes_last)
                yield "embedding_bag", args, {}
                yield "_embedding_bag_forward_only", args, {}
                yield "embedding_bag.padding_idx", (*args, 2), {}
        for norm in (1.0, 2.0):
            yield "embedding_renorm_", (table.clone(), rows, 1.5, norm), {}


def alignments() -> Iterator[tuple]:
    for dtype in (torch.float32, torch.float64):
        scores = values(6, 2, 5, dtype=dtype).log_softmax(2)
        targets = torch.tensor([[1, 2, 2], [4, 3, 1]])
        frames, lengths = [6, 5], [3, 2]
        for reduction in (0, 1, 2):
            args = (scores, targets, frames, lengths, 0, reduction, False)
            yield "ctc_loss.IntList", args, {}
            tensors = (torch.tensor(frames), torch.tensor(lengths))
            yield "ctc_loss.Tensor", (scores, targets, *tensors, *args[4:]), {}
        one, other = values(3, 4, dtype=dtype), values(3, 4, dtype=dtype).flip(1)
        for reduction in (0, 1, 2):
            yield "triplet_margin_loss", (one, other, one + 1, 1.0, 2, 1e-6, True, reduction), {}
            yield "poisson_nll_loss", (one, other.abs(), True, True, 1e-8, reduction), {}
            classes = torch.tensor([[0, 2, -1, 1], [3, -1, 0, 0], [1, 2, 3, 0]])
            yield "multilabel_margin_loss", (one, classes, reduction), {}


def types_of_results() -> Iterator[tuple]:
    tensor = values(2, dtype=torch.int64)
    for other in (values(2), values(), values(2, dtype=torch.float16), torch.tensor(True)):
        yield "result_type.Tensor", (tensor, other), {}
        yield "result_type.Scalar_Tensor", (1.5, other), {}
        yield "promote_types", (tensor.dtype, other.dtype), {}
        yield "type_as", (tensor, other), {}
        yield "to.other", (tensor, other), {}
    for number in (1, 1.5, True, 2j):
        yield "result_type.Scalar", (tensor, number), {}
        yield "result_type.Scalar_Scalar", (number, 2), {}


def rearranged() -> Iterator[tuple]:
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            for name in ("mT", "numpy_T", "nonzero_numpy", "cartesian_prod", "all", "prod"):
                is_list = name == "cartesian_prod"
                yield name, ([tensor, tensor] if is_list else tensor,), {}
            yield "moveaxis.int", (tensor, 0, -1), {}
            yield "movedim.int", (tensor, 0, -1), {}
            yield "tensor_split.indices", (tensor, [1, 2]), {}
            yield "unsafe_split_with_sizes", (tensor, [1, 2]), {}
            yield "fill_diagonal_", (tensor.clone(), 2), {}
            yield "masked_fill_.Tensor", (tensor.clone(), tensor != 0, torch.tensor(1)), {}
            for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
                yield f"{name}.Sequence", ([tensor, tensor.reshape(-1)],), {}
            yield "broadcast_tensors", ([tensor, values(4, dtype=dtype)],), {}
            yield "clip", (tensor, -1, 2), {}
            yield "clip_", (tensor.clone(), -1, 2), {}
            for name in ("and", "or", "xor"):
                yield f"__{name}__.Scalar", (tensor, 3), {}
                yield f"__i{name}__.Scalar", (tensor.clone(), 3), {}
        matrix = values(3, 3, dtype=dtype)
        yield "chain_matmul", ([matrix, matrix, matrix],), {}
        yield "tensordot", (matrix, matrix, [0], [1]), {}
        yield "vander", (matrix[0], 3), {}
        for power in (True, False):
            yield "std.dim", (matrix, [0], power), {}
            yield "var.dim", (matrix, [0], power), {}
            yield "std_mean.dim", (matrix, [1], power), {}
            yield "var_mean.dim", (matrix, [1], power), {}
        for name in ("median", "nanmedian", "_aminmax"):
            yield name, (matrix,), {}
        yield "_aminmax.dim", (matrix, 1), {}
        for args in ((1, 0, 1), ([0.5, 2.0], [0, 1], 1), ([2.0, 1.5], None, 2)):
            form = "scalarint" if args[0] == 1 else "scalarray" + ("array", "int")[args[1] is None]
            given = {"spacing": args[0], "dim": args[1], "edge_order": args[2]}
            yield f"gradient.{form}", (matrix,), given
        yield "gradient.array", (matrix,), {"dim": [0, 1], "edge_order": 2}
        yield "gradient.scalararray", (matrix,), {"spacing": 2.0, "dim": [1]}
        yield "unique_dim_consecutive", (matrix, 0, True, True), {}


LAYERS = (
    sequences,
    cells,
    layers,
    resized_images,
    bags,
    alignments,
    types_of_results,
    rearranged,
)
