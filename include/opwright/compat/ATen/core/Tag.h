// at::Tag: PyTorch's operator tags, mapped to opwright::Tag.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/tag.h"

namespace at OPWRIGHT_VISIBILITY {
enum class Tag : uint8_t {
  core,
  data_dependent_output,
  dynamic_output_shape,
  flexible_layout,
  generated,
  inplace_view,
  needs_exact_strides,
  needs_fixed_stride_order,
  nondeterministic_bitwise,
  nondeterministic_seeded,
  pointwise,
  pt2_compliant_tag,
  view_copy,
};

// The tags of one operator. Not a std::vector: GCC exports its instances for an enum from every
// binary, regardless of the namespace.
class TagList {
 public:
  TagList() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
  TagList(std::initializer_list<Tag> tags) {
    for (const Tag tag : tags) bits_ |= bits_of(tag);
  }
  template <class Range>
    requires requires(const Range& range) { range.begin() != range.end(); }
  TagList(const Range& tags) {
    for (const Tag tag : tags) bits_ |= bits_of(tag);
  }
  operator opwright::Tags() const { return opwright::Tags::from_bits(bits_); }
  // NOLINTEND(google-explicit-constructor)

 private:
  // 0 for a tag without meaning here: pt2_compliant_tag, generated, ...
  static constexpr uint64_t bits_of(Tag tag) {
    using Own = opwright::Tag;
    switch (tag) {
      case Tag::core:
        return opwright::Tags{Own::Core}.bits();
      case Tag::data_dependent_output:
        return opwright::Tags{Own::DataDependentOutput}.bits();
      case Tag::dynamic_output_shape:
        return opwright::Tags{Own::DynamicOutputShape}.bits();
      case Tag::needs_exact_strides:
      case Tag::needs_fixed_stride_order:
        return opwright::Tags{Own::NeedsExactStrides}.bits();
      case Tag::nondeterministic_bitwise:
        return opwright::Tags{Own::Nondeterministic}.bits();
      case Tag::nondeterministic_seeded:
        return opwright::Tags{Own::NondeterministicSeeded}.bits();
      case Tag::pointwise:
        return opwright::Tags{Own::Pointwise}.bits();
      default:
        return 0;
    }
  }

  uint64_t bits_ = 0;
};
}  // namespace at
