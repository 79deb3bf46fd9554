// Runs one backward formula several times on what one recorded call saved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/memory/memory_snapshot.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {

class FormulaExamination {
 public:
  // `call` must have a node.
  FormulaExamination(const RecordedCall& call, const ComparisonOptions& options);

  // The first fault in: what the formula returns and writes, a second run, a run with gradients of
  // other strides, runs in which some results have no gradient.
  [[nodiscard]] std::optional<Fault> run();
  // Whether the formula raised NotImplementedError: it has no gradient for this input.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  // After run() found no fault: what the first run returned for each tensor of the example;
  // undefined if nothing.
  [[nodiscard]] const std::vector<Tensor>& gradients() const noexcept { return first_; }

 private:
  using Given = std::vector<Tensor>;

  [[nodiscard]] std::optional<Fault> run_once(std::vector<Tensor> incoming, Given& given,
                                              const std::string& when);
  [[nodiscard]] std::optional<Fault> find_write(const MemorySnapshot& incoming) const;
  [[nodiscard]] std::optional<Fault> compare(const Given& given, const std::string& when) const;
  [[nodiscard]] std::optional<Fault> run_without_some();

  const RecordedCall& call_;
  const ComparisonOptions& options_;
  const Operator& op_;
  const Example& example_;
  std::vector<Tensor> incoming_;  // one per slot of the node
  MemorySnapshot arguments_;
  MemorySnapshot saved_;
  MemorySnapshot results_;
  Given first_;
  bool is_refused_ = false;
};

// A random gradient for a value; deterministic for each `number`.
[[nodiscard]] Tensor random_gradient(const Tensor& like, uint64_t number);

}  // namespace opwright
