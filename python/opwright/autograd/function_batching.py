"""generate_vmap_rule: a Function over batches, made of the vmaps of its parts."""

from typing import Any

from .. import _C, pytree


class BatchedContext:
    """The `ctx` of one sample: the saved tensors are samples, everything else is shared."""

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_saved", ())

    def save_for_backward(self, *tensors: _C.Tensor | None) -> None:
        object.__setattr__(self, "_saved", tensors)

    @property
    def saved_tensors(self) -> tuple[_C.Tensor | None, ...]:
        return self._saved

    def save_for_forward(self, *tensors: _C.Tensor | None) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._owner, name, value)


def apply_to_batches(cls: Any, info: Any, dims: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
    """Apply a Function whose forward and backward map `cls` over the batch; dims of the outputs."""
    from ..func import vmap
    from .function import Function

    out_spec: list[Any] = []
    tensors = [place for place, arg in enumerate(args) if isinstance(arg, _C.Tensor)]

    def mapped(function: Any, in_dims: tuple[Any, ...], *values: Any) -> Any:
        return vmap(function, in_dims=in_dims, randomness=info.randomness)(*values)

    class Batched(Function):
        @staticmethod
        def forward(*given: Any) -> Any:
            def sample(*own: Any) -> tuple[_C.Tensor, ...]:
                outputs = cls.forward(*own)
                out_spec[:] = [isinstance(outputs, tuple)]
                return outputs if isinstance(outputs, tuple) else (outputs,)

            return mapped(sample, dims, *given)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            places: list[int] = []

            def sample(own: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[_C.Tensor, ...]:
                context = BatchedContext(ctx)
                cls.setup_context(context, own, outputs if out_spec[0] else outputs[0])
                places[:] = [i for i, each in enumerate(context._saved) if each is not None]
                ctx.num_saved = len(context._saved)
                return tuple(context._saved[place] for place in places)

            saved = mapped(sample, (dims, 0), inputs, output)
            ctx.places = list(places)
            ctx.shapes = [
                inputs[place].shape if isinstance(inputs[place], _C.Tensor) else None
                for place in range(len(inputs))
            ]
            ctx.save_for_backward(*saved)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            given: list[int] = []

            def sample(saved: tuple[Any, ...], own: tuple[Any, ...]) -> tuple[_C.Tensor, ...]:
                context = BatchedContext(ctx)
                values: list[Any] = [None] * ctx.num_saved
                for place, tensor in zip(ctx.places, saved, strict=True):
                    values[place] = tensor
                context.save_for_backward(*values)
                returned = cls.backward(context, *own)
                found = returned if isinstance(returned, tuple) else (returned,)
                given[:] = [place for place in tensors if found[place] is not None]
                return tuple(found[place] for place in given)

            results = mapped(sample, (0, 0), ctx.saved_tensors, grads)
            found = dict(zip(given, results, strict=True))
            return tuple(_to_input(found.get(place), dims[place]) for place in range(len(args)))

    outputs = Batched.apply(*args)
    results = outputs if out_spec[0] else outputs[0]
    return results, pytree.tree_map(lambda _: 0, results)


def _to_input(gradient: _C.Tensor | None, dim: int | None) -> _C.Tensor | None:
    """Turn a batch of gradients into that of the input: summed if it has no batch."""
    if gradient is None:
        return None
    return gradient.sum(0) if dim is None else gradient.movedim(0, dim)
