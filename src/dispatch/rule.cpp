#include "opwright/dispatch/rule.h"

#include <algorithm>
#include <bit>
#include <string>

#include "opwright/base/given_error.h"
#include "opwright/error.h"

namespace opwright {
namespace {

bool shares_a_set(const AliasInfo& a, const AliasInfo& b) {
  const bool shares = std::ranges::any_of(
      a.before, [&](const std::string& set) { return set != kAliasWildcard && b.mentions(set); });
  return shares || std::ranges::any_of(a.elements, [&](const AliasInfo& element) {
           return shares_a_set(element, b);
         });
}

}  // namespace

uint32_t count_results(const Operator& op, Slot slot) {
  switch (slot) {
    case Slot::SetupContext:
      return 0;
    case Slot::KeepOld:
      return op.num_arguments();
    case Slot::Autograd:
      return op.num_tensor_arguments();
    case Slot::Vmap:
      return op.num_results() + 1;
    case Slot::Scatter:
    case Slot::Convert:
      return 1;
    case Slot::Functional:
      return count_fresh_results(op) + static_cast<uint32_t>(std::popcount(op.written_args()));
    case Slot::Autocast:
      return op.num_arguments();
    default:
      return op.num_results();
  }
}

uint32_t count_fresh_results(const Operator& op) {
  const auto& returns = op.schema().returns;
  return static_cast<uint32_t>(
      std::ranges::count_if(returns, [](const Return& each) { return !each.is_written(); }));
}

std::optional<uint32_t> find_viewed_argument(const Operator& op, uint32_t index) {
  const Return& result = op.schema().returns[index];
  if (result.is_written()) return std::nullopt;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (shares_a_set(result.alias, op.schema().arguments[i].alias)) return i;
  }
  return std::nullopt;
}

bool is_view(const Operator& op) {
  for (uint32_t i = 0; i < op.num_results(); ++i) {
    if (find_viewed_argument(op, i)) return true;
  }
  return false;
}

void run_rule(const Operator& op, Slot slot, Arguments args, Results results) {
  const OpwRecord* record = op.record(slot);
  if (!record) throw_error("NotImplementedError", op.name(), " has no rule for ", slot_name(slot));
  const int status = record->function(record, args.data(), static_cast<uint32_t>(args.size()),
                                      results.data(), static_cast<uint32_t>(results.size()));
  if (status == 0) return;
  for (OpwValue& result : results) release_value(result);
  OpwError* given = take_error();
  Error error =
      given ? Error::take(given)
            : Error("RuntimeError", concatenate(op.name(), ": its rule for ", slot_name(slot),
                                                " failed without an error"));
  error.add_note("operator", concatenate("in the rule for ", slot_name(slot), " of ", op.name()));
  throw error;
}

}  // namespace opwright
