// A function with its derivatives by formulas and by differences, over plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/func.h"
#include "opwright/tensor.h"

namespace opwright {

using Numbers = std::vector<double>;

// A direction of length 1; the same for the same number.
[[nodiscard]] Numbers random_direction(size_t count, uint64_t number);
// The direction of one element.
[[nodiscard]] Numbers unit_direction(size_t count, size_t place);

class CheckedFunction {
 public:
  // Inputs that require grad are checked. ValueError: there is none, or one is too coarse for
  // differences of `eps`.
  CheckedFunction(const FunctionBody& function, std::span<const Tensor> inputs, double eps);

  [[nodiscard]] size_t num_inputs() const noexcept { return checked_.size(); }
  // Of a checked input: its place among all, the tensor, its numbers.
  [[nodiscard]] size_t input_place(size_t which) const { return checked_[which]; }
  [[nodiscard]] const Tensor& input(size_t which) const { return inputs_[checked_[which]]; }
  [[nodiscard]] const Numbers& numbers(size_t which) const { return values_[which]; }

  [[nodiscard]] const Tensor& output(size_t place) const { return outputs_[place]; }
  [[nodiscard]] size_t num_outputs() const noexcept { return outputs_.size(); }
  // Which outputs require grad.
  [[nodiscard]] const std::vector<size_t>& differentiable() const noexcept {
    return differentiable_;
  }

  // Of all outputs along a direction of one input, by central differences.
  [[nodiscard]] std::vector<Numbers> difference(size_t which,
                                                std::span<const double> direction) const;
  // The same in forward mode.
  [[nodiscard]] std::vector<Numbers> push(size_t which, std::span<const double> direction) const;
  // The gradients of the checked inputs for a cotangent of one output.
  [[nodiscard]] std::vector<Numbers> pull(size_t output, std::span<const double> cotangent) const;
  // The same for several cotangents at once, by vmap: for each a list.
  [[nodiscard]] std::vector<std::vector<Numbers>> pull_batch(
      size_t output, std::span<const Numbers> cotangents) const;

 private:
  [[nodiscard]] std::vector<Tensor> fresh_inputs() const;
  [[nodiscard]] std::vector<Tensor> checked_inputs() const;
  [[nodiscard]] std::vector<Tensor> with_checked(std::span<const Tensor> checked) const;
  [[nodiscard]] std::vector<Numbers> moved(size_t which, std::span<const double> direction,
                                           double by) const;

  const FunctionBody& function_;
  double eps_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> checked_;
  std::vector<Numbers> values_;
  std::vector<Tensor> own_;  // what the outputs were computed from
  std::vector<Tensor> outputs_;
  std::vector<size_t> differentiable_;
};

}  // namespace opwright
