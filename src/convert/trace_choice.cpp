#include "opwright/convert/trace_choice.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "opwright/convert/converter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

bool can_be_taken_apart(const Operator& op) {
  return is_builtin(op) && (op.record(Slot::Decompose) || op.record(Slot::ImplicitComposite));
}

// Querying every operator is slow: the results of a version are cached until something is
// registered.
struct Choice {
  uint64_t epoch = 0;
  TraceOptions options;
};

}  // namespace

TraceOptions choose_trace(const std::string& engine, int64_t version) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int64_t>, Choice> choices;
  const std::lock_guard lock(mutex);
  Choice& choice = choices[{engine, version}];
  if (choice.epoch == registry_epoch()) return choice.options;
  choice.options = {};
  for (const Operator* op : Registry::get().list("aten")) {
    if (!can_be_taken_apart(*op)) continue;
    const bool has_rule = find_converter(*op, engine, version).is_there();
    (has_rule ? choice.options.whole : choice.options.decompose).insert(op);
  }
  choice.epoch = registry_epoch();
  return choice.options;
}

}  // namespace opwright
