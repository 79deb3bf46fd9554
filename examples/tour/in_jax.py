"""The same binary in JAX.

python examples/tour/in_jax.py libsoft_clip.so
"""

import sys

import jax
import numpy as np
import opwright as ow
import opwright.jax
from stops import Stops

# The binary has kernels for the CPU; JAX may default to another device.
jax.config.update("jax_default_device", jax.devices("cpu")[0])
stops = Stops("JAX", lambda: jax.numpy.asarray([-1.0, 0.0, 1.0, 2.0]))


@stops.stop("jit with an attribute")
def jit(x):
    opwright.jax.load(sys.argv[1])
    soft_clip = opwright.jax.ops.audio.soft_clip

    @jax.jit
    def doubled(x):
        return soft_clip(x, limit=2.0) * 2

    y = doubled(x)
    assert np.allclose(y, 4 * np.tanh(np.asarray(x) / 2))
    print(y)


@stops.stop("grad")
def differentiate(x):
    slopes = jax.grad(lambda x: opwright.jax.ops.audio.soft_clip(x).sum())(x)
    assert np.allclose(slopes, 1 - np.tanh(np.asarray(x)) ** 2)
    print(slopes)


@stops.stop("arrays exchanged without a copy")
def exchange(x):
    shared = ow.from_dlpack(x)
    assert shared.data_ptr() == x.unsafe_buffer_pointer()
    print(ow.ops.audio.soft_clip(shared, 2.0))


if __name__ == "__main__":
    stops.main()
