// Joint graphs: a captured function and the gradients of its outputs in one functional graph.
//
// The gradients are computed inside the trace, with the same formulas as eagerly, for tangents that
// are inputs of the graph. partition.h splits the graph, training.h runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/value.h"

namespace opwright {

// How autograd sees an output of the function.
struct JointOutput {
  enum class Kind : uint8_t {
    Value,         // a new value, with a history if it has a tangent; also ints and None
    Input,         // input `of` of the graph itself
    Gradient,      // the .grad of input `of`, after the run
    ViewOfInput,   // recreated from input `of` at each call, with the same history as eagerly
    ViewOfOutput,  // the same from output `of` of the graph, which may be a root
    Same,          // output `of` itself
  };
  Kind kind = Kind::Value;
  uint32_t of = 0;
  // For a view; empty if steps cannot express it (symbolic sizes, no_grad): its geometry does.
  ViewSteps steps = {};
  bool is_under_no_grad = false;  // a view that may not be written with grad mode on
  bool is_detached = false;       // a view with its own history, if any

  // Whether its history is separate from that of the value that it is or views.
  [[nodiscard]] bool has_own_history() const noexcept { return kind == Kind::Value || is_detached; }
};

struct JointGraph {
  // Functional. Inputs: arguments, captured tensors, tangents (also arguments), more captured
  // tensors and the state of random numbers. Outputs: those of the function, roots, a gradient or
  // None per target, states of random numbers.
  GraphPtr graph;
  size_t num_outputs = 0;            // of the function
  size_t num_roots = 0;              // values that several outputs are views of
  std::vector<JointOutput> outputs;  // one per output of the function
  // A tangent is the gradient of output `of` of the graph (possibly a root), or of what input `of`
  // holds after the function wrote to it.
  struct Tangent {
    uint32_t input;  // the index of the tangent itself
    uint32_t of;
    bool is_written_input;
  };
  std::vector<Tangent> tangents;
  std::vector<uint32_t> targets;  // inputs of the graph that require grad
  // Why the backward of a run is an error, as without compiling: values that it needs were freed by
  // a backward of the function, or written; an operator has no formula. Empty if it is not.
  std::string error_kind;
  std::string error;

  // Whether runs have to be recorded.
  [[nodiscard]] bool has_gradients() const noexcept { return !tangents.empty(); }
};

// Ends a non-functional trace on fakes. Called with the session's level current, after the function
// returned `outputs` (tensors, ints, None). `own_arguments` are all its tensor arguments as the
// session added them, in order. RuntimeError for what a graph cannot represent: hooks that the
// function put on its values, leaves that it made and returns, formulas with side effects.
[[nodiscard]] JointGraph finish_joint(TraceSession& session, std::span<const Tensor> own_arguments,
                                      std::span<const OpwValue> outputs);

}  // namespace opwright
