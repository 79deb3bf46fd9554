"""The attributes of a tensor, and its conversions."""
# Covers: python/bindings/tensor/*.

import copy
import math
import operator

import opwright as ow
import pytest
import torch

from tests.numpy_dtypes import NUMPY_DTYPES

NAMES = [*NUMPY_DTYPES, "bfloat16"]


def test_shape_is_a_size_with_ints():
    assert ow.zeros(2, 3).shape == (2, 3)
    assert type(ow.zeros(2, 3).shape) is ow.Size
    assert ow.tensor(1).shape == ()


def test_size_takes_a_dimension_from_either_end():
    x = ow.zeros(2, 3)

    assert x.size() == (2, 3)
    assert x.size(1) == x.size(-1) == x.size(dim=1) == 3


def test_size_of_a_dimension_that_is_not_there_names_it():
    with pytest.raises(
        IndexError, match="dimension 2 is out of range for a tensor of 2 dimensions"
    ):
        ow.zeros(2, 3).size(2)


def test_strides_count_elements():
    x = ow.zeros(2, 3)

    assert x.stride() == (3, 1)
    assert x.T.stride() == (1, 3)
    assert x.stride(0) == 3


def test_numbers_of_dimensions_elements_and_bytes():
    x = ow.zeros(2, 3, dtype=ow.float64)

    assert (x.dim(), x.ndim, x.numel(), x.nelement()) == (2, 2, 6, 6)
    assert (x.element_size(), x.itemsize, x.nbytes) == (8, 8, 48)


def test_storage_offset_of_a_view_counts_elements():
    assert ow.zeros(2, 3)[1, 1:].storage_offset() == 4


@pytest.mark.parametrize("name", NAMES)
def test_kind_of_the_dtype_agrees_with_torch(name):
    ours = ow.zeros(2, dtype=getattr(ow, name))
    theirs = torch.zeros(2, dtype=getattr(torch, name))

    assert ours.is_floating_point() == theirs.is_floating_point()
    assert ours.is_complex() == theirs.is_complex()
    assert ours.element_size() == theirs.element_size()


def test_contiguity_is_told_for_a_memory_format():
    x = ow.empty(2, 3, 4, 5, memory_format=ow.channels_last)

    assert not x.is_contiguous()
    assert x.is_contiguous(memory_format=ow.channels_last)


def test_device_properties():
    x = ow.zeros(2)
    fake = ow.zeros(2, device="meta")

    assert (x.is_cpu, x.is_cuda, x.is_meta) == (True, False, False)
    assert (fake.is_cpu, fake.is_cuda, fake.is_meta) == (False, False, True)
    assert x.device == ow.device("cpu")
    assert x.layout is ow.strided


def test_data_ptr_of_a_view_lies_inside_its_base():
    x = ow.zeros(2, 3)

    assert x[1].data_ptr() == x.data_ptr() + 12


def test_data_ptr_of_a_fake_tensor_is_refused():
    with pytest.raises(RuntimeError, match="data_ptr: a fake tensor has no data to read"):
        ow.zeros(2, device="meta").data_ptr()


def test_version_counts_writes_of_all_views():
    x = ow.zeros(2, 3)
    before = x._version

    x[0].fill_(1)

    assert x._version == before + 1


# ---- Making ----


def test_tensor_class_makes_a_tensor_of_data():
    assert ow.Tensor([1.0, 2.0]).tolist() == [1.0, 2.0]


def test_tensor_class_shows_another_tensor_without_a_copy_or_gradient():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    alias = ow.Tensor(x)

    assert alias is not x
    assert alias.data_ptr() == x.data_ptr()
    assert not alias.requires_grad


def test_tensor_class_refuses_more_than_data():
    with pytest.raises(TypeError, match="it takes one argument, the data, or sizes, got 2"):
        ow.Tensor([1.0], [2.0])


