#include "opwright/dispatch/operator.h"

#include <bit>

#include "opwright/dispatch/rule.h"

namespace opwright {
namespace {

bool holds_tensors(const Type& type) {
  if (type.kind() == TypeKind::Tensor) return true;
  return (type.is_optional() || type.is_list()) && holds_tensors(type.element());
}

}  // namespace

Operator::Operator(Schema schema, Tags tags, SourceSite site, const char* origin)
    : schema_(std::move(schema)),
      name_(schema_.full_name()),
      tags_(tags.bits()),
      site_(site),
      origin_(origin) {
  num_arguments_ = static_cast<uint32_t>(schema_.arguments.size());
  num_results_ = static_cast<uint32_t>(schema_.returns.size());
  for (uint32_t i = 0; i < num_arguments_; ++i) {
    const Argument& argument = schema_.arguments[i];
    const uint64_t bit = uint64_t{1} << i;
    if (argument.type.kind() == TypeKind::Tensor) {
      tensor_args_ |= bit;
    } else if (holds_tensors(argument.type)) {
      other_tensor_args_ |= bit;
    }
    if (argument.is_written()) written_args_ |= bit;
    const Type& plain = argument.type.is_optional() ? argument.type.element() : argument.type;
    if (plain.kind() == TypeKind::Device && device_argument_ < 0)
      device_argument_ = static_cast<int32_t>(i);
  }
  num_tensor_arguments_ = static_cast<uint32_t>(std::popcount(all_tensor_args()));
  argument_of_result_.resize(num_results_, 0);
  for (uint32_t i = 0; i < num_results_; ++i) {
    const Return& result = schema_.returns[i];
    result_tags_.push_back(static_cast<uint8_t>(result.type.value_tag()));
    if (!result.is_written() || result.type.kind() != TypeKind::Tensor) continue;
    for (uint32_t k = 0; k < num_arguments_; ++k) {
      const Argument& argument = schema_.arguments[k];
      if (!argument.is_written() || argument.type.kind() != TypeKind::Tensor ||
          !(argument.alias == result.alias))
        continue;
      returned_args_ |= uint64_t{1} << i;
      argument_of_result_[i] = k;
    }
  }
  unreturned_args_ = written_args_;
  for (uint32_t i = 0; i < num_results_; ++i) {
    if (returned_args_ >> i & 1) unreturned_args_ &= ~(uint64_t{1} << argument_of_result_[i]);
  }
  gives_views_ = is_view(*this);
  needs_care_ = gives_views_ || writes_arguments();
}

uint32_t Operator::merged_other_flags(Arguments args) const noexcept {
  uint32_t flags = 0;
  for (uint64_t left = other_tensor_args_; left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))],
                  [&](const OpwTensor* tensor) { flags |= tensor->flags; });
  }
  return flags;
}

}  // namespace opwright
