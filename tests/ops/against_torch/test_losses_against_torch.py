"""Seeded random calls of losses of sequences and margins match torch."""

import pytest

from .torch_referee import Calls, check_against_torch, torch

WIDE = ["float32", "float64"]
FLOATS = [*WIDE, "float16", "bfloat16"]


def log_probs(calls: Calls, frames: int, batch: int, labels: int) -> torch.Tensor:
    return calls.tensor([frames, batch, labels], calls.dtype(WIDE)).log_softmax(2)


def ctc_calls(calls: Calls) -> None:
    for _ in range(120):
        batch, labels = calls.random.randint(1, 4), calls.random.randint(2, 5)
        frames = calls.random.randint(1, 8)
        probs = log_probs(calls, frames, batch, labels)
        blank = calls.random.randrange(labels)
        inputs = [calls.random.randint(1, frames) for _ in range(batch)]
        targets = [calls.random.randint(0, 4) for _ in range(batch)]
        sizes = [batch, max(targets) + 1] if calls.random.random() < 0.5 else [sum(targets)]
        others = [each for each in range(labels) if each != blank]
        chosen = [calls.random.choice(others) for _ in range(torch.Size(sizes).numel())]
        of = torch.tensor(chosen, dtype=calls.random.choice([torch.int64, torch.int32]))
        of = of.reshape(sizes)
        loss, alpha = torch.ops.aten._ctc_loss(probs, of, inputs, targets, blank, False)
        for reduction in (0, 1, 2):
            for drops in (False, True):
                calls.add(
                    "aten::ctc_loss.IntList", probs, of, inputs, targets, blank, reduction, drops
                )
        lengths = (torch.tensor(inputs), torch.tensor(targets))
        calls.add("aten::ctc_loss.Tensor", probs, of, *lengths, blank, 1, True)
        grad = calls.tensor([batch], str(probs.dtype).removeprefix("torch.")).contiguous()
        dense = probs.contiguous()
        rest = (loss, alpha, blank, True)
        calls.add("aten::_ctc_loss_backward", grad, dense, of, inputs, targets, *rest)
        calls.add("aten::_ctc_loss_backward.Tensor", grad, dense, of, *lengths, *rest)


def margin_calls(calls: Calls) -> None:
    for _ in range(120):
        classes, batch = calls.random.randint(1, 6), calls.random.randint(1, 4)
        dtype = calls.dtype(WIDE)
        x = calls.tensor([batch, classes], dtype)
        target = torch.tensor([calls.random.randrange(classes) for _ in range(batch)])
        weight = calls.tensor([classes], dtype) if calls.random.random() < 0.4 else None
        p, margin = calls.random.choice([1, 2]), calls.random.choice([1, 0.5, 2.5])
        for reduction in (0, 1, 2):
            calls.add("aten::multi_margin_loss", x, target, p, margin, weight, reduction)
            calls.add("aten::multi_margin_loss", x[0], target[0], p, margin, weight, reduction)


def multilabel_calls(calls: Calls) -> None:
    for _ in range(120):
        classes, batch = calls.random.randint(1, 6), calls.random.randint(1, 4)
        x = calls.tensor([batch, classes], calls.dtype(WIDE))
        rows = []
        for _ in range(batch):
            row = calls.random.sample(range(classes), classes)
            row[calls.random.randint(0, classes) :] = []
            rows.append(row + [-1] * (classes - len(row)))
        target = torch.tensor(rows)
        for reduction in (0, 1, 2):
            calls.add("aten::multilabel_margin_loss_forward", x, target, reduction)
            calls.add("aten::multilabel_margin_loss", x[0].contiguous(), target[0], reduction)
            y, marks = torch.ops.aten.multilabel_margin_loss_forward(x, target, reduction)
            grad = torch.full_like(y, 0.75)
            args = (grad, x, target, reduction, marks)
            calls.add("aten::multilabel_margin_loss_backward", *args)


def composite_calls(calls: Calls) -> None:
    for _ in range(80):
        dtype = calls.dtype(WIDE)
        sizes = [calls.random.randint(1, 4), calls.random.randint(1, 5)]
        a, b, c = (calls.tensor(sizes, dtype) for _ in range(3))
        reduction = calls.random.randint(0, 2)
        p, swap = calls.random.choice([1.0, 2.0, 3.0]), calls.random.random() < 0.5
        calls.add("aten::triplet_margin_loss", a, b, c, 0.75, p, 1e-6, swap, reduction)
        counts = torch.randint(0, 6, sizes).to(a.dtype)
        for is_log in (False, True):
            rates = a if is_log else a.abs()
            full = calls.random.random() < 0.5
            calls.add("aten::poisson_nll_loss", rates, counts, is_log, full, 1e-8, reduction)


@pytest.mark.parametrize("make_calls", [ctc_calls, margin_calls, multilabel_calls, composite_calls])
@pytest.mark.parametrize("seed", [1, 3])
def test_losses_give_what_torch_gives(make_calls, seed):
    check_against_torch(make_calls, seed)
