"""The same operator on the devices that are here, with a kernel in the device's own language."""

import numpy as np
import opwright as ow
from stops import Stops

# The kernel of audio::soft_clip for each device that the tour knows a language of.
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
DEVICES = [name for name in SOURCES if ow.is_available(name)]

stops = Stops("Devices", lambda: ow.tensor([-1.0, 0.0, 1.0, 2.0]))


def soft_clip(x, limit=1.0):
    return ow.ops.audio.soft_clip(x, limit)


def make_kernel(device, real):
    return ow.SourceKernel(device, SOURCES[device], "soft_clip", f"-DReal={real}")


def add_stops(device):
    of_floats, of_doubles = make_kernel(device, "float"), make_kernel(device, "double")

    @stops.stop(f"{device}: a kernel as text")
    def call(x):
        @ow.library.register_kernel("audio::soft_clip", device)
        def run(x, limit=1.0):
            if x.dtype == ow.float64:
                kernel, given, limit = of_doubles, x.contiguous(), np.float64(limit)
            else:  # halves are computed as floats
                kernel, given, limit = of_floats, x.float().contiguous(), np.float32(limit)
            y = ow.empty_like(given)
            if y.numel():
                kernel(y.numel(), 1, given, y, limit)
            return y.to(x.dtype)

        there = soft_clip(x.to(device), 2.0)
        print(there)
        assert ow.allclose(there.cpu(), soft_clip(x, 2.0))

    @stops.stop(f"{device}: trained, mapped, traced")
    def transform(x):
        there = x.to(device).requires_grad_()
        soft_clip(there * 2).sum().backward()
        print(there.grad)
        print(ow.vmap(soft_clip)(x.to(device).reshape(2, 2)))
        print(ow.make_fx(lambda x: soft_clip(x).exp().sum())(x.to(device)).graph)

    @stops.stop(f"{device}: checked by opcheck")
    def check(x):
        print(ow.opcheck(ow.ops.audio.soft_clip, (x, 1.0), test_utils="devices").table())


for name in DEVICES:
    add_stops(name)
