// Registers prototypes as operators of the namespace ge.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/ge/builtin_prototypes.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/registration/converter_text.h"

namespace opwright::graph_engine {
namespace {

std::vector<Registration> add(const Prototype& prototype, SourceSite site) {
  Registry& registry = Registry::get();
  std::vector<Registration> done;
  done.push_back(registry.define(schema_text(prototype), {}, site));
  auto* rule = new ConverterText{kEngine, to_text(prototype), 0};
  done.push_back(registry.implement(
      "ge::" + prototype.name, Slot::Convert,
      {&ConverterText::call_function, rule, &ConverterText::drop, nullptr}, site));
  return done;
}

// Texts of prototypes are parsed once.
PrototypePtr read_cached(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, PrototypePtr> known;
  const std::lock_guard lock(mutex);
  PrototypePtr& found = known[text];
  if (!found) found = std::make_shared<const Prototype>(parse_prototype(text));
  return found;
}

}  // namespace

void register_builtin_prototypes() {
  for (const char* text : builtin_prototypes()) {
    const Prototype prototype = parse_prototype(text);
    if (Registry::get().find("ge::" + prototype.name)) continue;  // a binary defines its own
    for (Registration& each : add(prototype, {})) each.keep();
  }
}

PrototypePtr find_prototype(std::string_view name) {
  const std::string full = concatenate("ge::", name);
  const Operator* op = Registry::get().find(full);
  if (!op) {
    // The built-in ones are registered at the first query of the engine.
    const Operator* any = Registry::get().find("aten::add.Tensor");
    if (any) (void)find_converter(*any, kEngine, 0);
    op = Registry::get().find(full);
  }
  if (!op) return nullptr;
  const FoundConverter found = find_converter(*op, kEngine, 0);
  return found.node_text ? read_cached(*found.node_text) : nullptr;
}

std::vector<Registration> define_prototype(const Prototype& prototype, SourceSite site) {
  if (const PrototypePtr known = find_prototype(prototype.name)) {
    OPWRIGHT_CHECK_VALUE(to_text(*known) == to_text(prototype), "GE: ", prototype.name,
                         " has another prototype already\n  known: ", to_text(*known),
                         "\n  new:   ", to_text(prototype));
    return {};
  }
  return add(prototype, site);
}

}  // namespace opwright::graph_engine
