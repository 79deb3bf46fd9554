#include "opwright/transforms/functionalize/derived_operator.h"

namespace opwright {

DerivedOperators::Derived DerivedOperators::define(const Operator& op, const Schema& schema,
                                                   Tags tags) const {
  Registry& registry = Registry::get();
  const std::string name = schema.full_name();
  Derived made;
  made.of = &op;
  made.registrations.push_back(registry.define(to_text(schema), tags, op.site(),
                                               {.library = op.origin(), .is_derived = true}));
  const BoxedFunction body{
      .function = body_, .self = const_cast<Operator*>(&op), .drop = nullptr, .signature = nullptr};
  const auto implement = [&](Slot slot) {
    made.registrations.push_back(registry.implement(name, slot, body, op.site()));
  };
  if (is_seen_through_) {
    implement(Slot::ImplicitComposite);
  } else {
    implement(Slot::ExplicitComposite);
    implement(Slot::Decompose);
  }
  made.op = &registry.require(name);
  return made;
}

const Operator& DerivedOperators::find_or_define(const Operator& op, const Schema& schema,
                                                 Tags tags) {
  const std::lock_guard lock(mutex_);
  const std::string name = schema.full_name();
  if (const auto found = by_name_.find(name); found != by_name_.end() && found->second.of == &op)
    return *found->second.op;
  std::erase_if(by_name_, [](const auto& each) { return each.second.of->is_removed(); });
  return *by_name_.emplace(name, define(op, schema, tags)).first->second.op;
}

const Operator* DerivedOperators::origin_of(const Operator& op) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(op.name());
  return found != by_name_.end() && found->second.op == &op ? found->second.of : nullptr;
}

}  // namespace opwright
