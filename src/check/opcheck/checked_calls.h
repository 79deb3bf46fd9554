// opcheck of what a program calls: a mode that checks each distinct call of some operators.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/check/example/example.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/operator.h"
#include "opwright/opcheck.h"
#include "opwright/visibility.h"

namespace opwright {

// Calls are the same if they differ in the values of their tensors alone. A call is checked before
// it is made, on copies of its arguments; what the operator refuses is left to the call itself.
// Calls with tensors inside of a transform, or without memory, are not checked.
class OPWRIGHT_EXPORT CheckedCalls : public Mode {
 public:
  CheckedCalls(std::vector<std::string> namespaces, OpcheckOptions options);

  bool process(const Operator& op, Arguments args, Results results) override;

  struct Failure {
    SourceSite line;  // of the call
    CheckReport report;
  };
  [[nodiscard]] const std::vector<Failure>& failures() const noexcept { return failures_; }
  [[nodiscard]] uint64_t num_checked() const noexcept { return num_checked_; }

 protected:
  // A host language gives its lock away meanwhile.
  [[nodiscard]] virtual CheckReport check(const Example& given, const OpcheckOptions& options);

 private:
  [[nodiscard]] bool is_wanted(const Operator& op) const;

  std::vector<std::string> namespaces_;
  OpcheckOptions options_;
  std::unordered_set<std::string> seen_;
  std::vector<Failure> failures_;
  uint64_t num_checked_ = 0;
};

}  // namespace opwright
