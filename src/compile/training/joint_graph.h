// Joint graphs: a captured function and the gradients of its outputs, as one functional graph.
//
// The gradients are computed inside of the trace, by the formulas that eager runs, for tangents
// that are inputs of the graph. partition.h splits the graph, training.h runs it.
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

// What an output of the function is to autograd.
struct JointOutput {
  enum class Kind : uint8_t {
    Value,         // a new value, with a history where it has a tangent; also ints and None
    Input,         // input `of` of the graph itself
    Gradient,      // the .grad of input `of`, after the run
    ViewOfInput,   // made again from input `of` where the function is called, with eager's history
    ViewOfOutput,  // the same from output `of` of the graph, a root too
    Same,          // output `of` itself
  };
  Kind kind = Kind::Value;
  uint32_t of = 0;
  // Of a view; empty: steps cannot tell it (symbolic sizes, no_grad), its geometry does.
  ViewSteps steps = {};
  bool is_under_no_grad = false;  // a view that may not be written with grad mode on
  bool is_detached = false;       // a view that has a history of its own, if any

  // Whether its history is not that of what it is or shows.
  [[nodiscard]] bool has_own_history() const noexcept { return kind == Kind::Value || is_detached; }
};

struct JointGraph {
  // Functional. Its inputs: arguments, captured tensors, tangents (arguments too), more captured
  // tensors and the state of random numbers. Its outputs: those of the function, roots, a gradient
  // or None for each target; states of random numbers.
  GraphPtr graph;
  size_t num_outputs = 0;            // of the function
  size_t num_roots = 0;              // values that several outputs are views of
  std::vector<JointOutput> outputs;  // one for each of the function
  // What a tangent is the gradient of: output `of` of the graph (a root too), or what input `of`
  // holds after the function wrote to it.
  struct Tangent {
    uint32_t input;  // of the graph: the tangent itself
    uint32_t of;
    bool is_written_input;
  };
  std::vector<Tangent> tangents;
  std::vector<uint32_t> targets;  // inputs of the graph that require grad
  // Why the backward of a run is an error, as it is without compiling: values that it needs were
  // freed by a backward of the function, or written; an operator has no formula. Empty: it is none.
  std::string error_kind;
  std::string error;

  // Whether runs have anything to record.
  [[nodiscard]] bool has_gradients() const noexcept { return !tangents.empty(); }
};

// Ends a trace on fakes that is not functional. Called with the session's level current, after the
// function returned `outputs` (tensors, ints, None). `own_arguments` are its tensor arguments as
// the session added them, all of them and in order. RuntimeError for what cannot be kept: hooks
// that the function put on its values, leaves that it made and returns, formulas with side effects.
[[nodiscard]] JointGraph finish_joint(TraceSession& session, std::span<const Tensor> own_arguments,
                                      std::span<const OpwValue> outputs);

}  // namespace opwright
