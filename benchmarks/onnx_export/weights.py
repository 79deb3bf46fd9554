"""Models with large weights, stored in the model or in a separate file."""

from harness import find_peer
from tracing.timing import Case

MEBIBYTE = 1024**2


def net_of(package, width, depth):
    layers = [package.nn.Linear(width, width, bias=False) for _ in range(depth)]
    return package.nn.Sequential(*layers)


def weight_cases(opwright, folder, depth, width=2048):
    """Return the cases, and the path that each writes; a layer has 16 MiB."""
    ours = net_of(opwright, width, depth)
    example = opwright.ones(1, width)

    def write(path, external):
        opwright.onnx.export(ours, (example,), path, external_data=external)

    paths = {each: folder / f"{each}.onnx" for each in ("inside", "beside", "torch")}
    cases = {
        "inside": Case(lambda: write(paths["inside"], False), parts=1),
        "beside": Case(lambda: write(paths["beside"], True), parts=1),
    }
    has_torch = all(find_peer(each) for each in ("torch", "onnxscript"))
    if has_torch:
        import torch

        theirs = net_of(torch, width, depth).eval()
        arguments = (torch.ones(1, width),)
        program = torch.onnx.export(theirs, arguments, dynamo=True, verbose=False)
        cases["torch"] = Case(
            lambda: program.save(str(paths["torch"]), external_data=True), parts=1
        )
    return cases, paths


def megabytes(path):
    """Return the sizes of the model and of its weight file."""
    beside = path.with_name(path.name + ".data")
    return tuple(each.stat().st_size / MEBIBYTE if each.exists() else 0 for each in (path, beside))
