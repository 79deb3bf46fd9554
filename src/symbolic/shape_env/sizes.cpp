// Each algorithm is written once, over int64_t and SymInt.
#include "opwright/symbolic/shape_env/sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/memory_format.h"
#include "opwright/symbolic/shape_env/layout_questions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

using Where = std::source_location;

// ---- What questions.h does not define for ints and SymInts ----

SymBool equality(const SymInt& a, const SymInt& b, const Where& where) {
  if (a.word() == b.word()) return {SymInt(1), where};  // the same node: no guard
  return SymOperand(a, where) == SymOperand(b, where);
}
bool is_always_equal(int64_t a, int64_t b) { return a == b; }
bool is_always_equal(const SymInt& a, const SymInt& b) {
  return holds_always(equality(a, b, Where()));
}

// A guard that it is 1; whether it is longer is not queried, since equality is required then.
bool is_one_now(int64_t size, const Where&) { return size == 1; }
bool is_one_now(const SymInt& size, const Where& where) {
  const ShapeEnv* environment = shape_env_of(size);
  const std::optional<int64_t> now = environment ? environment->hint(size) : std::nullopt;
  return now.value_or(1) == 1 && is_known_equal(size, 1, where);
}

template <class Message>
void demand_equal(int64_t a, int64_t b, const Where&, const Message& message) {
  if (a != b) [[unlikely]]
    throw Error("ValueError", message());
}
template <class Message>
void demand_equal(const SymInt& a, const SymInt& b, const Where& where, const Message& message) {
  if (!is_always_equal(a, b)) check(equality(a, b, where), message());
}

// Wraps around on overflow.
int64_t multiply_sizes(int64_t a, int64_t b) { return fold_sym(kOpwSymMul, a, b); }
SymInt multiply_sizes(const SymInt& a, const SymInt& b) {
  if (is_plain_int(a, 1)) return b;
  if (is_plain_int(b, 1)) return a;
  return a * b;
}

// The more specific of two equal sizes.
int64_t prefer_plain(int64_t a, int64_t /*b*/) { return a; }
const SymInt& prefer_plain(const SymInt& a, const SymInt& b) { return a.is_symbolic() ? b : a; }

bool is_below_minus_one(int64_t size) { return size < -1; }
bool is_below_minus_one(const SymInt& size) { return !size.is_symbolic() && size.word() < -1; }

// ---- The algorithms ----

template <class T>
std::string joined_text(std::span<const T> values) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text.append(", ");
    append_text(text, value);
  }
  return text.append("]");
}

// Dims from the innermost in memory to the outermost; empty when `ndim` does not fit the format.
Sizes memory_order(size_t ndim, MemoryFormat format) {
  if (format == MemoryFormat::ChannelsLast) return ndim == 4 ? Sizes{1, 3, 2, 0} : Sizes{};
  if (format == MemoryFormat::ChannelsLast3d) return ndim == 5 ? Sizes{1, 4, 3, 2, 0} : Sizes{};
  Sizes order;
  for (size_t i = ndim; i > 0; --i) order.push_back(static_cast<int64_t>(i - 1));
  return order;
}

void check_format(size_t ndim, MemoryFormat format, const std::string& sizes) {
  OPWRIGHT_CHECK_VALUE(format != MemoryFormat::Preserve,
                       "contiguous_strides: the format preserve has no strides of its own");
  OPWRIGHT_CHECK_VALUE(
      format != MemoryFormat::ChannelsLast || ndim == 4,
      "contiguous_strides: the format channels_last needs 4 dimensions, got sizes ", sizes);
  OPWRIGHT_CHECK_VALUE(
      format != MemoryFormat::ChannelsLast3d || ndim == 5,
      "contiguous_strides: the format channels_last_3d needs 5 dimensions, got sizes ", sizes);
}

