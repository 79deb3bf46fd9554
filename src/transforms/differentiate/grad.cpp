#include "opwright/transforms/differentiate/grad.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/engine.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/tape.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/func.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/own_results.h"

namespace opwright {

// ---- The level ----

Tensor Grad::wrap(Tensor inner) {
  Tensor made = make_wrapper(this, std::move(inner));
  impl(made).flags &= ~kOpwFlagInference;
  return made;
}

Tensor Grad::unwrap(const Tensor& tensor) const {
  return owns(tensor.get()) ? Tensor::borrow(inner_of(tensor.get())) : tensor;
}

void Grad::process(const Operator& op, Arguments args, Results results) {
  bool has_own = false;
  const ReplacedArguments inner(args, [&](OpwTensor* tensor) {
    const bool is_own = owns(tensor);
    has_own |= is_own;
    return is_own ? inner_of(tensor) : tensor;
  });
  if (has_own && op.writes_arguments()) check_foreign_writes(*this, op, args);
  OwnedResults raw(op.num_results());
  {
    const ParentScope scope(*this);
    call(op, inner.get(), raw.get());
  }
  give_own_results(*this, op, args, raw.get(), results,
                   [&](uint32_t /*result*/, uint32_t /*element*/, OpwTensor* made) {
                     return wrap(Tensor::borrow(made));
                   });
}

// ---- A run ----

VjpRun::VjpRun() : level_(GradPtr::take(new Grad(current_interpreter()))) {}

std::vector<Tensor> VjpRun::enter(std::span<const Tensor> inputs) {
  std::vector<Tensor> own;
  for (size_t i = 0; i < inputs.size(); ++i) {
    OPWRIGHT_CHECK_TYPE(has_gradients(inputs[i].dtype()), "grad: input ", i, " (", inputs[i],
                        ") cannot be differentiated, only tensors of floating and complex dtypes "
                        "can; convert it, or leave it out of argnums");
    own.push_back(level_->wrap(inputs[i]));
    set_requires_grad(own.back(), true);
    targets_.push_back(edge_of(own.back()));
    inputs_.push_back(inputs[i]);
  }
  return own;
}

std::vector<Tensor> VjpRun::unwrap(std::span<const Tensor> tensors) const {
  std::vector<Tensor> outside;
  for (const Tensor& tensor : tensors) outside.push_back(level_->unwrap(tensor));
  return outside;
}

std::vector<Tensor> VjpRun::finish(std::span<const Tensor> outputs) {
  for (const Tensor& output : outputs) {
    const bool is_own = is_wrapper_of(*level_, output.get());
    outputs_.push_back({is_own ? edge_of(output) : Edge{}, ValueMeta(output)});
  }
  return unwrap(outputs);
}

std::vector<Tensor> VjpRun::pull(std::span<const Tensor> cotangents, bool keeps_graph) {
  OPWRIGHT_CHECK(cotangents.size() == outputs_.size(), "vjp: the function returned ",
                 outputs_.size(), " tensors, but there are ", cotangents.size(), " cotangents");
  std::vector<Tensor> gradients;
  {
    const ReentryScope scope(*level_);
    const RecordingScope recording;
    const UnrecordedLevelScope unrecorded(*level_);
    std::vector<RootGradient> roots;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto& [edge, meta] = outputs_[i];
      if (!cotangents[i].is_defined()) continue;
      OPWRIGHT_CHECK(has_sizes(cotangents[i], meta.sizes()), "vjp: cotangent ", i, " has sizes ",
                     to_text(ValueMeta(cotangents[i]).sizes()), ", but output ", i, " has ",
                     to_text(meta.sizes()));
      if (edge) roots.push_back({edge, fit_dtype(cotangents[i], meta.dtype())});
    }
    gradients = run_backward_to(roots, targets_, {.keeps_graph = keeps_graph});
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] =
        gradients[i].is_defined() ? level_->unwrap(gradients[i]) : zeros_like(inputs_[i]);
  }
  return gradients;
}

// ---- Over functions ----

std::vector<Tensor> Pullback::operator()(std::span<const Tensor> cotangents) const {
  return run_->pull(cotangents, true);
}

VjpResult vjp_function(std::span<const Tensor> inputs, const FunctionBody& body) {
  // Shared by copies of the pull-back function.
  auto run = std::make_shared<VjpRun>();
  const std::vector<Tensor> own = run->enter(inputs);
  const FunctionOutputs given = run->run([&] { return body(own); });
  std::vector<Tensor> outputs = run->finish(given.outputs);
  std::vector<Tensor> aux = run->unwrap(given.aux);
  return {.outputs = std::move(outputs), .pull = Pullback(std::move(run)), .aux = std::move(aux)};
}

GradResult grad_function(std::span<const Tensor> inputs, const FunctionBody& body) {
  VjpRun run;
  const std::vector<Tensor> own = run.enter(inputs);
  const FunctionOutputs given = run.run([&] { return body(own); });
  OPWRIGHT_CHECK(given.outputs.size() == 1, "grad: the function must return one tensor, got ",
                 given.outputs.size(), "; use vjp or jacrev for several");
  const Tensor value = run.finish(given.outputs)[0];
  OPWRIGHT_CHECK(value.dim() == 0,
                 "grad: the function must return a scalar, a tensor without "
                 "dimensions, got ",
                 value, "; reduce it (sum), or use vjp or jacrev");
  OPWRIGHT_CHECK(!is_complex(value.dtype()), "grad: the function must return a real number, got ",
                 value, "; differentiate its real or imaginary part, or use vjp");
  const Tensor one[] = {ones_like(value)};
  return {.gradients = run.pull(one, false), .value = value, .aux = run.unwrap(given.aux)};
}

std::vector<size_t> checked_argnums(std::span<const int64_t> argnums, size_t count) {
  OPWRIGHT_CHECK_VALUE(!argnums.empty(),
                       "argnums must be non-empty: it names the arguments to "
                       "differentiate with respect to");
  std::vector<size_t> places;
  const auto limit = static_cast<int64_t>(count);
  for (const int64_t argnum : argnums) {
    OPWRIGHT_CHECK_INDEX(argnum >= -limit && argnum < limit, "argnums has ", argnum, ", but only ",
                         count, " positional inputs were given");
    const auto place = static_cast<size_t>(argnum < 0 ? argnum + limit : argnum);
    for (const size_t other : places) {
      OPWRIGHT_CHECK_VALUE(other != place,
                           "argnums elements must be unique, but two name argument ", place);
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace opwright