def test_a_subclass_takes_arguments_of_its_own():
    class Named(ow.Tensor):
        def __init__(self, data, name, unit="m"):
            super().__init__()
            self.name = name
            self.unit = unit

    x = Named([1.0, 2.0], "length", unit="km")

    assert type(x) is Named
    assert (x.name, x.unit, x.tolist()) == ("length", "km", [1.0, 2.0])


def test_a_subclass_with_a_new_of_its_own():
    class Scaled(ow.Tensor):
        def __new__(cls, data, scale):
            return super().__new__(cls, ow.tensor(data) * scale)

        def __init__(self, data, scale):
            self.scale = scale

    x = Scaled([1.0, 2.0], 2)

    assert type(x) is Scaled
    assert x.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("hook", ["__torch_function__", "__torch_dispatch__"])
def test_a_subclass_with_a_hook_that_operators_do_not_call_has_no_instances(hook):
    hooked = type("Hooked", (ow.Tensor,), {hook: classmethod(lambda cls, *args: None)})

    for make in (lambda: hooked([1.0]), lambda: ow.ones(2).as_subclass(hooked)):
        with pytest.raises(
            NotImplementedError,
            match=f"Hooked is a Tensor and has {hook}, which operators do not call; write a class "
            "that holds a tensor, or observe the calls with a TorchDispatchMode",
        ):
            make()


def test_a_subclass_is_shown_under_its_name():
    class Signal(ow.Tensor):
        pass

    assert repr(Signal([[1, 2], [3, 4]])) == "Signal([[1., 2.],\n        [3., 4.]])"


# ---- Values ----


@pytest.mark.parametrize("name", NAMES)
def test_item_and_tolist_agree_with_torch(name):
    ours = ow.tensor([[0, 1], [2, 3]], dtype=getattr(ow, name))
    theirs = torch.tensor([[0, 1], [2, 3]], dtype=getattr(torch, name))

    assert ours.tolist() == theirs.tolist()
    assert type(ours[1, 1].item()) is type(theirs[1, 1].item())
    assert ours.T.tolist() == theirs.T.tolist()


def test_the_largest_integers_are_read_whole():
    assert ow.tensor(2**64 - 1, dtype=ow.uint64).item() == 2**64 - 1
    assert ow.tensor(-(2**63)).item() == -(2**63)


def test_tolist_of_no_dimensions_is_a_number():
    assert ow.tensor(2.5).tolist() == 2.5
    assert ow.zeros(2, 0).tolist() == [[], []]


def test_item_of_several_elements_is_refused():
    with pytest.raises(RuntimeError, match="item: a tensor of 3 elements is not one number"):
        ow.zeros(3).item()


def test_item_of_a_fake_tensor_is_refused():
    with pytest.raises(RuntimeError, match="item: a fake tensor has no data to read"):
        ow.zeros(1, device="meta").item()


def test_one_element_converts_to_python_numbers():
    assert (float(ow.tensor([2])), int(ow.tensor(2.5)), complex(ow.tensor(1j))) == (2.0, 2, 1j)
    assert bool(ow.tensor(0.5))
    assert not bool(ow.tensor([0]))
    assert type(float(ow.tensor([2]))) is float


def test_truth_of_several_elements_is_refused():
    with pytest.raises(RuntimeError, match="the truth of a tensor of 2 elements is ambiguous"):
        bool(ow.zeros(2))
    with pytest.raises(RuntimeError, match="the truth of a tensor of 0 elements is ambiguous"):
        bool(ow.zeros(0))


def test_an_integer_tensor_is_an_index():
    assert ["a", "b"][ow.tensor(1)] == "b"
    assert operator.index(ow.tensor([3])) == 3


def test_a_floating_tensor_is_no_index():
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        operator.index(ow.tensor(1.0))


def test_a_complex_number_is_no_float():
    with pytest.raises(TypeError):
        float(ow.tensor(1j))


