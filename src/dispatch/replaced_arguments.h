// The arguments of a call with other tensors in place of some, for rules that unwrap or lift.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"

namespace opwright {

// Borrows what it does not replace; valid while the arguments and the replacing tensors are.
class ReplacedArguments {
 public:
  // `replace(OpwTensor*)` gives the tensor that stands in for its argument, which may be the same.
  template <class Replace>
  ReplacedArguments(Arguments args, const Replace& replace) : values_(args.begin(), args.end()) {
    for (OpwValue& value : values_) replace_in(value, replace);
  }

  [[nodiscard]] Arguments get() const noexcept { return {values_.data(), values_.size()}; }

 private:
  template <class Replace>
  void replace_in(OpwValue& value, const Replace& replace) {
    if (value.tag == kOpwTensor) {
      if (value.as_tensor) value.as_tensor = replace(value.as_tensor);
    } else if (value.tag == kOpwTensorList) {
      std::vector<OpwTensor*>& tensors =
          tensor_lists_.emplace_back(value.as_tensors, value.as_tensors + value.length);
      for (OpwTensor*& tensor : tensors) {
        if (tensor) tensor = replace(tensor);
      }
      value.as_tensors = tensors.data();
    } else if (value.tag == kOpwList) {
      const auto* first = static_cast<const OpwValue*>(value.as_values);
      std::vector<OpwValue>& elements = lists_.emplace_back(first, first + value.length);
      for (OpwValue& element : elements) replace_in(element, replace);
      value.as_values = elements.data();
    }
  }

  SmallVector<OpwValue, 12> values_;
  std::deque<std::vector<OpwTensor*>> tensor_lists_;
  std::deque<std::vector<OpwValue>> lists_;
};

}  // namespace opwright
