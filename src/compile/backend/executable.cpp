#include "opwright/compile/backend/executable.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/compile/backend/compiled_graph.h"
#include "opwright/compile/backend/evaluated_graph.h"
#include "opwright/compile/backend/planned_graph.h"
#include "opwright/error.h"

namespace opwright {
namespace {

struct Backends {
  std::mutex mutex;
  std::map<std::string, Backend, std::less<>> by_name{{"llvm", &compile_graph},
                                                      {"plan", &plan_graph},
                                                      {"eager", &evaluate_graph},
                                                      {"trace", &trace_graph}};

  static Backends& get() {
    static auto* backends = new Backends;  // outlives every thread that compiles
    return *backends;
  }
};

}  // namespace

void register_backend(std::string name, Backend backend) {
  Backends& backends = Backends::get();
  const std::lock_guard lock(backends.mutex);
  OPWRIGHT_CHECK_VALUE(!backends.by_name.contains(name), "register_backend: the backend '", name,
                       "' already exists; choose another name");
  backends.by_name.emplace(std::move(name), std::move(backend));
}

Backend find_backend(std::string_view name) {
  Backends& backends = Backends::get();
  const std::lock_guard lock(backends.mutex);
  const auto found = backends.by_name.find(name);
  if (found != backends.by_name.end()) return found->second;
  std::string names;
  for (const auto& [each, _] : backends.by_name) names += (names.empty() ? "" : ", ") + each;
  throw_error("ValueError", "compile: there is no backend '", std::string(name), "', only ", names,
              "; register_backend adds one");
}

}  // namespace opwright
