#include "opwright/symbolic/shape_env/value_finder.h"

#include <span>
#include <utility>
#include <vector>

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

constinit thread_local ValueFinderScope* innermost __attribute__((tls_model("initial-exec"))) =
    nullptr;

}  // namespace

ValueFinderScope::ValueFinderScope(ValueFinder& finder) noexcept
    : finder_(finder), outer_(std::exchange(innermost, this)) {}
ValueFinderScope::~ValueFinderScope() { innermost = outer_; }

SymInt settled(const SymInt& value) {
  const ShapeEnv* owner = shape_env_of(value);
  return owner ? owner->simplify(value) : value;
}

std::vector<SymInt> settled(std::span<const SymInt> values) {
  std::vector<SymInt> all;
  all.reserve(values.size());
  for (const SymInt& value : values) all.push_back(settled(value));
  return all;
}

bool find_values(const ShapeEnv& environment) {
  for (ValueFinderScope* scope = innermost; scope; scope = scope->outer_) {
    if (scope->finder_.find_values(environment)) return true;
  }
  return false;
}

}  // namespace opwright
