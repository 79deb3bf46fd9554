"""The functions of functions.py as a user of jax writes them."""

import jax
import jax.numpy as jnp

from .functions import HEADS, LEARNING_RATE


def functions_of(squash):
    def layer_norm(x, weight, bias):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * weight + bias

    def pointwise(x, y):
        a = jax.nn.relu(jnp.sin(x * y) + x) * 0.5
        return jax.nn.sigmoid(jnp.tanh(a) - y) * x + 1.0

    def cheap_pointwise(x, y):
        a = jax.nn.relu(x * y + x) * 0.5 - y
        return (jax.nn.relu(a * x) + y) * 0.25 + 1.0

    def softmax(x):
        return jax.nn.softmax(x, -1)

    def norm_gelu(x, weight, bias):
        return jax.nn.gelu(layer_norm(x, weight, bias), approximate=False)

    def linear_relu(x, weight, bias):
        return jax.nn.relu(x @ weight + bias)

    def gated(x, weight):
        scale = jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        gate, value = jnp.split(x * scale * weight, 2, -1)
        return jax.nn.silu(gate) * value

    def block(x, n1, m1, qkv, qkv_bias, out, out_bias, n2, m2, up, up_bias, down, down_bias):
        length, width = x.shape
        head = width // HEADS
        mixed = layer_norm(x, n1, m1) @ qkv.T + qkv_bias
        q, k, v = (e.reshape(length, HEADS, head).swapaxes(0, 1) for e in jnp.split(mixed, 3, -1))
        weights = jax.nn.softmax(q @ k.swapaxes(1, 2) * head**-0.5, -1)
        x = x + (weights @ v).swapaxes(0, 1).reshape(length, width) @ out.T + out_bias
        hidden = layer_norm(x, n2, m2) @ up.T + up_bias
        return x + jax.nn.gelu(hidden, approximate=False) @ down.T + down_bias

    def with_operator(x, weight, bias):
        return jnp.tanh(squash(jax.nn.relu(x * weight + bias), 2.0)) * 0.5 + x

    return {
        "a": pointwise,
        "a2": cheap_pointwise,
        "b": softmax,
        "c": norm_gelu,
        "d": linear_relu,
        "e": gated,
        "f": block,
        "h": with_operator,
    }


def training_step():
    """Return one function that computes the loss, the gradients and the new parameters."""

    def loss(parameters, x, target):
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = jax.nn.relu(x @ w1.T + b1)
        hidden = jax.nn.relu(hidden @ w2.T + b2)
        scores = jax.nn.log_softmax(hidden @ w3.T + b3)
        return -jnp.take_along_axis(scores, target[:, None], axis=1).mean()

    def step(parameters, x, target):
        value, gradients = jax.value_and_grad(loss)(parameters, x, target)
        new = [p - LEARNING_RATE * g for p, g in zip(parameters, gradients, strict=True)]
        return value, new

    return step
