// ExportedProgram: a graph with all that it needs to run elsewhere, and nothing that is code.
//
// The graph takes parameters, buffers and constants as bound inputs, then what the caller gives. It
// neither has views of inputs that it writes nor writes anything but, by copy_ at its end, the
// inputs that its signature lists as mutated; so it means the same to evaluate(), to transforms, to
// a compiler and to a converter.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/signature.h"
#include "opwright/run/plan.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// An operator that the graph calls, sub-graphs included.
struct OperatorUse {
  std::string name;     // "cst::dual_residual"
  std::string schema;   // canonical, as it was when the program was exported
  std::string library;  // the file that defined it, without its folder: "libcst.so"; empty: built
                        // in, or defined by a program
};

// The trees of the call, as texts (python/bindings/pytree/tree_text.h reads them). The leaves of
// `arguments`, a tuple of a tuple and a dict, are the user inputs in order; those of `results` the
// user outputs. Empty: tensors one after the other, as C++ programs give them.
struct CallStructure {
  std::string arguments;
  std::string results;
};

// What a symbol of the graph may be: "batch" in [2, 64].
struct RangeConstraint {
  std::string symbol;
  SymRange range;
};

class OPWRIGHT_EXPORT ExportedProgram : public Counted<ExportedProgram> {
 public:
  struct Parts {
    GraphPtr graph;
    GraphSignature signature;
    // Parameters and persistent buffers by name, in the order in which they were added, also those
    // that the graph does not use; tied ones are one tensor under two names.
    std::vector<NamedTensor> state;
    // The other bound inputs, by target: buffers that state_dict leaves out, constants.
    std::vector<NamedTensor> constants;
    // One for each user input; empty: not kept.
    std::vector<Value> example_inputs;
    CallStructure structure;
    std::vector<OperatorUse> operators = {};  // empty: collected from the graph
  };
  // Binds state and constants to the graph's inputs. ValueError for parts that do not fit each
  // other, naming the input. The graph is the program's from here on.
  explicit ExportedProgram(Parts parts);

  [[nodiscard]] const Graph& graph() const noexcept { return *parts_.graph; }
  [[nodiscard]] const GraphPtr& graph_ptr() const noexcept { return parts_.graph; }
  [[nodiscard]] const GraphSignature& signature() const noexcept { return parts_.signature; }
  [[nodiscard]] std::span<const NamedTensor> state() const noexcept { return parts_.state; }
  [[nodiscard]] std::span<const NamedTensor> constants() const noexcept { return parts_.constants; }
  [[nodiscard]] std::span<const Value> example_inputs() const noexcept {
    return parts_.example_inputs;
  }
  [[nodiscard]] const CallStructure& structure() const noexcept { return parts_.structure; }
  [[nodiscard]] std::span<const OperatorUse> operators() const noexcept { return parts_.operators; }
  // Of the symbols that inputs bind, in the order of the inputs.
  [[nodiscard]] std::vector<RangeConstraint> range_constraints() const;
  // The constraints that are no ranges: "s0 % 4 == 0".
  [[nodiscard]] std::vector<Guard> guards() const;

  // One value for each user input, constants too; gives one for each user output. TypeError and
  // ValueError name the input (its target), the dimension and the bound. Any number of threads at a
  // time, as long as the program has no mutations.
  [[nodiscard]] std::vector<Value> run(std::span<const OpwValue> user_inputs,
                                       StepWatch* watch = nullptr) const;
  // Only the plan's part of it: values of the graph's inputs of role Argument. For loops.
  [[nodiscard]] const Plan& plan() const;

  // The same with these operators taken apart, and what they are made of.
  [[nodiscard]] IntrusivePtr<ExportedProgram> decompose(
      std::span<const Operator* const> operators) const;
  // The same program, traced anew.
  [[nodiscard]] IntrusivePtr<ExportedProgram> trace_again(TraceOptions trace) const;
  // Other tensors in place of the state, by name. ValueError for a name, dtype or size that the
  // program does not have. While nothing runs.
  void load_state(std::span<const NamedTensor> state);

 private:
  void lay_out_calls();
  [[nodiscard]] std::vector<OpwValue> without_constants(std::span<const OpwValue> given) const;
  [[nodiscard]] std::vector<Value> with_constants(std::vector<Value> results) const;

  Parts parts_;
  std::vector<const InputSpec*> user_inputs_;
  std::vector<size_t> written_inputs_;  // places among the user inputs
  bool has_constant_inputs_ = false;
  bool has_constant_outputs_ = false;
  mutable std::mutex mutex_;
  mutable PlanPtr plan_;
  mutable std::atomic<const Plan*> ready_plan_{nullptr};  // plan_, once it is made
};
using ExportedProgramPtr = IntrusivePtr<ExportedProgram>;

// The operators that a graph calls, by name, each once.
[[nodiscard]] std::vector<OperatorUse> operators_of(const Graph& graph);

// Signature, constraints, operators, graph: what `opwright show` prints.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const ExportedProgram& program);

}  // namespace opwright
