#include "opwright/check/variation/wild_variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/values/element_text.h"
#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/check/variation/number_variation.h"
#include "opwright/check/variation/value_variation.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright {
namespace {

using MaybeDraft = std::optional<Draft>;

constexpr DType kDTypeChoices[] = {
    DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Complex64,
    DType::Int64,   DType::Int32,   DType::Int8,    DType::UInt8,    DType::Bool,
};
constexpr int64_t kInts[] = {-3, -2, -1, 0, 1, 2, 3, 5};
constexpr double kFloats[] = {0.0,
                              -1.0,
                              0.5,
                              1.0,
                              2.0,
                              1e30,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};

std::optional<size_t> choose_tensor(const std::vector<Tensor>& tensors, RandomSource& rng) {
  if (tensors.empty()) return std::nullopt;
  return rng.below(tensors.size());
}

// ---- Strides ------------------------------------------------------------------------------------

TensorLayout wild_layout(std::span<const int64_t> sizes, RandomSource& rng) {
  const uint64_t kind = rng.below(3);
  if (kind == 1) return gapped_layout(sizes, rng.between(1, 3), rng.between(0, 2));
  const bool is_empty = std::ranges::find(sizes, 0) != sizes.end();
  if (kind == 2 && !sizes.empty() && !is_empty) {
    return repeated_layout(sizes, rng.below(sizes.size()));
  }
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return ordered_layout(sizes, order);
}

MaybeDraft change_strides(const Draft& draft, RandomSource& rng) {
  const std::vector<Tensor> tensors = draft.example.tensors();
  const std::optional<size_t> which = choose_tensor(tensors, rng);
  if (!which) return std::nullopt;
  const Tensor& tensor = tensors[*which];
  const Tensor made = lay_out(values_of(tensor), wild_layout(tensor.sizes(), rng), tensor);
  return draft.with_tensor(*which, made, concatenate("strides ", to_text(made.strides())));
}

// ---- DTypes -------------------------------------------------------------------------------------

MaybeDraft change_dtype(const Draft& draft, RandomSource& rng) {
  std::vector<Tensor> tensors = draft.example.tensors();
  const std::optional<size_t> which = choose_tensor(tensors, rng);
  if (!which) return std::nullopt;
  const DType dtype = rng.choose(kDTypeChoices);
  if (is_complex(dtype) && !claims_complex(draft.example)) return std::nullopt;
  const bool changes_all = rng.one_in(2);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if ((i != *which && !changes_all) || tensors[i].dtype() == dtype) continue;
    tensors[i] = lay_out(converted_values(values_of(tensors[i]), dtype),
                         fit_layout(layout_of(tensors[i]), tensors[i].sizes(), tensors[i].sizes()),
                         tensors[i]);
  }
  const std::string who = changes_all ? "all tensors" : draft.example.tensor_name(*which);
  return draft.with(draft.example.with_tensors(tensors), concatenate(who, ": dtype ", dtype));
}

// ---- Sizes --------------------------------------------------------------------------------------

Geometry shorten(Geometry geometry, RandomSource& rng) {
  if (geometry.sizes.empty()) return geometry;
  int64_t& size = geometry.sizes[rng.below(geometry.sizes.size())];
  const int64_t choices[] = {0, 1, size - 1};
  if (size > 0) size = rng.choose(choices);
  return geometry;
}

Tensor reshape_wildly(const Tensor& tensor, RandomSource& rng) {
  const Geometry geometry = geometry_of(tensor);
  const size_t ndim = geometry.sizes.size();
  switch (rng.below(4)) {
    case 0:
      return make_view(tensor, shorten(geometry, rng));
    case 1:
      return make_view(
          tensor, unsqueeze_geometry(geometry, rng.between(0, static_cast<int64_t>(ndim)), "vary"));
    case 2:
      if (ndim == 0 || geometry.sizes[0] == 0) return tensor;
      return make_view(tensor, select_geometry<int64_t>(geometry, 0, 0, "vary"));
    default: {
      const Tensor values = values_of(tensor);
      return make_view(values, Sizes{values.numel()}, Sizes{1}, 0);
    }
  }
}

MaybeDraft change_sizes(const Draft& draft, RandomSource& rng) {
  const std::vector<Tensor> tensors = draft.example.tensors();
  const std::optional<size_t> which = choose_tensor(tensors, rng);
  if (!which) return std::nullopt;
  const Tensor made = reshape_wildly(tensors[*which], rng);
  return draft.with_tensor(*which, made, concatenate("sizes ", to_text(made.sizes())));
}

// Makes the last or the first dimension of all tensors of one rank empty.
MaybeDraft empty_together(const Draft& draft, RandomSource& rng) {
  std::vector<Tensor> tensors = draft.example.tensors();
  std::vector<int64_t> ranks;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() > 0) ranks.push_back(tensor.dim());
  }
  if (ranks.empty()) return std::nullopt;
  const int64_t rank = rng.choose(ranks);
  const size_t dim = rng.one_in(2) ? 0 : static_cast<size_t>(rank - 1);
  for (Tensor& tensor : tensors) {
    if (tensor.dim() != rank) continue;
    Geometry geometry = geometry_of(tensor);
    geometry.sizes[dim] = 0;
    tensor = make_view(tensor, geometry);
  }
  return draft.with(draft.example.with_tensors(tensors),
                    concatenate("dimension ", dim, " of tensors of ", rank, " dimensions: empty"));
}

