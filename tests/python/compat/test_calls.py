"""Calls in PyTorch's forms: torch and the package return the same for the same code."""

import copy
import pickle

import opwright
import opwright.compat.torch as ours
import pytest

torch = pytest.importorskip("torch")


def plain(value):
    """Return data that is equal if the results are: sizes, dtype and elements of tensors."""
    if isinstance(value, torch.Tensor | opwright.Tensor):
        return str(value.dtype).split(".")[-1], tuple(value.shape), value.tolist()
    if isinstance(value, torch.dtype | opwright.dtype):
        return str(value).split(".")[-1]
    if isinstance(value, tuple | list):
        return type(value).__name__, [plain(each) for each in value]
    return value


CALLS = {
    "a number first in add": lambda t: t.add(1, t.tensor([1.0, 2.0])),
    "a number first in sub": lambda t: t.sub(1.5, t.tensor([1, 2])),
    "a number first in mul": lambda t: t.mul(2, t.tensor([True, False])),
    "a number first in div": lambda t: t.div(1, t.tensor([1, 2])),
    "a number first keeps float64": lambda t: t.mul(0.1, t.tensor([1.0], dtype=t.float64)),
    "a number first keeps int8": lambda t: t.add(3, t.tensor([1], dtype=t.int8)),
    "a number first in an operator": lambda t: t.ops.aten.sub(2, t.tensor([1.0])),
    "full of a tensor": lambda t: t.full((2,), t.tensor(3.5)),
    "alpha as a tensor": lambda t: t.add(t.tensor([1.0]), t.tensor([2.0]), alpha=t.tensor(3)),
    "norm": lambda t: t.norm(t.tensor([[3.0, 4.0], [6.0, 8.0]])),
    "norm along a dim": lambda t: t.tensor([[3.0, 4.0], [6.0, 8.0]]).norm(dim=1),
    "norm of order 1": lambda t: t.norm(t.tensor([[3.0, -4.0]]), 1, dim=0, keepdim=True),
    "norm by name": lambda t: t.norm(t.tensor([[3.0, 4.0]]), p="fro", dim=(0, 1)),
    "nonzero": lambda t: t.nonzero(t.tensor([[0, 1], [2, 0]])),
    "nonzero as tuple": lambda t: t.nonzero(t.tensor([[0, 1], [2, 0]]), as_tuple=True),
    "method nonzero as tuple": lambda t: t.tensor([0.0, 2.0]).nonzero(as_tuple=True),
    "where of a condition": lambda t: t.where(t.tensor([[True, False], [False, True]])),
    "unbind": lambda t: t.tensor([1, 2]).unbind(),
    "split": lambda t: t.tensor([1, 2, 3]).split(2),
    "chunk": lambda t: t.chunk(t.tensor([1, 2, 3]), 2),
    "an operator of a list": lambda t: t.ops.aten.unbind(t.tensor([1, 2])),
    "axis and keepdims": lambda t: t.sum(t.ones(2, 3), axis=1, keepdims=True),
    "input by name": lambda t: t.sum(input=t.ones(2, 3)),
    "tensor_split sections": lambda t: t.tensor_split(t.arange(7), 3),
    "tensor_split indices": lambda t: t.arange(7).tensor_split((2, -1)),
    "tensor_split tensor": lambda t: t.tensor_split(t.arange(7), t.tensor([1, 4])),
    "hsplit": lambda t: t.hsplit(t.arange(8).reshape(2, 4), 2),
    "vsplit": lambda t: t.vsplit(t.arange(8).reshape(4, 2), [1, 3]),
    "dsplit": lambda t: t.dsplit(t.arange(8).reshape(1, 2, 4), 2),
    "moveaxis": lambda t: t.moveaxis(t.arange(6).reshape(1, 2, 3), 0, 2),
    "ravel": lambda t: t.ravel(t.arange(6).reshape(2, 3).t()),
    "atleast_1d": lambda t: t.atleast_1d(t.tensor(1)),
    "atleast_3d of several": lambda t: t.atleast_3d(t.tensor(1), t.tensor([1, 2])),
    "broadcast_tensors": lambda t: t.broadcast_tensors(t.ones(2, 1), t.zeros(3)),
    "adjoint": lambda t: t.adjoint(t.tensor([[1 + 2j, 3j]])),
    "mH": lambda t: t.tensor([[1 + 2j, 3j]]).mH,
    "real": lambda t: t.tensor([1 + 2j, 3 - 4j]).real,
    "imag": lambda t: t.imag(t.tensor([1 + 2j, 3 - 4j])),
    "view_as_real": lambda t: t.view_as_real(t.tensor([[1 + 2j], [3 - 4j]]).t()),
    "view_as_complex": lambda t: t.view_as_complex(t.tensor([[1.0, 2.0], [3.0, 4.0]])),
    "view of a dtype": lambda t: t.tensor([1.0, 2.0]).view(t.int32),
    "view of a smaller dtype": lambda t: t.tensor([[1.0, 2.0]]).view(t.int16),
    "view of a larger dtype": lambda t: t.arange(8, dtype=t.uint8).view(t.int32),
    "unsqueeze_": lambda t: t.arange(3).unsqueeze_(0),
    "squeeze_": lambda t: t.zeros(1, 3, 1).squeeze_(),
    "squeeze_ of a dim": lambda t: t.zeros(1, 3, 1).squeeze_(-1),
    "t_": lambda t: t.arange(6).reshape(2, 3).t_(),
    "transpose_": lambda t: t.arange(6).reshape(1, 2, 3).transpose_(0, 2),
    "as_strided_": lambda t: t.arange(6).as_strided_((2, 2), (1, 2)),
    "Tensor of ints": lambda t: t.Tensor([1, 2]),
    "Tensor of sizes": lambda t: t.Tensor(2, 3).shape,
    "Tensor of a Size": lambda t: t.Tensor(t.Size([2, 3])).shape,
    "LongTensor": lambda t: t.LongTensor([1, 2]),
    "DoubleTensor of sizes": lambda t: t.DoubleTensor(2, 3).shape,
    "type by HalfTensor": lambda t: t.ones(1).type(t.HalfTensor).dtype.itemsize,
    "isinstance of FloatTensor": lambda t: [
        isinstance(t.ones(1), each) for each in (t.FloatTensor, t.LongTensor)
    ],
    "set_": lambda t: t.zeros(1).set_(t.arange(6.0).untyped_storage(), 1, (2,), (3,)),
    "set_ to a tensor": lambda t: t.zeros(1).set_(t.arange(2.0)),
    "type": lambda t: t.ones(1, dtype=t.int64).type(),
    "type by name": lambda t: t.ones(1).type("torch.DoubleTensor"),
    "is_same_size": lambda t: t.ones(2).is_same_size(t.ones(3)),
    "is_set_to": lambda t: t.ones(2).is_set_to(t.ones(2)),
    "ndimension": lambda t: t.ones(2, 3).ndimension(),
    "get_device": lambda t: t.ones(2).get_device(),
    "is_floating_point": lambda t: t.is_floating_point(t.ones(2)),
    "is_complex": lambda t: t.is_complex(t.ones(2)),
    "numel": lambda t: t.numel(t.ones(2, 3)),
    "is_nonzero": lambda t: t.is_nonzero(t.tensor([2])),
    "default dtype": lambda t: t.get_default_dtype(),
    "constants": lambda t: [t.inf, -t.inf, t.pi, t.e, t.newaxis],
    "storage": lambda t: [
        t.ones(2, 3)[1].untyped_storage().nbytes(),
        t.ones(2, 3)[1].untyped_storage().size(),
        len(t.ones(3, dtype=t.uint8).untyped_storage()),
        t.tensor([1, 7], dtype=t.uint8).untyped_storage()[1],
    ],
    "typed storage": lambda t: [
        len(t.ones(2, 3)[1].storage()),
        t.ones(2, 3)[1].storage().nbytes(),
        t.ones(2, dtype=t.int16).storage().element_size(),
        t.tensor([[1, 7], [2, 3]])[1].storage().tolist(),
        t.tensor([1.0, 7.0]).storage()[-1],
        t.ones(2, 3).t().storage().dtype == t.float32,
    ],
    "set_ to a typed storage": lambda t: t.zeros(1).set_(t.arange(6.0).storage(), 1, (2,), (3,)),
    "out of two results": lambda t: [
        (out := (t.empty(0), t.empty(0, dtype=t.int64))),
        t.sort(t.tensor([3.0, 1.0, 2.0]), out=out)[0] is out[0],
        t.topk(t.tensor([3.0, 1.0, 2.0]), 3, out=list(out))[1] is out[1],
        out,
    ],
    "out of two results by name": lambda t: [
        (low := t.empty(2)),
        (high := t.empty(2)),
        t.aminmax(t.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=0, out=(low, high))[0] is low,
        low,
        high,
    ],
    "broadcast_shapes": lambda t: [
        tuple(t.broadcast_shapes((2, 1), (3,), 1)),
        tuple(t.broadcast_shapes((0,), t.Size([4, 1]))),
        tuple(t.functional.broadcast_shapes()),
    ],
    "numel of a Size": lambda t: t.ones(2, 3).shape.numel(),
    "slice of a Size": lambda t: t.ones(2, 3, 4).shape[1:].numel(),
    "sum of Sizes": lambda t: (t.ones(2).shape + t.ones(3).shape).numel(),
    "Size is a tuple": lambda t: [t.Size([1, 2]) == (1, 2), isinstance(t.ones(1).size(), t.Size)],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_returns_what_torch_returns(name):
    assert plain(CALLS[name](ours)) == plain(CALLS[name](torch))


FAILURES = {
    "0-dim tensor_split": lambda t: t.tensor_split(t.tensor(1), 2),
    "0 sections": lambda t: t.tensor_split(t.ones(2), 0),
    "hsplit that does not divide": lambda t: t.hsplit(t.ones(4), 3),
    "vsplit of a vector": lambda t: t.vsplit(t.ones(4), 2),
    "view of a dtype of a number": lambda t: t.tensor(1.0).view(t.int16),
    "view of a dtype with a stride": lambda t: t.ones(4, 4).t().view(t.float64),
    "view of a dtype with an odd size": lambda t: t.ones(3).view(t.float64),
    "unsqueeze_ of a leaf": lambda t: t.ones(3, requires_grad=True).unsqueeze_(0),
    "imag of real numbers": lambda t: t.ones(2).imag,
    "view_as_complex of odd strides": lambda t: t.view_as_complex(t.ones(3, 3)[:, :2]),
    "norm of an unknown name": lambda t: t.ones(3).norm("spectral"),
    "sizes that do not broadcast": lambda t: t.broadcast_shapes((2,), (3,)),
    "H of a batch": lambda t: t.ones(2, 3, 4).H,
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_call_fails_where_torch_fails(name):
    with pytest.raises(RuntimeError):
        FAILURES[name](torch)
    with pytest.raises(RuntimeError):
        FAILURES[name](ours)


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"]
)
def test_finfo_has_torchs_numbers(name):
    actual, expected = (t.finfo(getattr(t, name)) for t in (ours, torch))

    for attribute in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(actual, attribute) == getattr(expected, attribute), attribute
    assert repr(actual) == repr(expected)


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo_has_torchs_numbers(name):
    actual, expected = (t.iinfo(getattr(t, name)) for t in (ours, torch))

    assert (actual.bits, actual.min, actual.max) == (expected.bits, expected.min, expected.max)
    assert repr(actual) == repr(expected)


def test_limits_of_the_wrong_kind_of_dtype_are_refused():
    with pytest.raises(TypeError, match="iinfo: the dtype must be an integer, got float32"):
        ours.iinfo(ours.float32)
    with pytest.raises(TypeError, match="finfo: the dtype must be floating-point, got int32"):
        ours.finfo(ours.int32)


def test_a_default_dtype_other_than_float32_is_refused():
    ours.set_default_dtype(ours.float32)
    with pytest.raises(NotImplementedError, match="the default dtype is float32 and cannot change"):
        ours.set_default_dtype(ours.float64)


def test_a_device_is_a_context_for_new_tensors():
    with ours.device("meta"):
        made = [ours.ones(2), ours.tensor([1.0]), ours.empty(3, device="cpu"), ours.arange(4)]
        with ours.device("cpu"):
            made.append(ours.zeros(2))

    assert [each.device.type for each in made] == ["meta", "meta", "cpu", "meta", "cpu"]
    assert ours.ones(2).device.type == "cpu"


def test_leaving_a_device_that_is_not_the_innermost_is_refused():
    with pytest.raises(RuntimeError, match="device: exit it on the thread that entered it"):
        ours.device("meta").__exit__(None, None, None)


def test_a_tensor_that_became_its_view_keeps_its_object_and_its_gradient():
    x = ours.ones(2, 3, requires_grad=True)
    y = x * 2
    same = y.t_()

    same.mul(ours.arange(3.0).unsqueeze(1)).sum().backward()

    assert same is y
    assert y.shape == (3, 2)
    assert x.grad.tolist() == [[0.0, 2.0, 4.0]] * 2


def test_a_size_can_be_pickled_and_copied():
    size = ours.ones(2, 3).shape

    assert pickle.loads(pickle.dumps(size)) == size
    assert type(copy.copy(size)) is ours.Size
    with pytest.raises(TypeError, match="Size: its elements must be ints, but element 0 is float"):
        ours.Size([1.5])


def test_views_share_a_storage():
    x = ours.ones(2, 3)

    assert x[1].untyped_storage() == x.untyped_storage()
    assert x.clone().untyped_storage() != x.untyped_storage()
    assert x.untyped_storage().data_ptr() == x.data_ptr()
    with pytest.raises(IndexError, match="UntypedStorage: index 24 is out of range for 24 bytes"):
        x.untyped_storage()[24]


def test_a_write_to_a_view_of_another_dtype_changes_the_tensor():
    x = ours.zeros(2)

    x.view(ours.int32)[1] = 0x3F800000

    assert x.tolist() == [0.0, 1.0]


def test_a_write_to_the_imaginary_part_changes_the_tensor_and_its_gradient():
    def gradient(t):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        z = t.tensor([1 + 2j, 3 - 4j]) * 1
        z.imag = x * 3
        z.real.mul_(2)
        t.view_as_real(z * z).sum().backward()
        return z.tolist(), x.grad.tolist()

    assert gradient(ours) == gradient(torch)


def test_a_buffer_is_registered_when_it_is_assigned():
    for nn, t in ((ours.nn, ours), (torch.nn, torch)):
        module = nn.Module()
        module.mean = nn.Buffer(t.zeros(2))
        module.scratch = nn.Buffer(t.zeros(2), persistent=False)

        assert isinstance(module.mean, nn.Buffer)
        assert list(module.state_dict()) == ["mean"]
        assert [name for name, _ in module.named_buffers()] == ["mean", "scratch"]


def test_dlpack_has_torchs_path():
    x = ours.ones(2)

    y = ours.utils.dlpack.from_dlpack(ours.utils.dlpack.to_dlpack(x))

    assert y.data_ptr() == x.data_ptr()


def test_the_accelerator_is_the_cuda_device_if_there_is_one():
    there_is_one = ours.cuda.is_available()

    assert ours.accelerator.is_available() == there_is_one
    assert (ours.accelerator.current_accelerator() is not None) == there_is_one
    assert (ours.accelerator.device_count() > 0) == there_is_one
    if not there_is_one:
        with pytest.raises(RuntimeError, match="there is no accelerator on this machine"):
            ours.accelerator.synchronize()


def test_type_takes_a_class_of_tensors():
    x = ours.ones(2)

    assert x.type(ours.DoubleTensor).dtype == ours.float64
    assert isinstance(x.type(ours.IntTensor), ours.IntTensor)
