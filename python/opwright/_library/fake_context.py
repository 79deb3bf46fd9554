"""What a fake kernel can request: sizes that depend on data."""

from .. import _C

__all__ = ["FakeContext", "get_ctx"]

_new_dynamic_size = _C.require_operator("opwright::new_dynamic_size")


class FakeContext:
    """The context of a fake kernel; `get_ctx` returns it.

    >>> import opwright as ow
    >>> @ow.library.custom_op("audio::onsets", mutates_args=())
    ... def onsets(x: ow.Tensor) -> ow.Tensor: ...
    >>> @onsets.register_fake
    ... def _(x):
    ...     print(type(ow.library.get_ctx()).__name__)
    ...     return x.new_empty([1])
    >>> _ = onsets(ow.empty([3], device="meta"))
    FakeContext
    """

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> _C.SymInt:
        """Return a size that is known only when the program runs, between `min` and `max`.

        >>> import opwright as ow
        >>> @ow.library.custom_op("audio::peaks", mutates_args=())
        ... def peaks(x: ow.Tensor) -> ow.Tensor: ...
        >>> @peaks.register_fake
        ... def _(x):
        ...     return x.new_empty([ow.library.get_ctx().new_dynamic_size(max=100)])
        >>> with ow.FakeTensorMode() as mode:
        ...     found = peaks(ow.zeros(1000))
        >>> found.shape, mode.shape_env.range(found.shape[0])
        ((u0,), (0, 100))
        """
        return _new_dynamic_size(min, max)


def get_ctx() -> FakeContext:
    """Return the context of the running fake kernel; outside one it is an error.

    >>> from opwright.library import get_ctx
    >>> get_ctx()
    Traceback (most recent call last):
    RuntimeError: get_ctx() was called outside of a fake kernel; call it in a function given to \
register_fake
    """
    if not _C.in_fake_kernel() and not _C.in_foreign_scope():
        raise RuntimeError(
            "get_ctx() was called outside of a fake kernel; call it in a function given to "
            "register_fake"
        )
    return FakeContext()