// ---- Numbers ------------------------------------------------------------------------------------

bool is_number_tag(uint32_t tag) {
  return tag == kOpwInt || tag == kOpwSymInt || tag == kOpwFloat || tag == kOpwBool;
}

Value wild_number(const OpwValue& value, RandomSource& rng) {
  if (value.tag == kOpwBool) return Value(value.as_int == 0);
  return value.tag == kOpwFloat ? Value(rng.choose(kFloats)) : Value(rng.choose(kInts));
}

MaybeDraft change_number(const Draft& draft, RandomSource& rng) {
  struct Place {
    uint32_t argument;
    uint32_t index;
    bool is_in_list;
  };
  std::vector<Place> places;
  const std::vector<Value>& values = draft.example.values();
  for (uint32_t i = 0; i < values.size(); ++i) {
    const OpwValue& value = values[i].get();
    if (is_number_tag(value.tag)) places.push_back({i, 0, false});
    if (!is_list_tag(value.tag)) continue;
    for (uint32_t index = 0; index < value.length; ++index) {
      if (is_number_tag(list_element(value, index).tag)) places.push_back({i, index, true});
    }
  }
  if (places.empty()) return std::nullopt;
  const Place place = rng.choose(places);
  const OpwValue& old = values[place.argument].get();
  if (!place.is_in_list) return with_value(draft, place.argument, wild_number(old, rng));
  std::vector<Value> elements;
  for (uint32_t i = 0; i < old.length; ++i) {
    elements.push_back(Value::copy_of(list_element(old, i)));
  }
  elements[place.index] = wild_number(elements[place.index].get(), rng);
  return with_value(draft, place.argument, pack_list(static_cast<OpwTag>(old.tag), elements));
}

// ---- Values -------------------------------------------------------------------------------------

int64_t extreme_int(DType dtype, RandomSource& rng) {
  const uint32_t bits = dtype_bits(dtype);
  const bool is_signed = dtype_code(dtype) == kOpwDtypeInt;
  const uint64_t greatest = is_signed ? (uint64_t{1} << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  const auto most = static_cast<int64_t>(greatest);
  const int64_t choices[] = {is_signed ? -most - 1 : 0, most, 0, is_signed ? -1 : 1};
  return rng.choose(choices);
}

double special_float(RandomSource& rng) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity,
                                 0.0, -0.0};
  return rng.choose(kSpecial);
}

MaybeDraft add_special_value(const Draft& draft, RandomSource& rng) {
  const std::vector<Tensor> tensors = draft.example.tensors();
  const std::optional<size_t> which = choose_tensor(tensors, rng);
  if (!which) return std::nullopt;
  const Tensor& tensor = tensors[*which];
  const bool takes_special = item_size(tensor.dtype()) > 1 || is_integral(tensor.dtype());
  if (tensor.numel() == 0 || !takes_special) return std::nullopt;
  const DType dtype = tensor.dtype();
  const Tensor special = is_integral(dtype) ? number_tensor(extreme_int(dtype, rng), dtype)
                                            : number_tensor(special_float(rng), dtype);
  const Tensor values = values_of(tensor);
  set_element(values, static_cast<int64_t>(rng.below(static_cast<uint64_t>(values.numel()))),
              special);
  return draft.with_tensor(*which, lay_out(values, layout_of(tensor), tensor),
                           "a value became " + element_text(special, 0));
}

// ---- Shared memory ------------------------------------------------------------------------------

// Puts a tensor into the memory of another one of its sizes and dtype: exactly, or offset by one
// element.
MaybeDraft share_tensor_memory(const Draft& draft, RandomSource& rng) {
  const std::vector<Tensor> tensors = draft.example.tensors();
  const std::optional<size_t> first = choose_tensor(tensors, rng);
  if (!first || tensors[*first].numel() == 0) return std::nullopt;
  std::vector<size_t> alike;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == *first || tensors[i].dtype() != tensors[*first].dtype()) continue;
    if (std::ranges::equal(tensors[i].sizes(), tensors[*first].sizes())) alike.push_back(i);
  }
  if (alike.empty()) return std::nullopt;
  const size_t second = rng.choose(alike);
  const int64_t shift = rng.between(0, 1);
  TensorLayout layout = contiguous_layout(tensors[*first].sizes());
  layout.tail = 1;
  const Tensor memory = lay_out(values_of(tensors[*first]), layout, tensors[*first]);
  const Tensor shifted = make_view(memory, memory.sizes(), memory.strides(), shift);
  return draft.with_tensor(*first, memory, "contiguous")
      .with_tensor(second, shifted,
                   concatenate("the memory of ", draft.example.tensor_name(*first),
                               shift == 1 ? ", offset by one element" : ""));
}

}  // namespace

MaybeDraft change_wildly(const Draft& draft, RandomSource& rng) {
  using Change = MaybeDraft (*)(const Draft&, RandomSource&);
  constexpr Change kChanges[] = {
      change_strides, change_strides, change_dtype,      change_sizes,
      empty_together, change_number,  add_special_value, share_tensor_memory,
  };
  return rng.choose(kChanges)(draft, rng);
}

}  // namespace opwright
