"""A recorded call: its form in the file, and its arguments as our tensors."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import opwright as ow

FILE = Path(__file__).resolve().parent / "samples.jsonl.gz"


@dataclass
class Sample:
    """One call; `dtype` is that of the database's sample."""

    overload: str  # "aten.add.Tensor"
    dtype: str
    args: list
    kwargs: dict

    @classmethod
    def from_line(cls, line: str) -> "Sample":
        overload, dtype, args, kwargs = json.loads(line)
        return cls(overload, dtype, args, kwargs)

    def to_line(self) -> str:
        return json.dumps([self.overload, self.dtype, self.args, self.kwargs])

    def operator(self):
        """Our operator, or None."""
        _, name, form = self.overload.split(".")
        packet = getattr(ow.ops.aten, name, None)
        return getattr(packet, form) if packet is not None and form in packet.overloads() else None


def read_samples(file: Path = FILE) -> Iterator[Sample]:
    """The calls of the file; none where it was not recorded."""
    if not file.exists():
        return
    with gzip.open(file, "rt") as lines:
        for line in lines:
            yield Sample.from_line(line)


class Arguments:
    """Makes the arguments of a sample on a device. `bases` are the memories of its tensors."""

    def __init__(self, sample: Sample, device: str):
        self.device = device
        self.bases = []
        self.tensors = []
        self.args = [self.value(each) for each in sample.args]
        self.kwargs = {name: self.value(each) for name, each in sample.kwargs.items()}

    def value(self, form):
        if isinstance(form, list):
            return [self.value(each) for each in form]
        if not isinstance(form, dict):
            return form
        kind, content = next(iter(form.items()))
        if kind == "tensor":
            return self.tensor(**content)
        if kind == "same":
            return self.tensors[content]
        if kind == "device":
            return ow.device(self.device)
        if kind == "complex":
            return complex(*content)
        return getattr(ow, content)  # a dtype, a memory format, a layout

    def tensor(self, dtype, sizes, strides, offset, count, values) -> ow.Tensor:
        base = ow.from_numpy(make_values(dtype, count, values))
        if base.dtype != getattr(ow, dtype):
            base = base.to(getattr(ow, dtype))
        self.bases.append(base.to(self.device))
        self.tensors.append(ow.as_strided(self.bases[-1], sizes, strides, offset))
        return self.tensors[-1]


def make_values(dtype: str, count: int, values: dict) -> np.ndarray:
    """The elements of a memory: the stored ones, or random ones of a range."""
    wide = {"bfloat16": np.float32, "float16": np.float32, "bool": np.bool_}
    kind = wide.get(dtype) or np.dtype(dtype).type
    if "kept" in values:
        return np.array(values["kept"], dtype=kind)
    random = np.random.default_rng(values["seed"])
    if dtype == "bool":
        return random.integers(0, 2, count).astype(kind)
    low, high = values["range"]
    if np.issubdtype(kind, np.integer):
        return random.integers(low, high, count, endpoint=True).astype(kind)
    if np.issubdtype(kind, np.complexfloating):
        return (random.uniform(low, high, count) + 1j * random.uniform(low, high, count)).astype(
            kind
        )
    return random.uniform(low, high, count).astype(kind)
