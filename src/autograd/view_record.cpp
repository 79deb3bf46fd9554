// Views: their records, their replay, and replacing a view in its root.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

Tensor element(const OpwValue& value, uint32_t place) {
  return Tensor::borrow(value.tag == kOpwTensorList ? value.as_tensors[place] : value.as_tensor);
}

void note_view(const Operator& op, Arguments args, uint32_t viewed, uint32_t place, bool gives_list,
               OpwTensor* result) {
  OpwTensor* base = args[viewed].as_tensor;
  if (result == base || impl(result).level != impl(base).level) return;
  if (base->flags & kOpwFlagInference) return;  // has no history that a write could change
  // A composite may return a copy if no view is possible (reshape).
  if (&storage_of(impl(result)) != &storage_of(impl(base))) return;
  const Tensor view = Tensor::borrow(result);
  History& history = history_of(view);
  if (history.view) return;  // a view made inside a composite already has one
  auto record = make_intrusive<ViewRecord>();
  const History* of_base = find_history(base);
  if (of_base && of_base->view && of_base->view->is_differentiable()) {
    record->parent = of_base->view;
    history.root = of_base->root;
  } else if (of_base && of_base->view && of_base->view->is_hidden()) {
    history.root = of_base->root;
    record->is_under_no_grad = true;  // inherited by views of such a view
    record->is_of_inference = of_base->view->is_of_inference;
  } else {
    history.root = Tensor::borrow(base);
  }
  record->op = &op;
  record->viewed = viewed;
  record->place = place;
  record->gives_list = gives_list;
  record->is_of_inference |= thread_state().is_inference();
  record->is_under_no_grad |= record->is_of_inference || !thread_state().grad_is_enabled();
  for (uint32_t i = 0; i < args.size(); ++i) {
    if (i != viewed) record->rest.push_back(copy_value(args[i]));
  }
  history.seen = rebases_of(history.root);
  history.view = std::move(record);
  impl(result).flags |= kFlagHasBase;
}

}  // namespace

ViewRecord::~ViewRecord() {
  for (OpwValue& value : rest) release_value(value);
  while (parent && parent->is_owned_once()) {
    ViewRecordPtr next = std::move(parent->parent);
    parent = std::move(next);
  }
}

bool ViewRecord::is_differentiable() const { return !is_under_no_grad && !is_detached(); }
bool ViewRecord::is_hidden() const { return is_under_no_grad && !is_detached(); }
const char* ViewRecord::origin() const {
  return is_of_inference ? "made in inference mode" : "made under no_grad";
}
const ViewRecord* ViewRecord::find_fixed_step() const {
  const ViewRecord* step = this;
  while (step && !step->gives_list && !step->is_of_function) step = step->parent.get();
  return step;
}
bool ViewRecord::is_detached() const { return op->tags().has(Tag::Nondifferentiable); }

ViewRecord* find_view(const Tensor& tensor) {
  const History* history = find_history(tensor.get());
  return history ? history->view.get() : nullptr;
}

ViewSteps steps_to(const ViewRecordPtr& view) {
  ViewSteps steps;
  for (ViewRecordPtr step = view; step; step = step->parent) steps.push_back(step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

void note_results_as_views(const Operator& op, Arguments args, Results results) {
  for (uint32_t i = 0; i < results.size(); ++i) {
    const std::optional<uint32_t> viewed = find_viewed_argument(op, i);
    if (!viewed || args[*viewed].tag != kOpwTensor) continue;
    const OpwValue& result = results[i];
    if (result.tag == kOpwTensor) {
      note_view(op, args, *viewed, i, false, result.as_tensor);
    } else if (result.tag == kOpwTensorList) {
      for (uint32_t k = 0; k < result.length; ++k) {
        note_view(op, args, *viewed, k, true, result.as_tensors[k]);
      }
    }
  }
}

Tensor replay(const ViewRecord& step, const Tensor& base) {
  SmallVector<OpwValue, 8> args;
  uint32_t next = 0;
  for (uint32_t i = 0; i < step.op->num_arguments(); ++i) {
    args.push_back(i == step.viewed ? ValueOf<Tensor>::lend(base) : step.rest[next++]);
  }
  OwnedResults results(step.op->num_results());
  call(*step.op, args, results.get());
  return step.gives_list ? element(results.get()[0], step.place)
                         : element(results.get()[step.place], 0);
}

Tensor replay(std::span<const ViewRecordPtr> steps, Tensor root) {
  for (const ViewRecordPtr& step : steps) root = replay(*step, root);
  return root;
}

Tensor scatter(const Tensor& root, const Tensor& value, std::span<const ViewRecordPtr> steps) {
  const ViewRecord& step = *steps.front();
  Tensor part = value;
  if (steps.size() > 1) part = scatter(replay(step, root), value, steps.subspan(1));
  OPWRIGHT_CHECK_KIND("NotImplementedError", step.op->record(Slot::Scatter), step.op->name(),
                      ": a view by it cannot be written under autograd, since it has no scatter "
                      "rule; register one with register_scatter, or clone the view first");
  SmallVector<OpwValue, 8> args{ValueOf<Tensor>::lend(root), ValueOf<Tensor>::lend(part)};
  for (const OpwValue& value_of_argument : step.rest) args.push_back(value_of_argument);
  if (step.gives_list) args.push_back(make_value(kOpwInt, step.place));
  OwnedResults results(1);
  run_rule(*step.op, Slot::Scatter, args, results.get());
  return element(results.get()[0], 0);
}

}  // namespace opwright
