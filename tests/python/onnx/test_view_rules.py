"""Views, joined copies and strided views in ONNX Runtime: as eager has them."""

import opwright as ow
import pytest
from opwright.export import Dim

from .exported import DTYPES, check_export, node_types, through_bfloat16
from .numbered import numbers

ops = ow.ops.aten


CUBE = numbers(2, 3, 4)

VIEWS = {
    "view": lambda x: x.view(4, 6),
    "view with a size left open": lambda x: x.view(-1, 2),
    "_unsafe_view": lambda x: ops._unsafe_view(x, [6, 4]),
    "reshape": lambda x: x.transpose(0, 1).reshape(6, 4),
    "view_as": lambda x: x.view_as(ow.zeros(3, 8)),
    "reshape_as": lambda x: x.reshape_as(ow.zeros(8, 3)),
    "flatten": lambda x: x.flatten(),
    "flatten behind the batch": lambda x: x.flatten(1),
    "flatten of dimensions in front": lambda x: x.flatten(0, 1),
    "unflatten": lambda x: x.unflatten(-1, (2, 2)),
    "transpose": lambda x: x.transpose(0, -1),
    "swapdims": lambda x: x.swapdims(1, 2),
    "swapaxes": lambda x: x.swapaxes(-1, 0),
    "t": lambda x: x[0].t(),
    "t of a vector": lambda x: x[0, 0].t(),
    "permute": lambda x: x.permute(2, 0, -2),
    "movedim": lambda x: x.movedim(0, -1),
    "movedim of several": lambda x: ow.movedim(x, (0, 1), (2, 0)),
    "squeeze": lambda x: x.unsqueeze(0).unsqueeze(-1).squeeze(),
    "squeeze of one": lambda x: x.unsqueeze(1).squeeze(-3),
    "squeeze of one that is not 1": lambda x: x.squeeze(1),
    "squeeze of several": lambda x: ops.squeeze.dims(x.unsqueeze(0).unsqueeze(0), [0, 2, -4]),
    "unsqueeze": lambda x: x.unsqueeze(-2),
    "expand": lambda x: x[:, :1].expand(5, 2, 3, 4),
    "expand with -1": lambda x: x[:, :1].expand(-1, 6, -1),
    "expand_as": lambda x: x[:1].expand_as(ow.zeros(7, 3, 4)),
    "broadcast_to": lambda x: x[0].broadcast_to((2, 3, 4)),
    "select": lambda x: x.select(1, 2),
    "select from the end": lambda x: x.select(-1, -2),
    "slice": lambda x: x[:, 1:3],
    "slice from the end": lambda x: x[..., -3:-1],
    "slice with a step": lambda x: x[..., ::2],
    "slice past the end": lambda x: x[:, 2:100],
    "slice of nothing": lambda x: x[:, 2:1],
    "slice of all": lambda x: x[:],
    "narrow": lambda x: x.narrow(1, 1, 2),
    "narrow from the end": lambda x: x.narrow(2, -3, 2),
    "split": lambda x: x.split(3, -1),
    "split with a used part": lambda x: x.split(1, 1)[2],
    "split by sizes": lambda x: x.split([1, 0, 2], 1),
    "split_with_sizes": lambda x: x.split_with_sizes([1, 3], 2),
    "chunk": lambda x: x.chunk(3, 2),
    "chunk into one": lambda x: x.chunk(1, 2),
    "unbind": lambda x: x.unbind(-1),
    "detach": lambda x: x.detach(),
}

JOINS = {
    "cat": lambda x: ow.cat([x, x[:, :1]], 1),
    "cat of one": lambda x: ow.cat([x], 1),
    "cat from the end": lambda x: ow.cat([x, x], -1),
    "cat with an empty list": lambda x: ow.cat([ow.zeros(0), x]),
    "cat of dtypes": lambda x: ow.cat([x, x.to(ow.float64)]),
    "stack": lambda x: ow.stack([x, x + 1], -1),
    "stack of dtypes": lambda x: ow.stack([x, x.to(ow.float64)]),
    "repeat": lambda x: x.repeat(2, 1, 3),
    "repeat with dimensions in front": lambda x: x.repeat(3, 1, 2, 1, 1),
    "repeat of nothing": lambda x: x.repeat(1, 0, 1),
    "tile": lambda x: x.tile((2, 1)),
    "flip": lambda x: x.flip((0, -1)),
    "flip of nothing": lambda x: x.flip(()),
    "roll": lambda x: x.roll((1, -2), (0, 2)),
    "roll past the end": lambda x: x.roll(9, 1),
    "roll of all": lambda x: x.roll(5),
    "pad": lambda x: ops.constant_pad_nd(x, [1, 2, 0, 3], 1.5),
    "pad that cuts off": lambda x: ops.constant_pad_nd(x, [-1, 2, 1, -1]),
    "reflection_pad1d": lambda x: ops.reflection_pad1d(x, [2, 1]),
    "reflection_pad2d": lambda x: ops.reflection_pad2d(x, [2, 1, 1, 2]),
    "reflection_pad3d": lambda x: ops.reflection_pad3d(x.unsqueeze(0), [2, 1, 1, 2, 1, 0]),
    "replication_pad1d": lambda x: ops.replication_pad1d(x, [2, 5]),
    "replication_pad1d that cuts off": lambda x: ops.replication_pad1d(x, [-2, 5]),
    "replication_pad2d": lambda x: ops.replication_pad2d(x, [2, 5, 0, 4]),
    "replication_pad3d": lambda x: ops.replication_pad3d(x.unsqueeze(0), [2, 1, 1, 2, 1, 0]),
    "tril": lambda x: x.tril(),
    "tril below": lambda x: x.tril(-1),
    "triu": lambda x: x.triu(),
    "triu above": lambda x: x.triu(2),
    "hidden composites": lambda x: ow.repeat_interleave(x, 2, 1),
}

