"""Recorded calls of every operator: those that run on the device match the CPU."""

from tests.devices.recorded.replay import replay
from tests.devices.recorded.table import summary

# What a network for images and one for text are trained with: these must run on the device.
NEEDED = (
    "add.Tensor",
    "mul.Tensor",
    "div.Tensor",
    "sum.dim_IntList",
    "mean.dim",
    "max.dim",
    "mm.default",
    "bmm.default",
    "addmm.default",
    "_softmax.default",
    "_log_softmax.default",
    "native_layer_norm.default",
    "native_layer_norm_backward.default",
    "embedding.default",
    "embedding_dense_backward.default",
    "index_select.default",
    "gather.default",
    "scatter_add.default",
    "index.Tensor",
    "cat.default",
    "copy_.default",
    "where.self",
)


def test_recorded_calls_give_what_the_cpu_gives():
    outcomes = replay("cuda")

    print(summary(outcomes))
    failures = [text for outcome in outcomes.values() for text in outcome.failures]
    assert failures == []


def test_operators_of_training_have_kernels():
    outcomes = replay("cuda", patterns=NEEDED)

    without = [name for name in NEEDED if outcomes[name].counts["ok"] == 0]
    assert without == []
