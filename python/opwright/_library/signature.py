"""Signatures of operators for `inspect` and for tools that complete calls."""

import inspect

from .. import _C


def signature_of(operator: _C.Operator) -> inspect.Signature:
    """Return the Python signature that corresponds to the schema of `operator`.

    >>> import inspect
    >>> inspect.signature(ow.ops.aten.add.Tensor)
    <Signature (self: 'Tensor', other: 'Tensor', *, alpha: 'Scalar' = 1) -> 'Tensor'>
    """
    schema = operator.schema
    parameters = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.KEYWORD_ONLY
            if argument.kwarg_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=argument.default if argument.has_default else inspect.Parameter.empty,
            annotation=argument.type,
        )
        for argument in schema.arguments
    ]
    types = [result.type for result in schema.returns]
    returned = types[0] if len(types) == 1 else f"({', '.join(types)})"
    # A schema may have an argument with a default before one without; Python cannot express that.
    return inspect.Signature(parameters, return_annotation=returned, __validate_parameters__=False)
