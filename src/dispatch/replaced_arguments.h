// Values and arguments of a call with some tensors replaced, for rules that unwrap or lift.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

// A copy of the value with each tensor replaced by the result of `map(OpwTensor*) -> Tensor`.
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
  Value owner = Value::take(list);  // releases the elements so far if `map` throws
  for (uint32_t i = 0; i < value.length; ++i) {
    elements[i] = map_tensors(static_cast<const OpwValue*>(value.as_values)[i], map).give();
    list = owner.give();
    ++list.length;
    owner = Value::take(list);
  }
  return owner;
}

// The arguments for the duration of a call. Borrows those that it does not replace.
class ReplacedArguments {
 public:
  // `replace(OpwTensor*)` returns the tensor to use for an argument, possibly the same one;
  // borrowed, and valid as long as this object is used.
  template <class Replace>
  ReplacedArguments(Arguments args, const Replace& replace) : values_(args.begin(), args.end()) {
    for (OpwValue& value : values_) {
      if (value.tag == kOpwTensor) {
        if (value.as_tensor) value.as_tensor = replace(value.as_tensor);
      } else if (value.tag == kOpwTensorList || value.tag == kOpwList) {
        lists_.push_back(
            map_tensors(value, [&](OpwTensor* tensor) { return Tensor::borrow(replace(tensor)); }));
        value = lists_.back().get();
      }
    }
  }

  [[nodiscard]] Arguments get() const noexcept { return {values_.data(), values_.size()}; }

 private:
  SmallVector<OpwValue, 16> values_;
  std::vector<Value> lists_;
};

}  // namespace opwright
