"""The class of each test that passes in torch: pass here, or why not."""

import re

from .reviews import Reviews
from .source_names import is_private, private_attributes

PASS = "pass"
TEXT = "text"
CLASS = "class"
NAME = "name"
BEHAVIOUR = "behaviour"
PRIVATE = "private"
DELIBERATE = "deliberate"
OPERATOR = "operator"
HANG = "hang"
CRASH = "crash"
REVIEWED = (TEXT, CLASS, NAME, BEHAVIOUR)  # what a review may call private or deliberate
ALL = (PASS, TEXT, CLASS, NAME, BEHAVIOUR, PRIVATE, DELIBERATE, OPERATOR, HANG, CRASH)
# The classes that do not count in the share of passes. Deliberate differences do count.
APART = (PRIVATE, OPERATOR)

# The names of tests that torch.testing._internal.optests generates.
GENERATED = re.compile(r"__test_|\.test_pt2_compliant_tag_")
# Functions, methods, modules and optimizers of torch.
OPERATOR_NAMES = re.compile(
    r"torch\.(Tensor|nn|nn\.functional|nn\.init|nn\.utils(\.\w+)?|linalg|fft|special)\.\w+"
    r"|torch\.ops\.(aten|prims)(\.\w+)+"
    r"|torch\.(optim|nn\.utils|linalg|fft|special)(\.\w+)*"
    r"|torch\.[a-z]\w*"
)
# Names of that form that are part of the work on PyTorch's tests, or are no operators.
OTHER_NAMES = {
    f"torch.{name}"
    for line in (
        "Tensor.untyped_storage Tensor.unsqueeze_ Tensor.squeeze_ Tensor.t_ Tensor.is_inference",
        "Tensor.register_post_accumulate_grad_hook Tensor.retains_grad Tensor.storage_offset",
        "Tensor.data_ptr Tensor.layout Tensor.is_sparse Tensor.itemsize Tensor.nbytes nn.Buffer",
        "autograd compiler export fx func library overrides profiler testing utils types hub cpu",
        "inf nan pi e iinfo finfo device get_default_dtype is_inference inference_mode cuda random",
        "squeeze_ unsqueeze_ strided sparse_coo preserve_format contiguous_format channels_last",
        "version typename vmap is_inference_mode_enabled sym_int sym_max sym_min sym_not sym_ite",
        "sym_float accelerator mps multiprocessing",
    )
    for name in line.split()
}


def classify(test_id: str, record: dict, reviews: Reviews) -> tuple[str, str]:
    """Return the class of a test and the reason in one line.

    A review explains a difference; it hides no hang or crash, and no rule.
    """
    kind, reason = classify_unreviewed(test_id, record)
    if kind in REVIEWED:
        if api := reviews.private_api_of(test_id, reason):
            return PRIVATE, api
        if why := reviews.reason_of(test_id, reason):
            return DELIBERATE, why
    return kind, reason


def failure_of(test_id: str, record: dict) -> str | None:
    """Return the failure that a review may accept, in one line; None: there is none."""
    kind, reason = classify_unreviewed(test_id, record)
    return reason if kind in REVIEWED else None


def classify_unreviewed(test_id: str, record: dict) -> tuple[str, str]:
    outcome = record["outcome"]
    if outcome == "pass" and not record.get("texts"):
        return PASS, ""
    if outcome == "pass":
        first = record["texts"][0]
        return TEXT, f"expected {shorten(first['expected'])!r}, got {shorten(first['given'])!r}"
    if outcome in (HANG, CRASH):
        return outcome, "over the time limit" if outcome == HANG else "the process ended"
    if outcome == "not collected" and GENERATED.search(test_id):
        return PRIVATE, "torch.testing._internal.optests.generate_opcheck_tests"
    if outcome == "not collected" and record.get("missing"):
        return OPERATOR, record["missing"]
    if outcome != "fail":
        return BEHAVIOUR, outcome
    return classify_failure(record)


def classify_failure(record: dict) -> tuple[str, str]:
    missing = record.get("missing")
    if missing and is_private(missing):
        return PRIVATE, missing
    if record.get("unresolved"):
        return PRIVATE, ", ".join(record["unresolved"][:3])
    if missing is None and record["type"] == "AttributeError":
        attributes = [name for line in record["lines"] for name in private_attributes(line)]
        if attributes:
            return PRIVATE, ", ".join(attributes)
    if missing:
        if missing not in OTHER_NAMES and OPERATOR_NAMES.fullmatch(missing):
            return OPERATOR, missing
        return NAME, missing
    shown = f"{record['type']}: {shorten(record['text'])}"
    if record.get("expected_class"):
        return CLASS, f"expected {record['expected_class']}, got {shown}"
    last = next((each for each in reversed(record.get("lines", ())) if each[:5] == "test_"), "")
    return BEHAVIOUR, f"{shown} ({shorten(last, 100)})"


def shorten(text: str, length: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 3] + "..."