STRIDED = {
    "diagonal": lambda x: x.diagonal(),
    "diagonal above": lambda x: x.diagonal(1, 1, 2),
    "diagonal below": lambda x: x.diagonal(-1, 1, 2),
    "diagonal past the corner": lambda x: x.diagonal(4, 1, 2),
    "diagonal of other dimensions": lambda x: x.diagonal(0, -1, 0),
    "trace": lambda x: x[0].trace(),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "unfold with gaps": lambda x: x.unfold(-1, 2, 2),
    "as_strided": lambda x: x.as_strided((3, 2), (2, 5), 1),
    "as_strided that overlaps": lambda x: x.as_strided((4, 3), (1, 1)),
    "select_scatter": lambda x: x.select_scatter(x[:, 0] * 2, 1, 2),
    "select_scatter from the end": lambda x: x.select_scatter(x[..., 0] * 2, 2, -1),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :2] * 2, 1, 1, 3),
    "slice_scatter from the end": lambda x: x.slice_scatter(x[:, :2] * 2, 1, -2),
    "slice_scatter with a step": lambda x: x.slice_scatter(x[..., :2] * 2, 2, 1, 4, 2),
    "diagonal_scatter": lambda x: x.diagonal_scatter(x[:, 0, :3] * 2, 0, 1, 2),
    "diagonal_scatter below": lambda x: x.diagonal_scatter(x[:, 0, :2] * 2, -1, 1, 2),
    "writes into views": lambda x: _written(x),
}


def _written(x):
    y = x.clone()
    y[:, 1] = 7
    y[..., 1:3] += 1
    y.diagonal(0, 1, 2).mul_(3)
    return y


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_what_eager_gives(name):
    check_export(VIEWS[name], CUBE)


@pytest.mark.parametrize("name", JOINS)
def test_a_joined_copy_is_what_eager_gives(name):
    check_export(JOINS[name], CUBE)


@pytest.mark.parametrize("name", STRIDED)
def test_a_strided_view_is_what_eager_gives(name):
    check_export(STRIDED[name], CUBE)


EVERY = {
    "reshape": lambda x: x.reshape(4, 6),
    "expand": lambda x: x[:, :1].expand(2, 5, 4),
    "cat": lambda x: ow.cat([x, x]),
    "repeat": lambda x: x.repeat(2, 1, 1),
    "pad": lambda x: ops.constant_pad_nd(x, [1, 1], 1),
    "tril": lambda x: x.tril(),
    "flip": lambda x: x.flip((1,)),
    "diagonal": lambda x: x.diagonal(0, 1, 2),
    "select_scatter": lambda x: x.select_scatter(x[:, 0], 1, 2),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EVERY)
def test_elements_of_every_dtype_are_moved(name, dtype):
    check_export(EVERY[name], numbers(2, 3, 4, dtype=dtype), opsets=(12, 18, 26))


@pytest.mark.parametrize("name", EVERY)
def test_elements_of_bfloat16_are_moved(name):
    check_export(through_bfloat16(EVERY[name]), CUBE, opsets=(13, 20))


