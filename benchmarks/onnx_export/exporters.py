"""The same chains of operators, exported to a file by us and by torch's two exporters."""

import logging
import warnings

from exporting.cases import chain_of
from harness import find_peer
from tracing.timing import Case

LENGTHS = (10, 100, 1000)
OPSET = 20


def our_exports(opwright, folder):
    """Return the cases by chain length."""
    example = opwright.ones(4)
    shapes = {"x": {0: opwright.export.Dim("batch")}}

    def export(module, path):
        opwright.onnx.export(module, (example,), path, opset_version=OPSET, dynamic_shapes=shapes)

    return cases_of(opwright, export, folder / "ours.onnx")


def torch_exports(folder):
    """Return the cases by exporter ("new", "old") and length; only installed exporters."""
    if find_peer("torch") is None:
        return {}
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    example = torch.ones(4)

    def export_old(module, path):
        torch.onnx.export(
            module,
            (example,),
            path,
            dynamo=False,
            opset_version=OPSET,
            input_names=["x"],
            dynamic_axes={"x": {0: "batch"}},
        )

    def export_new(module, path):
        torch.onnx.export(
            module,
            (example,),
            path,
            dynamo=True,
            verbose=False,
            opset_version=OPSET,
            dynamic_shapes={"x": {0: torch.export.Dim("batch")}},
        )

    exporters = {"old": export_old}
    if find_peer("onnxscript") is not None:
        exporters["new"] = export_new
    return {
        name: cases_of(torch, export, folder / f"torch_{name}.onnx")
        for name, export in exporters.items()
    }


def cases_of(package, export, path):
    modules = {length: chain_of(package, length) for length in LENGTHS}
    return {
        length: Case(lambda m=module: export(m, str(path)), parts=1)
        for length, module in modules.items()
    }
