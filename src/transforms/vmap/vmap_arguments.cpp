#include "opwright/transforms/vmap/vmap_arguments.h"

#include <cstdint>
#include <string_view>

#include "opwright/dispatch/replaced_arguments.h"

namespace opwright {
namespace {

OpwValue dims_of_list(const Vmap& level, const OpwValue& list) {
  auto* dims = allocate_list<OpwValue>(list.length);
  for (uint32_t i = 0; i < list.length; ++i) {
    if (list.tag == kOpwTensorList) {
      dims[i] = dim_value(level, list.as_tensors[i]);
      continue;
    }
    const OpwValue& element = static_cast<const OpwValue*>(list.as_values)[i];
    dims[i] = element.tag == kOpwTensor ? dim_value(level, element.as_tensor) : OpwValue{};
  }
  OpwValue value{};
  value.tag = kOpwList;
  value.length = list.length;
  value.as_values = dims;
  return value;
}

bool holds_tensors(const OpwValue& list) {
  bool found = false;
  visit_tensors(list, [&](OpwTensor* /*tensor*/) { found = true; });
  return found;
}

}  // namespace

VmapArguments::VmapArguments(const Vmap& level, Arguments args) {
  values_.push_back(ValueOf<SymInt>::lend(level.batch_size()));
  values_.push_back(ValueOf<std::string_view>::lend(to_text(level.randomness())));
  values_.push_back(OpwValue{});
  for (const OpwValue& arg : args) {
    const bool is_list = arg.tag == kOpwTensorList || arg.tag == kOpwList;
    if (is_list && holds_tensors(arg)) {
      add_list(level, arg);
      continue;
    }
    values_.push_back(arg);
    dims_.push_back(arg.tag == kOpwTensor ? dim_value(level, arg.as_tensor) : OpwValue{});
    if (dims_.back().tag == kOpwInt) values_.back().as_tensor = Vmap::inner_of(arg.as_tensor);
  }
  OpwValue& in_dims = values_[kLeading - 1];
  in_dims.tag = kOpwList;
  in_dims.length = static_cast<uint32_t>(dims_.size());
  in_dims.as_values = dims_.data();
}

void VmapArguments::add_list(const Vmap& level, const OpwValue& list) {
  lists_.push_back(map_tensors(list, [&](OpwTensor* tensor) {
    return Tensor::borrow(level.owns(tensor) ? Vmap::inner_of(tensor) : tensor);
  }));
  values_.push_back(lists_.back().get());
  lists_.push_back(Value::take(dims_of_list(level, list)));
  dims_.push_back(lists_.back().get());
}

}  // namespace opwright
