// The checks that opcheck runs, each registered under a name. Later layers add theirs with
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

// An error or a remark. The same fault has the same kind for every input: an input is shrunk as
// long as it shows the same kind.
struct Fault {
  std::string kind;  // "undeclared-write"
  // Names the operator and says what to do; the first line is one sentence.
  std::string message;
};

struct CheckSettings {
  // For values computed in two ways; not set: by dtype.
  std::optional<Tolerance> tolerance = std::nullopt;
  uint64_t seed = 0;
  // An input crashed a child process or wrote outside its arguments: only inputs that were tried
  // are safe.
  bool is_harmful = false;
};

// One input of a check: an example that the operator accepts.
class CheckInput {
 public:
  CheckInput(Example example, bool is_given, const CheckSettings& settings)
      : example_(std::move(example)), is_given_(is_given), settings_(&settings) {}

  [[nodiscard]] const Operator& op() const noexcept { return example_.op(); }
  [[nodiscard]] const Example& example() const noexcept { return example_; }
  // Given by the user, not generated, so failures with it are worth reporting.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }
  [[nodiscard]] const CheckSettings& settings() const noexcept { return *settings_; }
  // The outcome of a plain call on a copy; runs at the first use.
  [[nodiscard]] const Outcome& plain() const;
  // Whether the operator raised an error other than one about its own results.
  [[nodiscard]] bool is_refused() const;
  [[nodiscard]] ComparisonOptions comparison() const { return {.tolerance = settings_->tolerance}; }

 private:
  Example example_;
  bool is_given_;
  const CheckSettings* settings_;
  mutable std::optional<Outcome> plain_;
};

// One check of one operator; created for each opcheck.
class OPWRIGHT_EXPORT Check {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  virtual ~Check() = default;

  // Why the check does not apply to this operator: "it has no formula".
  [[nodiscard]] virtual std::optional<std::string> find_reason_to_skip(const Operator& /*op*/) {
    return std::nullopt;
  }
  // The first fault that the input shows. Must not write to the input's tensors: copy() them. A
  // thrown Error counts as a fault (look_at).
  [[nodiscard]] virtual std::optional<Fault> look(const CheckInput& input) = 0;
  // Called after all inputs: remarks that are not faults.
  [[nodiscard]] virtual std::vector<Fault> remarks(const Operator& /*op*/) { return {}; }
};

// The result of the check, or its thrown error as a fault of kind "raised".
[[nodiscard]] std::optional<Fault> look_at(Check& check, const CheckInput& input);

struct CheckEntry {
  std::string name;   // "schema", as in test_utils
  std::string about;  // what it checks, in a few words
  std::unique_ptr<Check> (*make)();
  int place = 100;                    // position in the report: lower ones come first
  bool is_on_request = false;         // not part of "ALL"
  bool runs_apart = false;            // in a child process, since it may crash
  bool shrinks_here = false;          // in this process: what it calls cannot run in a child
  bool takes_wrong_results = false;   // also runs on inputs whose results do not match the schema
  uint32_t most_inputs = UINT32_MAX;  // limit for slow checks
};

// Adds a check; ValueError if the name is taken. Static objects may call it.
void register_check(CheckEntry entry);
// Sorted by place, then name.
[[nodiscard]] OPWRIGHT_EXPORT const std::vector<CheckEntry>& registered_checks();

// The checks that a user names: "ALL", a name, or PyTorch's group names ("test_schema"). ValueError
// with the valid names.
[[nodiscard]] std::vector<const CheckEntry*> find_checks(const std::vector<std::string>& names);

}  // namespace opwright
