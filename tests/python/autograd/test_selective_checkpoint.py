"""Selective checkpointing: the second run looks up the results of chosen operators."""

import functools

import opwright as ow
import pytest
from opwright.autograd import checkpoint
from opwright.autograd.selective_checkpoint import (
    CheckpointPolicy,
    create_selective_checkpoint_contexts,
)

counts = {"calls": 0}


@ow.library.custom_op("selective_checkpoint::counted_sin", mutates_args=())
def counted_sin(x: ow.Tensor) -> ow.Tensor:
    counts["calls"] += 1
    return x.sin()


def save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


ow.library.register_autograd(
    "selective_checkpoint::counted_sin",
    lambda ctx, gradient: gradient * ctx.saved_tensors[0].cos(),
    setup_context=save,
)


@pytest.fixture(autouse=True)
def no_calls():
    counts["calls"] = 0


def contexts(policy, **options):
    return functools.partial(create_selective_checkpoint_contexts, policy, **options)


def function(x):
    return (counted_sin(x) * x.sin().exp()).sin()


def leaf():
    return ow.tensor([0.1, 0.2], requires_grad=True)


def test_a_saved_operator_does_not_run_again():
    x = leaf()
    listed = contexts([ow.ops.selective_checkpoint.counted_sin.default])

    (gradient,) = ow.autograd.grad(checkpoint(function, x, context_fn=listed).sum(), x)

    assert counts["calls"] == 1
    assert ow.allclose(gradient, ow.autograd.grad(function(x).sum(), x)[0])


def test_other_operators_run_again():
    x = leaf()

    checkpoint(function, x, context_fn=contexts([ow.ops.aten.exp.default])).sum().backward()

    assert counts["calls"] == 2


def test_a_policy_is_asked_in_the_first_run_only():
    asked = []

    def policy(ctx, op, *args, **kwargs):
        asked.append((ctx.is_recompute, op.name))
        return CheckpointPolicy.PREFER_RECOMPUTE

    checkpoint(lambda x: x.sin().cos(), leaf(), context_fn=contexts(policy)).sum().backward()

    assert asked == [(False, "aten::sin"), (False, "aten::cos")]


def test_a_saved_result_that_was_written_is_an_error():
    def written(x):
        return x.sin().mul_(2).cos().exp()

    listed = contexts([ow.ops.aten.sin.default])
    y = checkpoint(written, leaf(), context_fn=listed)

    with pytest.raises(RuntimeError, match="has been mutated"):
        y.sum().backward()

    allowed = contexts([ow.ops.aten.sin.default], allow_cache_entry_mutation=True)
    checkpoint(written, leaf(), context_fn=allowed).sum().backward()


def test_a_second_backward_is_an_error():
    listed = contexts([ow.ops.aten.sin.default])
    y = checkpoint(lambda x: x.sin().cos().exp(), leaf(), context_fn=listed)
    y.sum().backward(retain_graph=True)

    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.sum().backward()


def test_an_operator_that_only_the_second_run_calls_is_an_error():
    runs = []

    def differing(x):
        runs.append(x)
        return x.sin().exp() if len(runs) > 1 else x.sin()

    y = checkpoint(differing, leaf(), context_fn=contexts(lambda *_: False), early_stop=False)

    with pytest.raises(RuntimeError, match="not found in storage"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ([2], ValueError, "Expected op in `op_list` to be an OpOverload"),
        ([ow.ops.aten.sin], ValueError, "update the OpOverloadPacket to a specific OpOverload"),
        (2, TypeError, "either a function or a list of ops"),
    ],
)
def test_what_is_no_policy_is_refused(given, kind, text):
    with pytest.raises(kind, match=text):
        create_selective_checkpoint_contexts(given)
