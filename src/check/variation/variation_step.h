// One change of an example, with its description.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/values/random_source.h"
#include "opwright/tensor.h"

namespace opwright {

// An example being varied, and how it differs from the given one.
struct Draft {
  Example example;
  std::string change;

  [[nodiscard]] Draft with(Example next, const std::string& what) const {
    return {.example = std::move(next), .change = change.empty() ? what : change + "; " + what};
  }
  // Replaces tensors()[which]; `what` follows the tensor's name.
  [[nodiscard]] Draft with_tensor(size_t which, const Tensor& tensor,
                                  const std::string& what) const {
    std::vector<Tensor> tensors = example.tensors();
    tensors[which] = tensor;
    return with(example.with_tensors(tensors), example.tensor_name(which) + ": " + what);
  }
};

// nullopt if the change does not apply.
using VariationStep = std::function<std::optional<Draft>(const Draft& draft, RandomSource& rng)>;
using VariationSteps = std::vector<VariationStep>;

}  // namespace opwright
