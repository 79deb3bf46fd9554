#include "opwright/autograd/backward.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/engine.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// The gradients of all outputs belong to one level, which is current during the backward pass: that
// of the outputs, or a more inner one of the given gradients (a batch of them under vmap).
Interpreter* level_of(std::span<const GradientPoint> outputs, std::span<const Tensor> gradients) {
  const auto given = std::ranges::find_if(
      outputs, [](const GradientPoint& output) { return output.tensor.is_defined(); });
  if (given == outputs.end()) return outputs.empty() ? nullptr : current_interpreter();
  auto* of_outputs = static_cast<Interpreter*>(impl(given->tensor).level);
  for (const Tensor& gradient : gradients) {
    if (!gradient.is_defined()) continue;
    auto* level = static_cast<Interpreter*>(impl(gradient).level);
    for (Interpreter* each = level; each && each != of_outputs; each = each->parent()) {
      if (each->parent() == of_outputs) return level;
    }
  }
  return of_outputs;
}

std::vector<GradientPoint> as_seen(std::span<const GradientPoint> points) {
  std::vector<GradientPoint> all(points.begin(), points.end());
  for (GradientPoint& point : all) {
    if (point.tensor.is_defined()) point.tensor = seen(point.tensor);
  }
  return all;
}

std::vector<GradientPoint> as_points(std::span<const Tensor> tensors) {
  std::vector<GradientPoint> points;
  for (const Tensor& tensor : tensors) points.push_back({tensor});
  return points;
}

Edge edge_of(const GradientPoint& point) {
  return point.tensor.is_defined() ? edge_of(point.tensor) : point.edge;
}

// The transform that hides the tensor's history, which exists further out; null: none.
Interpreter* find_hiding_level(Tensor tensor) {
  while (impl(tensor).is_wrapper()) {
    auto* level = static_cast<Interpreter*>(impl(tensor).level);
    if (level->traits().adopts_histories) return nullptr;
    if (level->traits().lifts) (void)tensor.detach();  // updates a view that is behind
    tensor = wrapper(tensor).inner;
    if (!tensor.is_defined()) return nullptr;
    if (requires_grad(tensor)) return level;
  }
  return nullptr;
}

// Gradients inside a transform stop there: an outer leaf would silently get nothing.
void refuse_hidden_history(const Tensor& tensor, const char* which) {
  const Interpreter* level = find_hiding_level(tensor);
  OPWRIGHT_CHECK(!level, "backward: called inside ", level->name(), " on ", which,
                 " whose history continues outside, where the gradients do not arrive\n  Call it "
                 "outside, on the results of the transformed function; or name inputs from inside: "
                 "backward(inputs=...), autograd.grad; or detach tensors from outside.");
}

// The gradient 1 of an output with a single element.
Tensor one_for(const ValueMeta& output) {
  SymInt numel = 1;
  for (const SymInt& size : output.sizes()) numel = numel * size;
  OPWRIGHT_CHECK(guard_or_false(numel == 1), "backward: a gradient is needed for an output of ",
                 to_text(output.sizes()),
                 " elements; only one of a single element is a scalar whose gradient is 1\n  Pass "
                 "gradient=, or reduce it first, e.g. output.sum().backward()");
  OPWRIGHT_CHECK(!is_complex(output.dtype()),
                 "backward: a gradient is needed for an output of dtype ", output.dtype(),
                 "; only for a real one it is 1");
  return opwright::ones(output.sizes(), output.dtype(), {}, output.device());
}

