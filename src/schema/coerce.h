// Converts a value to a schema's type, or reports why it does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/visibility.h"

namespace opwright {

// Memory for the lists and numbers that coercion creates; the first bytes need no heap. Not
// movable: values point into it.
class OPWRIGHT_EXPORT CoercionMemory {
 public:
  CoercionMemory() = default;
  CoercionMemory(const CoercionMemory&) = delete;
  CoercionMemory& operator=(const CoercionMemory&) = delete;

  template <class T>
  T* allocate(size_t count) {
    static_assert(alignof(T) <= kAlignment && std::is_trivial_v<T>);
    return static_cast<T*>(allocate_bytes(count * sizeof(T)));
  }
  [[nodiscard]] bool uses_heap() const noexcept { return !blocks_.empty(); }

 private:
  static constexpr size_t kAlignment = 16;
  void* allocate_bytes(size_t bytes);

  size_t used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  alignas(kAlignment) std::byte inline_[384];
};

enum class Fit : uint8_t { No, Coerced, Exact };

// Why a value does not fit.
struct Mismatch {
  enum class Reason : uint8_t { Type, Length, Value };
  Reason reason = Reason::Type;
  OpwValue got{};                   // borrowed; for a list, the element
  std::optional<uint32_t> element;  // its index
  std::string text;                 // for Value: what is wrong with it
};

// Exact: the tag is that of the type (plain ints are exact SymInts, every number is an exact
// Scalar). Coerced: bool to int, int to float, numbers to complex, a number to a list of fixed
// length, str to Device, anything to Any. Lists of any tag become that of the type, an empty one
// fits all; a one-element list is repeated up to a fixed length, and a length of 1 in the type
// accepts any length. A symbolic int is fixed if an int or a float is required, at the user's line;
// an attempt (to find the overload that fits) fixes nothing and returns an arbitrary number there.
// `result` is borrowed from `given` and `memory`.
class OPWRIGHT_EXPORT Coercion {
 public:
  // Only the default may differ from the fixed length (`int[2] stride=[]`).
  Coercion(CoercionMemory& memory, const std::optional<Value>& default_value,
           bool is_attempt = false);

  Fit run(const Type& type, const OpwValue& given, OpwValue& result);
  [[nodiscard]] const Mismatch& mismatch() const noexcept { return mismatch_; }

 private:
  Fit fit(const Type& type, const OpwValue& given, OpwValue& result);
  Fit fit_number(TypeKind kind, const OpwValue& given, OpwValue& result);
  Fit fit_float(const OpwValue& given, OpwValue& result);
  Fit fit_complex(const OpwValue& given, OpwValue& result);
  Fit fit_device(const OpwValue& given, OpwValue& result);
  Fit fit_object(const Type& type, const OpwValue& given, OpwValue& result);
  Fit fit_union(const Type& type, const OpwValue& given, OpwValue& result);
  Fit fit_list(const Type& type, const OpwValue& given, OpwValue& result);
  Fit fit_tuple(const Type& type, const OpwValue& given, OpwValue& result);
  Fit repeat(const Type& type, const OpwValue& element, OpwValue& result);
  Fit convert_list(const Type& type, const OpwValue& given, OpwValue& result);
  void store(OpwValue& list, uint32_t index, const OpwValue& element);
  OpwValue new_list(OpwTag tag, uint32_t length);
  Fit refuse(Mismatch::Reason reason, const OpwValue& got, std::string text = {});
  [[nodiscard]] int64_t fix(OpwSymWord word) const;
  [[nodiscard]] double as_float(const OpwValue& number) const;

  CoercionMemory& memory_;
  bool is_attempt_;
  std::optional<uint32_t> default_length_;
  Mismatch mismatch_;
};

}  // namespace opwright
