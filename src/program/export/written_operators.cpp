#include "opwright/program/export/written_operators.h"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/schema/compatibility.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

// How to load missing libraries.
std::string load_advice(const std::set<std::string>& libraries) {
  if (libraries.empty()) return "run the code that defines them first";
  std::string calls;
  std::string options;
  for (const std::string& library : libraries) {
    calls.append(calls.empty() ? "" : ", ").append("opwright.load_library(\"" + library + "\")");
    options.append(" --library ").append(library);
  }
  return concatenate("load their libraries first: ", calls, ", or `opwright run` with", options);
}

void check_present(std::span<const OperatorUse> operators, std::string_view origin) {
  std::string missing;
  std::set<std::string> libraries;
  for (const OperatorUse& use : operators) {
    if (Registry::get().find(use.name)) continue;
    missing.append("\n  ").append(use.schema);
    missing.append(use.library.empty() ? ", which a program defined" : ", from " + use.library);
    if (!use.library.empty()) libraries.insert(use.library);
  }
  if (missing.empty()) return;
  throw_error("NotImplementedError", origin,
              ": the program calls operators that are not available:", missing, "\n",
              load_advice(libraries));
}

Schema parse_written(const OperatorUse& use) {
  Schema schema = Registry::get().parse(use.schema);
  OPWRIGHT_CHECK_VALUE(schema.full_name() == use.name, "the schema of ", use.name, " is that of ",
                       schema.full_name());
  return schema;
}

// The current schema with the defaults that the calls were written under.
Schema with_defaults_of(const Schema& written, Schema current) {
  for (Argument& argument : current.arguments) {
    const auto place = written.index_of(argument.name);
    if (place) argument.default_value = written.arguments[*place].default_value;
  }
  return current;
}

}  // namespace

WrittenOperators::WrittenOperators(std::span<const OperatorUse> operators,
                                   std::string_view origin) {
  check_present(operators, origin);
  std::string changed;
  for (const OperatorUse& use : operators) {
    const Schema& current = Registry::get().require(use.name).schema();
    const std::string now = to_text(current);
    if (now == use.schema) {
      schemas_.emplace(use.name, &current);
      continue;
    }
    const Schema& written = own_.emplace_back(parse_written(use));
    schemas_.emplace(use.name, &written);
    const auto reason = why_incompatible(written, with_defaults_of(written, current));
    if (!reason) continue;
    changed += concatenate("\n", use.name, ": ", *reason, "\n  exported with ", use.schema,
                           "\n  here it is    ", now);
  }
  if (changed.empty()) return;
  throw_error("NotImplementedError", origin,
              ": operators have changed since the program was exported, and its calls do not fit "
              "them any more:",
              changed, "\nload the library as it was then, or export the program again");
}

}  // namespace opwright
