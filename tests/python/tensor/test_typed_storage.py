"""Tensor.storage(): the memory of a tensor in elements of its dtype."""

import opwright as ow
import pytest


def test_views_have_equal_storages_and_copies_do_not():
    x = ow.ones(2, 3)

    assert x[1].storage() == x.storage()
    assert hash(x[1].storage()) == hash(x.storage())
    assert x.clone().storage() != x.storage()
    assert x.storage().data_ptr() == x[0].data_ptr()
    assert x.storage().untyped() == x.untyped_storage()


def test_a_write_to_the_storage_changes_the_tensor():
    x = ow.zeros(2, 2, dtype=ow.int64)

    x[1].storage()[1] = 5
    x.storage()[2:] = 7

    assert x.tolist() == [[0, 5], [7, 7]]
    assert list(x.storage().fill_(1)) == [1, 1, 1, 1]


def test_the_text_of_a_storage_lists_its_elements():
    expected = " 0.0\n 2.0\n[opwright.TypedStorage(dtype=opwright.float32, device=cpu) of size 2]"

    assert str(ow.tensor([0.0, 2.0]).storage()) == expected


def test_the_storage_of_a_fake_has_a_size_and_no_elements():
    with ow.FakeTensorMode():
        storage = ow.zeros(3).storage()

    assert (len(storage), storage.data_ptr(), storage.device) == (3, 0, ow.device("meta"))
    assert str(storage).startswith("...\n[opwright.TypedStorage(")
    with pytest.raises(NotImplementedError, match="the memory of a fake tensor has no elements"):
        storage[0]


def test_a_real_tensor_has_its_storage_in_a_fake_mode_too():
    x = ow.tensor([1.0, 2.0])

    with ow.FakeTensorMode():
        storage = x.storage()
        storage[1] = storage[0] + 4

        assert storage.tolist() == [1.0, 5.0]
        assert storage.untyped() == x.untyped_storage()

    assert x.tolist() == [1.0, 5.0]


def test_a_write_to_the_storage_is_seen_by_the_tape():
    x = ow.ones(2, requires_grad=True)
    y = x * 2
    z = y * y

    y.storage()[0] = 3.0

    with pytest.raises(RuntimeError, match="modified"):
        z.sum().backward()


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        (3, IndexError, "TypedStorage: index 3 is out of range for 3 elements"),
        (-4, IndexError, "TypedStorage: index -4 is out of range for 3 elements"),
        ("a", TypeError, "TypedStorage: an index must be an int, got str"),
        (slice(1), TypeError, "TypedStorage: an index must be an int, got slice"),
    ],
)
def test_a_wrong_index_is_told(index, kind, text):
    with pytest.raises(kind, match=text):
        ow.zeros(3).storage()[index]


def test_a_value_of_a_transform_has_no_storage():
    with pytest.raises(RuntimeError, match="storage"):
        ow.vmap(lambda x: x.storage().data_ptr())(ow.ones(2, 3))
