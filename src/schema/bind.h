// Argument binding: turns the caller's values into one value for each argument of the schema.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "opwright/base/small_vector.h"
#include "opwright/schema/coerce.h"
#include "opwright/schema/schema.h"
#include "opwright/visibility.h"

namespace opwright {

struct KeywordValue {
  std::string_view name;
  OpwValue value;  // borrowed
};

// The values of all arguments in schema order, with defaults filled in, followed by those of `...`.
// They are borrowed from the caller's values, from the schema (defaults) and from this object
// (coerced ones), and valid while all three are. No heap for up to 16 arguments and short lists.
// Not movable; bind_arguments creates it in place.
class OPWRIGHT_EXPORT BoundArguments {
 public:
  BoundArguments() = default;
  // Throws TypeError in the caller's terms, with the schema on its second line.
  BoundArguments(const Schema& schema, std::span<const OpwValue> positional,
                 std::span<const KeywordValue> keywords);
  BoundArguments(const BoundArguments&) = delete;
  BoundArguments& operator=(const BoundArguments&) = delete;

  // On an unbound object: returns whether the arguments can be bound, else stores the reason. Only
  // an attempt: a symbol that is passed for a plain number is not fixed yet.
  bool try_bind(const Schema& schema, std::span<const OpwValue> positional,
                std::span<const KeywordValue> keywords);
  // Why try_bind returned false, e.g. "missing argument 'limit' (position 2)".
  [[nodiscard]] std::string failure_text(const Schema& schema) const;
  // Whether no value had to be coerced.
  [[nodiscard]] bool is_exact() const noexcept { return is_exact_; }

  [[nodiscard]] std::span<const OpwValue> values() const noexcept {
    return {values_.data(), values_.size()};
  }
  [[nodiscard]] const OpwValue* data() const noexcept { return values_.data(); }
  [[nodiscard]] size_t size() const noexcept { return values_.size(); }
  const OpwValue& operator[](size_t index) const noexcept { return values_[index]; }
  [[nodiscard]] bool uses_heap() const noexcept {
    return memory_.uses_heap() || !values_.is_inline();
  }

 private:
  struct Failure {
    enum class Reason : uint8_t { None, TooMany, Unexpected, Multiple, Missing, Mismatch };
    Reason reason = Reason::None;
    size_t number = 0;         // index of the argument; for TooMany: how many were given
    std::string_view keyword;  // for Unexpected
    Mismatch mismatch;
  };
  using Given = SmallVector<const OpwValue*, 16>;

  bool bind(const Schema& schema, std::span<const OpwValue> positional,
            std::span<const KeywordValue> keywords);
  bool collect(const Schema& schema, std::span<const OpwValue> positional,
               std::span<const KeywordValue> keywords, Given& given);
  bool fill(const Schema& schema, const Given& given);
  bool refuse(Failure::Reason reason, size_t number, std::string_view keyword = {});

  SmallVector<OpwValue, 16> values_;
  bool is_exact_ = true;
  bool is_attempt_ = false;
  Failure failure_;
  CoercionMemory memory_;
};

[[nodiscard]] inline BoundArguments bind_arguments(const Schema& schema,
                                                   std::span<const OpwValue> positional,
                                                   std::span<const KeywordValue> keywords = {}) {
  return BoundArguments(schema, positional, keywords);
}

// The kind of a value in the caller's terms: "str", "Tensor", "a list".
[[nodiscard]] OPWRIGHT_EXPORT std::string describe_kind(const OpwValue& value);

}  // namespace opwright
