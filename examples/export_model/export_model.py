"""Export a small classifier, save it, load it and run it.

    python export_model.py classifier.opw

The file also runs without Python: with run_model.cpp, or with `opwright run`; see README.md.
"""

import argparse

import opwright as ow
from opwright import nn
from opwright.export import Dim, export, load, save


class Classifier(nn.Module):
    """Returns class scores, and counts its calls."""

    def __init__(self, features: int, classes: int):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 16), nn.GELU(), nn.LayerNorm(16))
        self.head = nn.Linear(16, classes)
        self.register_buffer("calls", ow.zeros(1, dtype=ow.int64))

    def forward(self, x: ow.Tensor) -> dict[str, ow.Tensor]:
        self.calls += 1
        return {"scores": ow.softmax(self.head(self.body(x)), -1), "calls": self.calls.clone()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="classifier.opw")
    path = parser.parse_args().path

    ow.manual_seed(0)
    model = Classifier(features=4, classes=3).eval()
    batch = Dim("batch", min=1, max=64)
    program = export(model, (ow.randn(8, 4),), dynamic_shapes={"x": {0: batch}})
    print("sizes:", program.range_constraints)
    print("written:", [*program.graph_signature.buffers_to_mutate.values()])

    save(program, path)
    loaded = load(path)
    x = ow.ones(2, 4)
    with ow.no_grad():
        expected = model(x)
        loaded(x)
        results = loaded(x)
    print("same scores:", ow.equal(results["scores"], expected["scores"]))
    print("calls:", results["calls"].item())

    try:
        loaded(ow.ones(65, 4))
    except ValueError as error:
        print("ValueError:", error)


if __name__ == "__main__":
    main()
