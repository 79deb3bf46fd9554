"""Outputs that are not tensors, and draws of chunks: what torch's vmap does."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch
from opwright import vmap

VALUES = [3.5, "text", None, (1, "a"), {"n": 2}]


@pytest.mark.parametrize("value", VALUES)
def test_an_output_that_is_no_tensor_comes_through_with_out_dims_none(value):
    def returned(module):
        out = module.vmap(lambda x: (x * 2, value), out_dims=(0, None))(module.ones(3))
        return out[0].tolist(), out[1]

    assert returned(compat) == returned(torch)


def test_a_function_may_return_no_tensor_at_all():
    assert vmap(lambda x: 3, out_dims=None)(ow.ones(2)) == 3
    assert torch.vmap(lambda x: 3, out_dims=None)(torch.ones(2)) == 3


def test_an_output_that_is_no_tensor_comes_through_chunks():
    doubled, name = vmap(lambda x: (x * 2, "name"), out_dims=(0, None), chunk_size=2)(ow.ones(3))

    assert (doubled.tolist(), name) == ([2, 2, 2], "name")


@pytest.mark.parametrize("module", [compat, torch], ids=["compat", "torch"])
@pytest.mark.parametrize("chunk_size", [1, 2, 3, None])
def test_all_chunks_draw_the_same_numbers(module, chunk_size):
    drawn = module.vmap(lambda x: x + module.rand(4), randomness="same", chunk_size=chunk_size)(
        module.zeros(3, 4)
    )

    assert drawn[0].tolist() == drawn[1].tolist() == drawn[2].tolist()


def test_chunks_draw_what_one_call_draws():
    def draw(chunk_size):
        ow.manual_seed(3)
        mapped = vmap(lambda x: ow.rand(4), randomness="same", chunk_size=chunk_size)
        return mapped(ow.zeros(3)).tolist(), ow.rand(2).tolist()

    assert draw(1) == draw(2) == draw(None)


def test_chunks_that_draw_from_a_generator_draw_the_same_numbers():
    generator = ow.Generator()

    drawn = vmap(lambda x: ow.rand(4, generator=generator), randomness="same", chunk_size=1)(
        ow.zeros(3)
    )

    assert drawn[0].tolist() == drawn[1].tolist() == drawn[2].tolist()


def test_functionalized_chunks_draw_the_same_numbers():
    draw = ow.func.functionalize(lambda x: x + ow.rand(4))

    drawn = vmap(draw, randomness="same", chunk_size=1)(ow.zeros(3, 4))

    assert drawn[0].tolist() == drawn[1].tolist() == drawn[2].tolist()


def test_chunks_with_different_numbers_draw_different_ones():
    drawn = vmap(lambda x: ow.rand(4), randomness="different", chunk_size=1)(ow.zeros(3))

    assert drawn[0].tolist() != drawn[1].tolist()


@pytest.mark.parametrize("size", [(0, 2, 3), (2, 3, 0), (2, 3, 4)])
@pytest.mark.parametrize("stride", [(12, 4, 1), (0, 0, 0)])
def test_samples_without_elements_need_no_memory(size, stride):
    def layout(module):
        made = module.vmap(lambda x: x.new_empty_strided(size, stride))(module.ones(7))
        return tuple(made.shape), made.stride()

    assert layout(compat) == layout(torch)
