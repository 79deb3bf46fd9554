#include "opwright/symbolic/value_finder.h"

#include <utility>

namespace opwright {
namespace {

constinit thread_local ValueFinderScope* innermost __attribute__((tls_model("initial-exec"))) =
    nullptr;

}  // namespace

ValueFinderScope::ValueFinderScope(ValueFinder& finder) noexcept
    : finder_(finder), outer_(std::exchange(innermost, this)) {}
ValueFinderScope::~ValueFinderScope() { innermost = outer_; }

bool find_values(const ShapeEnv& environment) {
  for (ValueFinderScope* scope = innermost; scope; scope = scope->outer_) {
    if (scope->finder_.find_values(environment)) return true;
  }
  return false;
}

}  // namespace opwright
