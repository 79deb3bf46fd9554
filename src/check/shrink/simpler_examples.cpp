#include "opwright/check/shrink/simpler_examples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/check/shrink/simpler_values.h"
#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/check/variation/size_variation.h"
#include "opwright/check/variation/variation_step.h"
#include "opwright/dtype.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Replaces one tensor and all others in the same memory.
Example with_memory(const Example& example, size_t which, const Tensor& memory) {
  std::vector<Tensor> tensors = example.tensors();
  const Tensor old = tensors[which];
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == which || !are_same_memory(tensors[i], old)) continue;
    tensors[i] = same_memory(memory, tensors[i].requires_grad());
  }
  tensors[which] = memory;
  return example.with_tensors(tensors);
}

Example with_tensor(const Example& example, size_t which, const Tensor& tensor) {
  std::vector<Tensor> tensors = example.tensors();
  tensors[which] = tensor;
  return example.with_tensors(tensors);
}

bool shares_storage(const std::vector<Tensor>& tensors, size_t which) {
  size_t count = 0;
  for (const Tensor& each : tensors) {
    count += impl(each).storage == impl(tensors[which]).storage ? 1 : 0;
  }
  return count > 1;
}

// ---- Sizes --------------------------------------------------------------------------------------

// The first elements in place, for tensors whose memory overlaps.
std::optional<Example> narrowed(const Example& example, const SizeTies& ties,
                                std::span<const int64_t> sizes) {
  std::vector<Tensor> tensors = example.tensors();
  bool has_shared = false;
  for (size_t i = 0; i < tensors.size(); ++i) has_shared |= shares_storage(tensors, i);
  if (!has_shared) return std::nullopt;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Geometry geometry = geometry_of(tensors[i]);
    for (size_t dim = 0; dim < geometry.sizes.size(); ++dim) {
      geometry.sizes[dim] = sizes[ties.variables[i][dim]];
    }
    const bool requires_grad = tensors[i].requires_grad();
    tensors[i] = same_memory(make_view(tensors[i], geometry), requires_grad);
  }
  return example.with_tensors(tensors);
}

bool offer_sizes(const Example& example, const SizeTies& ties, const std::vector<int64_t>& sizes,
                 const OfferExample& offer) {
  const Draft draft{.example = example, .change = ""};
  for (const bool follows : {true, false}) {
    const std::optional<Draft> smaller =
        resize(draft, ties, {.sizes = sizes, .ints_follow = follows});
    if (smaller && offer(smaller->example)) return true;
  }
  const std::optional<Example> in_place = narrowed(example, ties, sizes);
  return in_place && offer(*in_place);
}

// ---- Numbers ------------------------------------------------------------------------------------

std::vector<Value> simpler_numbers(const OpwValue& value) {
  std::vector<Value> simpler;
  if (value.tag == kOpwInt || (value.tag == kOpwSymInt && !is_symbolic(value.as_int))) {
    for (const int64_t other : {int64_t{0}, int64_t{1}, int64_t{2}, value.as_int / 2}) {
      if (other == value.as_int) break;
      simpler.emplace_back(other);
    }
    if (value.as_int < 0) simpler.emplace_back(-value.as_int);
  }
  if (value.tag == kOpwFloat) {
    const double number = value.as_double;
    for (const double other : {0.0, 1.0, 0.5, std::round(number), std::round(number * 10) / 10}) {
      if (other == number || std::isnan(other)) break;
      simpler.emplace_back(other);
    }
  }
  if (value.tag == kOpwBool && value.as_int != 0) simpler.emplace_back(false);
  return simpler;
}

// Lists with one element simplified.
std::vector<Value> simpler_lists(const OpwValue& list) {
  std::vector<Value> elements;
  for (uint32_t i = 0; i < list.length; ++i) {
    elements.push_back(Value::copy_of(list_element(list, i)));
  }
  std::vector<Value> simpler;
  for (size_t i = 0; i < elements.size(); ++i) {
    for (Value& number : simpler_numbers(elements[i].get())) {
      std::vector<Value> changed = elements;
      changed[i] = std::move(number);
      simpler.push_back(pack_list(static_cast<OpwTag>(list.tag), changed));
    }
  }
  return simpler;
}

DType simpler_dtype(DType dtype) {
  if (dtype == DType::Bool) return dtype;
  return is_integral(dtype) ? DType::Int64 : DType::Float32;
}

