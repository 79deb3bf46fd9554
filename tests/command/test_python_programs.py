"""Programs that Python exported, run by the command: results, lines, modules."""

import json
import re

import numpy as np
import pytest

ow = pytest.importorskip("opwright")


class Net(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = ow.nn.Linear(3, 4)
        self.decoder = ow.nn.Linear(4, 2)

    def forward(self, inputs, scale=2.0):
        hidden = self.encoder(inputs["x"]).relu()
        return {"y": self.decoder(hidden) * scale, "hidden": hidden}


@pytest.fixture
def net(tmp_path):
    model = Net()
    batch = ow.export.Dim("batch", min=2)
    arguments = ({"x": ow.ones(4, 3)},)
    shapes = {"inputs": {"x": {0: batch}}, "scale": None}
    program = ow.export.export(model, arguments, {"scale": 2.0}, dynamic_shapes=shapes)
    ow.export.save(program, tmp_path / "net.opw")
    return model


def test_a_program_of_python_gives_what_eager_gives(opwright, net, tmp_path):
    x = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)

    words = ("--input", "inputs['x']=x.npy", "--output", "y.npy", "--output", "hidden.npy")
    done = opwright("run", "net.opw", *words, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    expected = net({"x": ow.tensor(x)})
    results = {name: np.load(tmp_path / f"{name}.npy") for name in ("y", "hidden")}
    for name, result in results.items():
        np.testing.assert_allclose(result, expected[name].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_the_profile_tells_lines_and_modules(opwright, net, tmp_path):
    words = ("--random", "--profile", "trace.json")
    text = opwright("run", "net.opw", *words, cwd=tmp_path).stdout
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]

    assert re.search(r"aten::addmm +\S*test_python_programs\.py:\d+ +encoder$", text, re.MULTILINE)
    assert re.search(r"aten::addmm +\S*test_python_programs\.py:\d+ +decoder$", text, re.MULTILINE)
    modules = {event["args"].get("module") for event in events}
    assert {"encoder", "decoder"} <= modules


def test_names_that_json_must_escape_come_back_from_the_trace(opwright, tmp_path):
    file = 'a "quoted" \\ name\n\x01 with ü.py'
    names = {}
    exec(compile("def double(x):\n    return x + x\n", file, "exec"), names)
    program = ow.export.export(names["double"], (ow.ones(2),))
    ow.export.save(program, tmp_path / "double.opw")

    opwright("run", "double.opw", "--random", "--profile", "trace.json", cwd=tmp_path)

    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    lines = [event["args"]["line"] for event in events if event["name"] == "aten::add.Tensor"]
    assert lines == [f"{file}:2"]
