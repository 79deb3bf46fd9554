"""Records samples.jsonl.gz: runs torch's operator database, and keeps a few calls of each operator.

A call is kept for an overload that we have, for each dtype of the database's samples at most
twice: once with dense arguments, once with others. Values of floating tensors are drawn again from
their range; ints and bools are kept where they are few, since many of them are indices.
"""

import gzip
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path[:0] = [str(BUILD / "python"), str(ROOT)]

import torch  # noqa: E402

from tests.devices.recorded.sample import FILE, Sample  # noqa: E402
from tests.ops.replay import recorder  # noqa: E402
from tests.ops.replay.call import NotReplayableError, map_values, tensors_of  # noqa: E402
from tests.ops.replay.comparison import TOLERANCES  # noqa: E402
from tests.ops.replay.replayer import find_ours  # noqa: E402

DTYPES = ("float32", "int64", "bfloat16", "float16", "bool")
SAMPLES = 2  # of an entry and dtype that run
MOST_KEPT = 96  # elements of a tensor of ints that are written as they are
MOST_ELEMENTS = 1 << 18
# Entries whose operators no device plug-in has kernels for.
LEFT_OUT = (
    "linalg.",
    "fft.",
    "special.",
    "signal.",
    "masked.",
    "jiterator",
    "sparse",
    "_refs",
    "ops.",
)


class Form:
    """The arguments of a call in the file's form."""

    def __init__(self):
        self.tensors = []
        self.is_dense = True

    def __call__(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
            kind = type(value).__name__
            return {kind: str(value).removeprefix("torch.")}
        if isinstance(value, torch.device) or value == "cpu":
            return {"device": "cpu"}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise NotReplayableError(type(value).__name__)

    def tensor(self, value: torch.Tensor) -> dict:
        for place, known in enumerate(self.tensors):
            if known is value:
                return {"same": place}
            if known.untyped_storage()._cdata == value.untyped_storage()._cdata:
                raise NotReplayableError("shared memory")
        if value.layout != torch.strided or value.is_conj() or value.is_neg():
            raise NotReplayableError("layout")
        count = value.untyped_storage().nbytes() // value.element_size()
        if count > MOST_ELEMENTS:
            raise NotReplayableError("size")
        self.tensors.append(value)
        self.is_dense &= value.is_contiguous()
        whole = value.detach().as_strided((count,), (1,), 0)
        content = {
            "dtype": str(value.dtype).removeprefix("torch."),
            "sizes": list(value.shape),
            "strides": list(value.stride()),
            "offset": value.storage_offset(),
            "count": count,
            "values": self.values(whole),
        }
        return {"tensor": content}

    def values(self, whole: torch.Tensor) -> dict:
        is_exact = not (whole.is_floating_point() or whole.is_complex())
        numbers = torch.view_as_real(whole) if whole.is_complex() else whole
        is_finite = bool(torch.isfinite(numbers).all())
        if (is_exact or not is_finite) and whole.numel() <= MOST_KEPT and not whole.is_complex():
            return {"kept": whole.tolist()}
        finite = numbers[torch.isfinite(numbers)] if not is_finite else numbers
        if finite.numel() == 0:
            return {"seed": len(self.tensors), "range": [0, 0]}
        if finite.dtype == torch.bool:
            return {"seed": len(self.tensors)}
        low, high = finite.min().item(), finite.max().item()
        if not is_exact:
            low, high = float(f"{low:.4g}"), float(f"{high:.4g}")
        return {"seed": len(self.tensors), "range": [low, high]}


class SampleRecorder:
    """Stands where the replay's Replayer does."""

    def __init__(self):
        self.entry = ""
        self.tolerances = TOLERANCES
        self.dtype = ""
        self.lines = {}

    def run(self, overload, args, kwargs):
        line = self.line_of(overload, args, kwargs)
        result = overload(*args, **kwargs)  # before it is kept: torch may refuse it
        if line is not None and all(not each.is_sparse for each in tensors_of(result)):
            self.lines.setdefault(*line)
        return result

    def line_of(self, overload, args, kwargs):
        name = str(overload)
        if name.count(".") == 1:
            name += ".default"
        if find_ours(name) is None:
            return None
        form = Form()
        try:
            args = map_values(form, list(args))
            kwargs = map_values(form, dict(kwargs))
        except (NotReplayableError, RuntimeError):
            return None
        sample = Sample(name, self.dtype, args, kwargs)
        return (name, self.dtype, form.is_dense), sample.to_line()


def write(lines: dict) -> None:
    text = "".join(line + "\n" for _, line in sorted(lines.items()))
    with gzip.GzipFile(FILE, "wb", mtime=0) as file:
        file.write(text.encode())
    overloads = {key[0] for key in lines}
    print(f"{len(lines)} calls of {len(overloads)} operators, {FILE.stat().st_size} bytes")


def main() -> None:
    record = SampleRecorder()
    for dtype in DTYPES:
        record.dtype = dtype
        for name, entry in recorder.entries().items():
            if name.startswith(LEFT_OUT) or not recorder.supports(entry, dtype):
                continue
            try:
                recorder.run_entry(record, name, dtype, seed=0, limit=SAMPLES)
            except Exception as error:
                print(f"{name} {dtype}: {type(error).__name__}: {error}", file=sys.stderr)
        write(record.lines)


if __name__ == "__main__":
    main()
