// For programs that link the core: tests an operator and reports its faults.
//
//   const opwright::CheckReport report = opwright::opcheck("audio::gain", {Value(x), Value(0.5)});
//   if (!report.ok()) std::cerr << report.table();
//
// Operator binaries do not include this.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A fault, or a remark.
struct CheckFinding {
  std::string check;    // "schema"
  std::string kind;     // "undeclared-write"
  std::string message;  // names the operator, the fault and the fix
  std::string code;     // Python that shows it, with the smallest input
  std::string change;   // how that input differs from the example: "x: sizes ..."
};

// One line of the report.
struct CheckLine {
  enum class State : uint8_t { Ok, Failed, Skipped };
  std::string check;
  State state = State::Ok;
  uint32_t inputs = 0;  // number of inputs checked
  double seconds = 0;
  std::string text;  // the first line of the finding, or why it was skipped
};

struct OPWRIGHT_EXPORT CheckReport {
  std::string op;
  uint32_t num_given = 0;
  uint32_t num_generated = 0;  // generated inputs that the operator accepted
  uint32_t num_refused = 0;    // generated inputs that it rejected with an error
  uint64_t seed = 0;
  std::vector<CheckLine> lines;
  std::vector<CheckFinding> findings;
  std::vector<CheckFinding> remarks;

  [[nodiscard]] bool ok() const noexcept { return findings.empty(); }
  // One line for each check, then the findings with their code.
  [[nodiscard]] std::string table() const;
  [[nodiscard]] std::string to_markdown() const;
  // Only the findings: the text of the error that raise_if_failed throws.
  [[nodiscard]] std::string failure_text() const;
  // Throws OpCheckError if there are findings.
  void raise_if_failed() const;
};

struct OpcheckOptions {
  std::vector<std::string> checks = {"ALL"};  // names; PyTorch's group names work too
  std::optional<double> rtol = std::nullopt;  // for values computed in two ways; not set: by dtype
  std::optional<double> atol = std::nullopt;
  uint32_t examples = 50;  // to generate in addition to those given
  uint64_t seed = 0;
  // Called with each line as soon as it is known, if set.
  void (*progress)(void* context, const CheckLine& line) = nullptr;
  void* progress_context = nullptr;
};

// Checks an operator on an example and on variations of it. Values are the schema's arguments in
// order; defaults fill the rest. Throws ValueError if the operator rejects the example or a check
// is unknown, AttributeError if the operator does not exist.
[[nodiscard]] OPWRIGHT_EXPORT CheckReport opcheck(std::string_view op, std::span<const Value> args,
                                                  const OpcheckOptions& options = {});
[[nodiscard]] inline CheckReport opcheck(std::string_view op, std::initializer_list<Value> args,
                                         const OpcheckOptions& options = {}) {
  return opcheck(op, std::span(args.begin(), args.size()), options);
}
}  // namespace opwright
