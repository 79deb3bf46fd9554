"""Elements by index tensors and masks, read and written, in ONNX Runtime: as eager has them."""

import numpy as np
import opwright as ow
import pytest
from opwright.export import Dim

from .exported import DTYPES, Exported, check_export, node_types, through_bfloat16
from .numbered import numbers

ops = ow.ops.aten


def ints(*values, dtype="int64"):
    return ow.from_numpy(np.array(values, dtype=dtype))


CUBE = numbers(3, 4, 5)
ROWS = ints(2, 0, 2)
COLUMNS = ints(1, 3, 0)
GRID = ints([0, 2], [1, 1])
LAST = ints(-1, 0, -5)

READS = {
    "index_select": (lambda x, i: x.index_select(1, i), ROWS),
    "index_select by int32": (lambda x, i: x.index_select(-1, i), ints(4, 4, dtype="int32")),
    "index_select by a number": (lambda x, i: x.index_select(0, i), ow.tensor(2)),
    "gather": (lambda x, i: x.gather(1, i), ints(*[[[0, 3, 1, 1, 2]] * 2] * 3)),
    "gather of fewer": (lambda x, i: x.gather(-1, i), ints([[4, 0]], [[1, 1]])),
    "take_along_dim": (lambda x, i: x.take_along_dim(i, 0), ints([[2, 1, 0, 0, 1]])),
    "one index": (lambda x, i: x[i], ROWS),
    "one index in a grid": (lambda x, i: x[:, i], GRID),
    "one index from the end": (lambda x, i: x[..., i], LAST),
    "one index by int32": (lambda x, i: x[i], ints(1, 2, dtype="int32")),
    "neighbours": (lambda x, i: x[i, i], ROWS),
    "neighbours at the end": (lambda x, i: x[:, i, i], ROWS),
    "apart": (lambda x, i: x[i, :, i], ROWS),
    "all": (lambda x, i: x[i, i, i], ROWS),
    "broadcast": (lambda x, i: x[i.unsqueeze(1), i], ROWS),
    "broadcast in front": (lambda x, i: x[:, i.unsqueeze(1), i], ROWS),
    "from the end": (lambda x, i: x[:, i - 4, -1 - i], ROWS),
    "an index with a slice": (lambda x, i: x[i, 1:3, i], ROWS),
    "an index and a number": (lambda x, i: x[1, i, 2:], ROWS),
}


@pytest.mark.parametrize("name", READS)
def test_what_an_index_reads_is_what_eager_reads(name):
    f, index = READS[name]
    check_export(f, CUBE, index)


MASK = ow.from_numpy(np.arange(60).reshape(3, 4, 5) % 3 == 1)

MASKS = {
    "of all dimensions": (lambda x, m: x[m], MASK),
    "of the first": (lambda x, m: x[m], MASK[:, 0, 0]),
    "of the first two": (lambda x, m: x[m], MASK[..., 0]),
    "of the last": (lambda x, m: x[..., m], MASK[0, 0]),
    "of the last two": (lambda x, m: x[:, m], MASK[0]),
    "of none": (lambda x, m: x[m & ~m], MASK),
    "of all elements": (lambda x, m: x[m | ~m], MASK),
    "with an index": (lambda x, m: x[m, :, ow.tensor([0, 4])], ow.tensor([True, False, True])),
    "masked_select": (lambda x, m: x.masked_select(m), MASK),
    "masked_select that is stretched": (lambda x, m: x.masked_select(m), MASK[0, 0]),
    "masked_select of a stretched one": (lambda x, m: x[:1].masked_select(m), MASK),
    "nonzero": (lambda x, m: m.nonzero(), MASK),
    "masked_fill": (lambda x, m: x.masked_fill(m, 2.5), MASK),
    "masked_fill that is stretched": (lambda x, m: x.masked_fill(m, -1), MASK[0, :, :1]),
    "masked_fill of a stretched one": (lambda x, m: x[:1].masked_fill(m, -1), MASK),
    "masked_fill with a tensor": (lambda x, m: x.masked_fill(m, ow.tensor(2.5)), MASK),
    "masked_scatter": (lambda x, m: x.masked_scatter(m, x.flip((0, 1, 2))), MASK),
    "write": (lambda x, m: x.index_put((m,), ow.tensor(7.0)), MASK),
    "write of the first": (lambda x, m: x.index_put((m,), ow.tensor(7.0)), MASK[:, 0, 0]),
    "write of rows": (lambda x, m: x.index_put((m,), x[0]), MASK[:, 0, 0]),
    "write of many": (lambda x, m: x.index_put((m,), x.flip((0,))[m]), MASK),
    "write of the last": (lambda x, m: x.index_put((None, m), x[:, m].flip((0,))), MASK[0]),
}