def test_format_writes_the_number_of_a_tensor_without_dimensions():
    assert f"{ow.tensor(math.pi):.3f}" == "3.142"
    assert f"{ow.tensor(7)}" == "7"
    assert f"{ow.tensor([1, 2])}" == "tensor([1, 2])"


def test_format_of_several_elements_takes_no_specification():
    with pytest.raises(TypeError, match="is for tensors of zero dimensions"):
        f"{ow.tensor([1.0, 2.0]):.2f}"


def test_text_is_that_of_torch():
    assert str(ow.tensor([[1.0, 2.5]])) == str(torch.tensor([[1.0, 2.5]]))
    assert repr(ow.tensor([1, 2])) == "tensor([1, 2])"


def test_hash_is_by_identity():
    x, y = ow.zeros(2), ow.zeros(2)

    assert {x: 1, y: 2}[x] == 1
    assert hash(x) != hash(y)


def test_attributes_stand_in_a_dict():
    x = ow.zeros(2)
    x.name = "length"

    assert vars(x) == {"name": "length"}
    x.__dict__.update(unit="m")
    assert x.unit == "m"


# ---- Gradients ----


def test_requires_grad_is_set_on_floating_and_complex_tensors():
    x = ow.zeros(2)

    assert x.requires_grad_() is x
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad
    assert ow.zeros(2, dtype=ow.complex64).requires_grad_().requires_grad


def test_an_integer_tensor_cannot_require_grad():
    with pytest.raises(
        RuntimeError, match="only tensors of floating and complex dtypes can require grad, got int"
    ):
        ow.zeros(2, dtype=ow.int64).requires_grad_()


def test_requires_grad_must_be_a_bool():
    with pytest.raises(TypeError, match="requires_grad must be a bool, got str"):
        ow.zeros(2).requires_grad = "yes"


def test_backward_of_what_requires_no_grad_is_refused():
    x = ow.zeros(2)

    assert (x.is_leaf, x.grad, x.grad_fn) == (True, None, None)
    with pytest.raises(RuntimeError, match="backward: the output does not require grad"):
        x.backward()


# ---- Conversions ----


def test_to_gives_the_tensor_itself_where_nothing_changes():
    x = ow.zeros(2)

    assert x.to(ow.float32) is x
    assert x.to("cpu") is x
    assert x.to(None) is x
    assert x.to(x) is x
    assert x.to(device="cpu", dtype=ow.float32) is x


@pytest.mark.parametrize(
    "call",
    [
        lambda x, m: x.to(m.float64),
        lambda x, m: x.to("cpu", m.float64),
        lambda x, m: x.to(m.device("cpu"), m.float64, True, True),
        lambda x, m: x.to(m.float64, True, True),
        lambda x, m: x.to(m.zeros(1, dtype=m.float64)),
        lambda x, m: x.to(tensor=m.zeros(1, dtype=m.float64)),
        lambda x, m: x.to(dtype=m.float64),
        lambda x, m: x.to(None, m.float64),
        lambda x, m: x.to(m.float64, non_blocking=False, copy=True),
        lambda x, m: x.to(m.float64, memory_format=m.contiguous_format),
        lambda x, m: x.to(device="cpu", dtype=m.float64, copy=True),
        lambda x, m: x.double(),
        lambda x, m: x.float(),
        lambda x, m: x.half(),
        lambda x, m: x.bfloat16(),
        lambda x, m: x.int(),
        lambda x, m: x.long(),
        lambda x, m: x.short(),
        lambda x, m: x.char(),
        lambda x, m: x.byte(),
        lambda x, m: x.bool(),
        lambda x, m: x.type(m.int32),
        lambda x, m: x.cpu(),
    ],
)
def test_conversions_agree_with_torch(call):
    ours = call(ow.tensor([[0.5, 2.5], [3.0, 4.0]]), ow)
    theirs = call(torch.tensor([[0.5, 2.5], [3.0, 4.0]]), torch)

    assert str(theirs.dtype).removeprefix("torch.") == ours.dtype.name
    assert ours.tolist() == theirs.tolist()
    assert ours.stride() == theirs.stride()