DYNAMIC = {
    "view": lambda x: x.view(x.shape[0], -1),
    "view of two sizes": lambda x: x.view(x.shape[0], x.shape[1], 2, 2),
    "flatten": lambda x: x.flatten(0, 1),
    "flatten behind the batch": lambda x: x.flatten(1),
    "transpose": lambda x: x.transpose(0, 2),
    "expand": lambda x: x[:, :1].expand(x.shape[0], x.shape[1], 4),
    "expand_as": lambda x: x[0, 0].expand_as(x),
    "slice to a size": lambda x: x[: x.shape[0] - 1, 1:],
    "slice from the end": lambda x: x[:, -2:],
    "select of the last": lambda x: x[:, -1],
    "select by a size": lambda x: x.select(0, x.shape[0] - 1),
    "narrow": lambda x: x.narrow(1, -2, 2),
    "split by sizes": lambda x: x.split([1, x.shape[1] - 1], 1),
    "cat": lambda x: ow.cat([x, x], 1),
    "repeat": lambda x: x.repeat(2, x.shape[0], 1),
    "flip": lambda x: x.flip((0, 1)),
    "roll": lambda x: x.roll((1, 4), (0, 1)),
    "roll of all": lambda x: x.roll(-7),
    "pad": lambda x: ops.constant_pad_nd(x, [0, 0, 1, x.shape[0]]),
    "tril": lambda x: x.tril(-1),
    "triu": lambda x: x.transpose(1, 2).triu(1),
    "diagonal": lambda x: x.diagonal(0, 0, 1),
    "diagonal below": lambda x: x.diagonal(-1, 0, 1),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "select_scatter": lambda x: x.select_scatter(x[:, 0] * 2, 1, -1),
    "slice_scatter": lambda x: x.slice_scatter(x[:, 1:] * 2, 1, 1),
    "slice_scatter with a step": lambda x: x.slice_scatter(x[..., :2] * 2, 2, 1, 4, 2),
    "stack": lambda x: ow.stack([x, x], 1),
    "unbind": lambda x: x.unbind(2),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_model_made_at_one_size_runs_at_others(name):
    sizes = ({0: Dim("batch", min=2), 1: Dim("rows", min=3)},)
    others = [(numbers(2, 7, 4),), (numbers(5, 3, 4),)]
    check_export(DYNAMIC[name], numbers(4, 3, 4), dynamic_shapes=sizes, at=others)


def test_a_number_of_the_data_is_a_size():
    def f(x, n):
        length = n.item()
        ow.check_size(length, min=0, max=4)
        return x[:length], x.new_zeros(length, 2)

    others = [(numbers(4, 3), ow.tensor(0)), (numbers(4, 3), ow.tensor(4))]
    check_export(f, numbers(4, 3), ow.tensor(2), at=others)


SCALARS = {
    "view": lambda x: x.view(1, 1),
    "transpose": lambda x: x.transpose(0, -1),
    "permute": lambda x: x.permute(()),
    "squeeze": lambda x: x.squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "expand": lambda x: x.expand(2, 3),
    "stack": lambda x: ow.stack([x, x]),
    "repeat": lambda x: x.repeat(3),
    "flip": lambda x: x.flip(()),
    "unfold": lambda x: x.unfold(0, 1, 1),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_number_is_viewed(name):
    check_export(SCALARS[name], ow.tensor(3.5))


NOTHING = {
    "view": lambda x: x.view(0, 2, 6),
    "view of another zero": lambda x: x.view(12, 0),
    "transpose": lambda x: x.transpose(0, 1),
    "cat": lambda x: ow.cat([x, ow.ones(2, 3, 4)]),
    "repeat": lambda x: x.repeat(2, 2, 2),
    "flip": lambda x: x.flip((0,)),
    "pad": lambda x: ops.constant_pad_nd(x, [0, 0, 0, 0, 1, 1]),
    "slice": lambda x: x[:, 1:],
    "split": lambda x: x.split(2, 1),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_tensor_without_elements_is_viewed(name):
    check_export(NOTHING[name], ow.zeros(0, 3, 4), opsets=(14, 18, 20, 26))


def test_views_of_known_sizes_are_one_node():
    assert node_types(lambda x: x.view(4, 6), CUBE) == ["Reshape"]
    assert node_types(lambda x: x.permute(2, 0, 1), CUBE) == ["Transpose"]
    assert node_types(lambda x: x[:, 1], CUBE) == ["Gather"]
    assert node_types(lambda x: x.flatten(1), CUBE) == ["Flatten"]
    assert node_types(lambda x: x.tril(), CUBE) == ["Trilu"]


def test_a_replication_pad_that_leaves_nothing_to_repeat_is_refused():
    with pytest.raises(NotImplementedError, match="cuts off all the elements that Pad would rep"):
        check_export(lambda x: ops.replication_pad1d(x, [-4, 5]), CUBE)


def test_as_strided_of_a_transposed_input_is_refused():
    with pytest.raises(NotImplementedError, match=r"as_strided.*self is not contiguous in memory"):
        check_export(lambda x: x.as_strided((2, 2), (1, 1)), numbers(3, 4).t())
