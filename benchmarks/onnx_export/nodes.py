"""The cost of one node in ONNX Runtime: an operator of a binary and a built-in node.

Both run as chains over one small tensor, on one thread without fusion. The time of a chain of one
node is subtracted, so that the fixed cost of a run does not count.
"""

from tracing.timing import Case

LENGTH = 200
SIZES = (4, 1000)


def chain_of(step, length):
    """Return a function that applies `step` `length` times."""

    def chain(*values):
        for _ in range(length):
            made = step(*values)
            values = made if isinstance(made, tuple) else (made,)
        return values

    return chain


def open_session(opwright, model, library):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if library:
        opwright.onnxruntime.register(options, library)
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def run_case(opwright, step, num_inputs, length, size, folder, library):
    import numpy

    path = folder / "chain.onnx"
    arguments = (opwright.ones(size),) * num_inputs
    opwright.onnx.export(chain_of(step, length), arguments, path)
    session = open_session(opwright, path, library)
    feeds = {each.name: numpy.full(size, 0.5, numpy.float32) for each in session.get_inputs()}
    return Case(lambda: session.run(None, feeds), parts=1)


def node_cases(opwright, operators, folder):
    """Return cases by (node, size, length): chains of LENGTH nodes and of one node."""
    soft_clip = operators / "libsoft_clip.so"
    dual_residual = operators / "libdual_residual.so"
    opwright.load_library(soft_clip)
    opwright.load_library(dual_residual)
    dual = opwright.ops.cst.dual_residual
    plain = operators / "libtorch_bridge.so"
    opwright.load_library(plain)
    plain_ops = opwright.ops.torch_bridge
    chains = {
        "scale": (lambda x: plain_ops.scale(x, 0.5), 1, plain),
        "Mul": (lambda x: x * 0.5, 1, None),
        "axpy": (lambda x, y: (plain_ops.axpy(x, y, 1.0), y), 2, plain),
        "Add": (lambda x, y: (x + y, y), 2, None),
        "soft_clip": (lambda x: opwright.ops.audio.soft_clip(x, 2.0), 1, soft_clip),
        "Tanh": (opwright.tanh, 1, None),
        "dual_residual": (lambda x, y: dual(x, y, 0.5), 2, dual_residual),
        "its four nodes": (lambda x, y: (x * 0.5 - y, y * 0.5 - x), 2, None),
    }
    return {
        (what, size, length): run_case(opwright, step, num_inputs, length, size, folder, library)
        for what, (step, num_inputs, library) in chains.items()
        for size in SIZES
        for length in (1, LENGTH)
    }
