"""The names of tags: those with a meaning here, and those that only torch uses."""

# The enumerators of opwright::Tag.
TAGS = (
    "pointwise",
    "reduction",
    "view",
    "core",
    "inplace",
    "out",
    "nondeterministic",
    "nondeterministic_seeded",
    "data_dependent_output",
    "dynamic_output_shape",
    "blocking",
    "allows_mixed_devices",
    "needs_exact_strides",
    "nondifferentiable",
    "ordered",
)
# Tags of torch.Tag that are accepted and ignored.
FOREIGN_TAGS = frozenset(
    {
        "cudagraph_unsafe",
        "flexible_layout",
        "generated",
        "inplace_view",
        "maybe_aliasing_or_mutating",
        "needs_contiguous_strides",
        "needs_fixed_stride_order",
        "out_variant",
        "pt2_compliant_tag",
        "view_copy",
    }
)
