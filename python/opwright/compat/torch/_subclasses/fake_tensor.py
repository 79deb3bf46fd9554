"""torch._subclasses.fake_tensor: FakeTensor, FakeTensorMode."""

from collections.abc import Iterable
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._absent import absent
from opwright.fake import FakeTensor

__all__ = ["FakeTensor", "FakeTensorMode"]


class FakeTensorMode(ow.FakeTensorMode):
    """opwright.FakeTensorMode with PyTorch's options.

    With a ShapeEnv, `from_tensor` makes sizes symbolic, unless `static_shapes` says otherwise.

    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.fx.experimental.symbolic_shapes import ShapeEnv
    >>> FakeTensorMode(shape_env=ShapeEnv()).from_tensor(torch.ones(3, 1)).shape
    (s0, 1)
    """

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: ow.ShapeEnv | None = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        super().__init__(shape_env, allow_non_fake_inputs=allow_non_fake_inputs)
        self.allow_fallback_kernels = allow_fallback_kernels
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self._parameters: dict[int, tuple[nn.Parameter, nn.Parameter]] = {}  # by id of the real one

    def from_tensor(
        self,
        tensor: ow.Tensor,
        dynamic: bool | Iterable[int] | None = None,
        source: Any = "",
        *,
        static_shapes: bool | None = None,
        symbolic_context: Any = None,
    ) -> ow.Tensor:
        """Return the fake version of a real tensor, always the same one.

        Sizes of 0 and 1 stay numbers, as in PyTorch. `symbolic_context.dynamic_sizes` says of each
        dimension whether it is symbolic.
        """
        if isinstance(tensor, nn.Parameter) and not tensor.is_fake:
            return self._fake_parameter(tensor, dynamic, source, static_shapes, symbolic_context)
        if dynamic is not None:
            return super().from_tensor(tensor, dynamic, source if isinstance(source, str) else "")
        is_static = self.static_shapes if static_shapes is None else static_shapes
        dims = [
            dim for dim, size in enumerate(tensor.shape) if not is_static and size not in (0, 1)
        ]
        if symbolic_context is not None:
            kinds = symbolic_context.dynamic_sizes
            if any(kind.name == "UNBACKED" for kind in kinds):
                return self._with_unbacked_sizes(tensor, kinds)
            dims = [dim for dim, kind in enumerate(kinds) if kind.is_symbolic]
        return super().from_tensor(tensor, dims, source if isinstance(source, str) else "")

    def _fake_parameter(self, tensor: nn.Parameter, *options: Any) -> nn.Parameter:
        if id(tensor) not in self._parameters:
            dynamic, source, static_shapes, context = options
            fake = self.from_tensor(
                ow._C.run_eagerly(tensor.detach),  # also while a mode is active
                dynamic,
                source,
                static_shapes=static_shapes,
                symbolic_context=context,
            )
            made = ow._C.run_eagerly(lambda: nn.Parameter(fake, requires_grad=tensor.requires_grad))
            self._parameters[id(tensor)] = (tensor, made)
        return self._parameters[id(tensor)][1]

    def _with_unbacked_sizes(self, tensor: ow.Tensor, kinds: Iterable[Any]) -> ow.Tensor:
        """Return a new contiguous fake whose unbacked sizes are known at run time only."""
        sizes = [
            self.shape_env.make_unbacked() if kind.name == "UNBACKED" else size
            for kind, size in zip(kinds, tensor.shape, strict=True)
        ]
        with self:
            return ow.empty(sizes, dtype=tensor.dtype, device=tensor.device)


__getattr__ = absent(__name__)
