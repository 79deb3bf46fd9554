// The sub-graphs of one operator: functions that are traced when called and then get the same
// inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/transforms/control_flow/control_flow.h"

namespace opwright {

class SubGraphs {
 public:
  // A part that closes over an operand gets the operand: its input, or the value that the operand
  // had before a loop, which is another one.
  enum class Operands : uint8_t { Passed, Carried };

  // Errors start with `who`.
  SubGraphs(std::string who, std::span<const Tensor> operands, Operands kind);

  // Traces one part; `what` names it in errors.
  void trace(const char* what, const Branch& part);
  // Gives all parts the same inputs: operands, the tensors that any of them captured, sizes. Call
  // once.
  void close();

  [[nodiscard]] const GraphPtr& graph(size_t part) const { return parts_[part].graph; }
  // The given operands, then the tensors that the parts captured.
  [[nodiscard]] const std::vector<Tensor>& operands() const noexcept { return operands_; }
  [[nodiscard]] const std::vector<SymInt>& sizes() const noexcept { return sizes_; }

  // ValueError unless the first two parts return the same number of results, with the same dtypes,
  // devices and sizes.
  void check_same_results() const;
  // ValueError unless the first part returns one element and the second returns values like the
  // operands.
  void check_loop() const;

 private:
  struct Part {
    const char* name;
    GraphPtr graph;
  };
  void refuse_writes(const Part& part) const;
  void collect_captured();
  void take_captured(Graph& graph);
  void add_sizes();

  std::string who_;
  Operands kind_;
  std::vector<Tensor> operands_;
  size_t num_given_;
  std::vector<Part> parts_;
  ShapeEnvPtr shape_env_;
  std::vector<SymInt> sizes_;
};

// ValueError that names the first of `next` whose dtype or sizes differ from those of `carried`.
void check_carried(std::span<const Tensor> carried, std::span<const Tensor> next);

}  // namespace opwright