template <class T>
SmallVector<T, kInlineDims> strides_of(std::span<const T> sizes, MemoryFormat format) {
  if (format != MemoryFormat::Contiguous) check_format(sizes.size(), format, joined_text(sizes));
  SmallVector<T, kInlineDims> strides(sizes.size());
  T stride = 1;
  for (const int64_t dim : memory_order(sizes.size(), format)) {
    const auto i = static_cast<size_t>(dim);
    strides[i] = stride;
    stride = multiply_sizes(stride, at_least_one(sizes[i]));
  }
  return strides;
}

// Without elements, only the strides can be too large; otherwise the number of elements is, which
// its own check reports.
void check_strides_of_empty(std::span<const int64_t> sizes, MemoryFormat format) {
  int64_t stride = 1;
  bool is_too_large = false;
  for (const int64_t dim : memory_order(sizes.size(), format)) {
    OPWRIGHT_CHECK_KIND("OverflowError", !is_too_large,
                        "Stride calculation overflowed with sizes=", joined_text(sizes));
    is_too_large =
        __builtin_mul_overflow(stride, at_least_one(sizes[static_cast<size_t>(dim)]), &stride);
  }
}

template <class T>
bool has_strides_of(std::span<const T> sizes, std::span<const T> strides, MemoryFormat format,
                    const Where& where) {
  const Sizes order = memory_order(sizes.size(), format);
  if (order.size() != sizes.size()) return false;
  T expected = 1;
  for (const int64_t dim : order) {
    const auto i = static_cast<size_t>(dim);
    // In this order, no guard is taken if the strides agree.
    const bool agrees = is_plain_int(sizes[i], 1) || is_laid_equal(strides[i], expected, where) ||
                        is_laid_equal(sizes[i], 1, where);
    if (!agrees) {
      return std::ranges::any_of(sizes,
                                 [&](const T& size) { return is_known_equal(size, 0, where); });
    }
    expected = multiply_sizes(expected, at_least_one(sizes[i]));
  }
  return true;
}

// Checks first what needs no guard.
template <class T, class Message>
T broadcast_one(const T& x, const T& y, const Where& where, const Message& message) {
  if (is_plain_int(x, 1)) return y;
  if (is_plain_int(y, 1)) return x;
  if (is_always_equal(x, y)) return prefer_plain(x, y);
  if (is_one_now(x, where)) return y;
  if (is_one_now(y, where)) return x;
  demand_equal(x, y, where, message);
  return prefer_plain(x, y);
}

template <class T>
SmallVector<T, kInlineDims> broadcast(std::span<const T> a, std::span<const T> b,
                                      std::string_view who, const Where& where) {
  const std::span<const T> longer = a.size() < b.size() ? b : a;
  SmallVector<T, kInlineDims> result(longer);
  for (size_t i = longer.size() - std::min(a.size(), b.size()); i < longer.size(); ++i) {
    const T& x = a[i + a.size() - longer.size()];
    const T& y = b[i + b.size() - longer.size()];
    result[i] = broadcast_one(x, y, where, [&] {
      return concatenate(who, ": sizes ", joined_text(a), " and ", joined_text(b),
                         " do not broadcast: dimension ", i, " is ", x, " and ", y);
    });
  }
  return result;
}

template <class T>
SmallVector<T, kInlineDims> infer(std::span<const T> shape, const T& numel, std::string_view who,
                                  const Where& where) {
  SmallVector<T, kInlineDims> result(shape);
  std::optional<size_t> unknown;
  for (size_t i = 0; i < shape.size(); ++i) {
    OPWRIGHT_CHECK_VALUE(!is_below_minus_one(shape[i]), who, ": size ", shape[i], " in ",
                         joined_text(shape),
                         " is negative; only -1 may be, for a size to be inferred");
    if (!is_plain_int(shape[i], -1)) continue;
    OPWRIGHT_CHECK_VALUE(!unknown, who, ": only one size can be inferred, got two -1 in ",
                         joined_text(shape));
    unknown = i;
    result[i] = 1;
  }
  const T known = product(std::span<const T>(result));
  if (!unknown) {
    demand_equal(known, numel, where, [&] {
      return concatenate(who, ": sizes ", joined_text(shape), " hold ", known,
                         " elements, the tensor has ", numel);
    });
    return result;
  }
  const auto refusal = [&] {
    return concatenate(who, ": cannot infer -1 in ", joined_text(shape), ": the tensor has ", numel,
                       " elements, not a multiple of ", known);
  };
  if (is_known_equal(known, 0, where)) {
    OPWRIGHT_CHECK_VALUE(!is_known_equal(numel, 0, where), who, ": cannot infer -1 in ",
                         joined_text(shape),
                         ": the tensor is empty, so any size would fit; pass the size");
    throw Error("ValueError", refusal());
  }
  if (is_plain_int(known, 1)) {
    result[*unknown] = numel;
    return result;
  }
  if constexpr (std::is_same_v<T, SymInt>)
    check(SymOperand(known, where) > SymOperand(0, where), refusal());
  demand_equal(numel % known, T(0), where, refusal);
  result[*unknown] = simplified(numel / known);
  return result;
}