// Simplest first; none if the tensor already has the simplest one.
std::vector<TensorLayout> simpler_layouts(const Tensor& tensor) {
  const auto sizes = tensor.sizes();
  const TensorLayout old = layout_of(tensor);
  const TensorLayout contiguous = contiguous_layout(sizes);
  const bool is_contiguous = std::ranges::equal(tensor.strides(), contiguous.strides);
  if (is_contiguous && old.offset == 0 && old.tail == 0) return {};
  std::vector<TensorLayout> layouts = {contiguous};
  layouts.push_back({.strides = old.strides});
  if (!is_contiguous) {
    if (sizes.size() > 1) layouts.push_back(reversed_layout(sizes));
    TensorLayout every_second = contiguous;
    for (int64_t& stride : every_second.strides) stride *= 2;
    layouts.push_back(every_second);
  }
  if (old.tail > 0) layouts.push_back({.strides = old.strides, .offset = old.offset});
  if (old.offset > 1) layouts.push_back({.strides = old.strides, .offset = 1});
  return layouts;
}

}  // namespace

bool offer_shorter_lists(const Example& example, const OfferExample& offer) {
  for (uint32_t argument = 0; argument < example.values().size(); ++argument) {
    const OpwValue& list = example.values()[argument].get();
    const Argument& declared = example.op().schema().arguments[argument];
    if (!is_list_tag(list.tag) || declared.fixed_length()) continue;
    for (uint32_t dropped = list.length; dropped-- > 0;) {
      std::vector<Value> elements;
      for (uint32_t i = 0; i < list.length; ++i) {
        if (i != dropped) elements.push_back(Value::copy_of(list_element(list, i)));
      }
      Value shorter = pack_list(static_cast<OpwTag>(list.tag), elements);
      if (offer(example.with_value(argument, std::move(shorter)))) return true;
    }
  }
  return false;
}

bool offer_nothing_for_optionals(const Example& example, const OfferExample& offer) {
  for (uint32_t argument = 0; argument < example.values().size(); ++argument) {
    const Argument& declared = example.op().schema().arguments[argument];
    if (example.values()[argument].is_none() || !declared.type.is_optional()) continue;
    if (offer(example.with_value(argument, Value()))) return true;
  }
  return false;
}

bool offer_without_gradients(const Example& example, const OfferExample& offer) {
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].requires_grad()) continue;
    if (offer(with_tensor(example, i, same_memory(tensors[i], false)))) return true;
  }
  return false;
}

bool offer_smaller_sizes(const Example& example, const SizeTies& ties, const OfferExample& offer) {
  const std::vector<int64_t> sizes = ties.sizes_in(example);
  for (size_t variable = 0; variable < sizes.size(); ++variable) {
    const int64_t old = sizes[variable];
    // Not to 0: a fault in a single element is visible, an empty tensor shows nothing.
    for (const int64_t size : {int64_t{1}, int64_t{2}, old / 2, old - 1}) {
      if (size >= old || size == 0) break;
      std::vector<int64_t> smaller = sizes;
      smaller[variable] = size;
      if (offer_sizes(example, ties, smaller, offer)) return true;
    }
  }
  return false;
}

bool offer_simpler_memory(const Example& example, const OfferExample& offer) {
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor values = values_of(tensors[i]);
    if (shares_storage(tensors, i)) {
      const TensorLayout own = contiguous_layout(values.sizes());
      if (offer(with_tensor(example, i, lay_out(values, own, tensors[i])))) return true;
    }
    for (const TensorLayout& layout : simpler_layouts(tensors[i])) {
      if (offer(with_memory(example, i, lay_out(values, layout, tensors[i])))) return true;
    }
  }
  return false;
}

bool offer_usual_dtypes(const Example& example, const OfferExample& offer) {
  const std::vector<Tensor> tensors = example.tensors();
  for (const Tensor& chosen : tensors) {
    const DType from = chosen.dtype();
    const DType to = simpler_dtype(from);
    const bool can_compute = item_size(from) > 1 || !is_floating(from);
    if (to == from || !can_compute) continue;
    std::vector<Tensor> changed = tensors;
    for (Tensor& tensor : changed) {
      if (tensor.dtype() != from) continue;
      tensor = lay_out(converted_values(values_of(tensor), to), layout_of(tensor), tensor);
    }
    if (offer(example.with_tensors(changed))) return true;
  }
  return false;
}

bool offer_simpler_values(const Example& example, const OfferExample& offer) {
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (const Tensor& values : simpler_values(tensors[i])) {
      const Tensor simpler = lay_out(values, layout_of(tensors[i]), tensors[i]);
      if (offer(with_memory(example, i, simpler))) return true;
    }
  }
  return false;
}

bool offer_simpler_numbers(const Example& example, const OfferExample& offer) {
  for (uint32_t argument = 0; argument < example.values().size(); ++argument) {
    const Argument& declared = example.op().schema().arguments[argument];
    const OpwValue& value = example.values()[argument].get();
    if (declared.default_value) {
      if (equal_values(declared.default_value->get(), value)) continue;
      if (offer(example.with_value(argument, *declared.default_value))) return true;
    }
    std::vector<Value> simpler =
        is_list_tag(value.tag) ? simpler_lists(value) : simpler_numbers(value);
    for (Value& each : simpler) {
      if (offer(example.with_value(argument, std::move(each)))) return true;
    }
  }
  return false;
}

}  // namespace opwright