@pytest.mark.parametrize("name", MASKS)
def test_what_a_mask_names_is_what_eager_names(name):
    f, mask = MASKS[name]
    check_export(f, CUBE, mask)


def test_the_number_of_true_elements_is_a_size_of_the_model():
    def f(x, m):
        taken = x[m]
        return taken.view(taken.shape[0], 1).expand(taken.shape[0], 2)

    others = [(CUBE, ~MASK), (CUBE, MASK & ~MASK)]
    check_export(f, CUBE, MASK, at=others)


WRITES = {
    "scatter": lambda x, i: x.scatter(1, i, x.flip((0, 1))),
    "scatter of a number": lambda x, i: x.scatter(0, i, 2.5),
    "index_put": lambda x, i: x.index_put((i[0],), x[0]),
    "index_put of neighbours": lambda x, i: x.index_put((i[0], i[0]), ow.tensor(8.0)),
    "index_put at the end": lambda x, i: x.index_put((None, i[0]), x[:, :2]),
    "index_put of a number": lambda x, i: x.index_put((None, i[0]), ow.tensor(1.5)),
    "index_copy": lambda x, i: x.index_copy(1, i[0], x[:, :2].flip((0, 1))),
    "index_fill": lambda x, i: x.index_fill(1, i[0], 2.5),
    "index_fill with a tensor": lambda x, i: x.index_fill(0, i[0], ow.tensor(2.5)),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_an_index_writes_is_what_eager_writes(name):
    check_export(WRITES[name], numbers(3, 4), ints([2, 0], [1, 0]))


def test_an_index_put_apart_is_what_eager_writes():
    def f(x, i):
        return x.index_put((i, None, i), x[0, :, :3].t())

    check_export(f, CUBE, ints(2, 0, 1))


SUMS = {
    "scatter_add": lambda x, i: x.scatter_add(1, i, x.flip((0, 1))),
    "index_add": lambda x, i: x.index_add(1, i[0], x[:, :2]),
    "index_add with a factor": lambda x, i: x.index_add(0, i[0], x[:2], alpha=2),
    "index_put that adds": lambda x, i: x.index_put((i,), ow.tensor(1.0), accumulate=True),
    "sum": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "sum"),
    "prod": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "prod"),
    "mean": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "mean"),
    "sum without self": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "sum", include_self=False),
    "prod without self": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "prod", include_self=False),
    "mean without self": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "mean", include_self=False),
}
EXTREMES = {
    "amax": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "amax"),
    "amin": lambda x, i: x.scatter_reduce(0, i, x + 0.5, "amin"),
    "amax without self": lambda x, i: x.scatter_reduce(0, i, x - 9, "amax", include_self=False),
    "amin without self": lambda x, i: x.scatter_reduce(0, i, x + 9, "amin", include_self=False),
}
TWICE = ints([2, 0], [2, 1])


@pytest.mark.parametrize("name", SUMS)
def test_elements_that_meet_are_joined_from_opset_16_on(name):
    check_export(SUMS[name], numbers(3, 4), TWICE, opsets=(16, 17, 18, 20, 26))


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_of_elements_that_meet_are_found_from_opset_18_on(name):
    check_export(EXTREMES[name], numbers(3, 4), TWICE, opsets=(18, 20, 26))


EVERY = {
    "index": lambda x: x[ow.tensor([1, 0]), ow.tensor([0, 2])],
    "gather": lambda x: x.gather(1, ow.tensor([[1, 0]])),
    "mask": lambda x: x[ow.tensor([False, True, True])],
    "nonzero": lambda x: x.nonzero(),
    "masked_fill": lambda x: x.masked_fill(ow.tensor([True, False, True, False]), 1),
    "masked_scatter": lambda x: x.masked_scatter(ow.tensor([True, False, True, False]), x.flip(1)),
    "scatter": lambda x: x.scatter(1, ow.tensor([[1, 0]]), 1),
    "index_put": lambda x: x.index_put((ow.tensor([1, 0]),), x[2]),
    "index_fill": lambda x: x.index_fill(1, ow.tensor([1, 0]), 1),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EVERY)
def test_elements_of_every_dtype_are_found(name, dtype):
    check_export(EVERY[name], numbers(3, 4, dtype=dtype), opsets=(12, 18, 26))


@pytest.mark.parametrize("name", EVERY)
def test_elements_of_bfloat16_are_found(name):
    check_export(through_bfloat16(EVERY[name]), numbers(3, 4), opsets=(13, 20))


