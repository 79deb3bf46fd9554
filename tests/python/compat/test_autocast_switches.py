"""Switches of autocast outside of `with` statements, as programs of torch use them."""

import opwright.compat.torch as compat
import pytest
import torch

LIBRARIES = {"torch": torch, "opwright": compat}


def dtype_of_product(lib) -> str:
    return str((lib.ones(2, 2) @ lib.ones(2, 2)).dtype).partition(".")[2]


@pytest.fixture(autouse=True)
def default_switches():
    yield
    for lib in LIBRARIES.values():
        lib.set_autocast_enabled("cpu", False)
        lib.set_autocast_dtype("cpu", lib.bfloat16)
        lib.set_autocast_cache_enabled(True)


def seen_by_switches(lib) -> list[object]:
    seen: list[object] = []

    def look():
        name = str(lib.get_autocast_dtype("cpu")).partition(".")[2]
        seen.append((dtype_of_product(lib), lib.is_autocast_enabled("cpu"), name))

    lib.set_autocast_enabled("cpu", True)
    look()
    lib.set_autocast_dtype("cpu", lib.float16)
    look()
    with lib.autocast("cpu", enabled=False):
        look()
    with lib.autocast("cpu"):
        look()
    look()
    lib.set_autocast_cpu_enabled(False)
    look()
    with lib.autocast("cpu"):  # the dtype stays set
        look()
    lib.set_autocast_cpu_dtype(lib.bfloat16)
    look()
    seen.append([lib.autocast_increment_nesting(), lib.autocast_decrement_nesting()])
    return seen


def test_switches_last_until_they_are_set_again_as_in_torch():
    assert seen_by_switches(compat) == seen_by_switches(torch)


def test_an_inner_autocast_without_a_dtype_has_that_of_the_outer_one():
    def run(lib):
        with lib.autocast("cpu", dtype=lib.float16), lib.autocast("cpu"):
            return dtype_of_product(lib)

    assert run(compat) == run(torch) == "float16"


def casts_are_kept(lib) -> bool:
    weight = lib.ones(2, 2).requires_grad_()
    with lib.autocast("cpu"):
        first = lib.mm(weight, weight)
        return first.grad_fn is not None and weight.requires_grad


def test_the_cache_can_be_turned_off_and_cleared():
    assert compat.is_autocast_cache_enabled()
    compat.set_autocast_cache_enabled(False)

    assert not compat.is_autocast_cache_enabled()
    assert casts_are_kept(compat)
    compat.clear_autocast_cache()


def test_switches_at_their_defaults_leave_no_state_for_compiled_functions_to_guard():
    compiled = compat.compile(lambda x: x * 2, fullgraph=True)
    compiled(compat.ones(2))

    compat.set_autocast_enabled("cpu", True)
    compat.set_autocast_dtype("cpu", compat.float16)
    compat.set_autocast_enabled("cpu", False)
    compat.set_autocast_dtype("cpu", compat.bfloat16)
    compiled(compat.ones(2))

    assert compiled.num_compiles == 1


def test_a_switch_inside_of_a_later_block_is_refused():
    compat.set_autocast_enabled("cpu", True)

    with (
        compat.autocast("cpu"),
        pytest.raises(RuntimeError, match="set_autocast_enabled: a `with` statement of autocast"),
    ):
        compat.set_autocast_enabled("cpu", False)
    assert compat.is_autocast_enabled("cpu")


def test_switches_name_what_they_expect():
    with pytest.raises(TypeError, match="expected a type of device and a bool"):
        compat.set_autocast_enabled("cpu")
    with pytest.raises(ValueError, match="dtype must be bfloat16 or float16, got float32"):
        compat.set_autocast_dtype("cpu", compat.float32)