SymSizes as_symbolic(const Sizes& sizes) { return SymSizes(sizes.begin(), sizes.end()); }

}  // namespace

std::optional<std::span<const int64_t>> as_plain(std::span<const SymInt> values) noexcept {
  if (std::ranges::any_of(values, [](const SymInt& value) { return value.is_symbolic(); }))
    return std::nullopt;
  // symint.h guarantees that an array of SymInt is an array of words.
  return std::span(reinterpret_cast<const int64_t*>(values.data()), values.size());
}

std::string to_text(std::span<const SymInt> values) { return joined_text(values); }
std::string to_text(std::span<const int64_t> values) { return joined_text(values); }

int64_t product(std::span<const int64_t> sizes) {
  int64_t result = 1;
  bool is_too_large = false;
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
    is_too_large |= __builtin_mul_overflow(result, size, &result);
  }
  OPWRIGHT_CHECK_KIND("OverflowError", !is_too_large, "sizes ", to_text(sizes),
                      " have more elements than 64 bits can count");
  return result;
}

SymInt product(std::span<const SymInt> sizes) {
  if (const auto plain = as_plain(sizes)) return product(*plain);
  SymInt result = 1;
  for (const SymInt& size : sizes) result = multiply_sizes(result, size);
  return result;
}

Sizes contiguous_strides(std::span<const int64_t> sizes, MemoryFormat format) {
  if (std::ranges::find(sizes, 0) != sizes.end()) check_strides_of_empty(sizes, format);
  return strides_of(sizes, format);
}
SymSizes contiguous_strides(std::span<const SymInt> sizes, MemoryFormat format) {
  if (const auto plain = as_plain(sizes)) return as_symbolic(contiguous_strides(*plain, format));
  return strides_of(sizes, format);
}

bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                   MemoryFormat format) {
  return has_strides_of(sizes, strides, format, Where());
}
bool is_contiguous(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                   MemoryFormat format, Where where) {
  const auto plain_sizes = as_plain(sizes);
  const auto plain_strides = as_plain(strides);
  if (plain_sizes && plain_strides)
    return has_strides_of(*plain_sizes, *plain_strides, format, where);
  return has_strides_of(sizes, strides, format, where);
}

Sizes broadcast_sizes(std::span<const int64_t> a, std::span<const int64_t> b,
                      std::string_view who) {
  return broadcast(a, b, who, Where());
}
SymSizes broadcast_sizes(std::span<const SymInt> a, std::span<const SymInt> b, std::string_view who,
                         Where where) {
  const auto plain_a = as_plain(a);
  const auto plain_b = as_plain(b);
  if (plain_a && plain_b) return as_symbolic(broadcast(*plain_a, *plain_b, who, where));
  return broadcast(a, b, who, where);
}

Sizes infer_size(std::span<const int64_t> shape, int64_t numel, std::string_view who) {
  return infer(shape, numel, who, Where());
}
SymSizes infer_size(std::span<const SymInt> shape, const SymInt& numel, std::string_view who,
                    Where where) {
  const auto plain = as_plain(shape);
  if (plain && !numel.is_symbolic()) return as_symbolic(infer(*plain, numel.word(), who, where));
  return infer(shape, numel, who, where);
}

}  // namespace opwright
