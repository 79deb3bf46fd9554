#include "opwright/transforms/functionalize/view_copy.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/given_error.h"
#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/rule/derived_form.h"
#include "opwright/schema/schema.h"
#include "opwright/tag.h"
#include "opwright/transforms/functionalize/derived_operator.h"
#include "opwright/value.h"

namespace opwright {
namespace {

constexpr std::string_view kSuffix = "_copy";

Schema copy_schema(const Operator& op) {
  Schema schema = op.schema();
  schema.name.base += kSuffix;
  for (Argument& argument : schema.arguments) argument.alias = {};
  for (Return& result : schema.returns) result.alias = {};
  return schema;
}

Tags copy_tags(const Operator& op) {
  uint64_t bits = 0;
  for (const Tag kept : {Tag::DataDependentOutput, Tag::DynamicOutputShape, Tag::NeedsExactStrides,
                         Tag::Nondifferentiable}) {
    if (op.tags().has(kept)) bits |= Tags{kept}.bits();
  }
  const Tags tags = Tags::from_bits(bits);
  return is_builtin(op) ? with_properties(tags, {Property::Builtin}) : tags;
}

void run_and_copy(const Operator& op, Arguments args, Results results) {
  SmallVector<OpwValue, 4> views(op.num_results());
  call(op, args, views);
  for (uint32_t i = 0; i < op.num_results(); ++i) {
    const Value view = Value::take(views[i]);
    results[i] = map_tensors(view.get(), [](OpwTensor* tensor) {
                   return clone(Tensor::borrow(tensor), MemoryFormat::Contiguous);
                 }).give();
  }
}

int run_view_copy(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                  OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    run_and_copy(*static_cast<const Operator*>(record->self), {args, num_args},
                 {results, num_results});
  });
}

DerivedOperators& view_copies() {
  static auto* copies = new DerivedOperators(&run_view_copy);  // outlives every thread
  return *copies;
}

// ---- Out forms ----

// "(a!)", of a tensor or of the elements of a list.
AliasInfo written(bool is_list) {
  AliasInfo alias{.before = {"a"}, .after = {"a"}, .is_write = true, .elements = {}};
  if (!is_list) return alias;
  AliasInfo list;
  list.elements.push_back(std::move(alias));
  return list;
}

Schema out_schema(const Schema& copy) {
  Schema schema = copy;
  schema.name.overload += schema.name.overload.empty() ? "out" : "_out";
  const Type& type = copy.returns.front().type;
  const bool is_list = type.is_list();
  schema.returns.clear();
  if (!is_list) schema.returns.push_back({.name = "", .type = type, .alias = written(false)});
  schema.arguments.push_back({
      .name = "out",
      .type = type,
      .alias = written(is_list),
      .default_value = std::nullopt,
      .is_keyword_only = true,
  });
  return schema;
}

std::vector<Tensor> tensors_in(const OpwValue& value) {
  std::vector<Tensor> tensors;
  visit_tensors(value, [&](OpwTensor* tensor) { tensors.push_back(Tensor::borrow(tensor)); });
  return tensors;
}

void write_copies(const Operator& view, Arguments args, Results results) {
  const Operator& copy = view_copy(view);
  const std::string& who = copy.schema().name.base;
  OwnedResults made(1);
  call(copy, args.first(args.size() - 1), made.get());
  const std::vector<Tensor> copies = tensors_in(made.get()[0]);
  std::vector<Tensor> out = tensors_in(args.back());
  OPWRIGHT_CHECK(copies.size() == out.size(), who, ": expected ", copies.size(),
                 " tensors in out, one for each result, got ", out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (copies[i].requires_grad()) throw_recorded_out(copy);
    write_to_out(who, copies[i], out[i]);
  }
  if (!results.empty()) results[0] = ValueOf<Tensor>::give(std::move(out[0]));
}

int run_out_form(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                 OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    write_copies(*static_cast<const Operator*>(record->self), {args, num_args},
                 {results, num_results});
  });
}

const Operator* find_out_form(const Operator& view) {
  static auto* forms = new DerivedOperators(&run_out_form, true);  // outlives every thread
  const Operator& copy = view_copy(view);
  if (copy.num_results() != 1) return nullptr;
  const Schema schema = out_schema(copy.schema());
  const Tags tags = schema.returns.empty() ? Tags() : Tags{Tag::Out};
  return &forms->find_or_define(
      view, schema, is_builtin(view) ? with_properties(tags, {Property::Builtin}) : tags);
}

}  // namespace

const Operator& view_copy(const Operator& op) {
  OPWRIGHT_ASSERT(is_view(op));
  return view_copies().find_or_define(op, copy_schema(op), copy_tags(op));
}

const Operator* find_view_copy(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view packet = name.substr(0, dot);
  if (!packet.ends_with(kSuffix)) return nullptr;
  const std::string base(packet.substr(0, packet.size() - kSuffix.size()));
  const Operator* named = nullptr;
  for (const Operator* op : Registry::get().overloads(base)) {
    if (!is_view(*op)) continue;
    for (const Operator* derived : {&view_copy(*op), find_out_form(*op)}) {
      if (derived && derived->name() == name) named = derived;
    }
  }
  return named;
}

// ---- The level ----

ViewCopies::ViewCopies(Interpreter* parent)
    : Interpreter(parent, {.lifts = parent && parent->traits().lifts}) {}

void ViewCopies::process(const Operator& op, Arguments args, Results results) {
  const ParentScope scope(*this);
  call(is_view(op) ? view_copy(op) : op, args, results);
}

void ViewCopies::lift(std::span<OpwValue> args) {
  const ParentScope scope(*this);
  parent()->lift(args);
}

OpwTensor* ViewCopies::find_twin(const OpwTensor* foreign) const {
  return parent() ? parent()->find_twin(foreign) : nullptr;
}

bool ViewCopies::keeps_whole(const Operator& op) const {
  return parent() && !is_view(op) && parent()->keeps_whole(op);
}

}  // namespace opwright