def test_to_with_copy_makes_another_tensor():
    x = ow.zeros(2)

    copy_of_x = x.to(ow.float32, copy=True)

    assert copy_of_x is not x
    assert copy_of_x.data_ptr() != x.data_ptr()


def test_to_a_memory_format_keeps_sizes():
    x = ow.zeros(2, 3, 4, 5)

    y = x.to(memory_format=ow.channels_last)

    assert y.shape == x.shape
    assert y.is_contiguous(memory_format=ow.channels_last)
    assert y.to(memory_format=ow.channels_last) is y


def test_to_meta_keeps_sizes_only():
    y = ow.zeros(2, 3).to("meta", ow.float64)

    assert (y.is_meta, y.shape, y.dtype) == (True, (2, 3), ow.float64)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: x.to(ow.float64, dtype=ow.float32), "to: dtype was given twice"),
        (lambda x: x.to(x, dtype=ow.float32), "to: dtype was given twice"),
        (lambda x: x.to(speed=1), "to: it has no argument 'speed'"),
        (lambda x: x.to(ow.float64, False, False, 1), "at most 3 positional arguments"),
        (lambda x: x.to(other=1), "to: other must be a Tensor, got int"),
        (lambda x: x.to(memory_format=1), "memory_format must be a memory_format, got int"),
    ],
)
def test_wrong_arguments_of_to_are_named(call, text):
    with pytest.raises(TypeError, match=text):
        call(ow.zeros(2))


def test_cuda_without_a_device_says_so():
    if ow.is_available("cuda"):
        pytest.skip("there is a cuda device")
    with pytest.raises(RuntimeError, match=r"(?i)cuda"):
        ow.zeros(2).cuda()


def test_new_tensor_takes_dtype_and_device_of_its_tensor():
    x = ow.zeros(2, dtype=ow.float64)

    assert x.new_tensor([1, 2]).dtype == ow.float64
    assert x.new_tensor([1, 2], dtype=ow.int8).dtype == ow.int8
    assert ow.zeros(2, device="meta").new_tensor([1.0]).is_meta


def test_transposes_are_views():
    x = ow.zeros(2, 3, 4)

    assert x.T.shape == (4, 3, 2)
    assert x.mT.shape == (2, 4, 3)
    assert x.T.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="mT: it is only supported on matrices"):
        _ = ow.zeros(2).mT


# ---- Copies ----


def test_copy_shares_memory_and_attributes():
    x = ow.tensor([1.0, 2.0], requires_grad=True)
    x.tags = ["a"]

    y = copy.copy(x)

    assert y.data_ptr() == x.data_ptr()
    assert y.tags is x.tags
    assert y.requires_grad


def test_deepcopy_copies_memory_and_attributes():
    x = ow.tensor([1.0, 2.0], requires_grad=True)
    x.tags = ["a"]

    y = copy.deepcopy(x)

    assert y.data_ptr() != x.data_ptr()
    assert y.tags == x.tags
    assert y.tags is not x.tags
    assert y.requires_grad
    assert y.tolist() == x.tolist()


def test_deepcopy_keeps_a_tensor_that_occurs_twice_one():
    x = ow.zeros(2)

    first, second = copy.deepcopy([x, x])

    assert first is second


def test_deepcopy_follows_a_cycle():
    x = ow.zeros(2)
    x.me = x

    y = copy.deepcopy(x)

    assert y.me is y


def test_copies_keep_a_subclass_with_slots():
    class Slotted(ow.Tensor):
        __slots__ = ("unit",)

    x = Slotted([1.0])
    x.unit = "m"

    assert type(copy.copy(x)) is Slotted
    assert copy.copy(x).unit == "m"
    assert copy.deepcopy(x).unit == "m"
