#include "opwright/check/example/example_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/check/example/checked_function.h"
#include "opwright/check/example/example.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The mean magnitude of the elements; 1 if they are all 0.
double usual_size(const Numbers& numbers) {
  double sum = 0;
  for (const double each : numbers) sum += std::abs(each);
  return sum > 0 ? sum / static_cast<double>(numbers.size()) : 1;
}

// By PyTorch's convention the running statistics of a normalization are constants.
bool is_statistic(const Example& example, size_t which) {
  return example.tensor_name(which).starts_with("running_");
}

}  // namespace

ExampleLine::MovedTensor::MovedTensor(const Tensor& tensor, const LineOptions& options,
                                      size_t which)
    : place(which),
      sizes(tensor.sizes().begin(), tensor.sizes().end()),
      strides(tensor.strides().begin(), tensor.strides().end()) {
  const Extent extent = *find_extent(sizes, strides);
  offset = -extent.lowest;
  const int64_t length[] = {extent.length()};
  const int64_t steps[] = {1};
  const Tensor reached =
      make_view(tensor, length, steps, geometry_of(tensor).offset + extent.lowest);
  memory = options.is_fine ? reached.to(fine_dtype(tensor.dtype())) : reached;
  middle = numbers_of(memory);
  // The memory between the elements may hold anything.
  for (double& each : middle) each = std::isfinite(each) ? each : 0;

  const double size = usual_size(numbers_of(show(middle)));
  const Numbers is_reached = reached_places();
  std::mt19937_64 generator(options.seed * 1000 + place);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> away(0.2, 1);  // away from 0, so that no tie remains
  for (size_t i = 0; i < middle.size(); ++i) {
    const double part = options.jitter * away(generator) * (generator() % 2 == 0 ? 1 : -1);
    middle[i] += is_reached[i] * part * (options.keeps_signs ? std::abs(middle[i]) : size);
    const double scale = options.keeps_signs ? std::abs(middle[i]) : size;
    by.push_back(is_reached[i] * normal(generator) * scale);
  }
  direction = numbers_of(show(by));
}

// 1 at locations of elements, 0 between them.
Numbers ExampleLine::MovedTensor::reached_places() const {
  Numbers places(middle.size());
  std::iota(places.begin(), places.end(), 0);
  const Tensor numbered = tensor_of(places, memory.to(fine_dtype(memory.dtype())));
  Numbers is_reached(places.size());
  for (const double each : numbers_of(make_view(numbered, sizes, strides, offset))) {
    is_reached[static_cast<size_t>(each)] = 1;
  }
  return is_reached;
}

Tensor ExampleLine::MovedTensor::show(const Numbers& numbers) const {
  return make_view(tensor_of(numbers, memory), sizes, strides, offset);
}

Tensor ExampleLine::MovedTensor::at(double step) const {
  Numbers numbers = middle;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += step * by[i];
  return show(numbers);
}

ExampleLine::ExampleLine(const Example& example, const LineOptions& options) : example_(example) {
  const std::vector<Tensor> tensors = example_.tensors();
  const bool asks =
      std::ranges::any_of(tensors, [](const Tensor& each) { return requires_grad(each); });
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!has_gradients(tensors[i].dtype())) continue;
    const bool moves = (!asks || requires_grad(tensors[i])) && !is_statistic(example_, i);
    (moves ? tensors_ : others_).emplace_back(tensors[i].detach(), options, i);
    if (moves) moved_.push_back(i);
  }
}

std::vector<bool> ExampleLine::subset() const {
  std::vector<bool> subset(example_.tensors().size());
  for (const size_t place : moved_) subset[place] = true;
  return subset;
}

Example ExampleLine::at(double step, std::optional<size_t> only) const {
  const Example own = example_.copy();
  std::vector<Tensor> tensors = own.tensors();
  for (const MovedTensor& each : others_) tensors[each.place] = each.at(0);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    tensors[tensors_[i].place] = tensors_[i].at(only && *only != i ? 0 : step);
  }
  return own.with_tensors(tensors);
}

DType ExampleLine::dtype() const {
  DType coarsest = DType::Float64;
  for (const MovedTensor& each : tensors_) {
    const DType dtype = each.memory.dtype();
    const size_t bytes = item_size(dtype) / (is_complex(dtype) ? 2 : 1);
    if (bytes < item_size(coarsest)) coarsest = is_complex(dtype) ? DType::Float32 : dtype;
  }
  return coarsest;
}

}  // namespace opwright
