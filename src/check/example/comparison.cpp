#include "opwright/check/example/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "opwright/c_api.h"
#include "opwright/check/values/element_text.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/move/copy.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/number_text.h"

namespace opwright {
namespace {

// A contiguous, detached copy on the CPU.
Tensor plain_copy(const Tensor& tensor) {
  return as_contiguous(tensor.detach().to(kCpu, tensor.dtype()));
}

bool is_close(double is, double should, const Tolerance& tolerance) {
  if (std::isnan(is) || std::isnan(should)) return std::isnan(is) && std::isnan(should);
  if (std::isinf(is) || std::isinf(should)) return is == should;
  return std::abs(is - should) <= tolerance.atol + tolerance.rtol * std::abs(should);
}

bool has_parts(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

bool element_agrees(const std::byte* is, const std::byte* should, DType dtype,
                    const Tolerance& tolerance) {
  if (!has_parts(dtype)) return std::memcmp(is, should, item_size(dtype)) == 0;
  const FloatParts a = read_float(is, dtype);
  const FloatParts b = read_float(should, dtype);
  return is_close(a.real, b.real, tolerance) && is_close(a.imag, b.imag, tolerance);
}

std::optional<std::string> find_wrong_element(const Tensor& is, const Tensor& should,
                                              const Tolerance& tolerance) {
  const Tensor left = plain_copy(is);
  const Tensor right = plain_copy(should);
  const std::span<const std::byte> left_bytes = bytes_of(left);
  const std::span<const std::byte> right_bytes = bytes_of(right);
  if (std::ranges::equal(left_bytes, right_bytes)) return std::nullopt;
  const size_t step = item_size(left.dtype());
  int64_t first = -1;
  int64_t count = 0;
  for (size_t at = 0; at < left_bytes.size(); at += step) {
    if (element_agrees(&left_bytes[at], &right_bytes[at], left.dtype(), tolerance)) continue;
    if (count++ == 0) first = static_cast<int64_t>(at / step);
  }
  if (count == 0) return std::nullopt;
  return concatenate("element ", index_text(first, left.sizes()), " is ", element_text(left, first),
                     " and should be ", element_text(right, first), " (", count, " of ",
                     left.numel(), left.numel() == 1 ? " element differs)" : " elements differ)");
}

// Strides of dimensions of size 1, and of empty tensors, do not matter.
bool has_same_strides(const Tensor& is, const Tensor& should) {
  if (should.numel() == 0) return true;
  for (size_t dim = 0; dim < should.sizes().size(); ++dim) {
    if (should.sizes()[dim] > 1 && is.strides()[dim] != should.strides()[dim]) return false;
  }
  return true;
}

std::optional<std::string> differing(std::string_view what, const auto& is, const auto& should) {
  return concatenate("its ", what, is, " and should be ", should);
}

bool is_list(const OpwValue& value) { return value.tag == kOpwTensorList || value.tag == kOpwList; }

std::optional<std::string> find_list_difference(const OpwValue& is, const OpwValue& should,
                                                const ComparisonOptions& options) {
  if (is.length != should.length) return differing("length is ", is.length, should.length);
  for (uint32_t i = 0; i < is.length; ++i) {
    if (auto found = find_difference(list_element(is, i), list_element(should, i), options)) {
      return concatenate("[", i, "]: ", *found);
    }
  }
  return std::nullopt;
}

bool numbers_agree(const OpwValue& is, const OpwValue& should, const ComparisonOptions& options) {
  if (is.tag != kOpwFloat || should.tag != kOpwFloat) return false;
  return is_close(is.as_double, should.as_double,
                  options.tolerance.value_or(Tolerance::of(DType::Float64)));
}

}  // namespace

Tolerance Tolerance::of(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return {1e-3, 1e-5};
    case DType::BFloat16:
      return {1.6e-2, 1e-5};
    case DType::Float32:
    case DType::Complex64:
      return {1.3e-6, 1e-5};
    case DType::Float64:
    case DType::Complex128:
      return {1e-7, 1e-7};
    default:
      return {};
  }
}

std::optional<std::string> find_difference(const Tensor& is, const Tensor& should,
                                           const ComparisonOptions& options) {
  if (is.is_defined() != should.is_defined()) {
    return is.is_defined() ? "it is a tensor and should be None"
                           : "it is None and should be a tensor";
  }
  if (!is.is_defined()) return std::nullopt;
  if (is.dtype() != should.dtype()) return differing("dtype is ", is.dtype(), should.dtype());
  if (is.device() != should.device()) return differing("device is ", is.device(), should.device());
  if (!std::ranges::equal(is.sizes(), should.sizes())) {
    return differing("sizes are ", to_text(is.sizes()), to_text(should.sizes()));
  }
  if (options.strides && !has_same_strides(is, should)) {
    return differing("strides are ", to_text(is.strides()), to_text(should.strides()));
  }
  if (is.is_fake() || should.is_fake()) return std::nullopt;  // for example from a factory on meta
  return find_wrong_element(is, should, options.tolerance.value_or(Tolerance::of(is.dtype())));
}

std::optional<std::string> find_difference(const OpwValue& is, const OpwValue& should,
                                           const ComparisonOptions& options) {
  if (is.tag == kOpwTensor && should.tag == kOpwTensor) {
    return find_difference(Tensor::borrow(is.as_tensor), Tensor::borrow(should.as_tensor), options);
  }
  if (is_list(is) && is_list(should)) return find_list_difference(is, should, options);
  if (is.tag == should.tag && is.tag == kOpwObject) return std::nullopt;
  if (numbers_agree(is, should, options)) return std::nullopt;
  const std::string left = value_text(is);
  const std::string right = value_text(should);
  if (left == right) return std::nullopt;
  return concatenate("it is ", left, " and should be ", right);
}

std::optional<std::string> find_difference(const Outcome& is, const Outcome& should,
                                           const ComparisonOptions& options) {
  for (size_t i = 0; i < should.results.size(); ++i) {
    if (auto found = find_difference(is.results[i].get(), should.results[i].get(), options)) {
      return concatenate(result_name(should.after.op(), i), ": ", *found);
    }
  }
  const Operator& op = should.after.op();
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (!op.writes_argument(i)) continue;
    if (auto found =
            find_difference(is.after.values()[i].get(), should.after.values()[i].get(), options)) {
      return concatenate("argument '", op.schema().arguments[i].name, "' after the call: ", *found);
    }
  }
  return std::nullopt;
}

}  // namespace opwright
