"""The same operator on each device found, with a kernel in the device's own language.

python examples/tour/in_devices.py libsoft_clip.so
"""

import numpy as np
import opwright as ow
from stops import Stops

# The kernel of audio::soft_clip in the language of each device.
SOURCES = {
    "opencl": """
kernel void soft_clip(global const Real* x, global Real* y, Real limit) {
  const size_t i = get_global_id(0);
  y[i] = limit * tanh(x[i] / limit);
}
""",
    "cuda": """
extern "C" __global__ void soft_clip(const Real* x, Real* y, Real limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = limit * tanh(x[i] / limit);
}
""",
}
stops = Stops("Devices", lambda: ow.tensor([-1.0, 0.0, 1.0, 2.0]))


def soft_clip(x, limit=1.0):
    return ow.ops.audio.soft_clip(x, limit)


def make_kernel(device, real):
    return ow.SourceKernel(device, SOURCES[device], "soft_clip", f"-DReal={real}")


def add_stops(device):
    of_floats, of_doubles = make_kernel(device, "float"), make_kernel(device, "double")

    @stops.stop(f"{device}: kernel from source text")
    def call(x):
        @ow.library.register_kernel("audio::soft_clip", device)
        def run(x, limit=1.0):
            if x.dtype == ow.float64:
                kernel, given, limit = of_doubles, x.contiguous(), np.float64(limit)
            else:  # half precision is computed in float
                kernel, given, limit = of_floats, x.float().contiguous(), np.float32(limit)
            y = ow.empty_like(given)
            if y.numel():
                kernel(y.numel(), 1, given, y, limit)
            return y.to(x.dtype)

        there = soft_clip(x.to(device), 2.0)
        print(there)
        assert ow.allclose(there.cpu(), soft_clip(x, 2.0))

    @stops.stop(f"{device}: grad, vmap, tracing")
    def transform(x):
        there = x.to(device).requires_grad_()
        soft_clip(there * 2).sum().backward()
        assert ow.allclose(there.grad.cpu(), 2 * (1 - ow.tanh(2 * x) ** 2))
        print(there.grad)
        mapped = ow.vmap(soft_clip)(x.to(device).reshape(2, 2))
        assert ow.allclose(mapped.cpu(), soft_clip(x).reshape(2, 2))
        print(mapped)
        print(ow.make_fx(lambda x: soft_clip(x).exp().sum())(x.to(device)).graph)

    @stops.stop(f"{device}: opcheck")
    def check(x):
        report = ow.opcheck(ow.ops.audio.soft_clip, (x, 1.0), test_utils="devices")
        assert all(line.state == "ok" for line in report.lines), report.table()
        print(report.table())


for name in SOURCES:
    if ow.is_available(name):
        add_stops(name)


if __name__ == "__main__":
    stops.main()
