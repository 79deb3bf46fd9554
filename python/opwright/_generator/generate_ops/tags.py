"""The names of tags: those that have a meaning, and those that are torch's alone."""

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
# What torch.Tag has and we do not ask for: taken, and without a meaning.
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
