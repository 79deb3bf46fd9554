"""Ownership between a tensor, its Python object, and handles that C++ holds."""
# Covers: python/bindings/object/*.

import gc
import weakref

import opwright as ow
import pytest
from opwright import Tensor


class Parameter(Tensor):
    __slots__ = ("extra",)


def holding(probe, tensor):
    """Return the number of a C++ handle of `tensor`."""
    return probe.hold(tensor)


def test_the_live_object_of_a_tensor_is_handed_out_again(probe):
    x = ow.ones(3)
    handle = holding(probe, x)
    assert probe.get_held(handle) is x
    probe.drop_held(handle)


def test_an_in_place_operator_returns_the_object_itself():
    x = ow.ones(3)
    assert x.add_(1) is x
    assert ow.ops.aten.zero_(x) is x


def test_a_dead_plain_object_is_made_anew_over_the_same_memory(probe):
    x = ow.ones(3)
    address = x.data_ptr()
    handle = holding(probe, x)
    del x
    y = probe.get_held(handle)
    assert type(y) is Tensor
    assert y.data_ptr() == address
    probe.drop_held(handle)


def test_an_object_with_attributes_is_kept_while_cpp_holds_its_tensor(probe):
    x = ow.ones(3)
    x.name = "weight"
    identity = id(x)
    handle = holding(probe, x)
    del x
    gc.collect()
    y = probe.get_held(handle)
    assert id(y) == identity
    assert y.name == "weight"
    probe.drop_held(handle)


def test_an_object_with_a_weak_reference_is_kept_while_cpp_holds_its_tensor(probe):
    x = ow.ones(3)
    reference = weakref.ref(x)
    handle = holding(probe, x)
    del x
    assert reference() is not None
    assert probe.get_held(handle) is reference()
    probe.drop_held(handle)
    assert reference() is None


@pytest.mark.parametrize("drop", ["drop_held", "drop_held_on_thread"])
def test_a_subclass_with_slots_and_del_turns_round_many_times(probe, drop):
    deleted = []

    class Counted(Tensor):
        __slots__ = ("payload",)

        def __del__(self):
            deleted.append(self.payload)

    for turn in range(50):
        x = Counted(ow.ones(3))
        x.payload = ["kept", turn]
        for _ in range(3):
            handle = holding(probe, x)
            del x
            gc.collect(0)
            assert deleted == []
            x = probe.get_held(handle)
            assert type(x) is Counted
            assert x.payload == ["kept", turn]
            getattr(probe, drop)(handle)
        handle = holding(probe, x)
        del x
        getattr(probe, drop)(handle)
        ow.ones(1)  # a call drains the queue of objects that died without the GIL
        assert deleted == [["kept", turn]]
        deleted.clear()


def test_the_last_handle_may_go_on_a_thread_without_the_lock(probe):
    x = Parameter(ow.ones(3))
    x.extra = object()
    reference = weakref.ref(x)
    handle = holding(probe, x)
    del x
    assert reference() is not None
    probe.drop_held_on_thread(handle)
    ow.ones(1)
    assert reference() is None


def test_a_subclass_is_given_to_python_kernels_as_itself(scope):
    seen = []

    def kernel(x):
        seen.append(x)
        return x

    op = scope.define("owner::see(Tensor x) -> Tensor")
    scope.implement("owner::see", "cpu", kernel)
    x = Parameter(ow.ones(3))
    assert op(x) is x
    assert seen[0] is x


def test_no_tensor_is_left_when_the_objects_are_gone(probe):
    ow.ones(1)
    before = ow._C.live_counts()
    kept = [ow.ones(3) for _ in range(500)]
    views = [each[1:] for each in kept]
    assert ow._C.live_counts()[0] == before[0] + 1000
    del kept, views
    assert ow._C.live_counts() == before


def test_an_object_resurrected_by_del_stays_usable():
    saved = []

    class Phoenix(Tensor):
        def __del__(self):
            saved.append(self)

    Phoenix(ow.ones(3))
    assert saved[0].tolist() == [1.0, 1.0, 1.0]
    saved.clear()
