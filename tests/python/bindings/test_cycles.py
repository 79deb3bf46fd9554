"""Cycles through Python and C++ are collected."""

import gc
import threading
import weakref

import opwright as ow
from opwright import _C, Tensor


class Box:
    pass


def is_collected(make):
    """Return whether the object of the weak reference from `make` is collected with its cycle."""
    gc.collect()
    gc.disable()
    try:
        reference = make()
        assert reference() is not None
        gc.collect()
        return reference() is None
    finally:
        gc.enable()


def test_a_tensor_that_is_its_own_attribute():
    def make():
        x = ow.ones(3)
        x.itself = x
        return weakref.ref(x)

    assert is_collected(make)


def test_a_subclass_whose_slot_leads_back_to_it():
    class Slotted(Tensor):
        __slots__ = ("back",)

    def make():
        x = Slotted(ow.ones(3))
        x.back = [x]
        return weakref.ref(x)

    assert is_collected(make)


def test_a_scope_whose_kernel_refers_to_it():
    def make():
        scope = _C.Scope()
        box = Box()
        box.scope = scope
        scope.define("cycle::kernel(Tensor x) -> Tensor")
        scope.implement("cycle::kernel", "cpu", lambda x: (box, x)[1])
        assert ow.ops.cycle.kernel(ow.ones(1)).tolist() == [1.0]
        return weakref.ref(box)

    assert is_collected(make)
    assert _C.find_operator("cycle::kernel") is None


def test_a_library_whose_kernel_refers_to_it():
    def make():
        library = ow.library.Library("cycle", "FRAGMENT")
        box = Box()
        box.library = library
        library.define("held(Tensor x) -> Tensor")
        library.impl("held", lambda x: (box, x)[1], "CPU")
        assert ow.ops.cycle.held(ow.ones(1)).tolist() == [1.0]
        return weakref.ref(box)

    assert is_collected(make)
    assert _C.find_operator("cycle::held") is None


def test_a_tensor_that_cpp_owns_is_not_collected(probe):
    x = ow.ones(3)
    x.itself = x
    reference = weakref.ref(x)
    handle = probe.hold(x)
    del x
    gc.collect()
    assert reference().itself is reference()
    probe.drop_held(handle)
    gc.collect()
    assert reference() is None


def test_the_slots_of_a_tensor_that_cpp_owns_are_not_cleared(probe):
    class Slotted(Tensor):
        __slots__ = ("back",)

    x = Slotted(ow.ones(3))
    x.back = [x]
    reference = weakref.ref(x)
    handle = probe.hold(x)
    del x
    gc.collect()
    assert reference().back[0] is reference()
    probe.drop_held(handle)
    gc.collect()
    assert reference() is None


def test_the_collector_runs_while_a_call_has_released_the_lock(probe):
    class Slotted(Tensor):
        __slots__ = ("back",)

    stop = threading.Event()

    def collect():
        while not stop.is_set():
            gc.collect(1)

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for _ in range(30):
            x = Slotted(ow.ones(3))
            x.back = [x]
            probe.churn(x, 300)
            assert x.back[0] is x
    finally:
        stop.set()
        collector.join()