DYNAMIC = {
    "index": lambda x, i: x[:, i],
    "two indices": lambda x, i: x[i, i],
    "indices apart": lambda x, i: x[i, :, i],
    "index_select": lambda x, i: x.index_select(0, i),
    "gather": lambda x, i: x.gather(2, i.view(1, 1, -1).expand(x.shape[0], 2, i.shape[0])),
    "mask": lambda x, i: x[x > 0],
    "masked_fill": lambda x, i: x.masked_fill(x > 0, 1.0),
    "masked_select": lambda x, i: x.masked_select(x[0] > 0),
    "masked_scatter": lambda x, i: x.masked_scatter(x > 0, x.flip((0,))),
    "nonzero": lambda x, i: x.nonzero(),
    "index_put": lambda x, i: x.index_put((i, i), ow.tensor(1.0)),
    "index_put of rows": lambda x, i: x.index_put((None, i), x[:, :1]),
    "index_copy": lambda x, i: x.index_copy(1, i, x.index_select(1, i).flip((0,))),
    "index_fill": lambda x, i: x.index_fill(0, i, 3.0),
    "scatter": lambda x, i: x.scatter(0, i.view(-1, 1, 1).expand(i.shape[0], 4, 5), x.flip((0,))),
    "one_hot": lambda x, i: ow.one_hot(i, 4),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_model_made_at_one_size_runs_at_others(name):
    sizes = ({0: Dim("batch", min=3)}, {0: Dim("places", max=3)})
    others = [(numbers(6, 4, 5), ints(1)), (numbers(4, 4, 5), ints(0, 1))]
    check_export(DYNAMIC[name], CUBE, ints(2, 0, 1), dynamic_shapes=sizes, at=others)


NUMBERS = {
    "gather": lambda x: x.gather(0, ow.tensor(0)),
    "index_select": lambda x: x.index_select(0, ow.tensor([0])),
    "nonzero": lambda x: x.nonzero(),
    "masked_select": lambda x: x.masked_select(ow.tensor(True)),
    "masked_fill": lambda x: x.masked_fill(ow.tensor(True), 3.0),
    "scatter": lambda x: x.scatter(0, ow.tensor(0), 3.0),
    "index_fill": lambda x: x.index_fill(0, ow.tensor([0]), 3.0),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_indexed(name):
    check_export(NUMBERS[name], ow.tensor(2.5))


def test_no_places_may_have_other_dimensions():
    none = ow.zeros(2, 0, dtype=ow.int64)
    check_export(lambda x, i: x.gather(0, i), numbers(5), none)
    check_export(lambda x, i: x.scatter(0, i, 2.5), numbers(5), none)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64"])
@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_extremes_of_ints_without_self_are_found(reduce, dtype):
    def f(x, i, y):
        return x.scatter_reduce(0, i, y, reduce, include_self=False)

    x = numbers(3, 4, dtype=dtype)
    check_export(f, x, TWICE, x.flip((0, 1)), opsets=(18, 26))


def test_places_are_repeated():
    sizes = ({0: Dim("n")}, {0: Dim("n")})
    others = [(numbers(2, 3), ints(0, 5)), (numbers(5, 3), ints(1, 0, 0, 2, 1))]
    check_export(
        lambda x, n: x.repeat_interleave(n, 0),
        numbers(3, 3),
        ints(2, 0, 1),
        dynamic_shapes=sizes,
        at=others,
    )


def test_one_hot_has_a_column_for_each_class():
    check_export(lambda i: ow.one_hot(i, 5), ints([0, 4], [2, 2]))


def test_one_index_is_one_node():
    assert node_types(lambda x, i: x[:, i], CUBE, ROWS) == ["Gather"]
    assert node_types(lambda x, i: x.index_select(1, i), CUBE, ROWS) == ["Gather"]
    assert node_types(lambda x, m: x.masked_fill(m, 0.0), CUBE, MASK) == ["Where"]


def test_a_sum_that_the_opset_lacks_says_which_opset_has_it():
    with pytest.raises(NotImplementedError, match=r"aten::scatter_add.*opset 12(.|\n)*opset 16"):
        Exported(SUMS["scatter_add"], (numbers(3, 4), TWICE), 12)
    with pytest.raises(NotImplementedError, match="reduce='amax' is in opset 18; this model has"):
        Exported(EXTREMES["amax"], (numbers(3, 4), TWICE), 17)
    with pytest.raises(NotImplementedError, match="accumulate=True needs ScatterND with a reduct"):
        Exported(SUMS["index_put that adds"], (numbers(3, 4), TWICE), 13)


def test_one_hot_without_a_number_of_classes_is_refused():
    with pytest.raises(NotImplementedError, match="num_classes=-1 reads the largest class"):
        Exported(lambda i: ow.one_hot(i), (ROWS,))
