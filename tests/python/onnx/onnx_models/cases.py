"""The models with their inputs, and how each is exported and run."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import opwright as ow
import torch
from opwright import pytree

from tests.python.export.models.cases import (
    OPERATORS,
    Case,
    floats,
    image_inputs,
    map_arrays,
    random_of,
    sequence_inputs,
    sequence_shapes,
    to_torch,
)

from . import conv_net, encoder, language_model, tagger

SOFT_CLIP = {"libraries": ("libsoft_clip.so",), "operators": ("audio::soft_clip",)}
DUAL_RESIDUAL = {"libraries": ("libdual_residual.so",), "operators": ("cst::dual_residual",)}


def conv_shapes(dim: Any) -> dict[str, Any]:
    sizes = {0: dim("batch", min=1, max=32), 2: dim("rows", min=8), 3: dim("columns", min=8)}
    return {"image": sizes}


def padded_inputs(batch: int, length: int) -> tuple[Any, ...]:
    """Sequences of their own lengths, at least one token each."""
    random = random_of(batch, length)
    lengths = random.integers(1, length + 1, (batch, 1))
    return floats(random, batch, length, encoder.WIDTH), np.arange(length) >= lengths


def padded_shapes(dim: Any) -> dict[str, Any]:
    batch, length = dim("batch", min=1, max=32), dim("length", min=1, max=64)
    return {"tokens": {0: batch, 1: length}, "padding": {0: batch, 1: length}}


def text_shapes(dim: Any) -> dict[str, Any]:
    length = dim("length", min=1, max=language_model.MOST_TOKENS)
    return {"tokens": {0: dim("batch", min=1, max=32), 1: length}}


CASES = (
    Case(
        "conv_net",
        conv_net.make,
        image_inputs,
        exported=(3, 12, 14),
        others=((1, 12, 14), (2, 9, 11), (5, 8, 8), (4, 16, 12), (7, 13, 20)),
        dynamic_shapes=conv_shapes,
        **SOFT_CLIP,
    ),
    Case(
        "encoder",
        encoder.make,
        padded_inputs,
        exported=(3, 5),
        others=((1, 5), (2, 9), (4, 1), (1, 1), (7, 16)),
        dynamic_shapes=padded_shapes,
        **DUAL_RESIDUAL,
    ),
    Case(
        "tagger",
        tagger.make,
        sequence_inputs,
        exported=(3, 6),
        others=((1, 6), (2, 1), (4, 3), (7, 12), (1, 31)),
        dynamic_shapes=sequence_shapes,
        **SOFT_CLIP,
    ),
    Case(
        "language_model",
        language_model.make,
        sequence_inputs,
        exported=(3, 5),
        others=((1, 5), (2, 1), (1, 1), (6, 9), (5, 32)),
        dynamic_shapes=text_shapes,
        **SOFT_CLIP,
    ),
)


EXPORTS = tuple((case, from_program) for case in CASES for from_program in (False, True))


def write_model(case: Case, model: Any, path: Path, opset: int, *, from_program: bool) -> Path:
    """Export a module, or the program that was exported of it."""
    arguments = case.arguments(case.exported)
    shapes = case.dynamic_shapes(ow.export.Dim)
    if from_program:
        program = ow.export.export(model, arguments, dynamic_shapes=shapes)
        ow.onnx.export(program, (), path, opset_version=opset)
    else:
        ow.onnx.export(model, arguments, path, opset_version=opset, dynamic_shapes=shapes)
    return path


def write_torch_model(case: Case, model: torch.nn.Module, opset: int) -> bytes:
    """Export the torch version with its old exporter, which needs only torch."""
    arguments = map_arrays(to_torch, case.inputs(*case.exported))
    shapes = case.dynamic_shapes(lambda name, **_: name)
    file = io.BytesIO()
    torch.onnx.export(
        model,
        arguments,
        file,
        dynamo=False,
        opset_version=opset,
        input_names=list(shapes),
        dynamic_axes=shapes,
    )
    return file.getvalue()


def open_session(case: Case, model: Path | bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    for library in case.libraries:
        ow.onnxruntime.register(options, OPERATORS / library)
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def run_session(
    session: onnxruntime.InferenceSession, calls: Sequence[tuple[Any, ...]]
) -> list[list[np.ndarray]]:
    """Run each call; arguments go to the inputs in their order."""
    names = [each.name for each in session.get_inputs()]
    return [
        session.run(None, dict(zip(names, pytree.tree_flatten(call)[0], strict=True)))
        for call in calls
    ]


def node_values(model: onnx.ModelProto) -> list[str]:
    """Return the names of the values that the graph's nodes compute."""
    return [name for node in model.graph.node for name in node.output if name]
