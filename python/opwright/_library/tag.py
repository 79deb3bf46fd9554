"""Tags: what an operator declares about itself beyond its schema."""

from collections.abc import Iterable
from enum import StrEnum

from .. import _C
from .._generator.generate_ops.tags import FOREIGN_TAGS


class Tag(StrEnum):
    """What an operator declares beyond its schema; the names are those of torch.Tag.

    Tags of the first group have a meaning here. The others are accepted, so that code written for
    PyTorch runs. `operator.tags` is a list of members; a member equals its name.

    >>> import opwright as ow
    >>> ow.library.Tag.pointwise in ow.ops.aten.sin.default.tags
    True
    >>> "pointwise" in ow.ops.aten.sin.default.tags
    True
    """

    pointwise = "pointwise"
    reduction = "reduction"
    view = "view"
    core = "core"
    inplace = "inplace"
    out = "out"
    nondeterministic = "nondeterministic"
    nondeterministic_bitwise = "nondeterministic"
    nondeterministic_seeded = "nondeterministic_seeded"
    data_dependent_output = "data_dependent_output"
    dynamic_output_shape = "dynamic_output_shape"
    blocking = "blocking"
    allows_mixed_devices = "allows_mixed_devices"
    needs_exact_strides = "needs_exact_strides"
    nondifferentiable = "nondifferentiable"
    ordered = "ordered"

    cudagraph_unsafe = "cudagraph_unsafe"
    flexible_layout = "flexible_layout"
    generated = "generated"
    inplace_view = "inplace_view"
    maybe_aliasing_or_mutating = "maybe_aliasing_or_mutating"
    needs_contiguous_strides = "needs_contiguous_strides"
    needs_fixed_stride_order = "needs_fixed_stride_order"
    out_variant = "out_variant"
    pt2_compliant_tag = "pt2_compliant_tag"
    view_copy = "view_copy"


TagLike = Tag | str
Tags = TagLike | Iterable[TagLike] | None


def tag_names(tags: Tags) -> tuple[str, ...]:
    """Return the names of one tag, several, or none, each once."""
    if tags is None:
        return ()
    if isinstance(tags, TagLike):
        tags = (tags,)
    given = tuple(tags) if isinstance(tags, Iterable) else (tags,)
    if not all(isinstance(tag, TagLike) for tag in given):
        raise TypeError(f"tags are members of Tag or their names, got {tags!r}")
    return tuple(dict.fromkeys(tag.value if isinstance(tag, Tag) else tag for tag in given))


def with_compliant_tag(tags: Tags) -> tuple[str, ...]:
    """Return the names with pt2_compliant_tag: custom_op and the core follow what it claims."""
    return tuple(dict.fromkeys((*tag_names(tags), Tag.pt2_compliant_tag.value)))


def tags_of(operator: _C.Operator) -> list[Tag]:
    """Return the tags of an operator, those that only torch uses last."""
    from .registrations import definition_of  # imports this module

    foreign = getattr(operator, "foreign_tags", ())
    is_built_in = not operator.origin and definition_of(operator.name) is None
    names = (*operator.tag_names, *foreign)
    return [Tag(name) for name in (with_compliant_tag(names) if is_built_in else names)]


def split_tags(tags: Tags) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that the core knows (or rejects), and those that only torch uses."""
    names = tag_names(tags)
    ours = tuple(name for name in names if name not in FOREIGN_TAGS)
    return ours, tuple(name for name in names if name in FOREIGN_TAGS)
