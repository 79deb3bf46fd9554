"""The same binary in ONNX Runtime, in a model that Opwright exports.

python examples/tour/in_onnxruntime.py libsoft_clip.so
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import opwright as ow
from stops import Stops

stops = Stops("ONNX Runtime", lambda: np.array([-1.0, 0.0, 1.0, 2.0], np.float32))


class Limiter(ow.nn.Module):
    def forward(self, x):
        return ow.ops.audio.soft_clip(x * 4.0, 2.0) + 1.0


def make_session(folder):
    path = str(Path(folder, "limiter.onnx"))
    sizes = {"x": {0: "samples"}}
    ow.onnx.export(Limiter(), (ow.ones(4),), path, input_names=["x"], dynamic_axes=sizes)
    options = onnxruntime.SessionOptions()
    ow.onnxruntime.register(options, sys.argv[1])
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


@stops.stop("exported model, dynamic sizes")
def run_model(x):
    with tempfile.TemporaryDirectory() as folder:
        session = make_session(folder)
    for samples in (x, np.concatenate([x, x, x])):
        (y,) = session.run(None, {"x": samples})
        assert np.allclose(y, 2 * np.tanh(samples * 4 / 2) + 1)
    print(y)


@stops.stop("opcheck against Opwright")
def check(x):
    example = (ow.from_numpy(x), 1.0)
    report = ow.opcheck(
        ow.ops.audio.soft_clip, example, test_utils="schema", hosts=("opwright", "onnxruntime")
    )
    assert all(line.state == "ok" for line in report.lines), report.table()
    print(report.table())


if __name__ == "__main__":
    stops.main()
