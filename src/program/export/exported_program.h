// ExportedProgram: a graph with everything that it needs to run elsewhere, without code.
//
// The graph takes parameters, buffers and constants as bound inputs, followed by the caller's
// inputs. It has no views of inputs that it writes, and its only writes are the copy_ calls at its
// end to the inputs that its signature lists as mutated. So it means the same to evaluate(), to
// transforms, to a compiler and to a converter.
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
  std::string schema;   // canonical, as it was at the export
  std::string library;  // file name of the library that defined it: "libcst.so"; empty: built in,
                        // or defined by a program
};

// The pytrees of the call as text (python/bindings/pytree/tree_text.h reads them). The leaves of
// `arguments`, a tuple of a tuple and a dict, are the user inputs in order; those of `results` are
// the user outputs. Empty: a flat list of tensors, as in C++ programs.
struct CallStructure {
  std::string arguments;
  std::string results;
};

// The range of a symbol of the graph: "batch" in [2, 64].
struct RangeConstraint {
  std::string symbol;
  SymRange range;
};

class OPWRIGHT_EXPORT ExportedProgram : public Counted<ExportedProgram> {
 public:
  struct Parts {
    GraphPtr graph;
    GraphSignature signature;
    // Parameters and persistent buffers by name, in the order in which they were added, including
    // those that the graph does not use; tied ones are one tensor under two names.
    std::vector<NamedTensor> state;
    // The other bound inputs, by target: non-persistent buffers and constants.
    std::vector<NamedTensor> constants;
    // One per user input; empty: not stored.
    std::vector<Value> example_inputs;
    CallStructure structure;
    std::vector<OperatorUse> operators = {};  // empty: collected from the graph
  };
  // Binds state and constants to the graph's inputs. ValueError for parts that do not fit each
  // other, naming the input. Takes ownership of the graph.
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
  // For the symbols that inputs bind, in input order.
  [[nodiscard]] std::vector<RangeConstraint> range_constraints() const;
  // The constraints that are not ranges: "s0 % 4 == 0".
  [[nodiscard]] std::vector<Guard> guards() const;

  // Throws what run() throws for inputs that the program does not accept, without running it.
  void check_inputs(std::span<const OpwValue> user_inputs) const;

  // Takes one value per user input, constants included; returns one per user output. TypeError and
  // ValueError name the input (its target), the dimension and the bound. Thread-safe as long as the
  // program has no mutations.
  [[nodiscard]] std::vector<Value> run(std::span<const OpwValue> user_inputs,
                                       StepWatch* watch = nullptr) const;
  // Only the plan, which takes the values of the graph's inputs of role Argument. For loops.
  [[nodiscard]] const Plan& plan() const;

  // The same program with these operators, and those they decompose into, decomposed; composites
  // of aten are decomposed too, unless they are kept.
  [[nodiscard]] IntrusivePtr<ExportedProgram> decompose(std::span<const Operator* const> operators,
                                                        bool keeps_composites = false) const;
  // The same program, traced again.
  [[nodiscard]] IntrusivePtr<ExportedProgram> trace_again(TraceOptions trace) const;
  // Replaces tensors of the state, by name. ValueError for a name, dtype or size that the program
  // does not have. Not while the program runs.
  void load_state(std::span<const NamedTensor> state);

 private:
  void lay_out_calls();
  void check_given(std::span<const OpwValue> user_inputs) const;
  [[nodiscard]] std::vector<OpwValue> without_constants(std::span<const OpwValue> given) const;
  [[nodiscard]] std::vector<Value> with_constants(std::vector<Value> results) const;

  Parts parts_;
  std::vector<const InputSpec*> user_inputs_;
  std::vector<size_t> written_inputs_;  // indices among the user inputs
  bool has_constant_inputs_ = false;
  bool has_constant_outputs_ = false;
  mutable std::mutex mutex_;
  mutable PlanPtr plan_;
  mutable std::atomic<const Plan*> ready_plan_{nullptr};  // plan_, once it exists
};
using ExportedProgramPtr = IntrusivePtr<ExportedProgram>;

// The operators that a graph calls, by name, without duplicates.
[[nodiscard]] std::vector<OperatorUse> operators_of(const Graph& graph);

// Signature, constraints, operators, graph: what `opwright show` prints.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const ExportedProgram& program);

}  // namespace opwright
