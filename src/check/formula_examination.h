// One backward formula, run several times on what one recorded call saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/check.h"
#include "opwright/check/comparison.h"
#include "opwright/check/example.h"
#include "opwright/check/memory_snapshot.h"
#include "opwright/check/recorded_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

class FormulaExamination {
 public:
  // `call` has a node.
  FormulaExamination(const RecordedCall& call, const ComparisonOptions& options);

  // The first fault: of what it gives and writes, of a second run, of a run with gradients of other
  // strides, and of runs in which some results have no gradient.
  [[nodiscard]] std::optional<Fault> run();
  // After run() found nothing: for each tensor of the example what the first run gave; undefined:
  // nothing.
  [[nodiscard]] const std::vector<Tensor>& gradients() const noexcept { return first_; }

 private:
  using Given = std::vector<Tensor>;

  [[nodiscard]] std::optional<Fault> run_once(std::vector<Tensor> incoming, Given& given,
                                              const std::string& when);
  [[nodiscard]] std::optional<Fault> find_write(const MemorySnapshot& incoming) const;
  [[nodiscard]] std::optional<Fault> take(const std::vector<Value>& raw, Given& given) const;
  [[nodiscard]] std::optional<Fault> check_fit(size_t which, const Tensor& gradient) const;
  [[nodiscard]] std::optional<Fault> compare(const Given& given, const std::string& when) const;
  [[nodiscard]] std::optional<Fault> run_without_some();
  [[nodiscard]] bool is_dtype_of_call(DType dtype) const;
  template <class... Parts>
  [[nodiscard]] Fault fault(const char* kind, const Parts&... parts) const;

  const RecordedCall& call_;
  const ComparisonOptions& options_;
  const Operator& op_;
  const Example& example_;
  std::vector<Tensor> incoming_;  // one for each place of the node
  MemorySnapshot arguments_;
  MemorySnapshot saved_;
  MemorySnapshot results_;
  Given first_;
};

// A random gradient of a value; the same for the same number.
[[nodiscard]] Tensor random_gradient(const Tensor& like, uint64_t number);

}  // namespace opwright
