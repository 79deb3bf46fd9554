// The outcome of a call: its results and its arguments afterwards, or an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/error.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

struct Outcome {
  Example after;               // the arguments, as the call left them
  std::vector<Value> results;  // empty when it failed
  std::optional<Error> error;

  [[nodiscard]] bool is_refused() const noexcept { return error.has_value(); }
  // The tensors of all results, in order.
  [[nodiscard]] std::vector<Tensor> result_tensors() const;
};

// "ValueError: what was wrong".
[[nodiscard]] std::string text_of(const Error& error);

// "the result", or "result 2" of several.
[[nodiscard]] std::string result_name(const Operator& op, size_t index);

// Calls the operator at the current level on the example itself (copy it first to keep its
// tensors). Random numbers are the same every time: a generator with this seed replaces the default
// generators of the thread. Errors of the call are returned, all others thrown.
inline constexpr uint64_t kUsualSeed = 20240229;
[[nodiscard]] Outcome run_example(const Example& example, uint64_t seed = kUsualSeed);

}  // namespace opwright
