"""The operator x * y + limit with a fake kernel and a formula, and the timed calls."""

TORCH_CHECKS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


def define(library, tensor_type, name):
    """Define the operator with `library` of either package."""

    def scaled_sum(x: tensor_type, y: tensor_type, limit: float) -> tensor_type:
        return x * y + limit

    def save(ctx, inputs, output):
        x, y, _limit = inputs
        ctx.save_for_backward(x, y)

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x, None

    op = library.custom_op(name, scaled_sum, mutates_args=())
    op.register_fake(lambda x, y, limit: x * y + limit)
    op.register_autograd(backward, setup_context=save)
    return op


def our_cases(opwright):
    op = define(opwright.library, opwright.Tensor, "opcheck_bench::scaled_sum")
    args = (
        opwright.randn(3, 4).requires_grad_(),
        opwright.randn(3, 4).requires_grad_(),
        0.5,
    )
    return {
        "same checks": lambda: opwright.opcheck(op, args, test_utils=TORCH_CHECKS, examples=0),
        "all checks": lambda: opwright.opcheck(op, args),
    }


def torch_cases():
    import torch

    op = define(torch.library, torch.Tensor, "opcheck_bench::scaled_sum")
    args = (torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True), 0.5)
    return {"same checks": lambda: torch.library.opcheck(op, args, test_utils=TORCH_CHECKS)}
