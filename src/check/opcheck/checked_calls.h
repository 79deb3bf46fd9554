// A mode that runs opcheck on each distinct call of selected operators in a program.
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
#include "opwright/runtime/opcheck.h"
#include "opwright/visibility.h"

namespace opwright {

// Two calls are the same if they differ only in the values of their tensors. A call is checked
// before it runs, on copies of its arguments; if the operator rejects it, the call itself raises
// the error. Calls on wrapped tensors of a transform, or on tensors without memory, are not
// checked.
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
  // Overridden by host languages that release their lock meanwhile, such as Python's GIL.
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
