"""llvmlite and the oldest supported LLVM, 19, both accept the emitter's text."""

import os
import subprocess
import sys

import opwright as ow
import pytest

FUNCTIONS = """
import opwright as ow
F = ow.nn.functional
ow.manual_seed(0)
x = ow.randn(37, 75)
positive = x.abs() + 0.5
weight, bias = ow.randn(75), ow.randn(75)
cases = {
    "elementary": (lambda x: ow.sin(x) * ow.cos(x) + ow.tanh(x) - ow.sigmoid(x) * ow.erf(x), [x]),
    "powers": (lambda x: ow.exp(-x) + ow.log(x) * ow.sqrt(x) - ow.rsqrt(x), [positive]),
    "softmax": (lambda x: ow.softmax(x * 2, -1), [x]),
    "layer norm": (lambda x, w, b: F.gelu(F.layer_norm(x, (75,), w, b)), [x, weight, bias]),
    "columns": (lambda x: (x * x).sum(0), [x]),
    "double": (lambda x: ow.exp(x) * x - x.mean(-1, keepdim=True), [x.double()]),
    "half": (lambda x: ow.relu(x) * 2 + x, [x.half()]),
    "bfloat16": (lambda x: ow.maximum(x, -x) + 1, [x.bfloat16()]),
    "integers": (lambda x: (x * 3 + 1) % 7 & 5, [x.mul(100).to(ow.int64)]),
    "choices": (lambda x: ow.where(x > 0, x, x.exp() - 1), [x]),
    "strided": (lambda x: x.t() * 2 + x.t()[:1], [x]),
}
"""
RUN_ALL = """
import sys
for name, (function, inputs) in cases.items():
    result, expected = ow.compile(function, fullgraph=True)(*inputs), function(*inputs)
    is_close = ow.allclose(result.double(), expected.double(), rtol=1e-3, atol=1e-3)
    assert result.dtype == expected.dtype and is_close, name
with open("/proc/self/maps") as maps:
    text = maps.read()
print("llvmlite" if "libllvmlite" in text else "LLVM" if "libLLVM" in text else "none")
"""
WITHOUT_LLVMLITE = "import sys; sys.modules['llvmlite'] = None\n"


@pytest.mark.skipif(not ow._C.code_vector_bytes(), reason="no code is made for this processor")
@pytest.mark.parametrize(("before", "maker"), [("", "llvmlite"), (WITHOUT_LLVMLITE, "LLVM")])
@pytest.mark.parametrize("level", ["avx2", "avx512"])
def test_both_makers_take_the_text_of_every_kind_of_nest(before, maker, level):
    done = subprocess.run(
        [sys.executable, "-c", before + FUNCTIONS + RUN_ALL],
        env={**os.environ, "OPWRIGHT_CODE_CACHE": "0", "OPWRIGHT_CPU_LEVEL": level},
        capture_output=True,
        text=True,
    )

    assert done.stdout == f"{maker}\n", done.stderr
