#include "opwright/convert/converter.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/base/core_host.h"
#include "opwright/base/counted_object.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/registration/kernel.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "opwright/value.h"

namespace opwright {
namespace {

struct ConverterTraits {
  using Held = const Converter;
  static constexpr const char* kTypeName = "Converter";
  static bool are_equal(const Converter& a, const Converter& b) { return &a == &b; }
  static uint64_t hash(const Converter& rule) { return reinterpret_cast<uintptr_t>(&rule); }
  static std::string text(const Converter& rule) {
    return concatenate("<rule for ", rule.engine(), " from version ", rule.since_version(), ">");
  }
};
using ConverterObject = CountedObject<ConverterTraits>;

// The function in the row; `self` is the rule.
int give_rule(const OpwRecord* record, const OpwValue* args, uint32_t num_args, OpwValue* results,
              uint32_t num_results) {
  try {
    if (num_args != 2 || num_results != 1) throw_wrong_count(2, num_args, 1, num_results);
    const auto* rule = static_cast<const Converter*>(record->self);
    if (ValueOf<std::string_view>::read(args[0]) == rule->engine() &&
        ValueOf<int64_t>::read(args[1]) >= rule->since_version()) {
      results[0] = ConverterObject::make(ConverterPtr::share(rule)).give();
    }
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}
void drop_rule(void* self) { (void)ConverterPtr::take(static_cast<const Converter*>(self)); }

struct Engines {
  struct Entry {
    Engine engine;
    std::once_flag rules;
  };
  std::mutex mutex;
  std::deque<Entry> entries;

  Entry* find(std::string_view name) {
    const std::lock_guard lock(mutex);
    for (Entry& each : entries) {
      if (each.engine.name == name) return &each;
    }
    return nullptr;
  }
};
Engines& engines() {
  static Engines known;
  return known;
}

void prepare_engine(std::string_view name) {
  Engines::Entry* entry = engines().find(name);
  if (!entry) {
    std::string known;
    const std::lock_guard lock(engines().mutex);
    for (const Engines::Entry& each : engines().entries)
      known += concatenate(known.empty() ? "" : ", ", each.engine.name);
    throw_error("ValueError", "there is no engine '", name, "' to convert to; there are: ", known);
  }
  std::call_once(entry->rules, entry->engine.register_rules);
}

Value ask(const OpwRecord& record, std::string_view engine, int64_t version) {
  const OpwValue args[] = {ValueOf<std::string_view>::lend(engine),
                           ValueOf<int64_t>::lend(version)};
  OpwValue result{};
  require_ok(record.function(&record, args, 2, &result, 1));
  return Value::take(result);
}

FoundConverter read_answer(const Operator& op, const Value& answer) {
  FoundConverter found;
  if (const ConverterObject* object = ConverterObject::find(answer.get())) {
    found.rule = object->held();
  } else if (answer.tag() == kOpwString) {
    found.node_text = std::string(ValueOf<std::string_view>::read(answer.get()));
  } else {
    OPWRIGHT_CHECK_TYPE(answer.is_none(), op.name(),
                        ": its Convert rule must give the text of a node or nothing, got ",
                        tag_name(answer.tag()));
  }
  return found;
}

// The version since which a record has a rule, given that it has one for `version`: a text does not
// say.
int64_t since_version(const OpwRecord& record, std::string_view engine, int64_t version) {
  int64_t silent = -1;
  while (version - silent > 1) {
    const int64_t between = silent + (version - silent) / 2;
    (ask(record, engine, between).is_none() ? silent : version) = between;
  }
  return version;
}

// For a functional form (transforms/functional_sibling.h), the operator that writes, which takes
// the same arguments; otherwise null.
const Operator* find_writing_origin(const Operator& op) {
  const Operator* origin = find_sibling_origin(op);
  const bool is_same =
      origin && origin->writes_arguments() && origin->num_arguments() == op.num_arguments();
  return is_same ? origin : nullptr;
}

FoundConverter find_own_converter(const Operator& op, std::string_view engine, int64_t version) {
  FoundConverter best;
  std::pair<bool, int64_t> best_rank;  // higher is better; among equal ones the newest wins
  if (!op.record(Slot::Convert)) return best;
  for (const OpwRecord* record : Registry::get().own_records(op, Slot::Convert)) {
    FoundConverter found = read_answer(op, ask(*record, engine, version));
    if (!found.is_there()) continue;
    const std::pair<bool, int64_t> rank =
        found.rule ? std::pair(!found.rule->is_builtin(), found.rule->since_version())
                   : std::pair(true, since_version(*record, engine, version));
    if (best.is_there() && rank <= best_rank) continue;
    best = std::move(found);
    best_rank = rank;
  }
  return best;
}

}  // namespace

void add_engine(const Engine& engine) {
  if (engines().find(engine.name)) return;
  const std::lock_guard lock(engines().mutex);
  engines().entries.emplace_back().engine = engine;
}

Registration register_converter(std::string_view op, ConverterPtr rule, SourceSite site) {
  // The core's own rules are registered while their engine is prepared.
  if (!rule->is_builtin()) prepare_engine(rule->engine());
  const Converter* held = rule.give();
  return Registry::get().implement(op, Slot::Convert,
                                   {&give_rule, const_cast<Converter*>(held), &drop_rule, nullptr},
                                   site, core_host());
}

FoundConverter find_converter(const Operator& op, std::string_view engine, int64_t version) {
  prepare_engine(engine);
  FoundConverter found = find_own_converter(op, engine, version);
  if (found.is_there()) return found;
  const Operator* origin = find_writing_origin(op);
  return origin ? find_own_converter(*origin, engine, version) : found;
}

std::optional<int64_t> find_later_version(const Operator& op, std::string_view engine,
                                          int64_t version, int64_t newest) {
  for (int64_t later = version + 1; later <= newest; ++later) {
    if (find_converter(op, engine, later).is_there()) return later;
  }
  return std::nullopt;
}

}  // namespace opwright
