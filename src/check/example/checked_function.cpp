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
#include "opwright/dispatch/interpreter.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/func.h"
#include "opwright/runtime/vmap.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/differentiate/jvp.h"
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

// The numbers of the function's results for each sample, computed for all at once by vmap.
template <class Function>
std::vector<std::vector<Numbers>> map_samples(std::span<const Tensor> samples,
                                              const Function& function) {
  const Tensor batch[] = {stack(samples)};
  const BatchDims dims{0};
  const auto size = static_cast<int64_t>(samples.size());
  const std::vector<Tensor> batched =
      run_mapped(batch, dims, size, Randomness::Error, 0, [&](std::span<const Tensor> sample) {
        std::vector<Tensor> results = function(sample);
        BatchDims out_dims(results.size(), 0);
        return MappedOutputs{.tensors = std::move(results), .dims = std::move(out_dims)};
      });
  std::vector<std::vector<Numbers>> found;
  for (int64_t i = 0; i < size; ++i) {
    std::vector<Tensor> row;
    for (const Tensor& each : batched) row.push_back(each.select(0, i));
    found.push_back(all_numbers(row));
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
                                 double eps, bool allows_coarse_dtypes)
    : function_(function), eps_(eps), inputs_(inputs.begin(), inputs.end()) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!requires_grad(inputs_[i])) continue;
    const DType dtype = inputs_[i].dtype();
    const bool is_fine = dtype == DType::Float64 || dtype == DType::Complex128;
    OPWRIGHT_CHECK_VALUE(is_fine || eps >= 1e-4 || allows_coarse_dtypes, "gradcheck: input ", i,
                         " is of dtype ", dtype, ", too coarse for differences of eps = ", eps,
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
  const std::vector<Tensor> outputs = function_(inputs).outputs;
  check_same_form(outputs);
  return all_numbers(outputs);
}

void CheckedFunction::check_same_form(std::span<const Tensor> outputs) const {
  OPWRIGHT_CHECK_KIND("AssertionError", outputs.size() == outputs_.size(),
                      "gradcheck: Expected `func` to return as many outputs when inputs are "
                      "perturbed by eps = ",
                      eps_, ", but got ", outputs.size(), " and ", outputs_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueMeta meta(outputs_[i]);
    OPWRIGHT_CHECK_KIND("AssertionError", has_sizes(outputs[i], meta.sizes()),
                        "gradcheck: Expected `func` to return outputs with the same shape when "
                        "inputs are perturbed by eps = ",
                        eps_, ", but got sizes ", to_text(ValueMeta(outputs[i]).sizes()), " and ",
                        to_text(meta.sizes()), " for output ", i);
    OPWRIGHT_CHECK_KIND("AssertionError", outputs[i].dtype() == meta.dtype(),
                        "gradcheck: Expected `func` to return outputs with the same dtype when "
                        "inputs are perturbed by eps = ",
                        eps_, ", but got ", outputs[i].dtype(), " and ", meta.dtype(),
                        " for output ", i);
  }
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

std::vector<Tensor> CheckedFunction::tangents_of(std::span<const Tensor> tangents) const {
  auto body = [&](std::span<const Tensor> own) { return function_(with_checked(own)); };
  const auto level = JvpPtr::take(new Jvp(current_interpreter(), Jvp::Opener::User));
  return push_through(*level, checked_inputs(), tangents, FunctionBody(body)).tangents;
}

std::vector<Numbers> CheckedFunction::push(size_t which, std::span<const double> direction) const {
  std::vector<Tensor> tangents(num_inputs());
  tangents[which] = tensor_of(direction, input(which));
  return all_numbers(tangents_of(tangents));
}

std::vector<std::vector<Numbers>> CheckedFunction::push_batch(
    size_t which, std::span<const Numbers> directions) const {
  std::vector<Tensor> samples;
  for (const Numbers& each : directions) samples.push_back(tensor_of(each, input(which)));
  return map_samples(samples, [&](std::span<const Tensor> sample) {
    std::vector<Tensor> tangents(num_inputs());
    tangents[which] = sample[0];
    return tangents_of(tangents);
  });
}

std::vector<Numbers> CheckedFunction::push_others(size_t which, bool has_zeros) const {
  std::vector<Tensor> tangents(num_inputs());
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (i != which) tangents[i] = tensor_of(random_direction(values_[i].size(), i), input(i));
  }
  if (has_zeros) tangents[which] = tensor_of(Numbers(values_[which].size()), input(which));
  return all_numbers(tangents_of(tangents));
}

std::vector<Tensor> CheckedFunction::gradients_for(size_t output, const Tensor& cotangent) const {
  const Tensor outputs[] = {outputs_[output]};
  const Tensor gradients[] = {cotangent};
  return grad(
      outputs, checked_inputs(), gradients,
      {.keeps_graph = true, .create_graph = false, .allow_unused = true, .materialize = true});
}

std::vector<Numbers> CheckedFunction::pull(size_t output, std::span<const double> cotangent) const {
  return all_numbers(gradients_for(output, tensor_of(cotangent, outputs_[output])));
}

std::vector<std::vector<Numbers>> CheckedFunction::pull_batch(
    size_t output, std::span<const Numbers> cotangents) const {
  std::vector<Tensor> samples;
  for (const Numbers& each : cotangents) samples.push_back(tensor_of(each, outputs_[output]));
  return map_samples(
      samples, [&](std::span<const Tensor> sample) { return gradients_for(output, sample[0]); });
}

}  // namespace opwright
