// A function and its derivatives, from formulas and from finite differences, over plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/runtime/func.h"
#include "opwright/tensor.h"

namespace opwright {

using Numbers = std::vector<double>;

// A direction of length 1; deterministic for each `number`.
[[nodiscard]] Numbers random_direction(size_t count, uint64_t number);
// The unit vector of one element.
[[nodiscard]] Numbers unit_direction(size_t count, size_t place);

class CheckedFunction {
 public:
  // Inputs that require grad are checked. ValueError if none does, or if one's dtype is too coarse
  // for differences of `eps` and that is not allowed.
  CheckedFunction(const FunctionBody& function, std::span<const Tensor> inputs, double eps,
                  bool allows_coarse_dtypes = false);

  [[nodiscard]] size_t num_inputs() const noexcept { return checked_.size(); }
  // A checked input: its index among all inputs, the tensor, its numbers.
  [[nodiscard]] size_t input_place(size_t which) const { return checked_[which]; }
  [[nodiscard]] const Tensor& input(size_t which) const { return inputs_[checked_[which]]; }
  [[nodiscard]] const Numbers& numbers(size_t which) const { return values_[which]; }

  [[nodiscard]] const Tensor& output(size_t place) const { return outputs_[place]; }
  [[nodiscard]] size_t num_outputs() const noexcept { return outputs_.size(); }
  // Which outputs require grad.
  [[nodiscard]] const std::vector<size_t>& differentiable() const noexcept {
    return differentiable_;
  }

  // Derivatives of all outputs along a direction of one input, by central differences.
  // AssertionError if an output's sizes or dtype change with the input.
  [[nodiscard]] std::vector<Numbers> difference(size_t which,
                                                std::span<const double> direction) const;
  // The same derivatives in forward mode.
  [[nodiscard]] std::vector<Numbers> push(size_t which, std::span<const double> direction) const;
  // The same for several directions at once, by vmap: one list per direction.
  [[nodiscard]] std::vector<std::vector<Numbers>> push_batch(
      size_t which, std::span<const Numbers> directions) const;
  // The tangents of all outputs along random directions of the other inputs, where input `which`
  // has a tangent of zeros or none.
  [[nodiscard]] std::vector<Numbers> push_others(size_t which, bool has_zeros) const;
  // The gradients of the checked inputs for a cotangent of one output.
  [[nodiscard]] std::vector<Numbers> pull(size_t output, std::span<const double> cotangent) const;
  // The same for several cotangents at once, by vmap: one list per cotangent.
  [[nodiscard]] std::vector<std::vector<Numbers>> pull_batch(
      size_t output, std::span<const Numbers> cotangents) const;

 private:
  [[nodiscard]] std::vector<Tensor> fresh_inputs() const;
  [[nodiscard]] std::vector<Tensor> checked_inputs() const;
  [[nodiscard]] std::vector<Tensor> with_checked(std::span<const Tensor> checked) const;
  [[nodiscard]] std::vector<Numbers> moved(size_t which, std::span<const double> direction,
                                           double by) const;
  void check_same_form(std::span<const Tensor> outputs) const;
  [[nodiscard]] std::vector<Tensor> tangents_of(std::span<const Tensor> tangents) const;
  // Of the checked inputs, by the tape.
  [[nodiscard]] std::vector<Tensor> gradients_for(size_t output, const Tensor& cotangent) const;

  const FunctionBody& function_;
  double eps_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> checked_;
  std::vector<Numbers> values_;
  std::vector<Tensor> own_;  // inputs from which the outputs were computed
  std::vector<Tensor> outputs_;
  std::vector<size_t> differentiable_;
};

}  // namespace opwright
