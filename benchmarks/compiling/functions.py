"""The compiled functions, written once for Opwright and torch, which share the API.

SHAPES has the shapes of the arguments; jax_functions.py has the same functions for jax.
"""

ROWS = (1024, 1024)
WIDTH, HEADS, SEQUENCE = 256, 4, 128
BATCH, INPUTS, HIDDEN, CLASSES = 128, 256, 512, 10
LEARNING_RATE = 0.01

# The names of the functions in rows.
TITLES = {
    "a": "(a) ten pointwise, 1 M",
    "a2": "(a2) ten cheap pointwise, 1 M",
    "b": "(b) softmax [1024, 1024]",
    "c": "(c) layer norm + GELU [1024, 1024]",
    "d": "(d) matmul 512 + bias + ReLU",
    "e": "(e) RMSNorm + SwiGLU [1024, 1024]",
    "f": "(f) transformer block",
    "g": "(g) MLP training step",
    "h": "(h) custom operator in the middle",
}
INFERENCE = tuple(letter for letter in TITLES if letter != "g")

BLOCK_SHAPES = (
    (SEQUENCE, WIDTH),
    *((WIDTH,), (WIDTH,), (3 * WIDTH, WIDTH), (3 * WIDTH,), (WIDTH, WIDTH), (WIDTH,)),
    *((WIDTH,), (WIDTH,), (4 * WIDTH, WIDTH), (4 * WIDTH,), (WIDTH, 4 * WIDTH), (WIDTH,)),
)
PARAMETER_SHAPES = (
    *((HIDDEN, INPUTS), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,)),
    *((CLASSES, HIDDEN), (CLASSES,)),
)
SHAPES = {
    "a": ((1 << 20,), (1 << 20,)),
    "a2": ((1 << 20,), (1 << 20,)),
    "b": (ROWS,),
    "c": (ROWS, (1024,), (1024,)),
    "d": ((512, 512), (512, 512), (512,)),
    "e": (ROWS, (1024,)),
    "f": BLOCK_SHAPES,
    "h": (ROWS, (1024,), (1024,)),
}


def functions_of(package, squash):
    """Return the functions by letter; `squash` is the custom operator of (h)."""
    functional = package.nn.functional

    def pointwise(x, y):
        a = package.relu(package.sin(x * y) + x) * 0.5
        return package.sigmoid(package.tanh(a) - y) * x + 1.0

    def cheap_pointwise(x, y):
        a = package.relu(x * y + x) * 0.5 - y
        return (package.relu(a * x) + y) * 0.25 + 1.0

    def softmax(x):
        return package.softmax(x, -1)

    def norm_gelu(x, weight, bias):
        return functional.gelu(functional.layer_norm(x, (x.shape[-1],), weight, bias))

    def linear_relu(x, weight, bias):
        return package.relu(x @ weight + bias)

    def gated(x, weight):
        scale = package.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
        gate, value = (x * scale * weight).chunk(2, -1)
        return functional.silu(gate) * value

    def block(x, n1, m1, qkv, qkv_bias, out, out_bias, n2, m2, up, up_bias, down, down_bias):
        length, width = x.shape
        head = width // HEADS
        mixed = functional.linear(functional.layer_norm(x, (width,), n1, m1), qkv, qkv_bias)
        q, k, v = (e.view(length, HEADS, head).transpose(0, 1) for e in mixed.chunk(3, -1))
        weights = package.softmax(q @ k.transpose(1, 2) * head**-0.5, -1)
        heads = (weights @ v).transpose(0, 1).reshape(length, width)
        x = x + functional.linear(heads, out, out_bias)
        hidden = functional.linear(functional.layer_norm(x, (width,), n2, m2), up, up_bias)
        return x + functional.linear(functional.gelu(hidden), down, down_bias)

    def with_operator(x, weight, bias):
        return package.tanh(squash(package.relu(x * weight + bias), 2.0)) * 0.5 + x

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


def training_of(package):
    """Return the loss of an MLP and the gradient descent step that updates its parameters."""
    functional = package.nn.functional

    def loss(x, target, w1, b1, w2, b2, w3, b3):
        hidden = package.relu(functional.linear(x, w1, b1))
        hidden = package.relu(functional.linear(hidden, w2, b2))
        return functional.cross_entropy(functional.linear(hidden, w3, b3), target)

    def update(parameters, gradients):
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.sub_(gradient * LEARNING_RATE)

    return loss, update
