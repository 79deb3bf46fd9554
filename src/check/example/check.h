// Checks of an operator, each with a name. A later layer adds its own: the one place is
// register_check.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/visibility.h"

namespace opwright {

// What is wrong, or worth a remark. The kind is the same for the same fault whatever the input is:
// an input is made smaller as long as it shows the same kind.
struct Fault {
  std::string kind;  // "undeclared-write"
  std::string
      message;  // one sentence that names the operator and what to do; more lines may follow
};

struct CheckSettings {
  std::optional<Tolerance> tolerance =
      std::nullopt;  // of values that are computed in two ways; not set: by dtype
  uint64_t seed = 0;
  // Some input ended a child process, or was written around: only inputs that were tried are safe.
  bool is_harmful = false;
};

// One input of a check: an example that the operator takes.
class CheckInput {
 public:
  CheckInput(Example example, bool is_given, const CheckSettings& settings)
      : example_(std::move(example)), is_given_(is_given), settings_(&settings) {}

  [[nodiscard]] const Operator& op() const noexcept { return example_.op(); }
  [[nodiscard]] const Example& example() const noexcept { return example_; }
  // Not made up: what does not work with it is worth more words.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }
  [[nodiscard]] const CheckSettings& settings() const noexcept { return *settings_; }
  // What a plain call on a copy gives; runs it at the first question.
  [[nodiscard]] const Outcome& plain() const;
  // Whether the operator raised what is no fault of its results.
  [[nodiscard]] bool is_refused() const;
  [[nodiscard]] ComparisonOptions comparison() const { return {.tolerance = settings_->tolerance}; }

 private:
  Example example_;
  bool is_given_;
  const CheckSettings* settings_;
  mutable std::optional<Outcome> plain_;
};

// One check of one operator; lives for one opcheck.
class OPWRIGHT_EXPORT Check {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  virtual ~Check() = default;

  // Why there is nothing to look at in this operator: "it has no formula".
  [[nodiscard]] virtual std::optional<std::string> find_reason_to_skip(const Operator& /*op*/) {
    return std::nullopt;
  }
  // The first fault that the input shows. The input's tensors are not written: copy() them. An
  // Error that is thrown counts as a fault (look_at).
  [[nodiscard]] virtual std::optional<Fault> look(const CheckInput& input) = 0;
  // After all inputs: what is no fault, but worth a word.
  [[nodiscard]] virtual std::vector<Fault> remarks(const Operator& /*op*/) { return {}; }
};

// What the check gives, or the error that it throws as a fault of kind "raised".
[[nodiscard]] std::optional<Fault> look_at(Check& check, const CheckInput& input);

struct CheckEntry {
  std::string name;   // "schema", as test_utils has it
  std::string about;  // what it looks at, in a few words
  std::unique_ptr<Check> (*make)();
  int place = 100;                    // in the report: lower ones come first
  bool is_on_request = false;         // "ALL" leaves it out
  bool runs_apart = false;            // in a child process: it may end it
  bool shrinks_here = false;          // not in a child process, which what it asks cannot live in
  bool takes_wrong_results = false;   // also inputs whose results are not what the schema says
  uint32_t most_inputs = UINT32_MAX;  // of a slow check
};

// Adds a check; ValueError for a name that there is. Static objects may call it.
void register_check(CheckEntry entry);
// By place, then name.
[[nodiscard]] OPWRIGHT_EXPORT const std::vector<CheckEntry>& registered_checks();

// The checks that a user names: "ALL", a name, or PyTorch's names of groups ("test_schema").
// ValueError with the names that there are.
[[nodiscard]] std::vector<const CheckEntry*> find_checks(const std::vector<std::string>& names);

}  // namespace opwright
