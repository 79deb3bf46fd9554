// What functionalize knows of an operator before it is called, and small walks over values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/transforms/functionalize.h"
#include "opwright/value.h"

namespace opwright {

struct Functionalize::Plan {
  bool writes = false;
  bool draws = false;
  bool is_view = false;
  bool is_as_strided = false;
  int32_t generator = -1;
};

// A copy of the value with each tensor replaced by what `map(OpwTensor*) -> Tensor` gives.
template <class Map>
[[nodiscard]] Value map_tensors(const OpwValue& value, const Map& map) {
  if (value.tag == kOpwTensor && value.as_tensor) return Value(map(value.as_tensor));
  if (value.tag == kOpwTensorList) {
    std::vector<Tensor> mapped;
    mapped.reserve(value.length);
    for (uint32_t i = 0; i < value.length; ++i) mapped.push_back(map(value.as_tensors[i]));
    return Value(mapped);
  }
  if (value.tag != kOpwList) return Value::copy_of(value);
  auto* elements = allocate_list<OpwValue>(value.length);
  OpwValue list = value;
  list.length = 0;
  list.as_values = elements;
  Value owner = Value::take(list);  // releases what is there when `map` throws
  for (uint32_t i = 0; i < value.length; ++i) {
    elements[i] = map_tensors(static_cast<const OpwValue*>(value.as_values)[i], map).give();
    list = owner.give();
    ++list.length;
    owner = Value::take(list);
  }
  return owner;
}

// Whether the sizes are known to be these.
[[nodiscard]] inline bool has_sizes(const Tensor& tensor, std::span<const SymInt> sizes) {
  if (tensor.dim() != static_cast<int64_t>(sizes.size())) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SymInt size = tensor.sym_size(static_cast<int64_t>(i));
    if (size.word() != sizes[i].word() && !guard_or_false(size == sizes[i])) return false;
  }
  return true;
}

}  // namespace opwright