// As Python prints a shape: "(2, 3)", "(2,)".
std::string shape_text(std::span<const SymInt> sizes) {
  std::string text = to_text(sizes);
  text.front() = '(';
  text.back() = ')';
  if (sizes.size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

RootGradient root_of(const GradientPoint& output, const Tensor& gradient, size_t place) {
  const Edge edge = edge_of(output);
  if (!edge) refuse_hidden_history(output.tensor, "an output");
  OPWRIGHT_CHECK(edge,
                 "backward: the output does not require grad: nothing that requires grad "
                 "had a part in it, or it was made under no_grad");
  const bool is_tensor = output.tensor.is_defined();
  const ValueMeta meta = is_tensor ? ValueMeta(output.tensor) : edge.node->meta(edge.place);
  const ValueMeta& wanted = edge.node->meta(edge.place);
  if (!gradient.is_defined()) {
    const Tensor one = is_tensor && output.tensor.dim() == 0 && !is_complex(meta.dtype())
                           ? opwright::ones_like(output.tensor)
                           : one_for(meta);
    return {edge, fit_dtype(one, wanted)};
  }
  OPWRIGHT_CHECK(has_sizes(gradient, meta.sizes()), "Mismatch in shape: grad_output[", place,
                 "] has a shape of ", shape_text(ValueMeta(gradient).sizes()), " and output[",
                 place, "] has a shape of ", shape_text(meta.sizes()), ".");
  OPWRIGHT_CHECK(is_complex(meta.dtype()) || !is_complex(gradient.dtype()),
                 "For complex Tensors, both grad_output and output are required to have the same "
                 "dtype. Mismatch in dtype: grad_output[",
                 place, "] has a dtype of ", gradient.dtype(), " and output[", place,
                 "] has a dtype of ", meta.dtype(), ".");
  return {edge, fit_dtype(gradient, wanted)};
}

// With `skips`, outputs that do not require grad are left out.
std::vector<RootGradient> roots_of(std::span<const GradientPoint> outputs,
                                   std::span<const Tensor> gradients, bool skips = false) {
  OPWRIGHT_CHECK(gradients.empty() || gradients.size() == outputs.size(),
                 "backward: ", outputs.size(), " outputs, but ", gradients.size(), " gradients");
  std::vector<RootGradient> roots;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (skips && !edge_of(outputs[i])) continue;
    roots.push_back(root_of(outputs[i], gradients.empty() ? Tensor() : gradients[i], i));
  }
  return roots;
}

std::vector<Edge> targets_of(std::span<const GradientPoint> inputs) {
  std::vector<Edge> targets;
  for (size_t i = 0; i < inputs.size(); ++i) {
    targets.push_back(edge_of(inputs[i]));
    if (!targets.back()) refuse_hidden_history(inputs[i].tensor, "an input");
    OPWRIGHT_CHECK(targets.back(), "grad: input ", i, " does not require grad");
  }
  return targets;
}

}  // namespace

void backward(std::span<const GradientPoint> given_outputs, std::span<const Tensor> gradients,
              std::span<const GradientPoint> given_inputs, BackwardOptions options) {
  const std::vector<GradientPoint> outputs = as_seen(given_outputs);
  const std::vector<GradientPoint> inputs = as_seen(given_inputs);
  const InterpreterScope level(level_of(outputs, gradients));
  if (inputs.empty()) {
    for (const GradientPoint& output : outputs) {
      if (output.tensor.is_defined()) refuse_hidden_history(output.tensor, "an output");
    }
  }
  const AttentionScope mode(kAttentionGradOff, !options.create_graph);
  const EngineOptions engine{.keeps_graph = options.keeps_graph || options.create_graph,
                             .fills_targets = !inputs.empty()};
  const std::vector<RootGradient> roots = roots_of(outputs, gradients);
  if (inputs.empty()) return run_backward(roots, engine);
  const std::vector<Edge> targets = targets_of(inputs);
  std::vector<Tensor> found = run_backward_to(roots, targets, engine);
  // Leaves, and tensors that retain their gradients, have accumulated them.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i].tensor;
    if (found[i].is_defined() && input.is_defined() && !retains_gradient(input))
      accumulate(input, std::move(found[i]));
  }
}

void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
              std::span<const Tensor> inputs, BackwardOptions options) {
  backward(as_points(outputs), gradients, as_points(inputs), options);
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> gradients, BackwardOptions options) {
  return grad(as_points(outputs), as_points(inputs), gradients, options);
}

std::vector<Tensor> grad(std::span<const GradientPoint> given_outputs,
                         std::span<const GradientPoint> given_inputs,
                         std::span<const Tensor> gradients, BackwardOptions options) {
  const std::vector<GradientPoint> outputs = as_seen(given_outputs);
  const std::vector<GradientPoint> inputs = as_seen(given_inputs);
  const InterpreterScope level(level_of(outputs, gradients));
  const std::vector<Edge> targets = targets_of(inputs);
  const AttentionScope mode(kAttentionGradOff, !options.create_graph);
  const EngineOptions engine{.keeps_graph = options.keeps_graph || options.create_graph};
  std::vector<Tensor> found =
      run_backward_to(roots_of(outputs, gradients, options.materialize), targets, engine);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (found[i].is_defined()) continue;
    if (options.materialize) {
      const Tensor& input = inputs[i].tensor;
      const Edge& target = targets[i];
      found[i] = (input.is_defined() ? ValueMeta(input) : target.node->meta(target.place)).zeros();
      continue;
    }
    OPWRIGHT_CHECK(options.allow_unused, "grad: input ", i,
                   " had no part in the outputs; pass allow_unused=True to get None for it");
  }
  return found;
}

}  // namespace opwright
