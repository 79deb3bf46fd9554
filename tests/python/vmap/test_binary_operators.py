"""Operators of a C++ binary under vmap, by the rules that it registers."""

import os
from pathlib import Path

import opwright as ow
import pytest
from opwright import make_fx, vmap

from .samples import assert_same, counted

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build/release"))
ow.load_library(BUILD / "operators" / "libbatched.so")
batched = ow.ops.batched


def test_lists_optional_and_keyword_only_tensors_have_their_dims():
    x, y, bias, scale = counted(3, 2), counted(2), counted(2, 3), counted(3, 2)

    def mix(x, bias, scale):
        total, (first, second) = batched.mix([x, y], bias, scale=scale)
        return total, first, second

    total, first, second = vmap(mix, in_dims=(0, 1, 0))(x, bias, scale)

    assert_same(first, x * scale)
    assert_same(second, y * scale)
    assert_same(total, x * scale + y * scale + bias.t())


def test_an_optional_tensor_that_is_not_given_has_no_dim():
    x, scale = counted(3, 2), counted(2)

    total, _ = vmap(lambda x: batched.mix([x], scale=scale))(x)

    assert_same(total, x * scale)


def test_a_sample_is_written_by_the_rule_and_given_back():
    x, same = counted(2, 3), []

    vmap(lambda x: same.append(batched.halve_(x) is x) or x, in_dims=1)(x)

    assert same == [True]
    assert_same(x, counted(2, 3) * 0.5)


def test_a_rule_is_told_what_random_numbers_to_draw():
    x = ow.zeros(4, 3)

    drawn = vmap(batched.jitter, randomness="different")(x)

    assert len({*drawn.flatten().tolist()}) == 12
    with pytest.raises(RuntimeError, match="jitter: only different numbers"):
        vmap(batched.jitter, randomness="same")(x)
    with pytest.raises(RuntimeError, match="batched::jitter: random numbers were requested inside"):
        vmap(batched.jitter)(x)


def test_a_rule_in_a_binary_is_traced_with_the_size_of_the_batch_open():
    mapped = vmap(lambda x, scale: batched.mix([x, x], scale=scale)[0])

    traced = make_fx(mapped, tracing_mode="symbolic")(counted(3, 2), counted(3, 2))

    x, scale = counted(5, 4), counted(5, 4)
    assert_same(traced(x, scale), mapped(x, scale))
    assert "guard" not in str(traced.graph)
