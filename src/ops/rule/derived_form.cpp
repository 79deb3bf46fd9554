#include "opwright/ops/rule/derived_form.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

int call_alias(const OpwRecord* record, const OpwValue* args, uint32_t num_args, OpwValue* results,
               uint32_t num_results) noexcept {
  try {
    const auto& source = *static_cast<const Operator*>(record->self);
    call(source, {args, num_args}, {results, num_results});
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}

// The `self` of the record of a form that writes.
struct WritingForm {
  const Operator* op;
  const Operator* source;
  std::string who;  // "square_"
  bool is_out;
};

// Whether the call of the source may be recorded, so that it keeps arguments for its backward.
bool may_be_recorded(const WritingForm& form, Arguments args) {
  constexpr uint32_t kOff = kAttentionGradOff | kAttentionInference;
  constexpr uint32_t kTracked = kOpwFlagRequiresGrad | kOpwFlagWrapped | kFlagHasBase;
  if ((thread_state().attention & kOff) != 0) return false;
  return (form.op->merged_tensor_flags(args) & kTracked) != 0;
}

void write_result(const std::string& who, bool is_out, const Tensor& made, Tensor& target) {
  check_storable(who.c_str(), made.dtype(), target);
  const SymSizes sizes = sym_geometry_of(made).sizes;
  const SymBool fits = have_same_sizes(sym_geometry_of(target).sizes, sizes);
  if (is_out && guard_or_false(target.sym_numel() == 0) && !guard_or_false(fits)) {
    target.resize_(sizes);
  } else {
    demand(fits, "ValueError", [&] {
      return concatenate(who, ": ", is_out ? "out" : "self", " of sizes ",
                         to_text(sym_geometry_of(target).sizes), " cannot hold a result of sizes ",
                         to_text(sizes));
    });
  }
  target.copy_(made);
}

int call_and_write(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results) noexcept {
  try {
    const auto& form = *static_cast<const WritingForm*>(record->self);
    const uint32_t num_given = form.is_out ? num_args - num_results : num_args;
    // What the source keeps must not be overwritten.
    std::vector<OpwValue> given(args, args + num_given);
    Tensor kept;
    if (!form.is_out && may_be_recorded(form, {args, num_args})) {
      kept = Tensor::borrow(args[0].as_tensor).clone();
      given[0].as_tensor = kept.get();
    }
    OwnedResults made(num_results);
    call(*form.source, given, made.get());
    for (uint32_t i = 0; i < num_results; ++i) {
      if (form.is_out && Tensor::borrow(made.get()[i].as_tensor).requires_grad())
        throw_recorded_out(*form.op);
      Tensor target = Tensor::borrow(args[form.is_out ? num_given + i : 0].as_tensor);
      write_result(form.who, form.is_out, Tensor::borrow(made.get()[i].as_tensor), target);
      results[i] = ValueOf<Tensor>::give(std::move(target));
    }
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}

struct FormTable {
  const char* file;
  std::vector<DerivedForm> forms;
  bool are_aliases;
};

void register_table(const FormTable& table) {
  static auto* writing = new std::deque<WritingForm>;  // never freed: records point to them
  Registry& registry = Registry::get();
  for (const DerivedForm& each : table.forms) {
    const Operator& source = registry.require(each.source);
    BoxedFunction function{&call_alias, const_cast<Operator*>(&source), nullptr, nullptr};
    if (!table.are_aliases) {
      const Operator& op = registry.require(each.name);
      const bool is_out = !op.schema().arguments.front().is_written();
      WritingForm& form = writing->emplace_back(&op, &source, op.schema().name.base, is_out);
      function = {&call_and_write, &form, nullptr, nullptr};
    }
    const SourceSite site{table.file, each.line};
    registry.implement(each.name, Slot::ImplicitComposite, function, site).keep();
  }
}

bool register_at_first_use(FormTable* table) {
  const auto step = [](void* context) {
    const std::unique_ptr<FormTable> owned(static_cast<FormTable*>(context));
    register_table(*owned);
  };
  at_first_use(step, table);
  return true;
}

}  // namespace

bool register_aliases(const char* file, std::initializer_list<DerivedForm> forms) {
  return register_at_first_use(new FormTable{file, forms, true});
}
bool register_writing_forms(const char* file, std::initializer_list<DerivedForm> forms) {
  return register_at_first_use(new FormTable{file, forms, false});
}

void write_to_out(const std::string& who, const Tensor& result, Tensor& out) {
  write_result(who, true, result, out);
}

}  // namespace opwright
