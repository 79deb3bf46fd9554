#include "opwright/check/variation/value_variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr DType kOfFloats[] = {DType::Float64, DType::Float16,   DType::BFloat16,
                               DType::Float32, DType::Complex64, DType::Int64};
constexpr DType kOfComplex[] = {DType::Complex128, DType::Complex64, DType::Float32};
constexpr DType kOfInts[] = {DType::Int32, DType::Float32, DType::UInt8,
                             DType::Int64, DType::Int16,   DType::Bool};
constexpr DType kOfBools[] = {DType::UInt8};

std::span<const DType> other_dtypes(DType dtype) {
  if (dtype == DType::Bool) return kOfBools;
  if (is_integral(dtype)) return kOfInts;
  if (is_complex(dtype)) return kOfComplex;
  return item_size(dtype) > 1 ? std::span<const DType>(kOfFloats) : std::span<const DType>();
}

bool is_int_or_bool(DType dtype) { return is_integral(dtype) || dtype == DType::Bool; }

// Whether the dtype represents these ints exactly.
bool holds(DType dtype, const ValueProfile& profile) {
  if (!is_integral(dtype)) return true;
  const uint32_t bits = dtype_bits(dtype);
  if (bits == 64) return profile.least_int >= 0 || dtype == DType::Int64;
  const bool is_signed = dtype_code(dtype) == kOpwDtypeInt;
  const int64_t greatest = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t least = is_signed ? -greatest - 1 : 0;
  return profile.least_int >= least && profile.greatest_int <= greatest;
}

VariationStep dtype_step(DType from, DType to) {
  return [from, to](const Draft& draft, RandomSource& rng) -> std::optional<Draft> {
    std::vector<Tensor> tensors = draft.example.tensors();
    bool is_changed = false;
    for (Tensor& tensor : tensors) {
      if (tensor.dtype() != from) continue;
      if (is_int_or_bool(from) && !holds(to, profile_of(tensor))) return std::nullopt;
      tensor = with_dtype(tensor, to, rng);
      is_changed = true;
    }
    if (!is_changed) return std::nullopt;
    return draft.with(draft.example.with_tensors(tensors), concatenate(from, " became ", to));
  };
}

// One number in one tensor of the dtype's class.
struct Special {
  Tensor number;
  std::string text;
  bool is_everywhere;
};

std::vector<Special> specials_of(const Tensor& tensor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const DType dtype = tensor.dtype();
  if (dtype == DType::Bool) {
    return {{.number = number_tensor(int64_t{1}, dtype), .text = "True", .is_everywhere = true},
            {.number = number_tensor(int64_t{0}, dtype), .text = "False", .is_everywhere = true}};
  }
  if (is_integral(dtype)) {
    const ValueProfile profile = profile_of(tensor);
    return {{.number = number_tensor(int64_t{0}, dtype), .text = "0", .is_everywhere = true},
            {.number = number_tensor(profile.least_int, dtype),
             .text = "its least one",
             .is_everywhere = true},
            {.number = number_tensor(profile.greatest_int, dtype),
             .text = "its greatest one",
             .is_everywhere = true}};
  }
  if (item_size(dtype) < 2) return {};
  return {{.number = number_tensor(kNan, dtype), .text = "nan", .is_everywhere = false},
          {.number = number_tensor(0.0, dtype), .text = "0", .is_everywhere = true},
          {.number = number_tensor(kInfinity, dtype), .text = "inf", .is_everywhere = false},
          {.number = number_tensor(-0.0, dtype), .text = "-0.0", .is_everywhere = false},
          {.number = number_tensor(-kInfinity, dtype), .text = "-inf", .is_everywhere = false}};
}

VariationStep special_step(size_t which, size_t place) {
  return [which, place](const Draft& draft, RandomSource& rng) -> std::optional<Draft> {
    const std::vector<Tensor> tensors = draft.example.tensors();
    if (which >= tensors.size() || tensors[which].numel() == 0) return std::nullopt;
    const Tensor& tensor = tensors[which];
    const std::vector<Special> specials = specials_of(tensor);
    if (place >= specials.size()) return std::nullopt;
    const Special& special = specials[place];
    const Tensor values = values_of(tensor);
    if (special.is_everywhere) {
      set_all(values, special.number);
    } else {
      const auto index = static_cast<int64_t>(rng.below(static_cast<uint64_t>(values.numel())));
      set_element(values, index, special.number);
    }
    return draft.with_tensor(
        which, lay_out(values, layout_of(tensor), tensor),
        (special.is_everywhere ? "all values became " : "a value became ") + special.text);
  };
}

}  // namespace

Tensor with_dtype(const Tensor& tensor, DType dtype, RandomSource& rng) {
  const bool is_new = is_int_or_bool(dtype) && !is_int_or_bool(tensor.dtype());
  const Tensor values =
      is_new ? fresh_values(with_dtype(profile_of(tensor), dtype), tensor.sizes(), rng)
             : converted_values(values_of(tensor), dtype);
  return lay_out(values, layout_of(tensor), tensor);
}

bool claims_complex(const Example& example) {
  const Operator& op = example.op();
  if (!op.record(Slot::Autograd) && !op.record(Slot::AutogradKernel)) return true;
  return std::ranges::any_of(example.tensors(),
                             [](const Tensor& tensor) { return is_complex(tensor.dtype()); });
}

VariationSteps dtype_steps(const Example& example) {
  const bool has_complex = claims_complex(example);
  std::set<DType> dtypes;
  size_t most = 0;
  for (const Tensor& tensor : example.tensors()) {
    dtypes.insert(tensor.dtype());
    most = std::max(most, other_dtypes(tensor.dtype()).size());
  }
  VariationSteps steps;
  for (size_t place = 0; place < most; ++place) {
    for (const DType from : dtypes) {
      const auto others = other_dtypes(from);
      const bool is_there = place < others.size() && others[place] != from;
      if (is_there && (has_complex || !is_complex(others[place]))) {
        steps.push_back(dtype_step(from, others[place]));
      }
    }
  }
  return steps;
}

VariationSteps special_value_steps(const Example& example) {
  VariationSteps steps;
  const size_t count = example.tensors().size();
  for (size_t place = 0; place < 5; ++place) {
    for (size_t which = 0; which < count; ++which) steps.push_back(special_step(which, place));
  }
  return steps;
}

VariationStep fresh_values_step() {
  return [](const Draft& draft, RandomSource& rng) -> std::optional<Draft> {
    const std::vector<Tensor> tensors = draft.example.tensors();
    if (tensors.empty()) return std::nullopt;
    const size_t which = rng.below(tensors.size());
    const Tensor& tensor = tensors[which];
    const Tensor values = fresh_values(profile_of(tensor), tensor.sizes(), rng);
    return draft.with_tensor(which, lay_out(values, layout_of(tensor), tensor), "other values");
  };
}

}  // namespace opwright
