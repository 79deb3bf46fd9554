#include "opwright/transforms/functionalize/functional_sibling.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/given_error.h"
#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/schema/schema.h"
#include "opwright/tag.h"
#include "opwright/tensor/random_state.h"
#include "opwright/transforms/functionalize/derived_operator.h"
#include "opwright/transforms/functionalize/view_copy.h"
#include "opwright/value.h"

namespace opwright {
namespace {

constexpr std::string_view kPrefix = "_functional_";

bool draws(const Operator& op) { return op.tags().has(Tag::NondeterministicSeeded); }

// ---- Schema ----

std::string state_name(const Schema& schema) {
  return schema.index_of("state") ? "random_state" : "state";
}

Schema sibling_schema(const Operator& op) {
  Schema schema;
  schema.name = op.schema().name;
  schema.name.base = std::string(kPrefix) + schema.name.base;
  if (draws(op)) {
    Argument state;
    state.name = state_name(op.schema());
    schema.arguments.push_back(std::move(state));
  }
  const int32_t generator = generator_argument(op);
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (static_cast<int32_t>(i) == generator && draws(op)) continue;
    schema.arguments.push_back(op.schema().arguments[i]);
    schema.arguments.back().alias = {};
  }
  for (const Return& result : op.schema().returns) {
    if (!result.is_written())
      schema.returns.push_back({.name = "", .type = result.type, .alias = {}});
  }
  for (const Argument& argument : op.schema().arguments) {
    if (argument.is_written())
      schema.returns.push_back({.name = "", .type = argument.type, .alias = {}});
  }
  if (draws(op)) schema.returns.emplace_back();
  return schema;
}

Tags sibling_tags(const Operator& op) {
  uint64_t bits = 0;
  for (const Tag kept :
       {Tag::Nondeterministic, Tag::DataDependentOutput, Tag::DynamicOutputShape, Tag::Blocking,
        Tag::AllowsMixedDevices, Tag::NeedsExactStrides, Tag::Nondifferentiable, Tag::Ordered}) {
    if (op.tags().has(kept)) bits |= Tags{kept}.bits();
  }
  if (draws(op)) bits |= Tags{Tag::AllowsMixedDevices}.bits();  // the state is on the CPU
  const Tags tags = with_properties(Tags::from_bits(bits), {Property::FunctionalForm});
  return is_builtin(op) ? with_properties(tags, {Property::Builtin}) : tags;
}

// ---- Body ----

Value clone_all(const OpwValue& value) {
  switch (value.tag) {
    case kOpwTensor:
      return Value(clone(Tensor::borrow(value.as_tensor)));
    case kOpwTensorList: {
      std::vector<Tensor> copies;
      for (const Tensor& each : ValueOf<std::span<const Tensor>>::read(value))
        copies.push_back(clone(each));
      return Value(copies);
    }
    case kOpwList: {
      std::vector<std::optional<Tensor>> copies;
      for (const auto& each : ValueOf<std::vector<std::optional<Tensor>>>::read(value))
        copies.push_back(each ? std::optional<Tensor>(clone(*each)) : std::nullopt);
      return Value(copies);
    }
    default:
      return Value::copy_of(value);
  }
}

// Calls the operator with a temporary generator and returns the new state.
Tensor call_with_state(const Operator& op, Arguments args, Results results, const Tensor& state) {
  if (state.is_fake()) {
    call(op, args, results);
    return empty_like(state);
  }
  RandomState own(kCpu);
  own.set_state(state);
  const DefaultGeneratorScope scope(own);
  call(op, args, results);
  return own.state();
}

void run_on_copies(const Operator& op, Arguments args, Results results) {
  const bool has_state = draws(op);
  const int32_t generator = generator_argument(op);
  SmallVector<OpwValue, 16> given(op.num_arguments());
  std::vector<Value> copies;
  size_t next = has_state ? 1 : 0;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (has_state && static_cast<int32_t>(i) == generator) continue;
    given[i] = args[next++];
    if (!op.writes_argument(i)) continue;
    copies.push_back(clone_all(given[i]));
    given[i] = copies.back().get();
  }
  SmallVector<OpwValue, 4> all(op.num_results());
  Tensor state;
  if (has_state)
    state = call_with_state(op, given, all, BorrowedTensor(args[0].as_tensor));
  else
    call(op, given, all);
  size_t place = 0;
  for (uint32_t i = 0; i < op.num_results(); ++i) {
    if (op.schema().returns[i].is_written())
      release_value(all[i]);
    else
      results[place++] = all[i];
  }
  for (Value& copy : copies) results[place++] = copy.give();
  if (has_state) results[place] = ValueOf<Tensor>::give(state);
}

int run_sibling(const OpwRecord* record, const OpwValue* args, uint32_t num_args, OpwValue* results,
                uint32_t num_results) {
  return status_of([&] {
    run_on_copies(*static_cast<const Operator*>(record->self), {args, num_args},
                  {results, num_results});
  });
}

DerivedOperators& siblings() {
  static auto* all = new DerivedOperators(&run_sibling);  // outlives every thread
  return *all;
}

void refuse_views(const Operator& op) {
  for (uint32_t i = 0; i < op.num_results(); ++i) {
    if (!op.writes_arguments() || !find_viewed_argument(op, i)) continue;
    throw_error("NotImplementedError", op.name(), " writes an argument and returns a view of '",
                op.schema().arguments[*find_viewed_argument(op, i)].name,
                "', which has no functional form\n  Split it in two: an operator that writes and "
                "one that returns the view.");
  }
}

std::vector<const Operator*> origins(const std::string& name) {
  if (name.find('.') == std::string::npos) return Registry::get().overloads(name);
  const Operator* op = Registry::get().find(name);
  return op ? std::vector<const Operator*>{op} : std::vector<const Operator*>{};
}

// For the registry: "audio::_functional_normalize_" is the sibling of audio::normalize_, and
// "audio::window_copy" the copy of a view operator audio::window.
const Operator* make_named_sibling(std::string_view name) noexcept {
  const size_t prefix = name.find("::");
  if (prefix == std::string_view::npos) return nullptr;
  try {
    if (!name.substr(prefix + 2).starts_with(kPrefix)) return find_view_copy(name);
    std::string origin(name);
    origin.erase(prefix + 2, kPrefix.size());
    const Operator* named = nullptr;
    for (const Operator* op : origins(origin)) {
      if (!has_functional_sibling(*op)) continue;
      const Operator& sibling = functional_sibling(*op);
      if (op->name() == origin) named = &sibling;
    }
    return named;
  } catch (...) {
    return nullptr;
  }
}

[[maybe_unused]] const bool kMakesSiblings = (set_operator_maker(&make_named_sibling), true);

}  // namespace

bool has_functional_sibling(const Operator& op) { return op.writes_arguments() || draws(op); }

const Operator* find_sibling_origin(const Operator& op) {
  if (!has_property(op, Property::FunctionalForm)) [[likely]]
    return nullptr;
  return siblings().origin_of(op);
}

const Operator* find_drawing_origin(const Operator& op) {
  const Operator* origin = find_sibling_origin(op);
  return origin && draws(*origin) ? origin : nullptr;
}

int32_t generator_argument(const Operator& op) {
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (op.schema().arguments[i].type.required().kind() == TypeKind::Generator)
      return static_cast<int32_t>(i);
  }
  return -1;
}

const Operator& functional_sibling(const Operator& op) {
  OPWRIGHT_ASSERT(has_functional_sibling(op));
  refuse_views(op);
  return siblings().find_or_define(op, sibling_schema(op), sibling_tags(op));
}

}  // namespace opwright
