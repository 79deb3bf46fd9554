#include "opwright/check/example/checked_function.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/func.h"
#include "opwright/runtime/vmap.h"
#include "opwright/tensor.h"
#include "opwright/transforms/vmap/vmap_function.h"

namespace opwright {
namespace {

std::vector<Numbers> all_numbers(std::span<const Tensor> tensors) {
  std::vector<Numbers> found;
  for (const Tensor& tensor : tensors) {
    found.push_back(has_gradients(tensor.dtype()) ? numbers_of(tensor) : Numbers());
  }
  return found;
}

}  // namespace

Numbers random_direction(size_t count, uint64_t number) {
  std::mt19937_64 generator(number + 1);
  std::normal_distribution<double> normal;
  Numbers direction(count);
  double square = 0;
  for (double& each : direction) {
    each = normal(generator);
    square += each * each;
  }
  for (double& each : direction) each /= square > 0 ? std::sqrt(square) : 1;
  return direction;
}

Numbers unit_direction(size_t count, size_t place) {
  Numbers direction(count);
  direction[place] = 1;
  return direction;
}

CheckedFunction::CheckedFunction(const FunctionBody& function, std::span<const Tensor> inputs,
                                 double eps)
    : function_(function), eps_(eps), inputs_(inputs.begin(), inputs.end()) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!requires_grad(inputs_[i])) continue;
    const DType dtype = inputs_[i].dtype();
    const bool is_fine = dtype == DType::Float64 || dtype == DType::Complex128;
    OPWRIGHT_CHECK_VALUE(is_fine || eps >= 1e-4, "gradcheck: input ", i, " is of dtype ", dtype,
                         ", too coarse for differences of eps = ", eps,
                         "; pass float64 or complex128, or a larger eps, atol and rtol");
    checked_.push_back(i);
    values_.push_back(numbers_of(inputs_[i]));
  }
  OPWRIGHT_CHECK_VALUE(!checked_.empty(),
                       "gradcheck: no input requires grad, so there is nothing to check");
  own_ = fresh_inputs();
  outputs_ = function_(own_).outputs;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (requires_grad(outputs_[i])) differentiable_.push_back(i);
  }
}

std::vector<Tensor> CheckedFunction::fresh_inputs() const {
  std::vector<Tensor> own;
  for (const Tensor& input : inputs_) {
    own.push_back(input.detach().clone());
    if (requires_grad(input)) set_requires_grad(own.back(), true);
  }
  return own;
}

std::vector<Tensor> CheckedFunction::checked_inputs() const {
  std::vector<Tensor> checked;
  for (const size_t place : checked_) checked.push_back(own_[place]);
  return checked;
}

std::vector<Tensor> CheckedFunction::with_checked(std::span<const Tensor> checked) const {
  std::vector<Tensor> all = own_;
  for (size_t i = 0; i < checked.size(); ++i) {
    all[checked_[i]] = checked[i];
    set_requires_grad(checked[i], true);  // the function may compute gradients itself
  }
  return all;
}

// ---- Differences ----

std::vector<Numbers> CheckedFunction::moved(size_t which, std::span<const double> direction,
                                            double by) const {
  std::vector<Tensor> inputs = fresh_inputs();
  Numbers numbers = values_[which];
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += by * direction[i];
  Tensor& input = inputs[checked_[which]];
  input = tensor_of(numbers, input);
  set_requires_grad(input, true);
  return all_numbers(function_(inputs).outputs);
}

std::vector<Numbers> CheckedFunction::difference(size_t which,
                                                 std::span<const double> direction) const {
  const std::vector<Numbers> above = moved(which, direction, eps_);
  const std::vector<Numbers> below = moved(which, direction, -eps_);
  std::vector<Numbers> slopes = above;
  for (size_t i = 0; i < slopes.size(); ++i) {
    for (size_t k = 0; k < slopes[i].size(); ++k)
      slopes[i][k] = (above[i][k] - below[i][k]) / (2 * eps_);
  }
  return slopes;
}

// ---- Formulas ----

std::vector<Numbers> CheckedFunction::push(size_t which, std::span<const double> direction) const {
  const std::vector<Tensor> primals = checked_inputs();
  std::vector<Tensor> tangents(primals.size());
  tangents[which] = tensor_of(direction, primals[which]);
  auto body = [&](std::span<const Tensor> own) { return function_(with_checked(own)); };
  return all_numbers(jvp_function(primals, tangents, FunctionBody(body)).tangents);
}

std::vector<Numbers> CheckedFunction::pull(size_t output, std::span<const double> cotangent) const {
  const Tensor outputs[] = {outputs_[output]};
  const Tensor gradients[] = {tensor_of(cotangent, outputs[0])};
  return all_numbers(grad(
      outputs, checked_inputs(), gradients,
      {.keeps_graph = true, .create_graph = false, .allow_unused = true, .materialize = true}));
}

std::vector<std::vector<Numbers>> CheckedFunction::pull_batch(
    size_t output, std::span<const Numbers> cotangents) const {
  auto body = [&](std::span<const Tensor> own) { return function_(with_checked(own)); };
  const VjpResult run = vjp_function(checked_inputs(), FunctionBody(body));
  std::vector<Tensor> samples;
  for (const Numbers& each : cotangents) samples.push_back(tensor_of(each, outputs_[output]));
  const Tensor batch[] = {stack(samples)};
  const BatchDims dims{0};
  const auto size = static_cast<int64_t>(cotangents.size());
  const std::vector<Tensor> batched =
      run_mapped(batch, dims, size, Randomness::Error, 0, [&](std::span<const Tensor> sample) {
        std::vector<Tensor> all(run.outputs.size());
        all[output] = sample[0];
        std::vector<Tensor> gradients = run.pull(all);
        BatchDims out_dims(gradients.size(), 0);
        return MappedOutputs{.tensors = std::move(gradients), .dims = std::move(out_dims)};
      });
  std::vector<std::vector<Numbers>> found;
  for (int64_t i = 0; i < size; ++i) {
    std::vector<Tensor> row;
    for (const Tensor& each : batched) row.push_back(each.select(0, i));
    found.push_back(all_numbers(row));
  }
  return found;
}

}  // namespace opwright
