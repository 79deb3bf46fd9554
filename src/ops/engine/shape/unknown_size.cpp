#include "opwright/ops/engine/shape/unknown_size.h"

#include <algorithm>
#include <cstdint>

#include "opwright/error.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

ShapeEnv& require_environment(const char* who, const char* what) {
  ShapeEnv* environment = current_shape_env();
  if (!environment) {
    throw_error(
        "NotImplementedError", who, ": ", what,
        " decides the sizes of the result, and a fake tensor has no data; inside "
        "FakeTensorMode or make_fx(tracing_mode=\"symbolic\") such a size becomes a symbol");
  }
  return *environment;
}

}  // namespace

SymInt make_unknown_size(const char* who, const char* what, const SymInt& most) {
  ShapeEnv& environment = require_environment(who, what);
  if (!most.is_symbolic()) return environment.make_unbacked({.least = 0, .greatest = most.word()});
  const bool is_own = shape_env_of(most) == &environment;
  SymInt size = environment.make_unbacked(
      {.least = 0, .greatest = is_own ? environment.range(most).greatest : INT64_MAX});
  if (is_own) environment.learn((size <= most).value());
  return size;
}

SymInt make_unknown_size_from(const char* who, const char* what, const SymInt& least) {
  ShapeEnv& environment = require_environment(who, what);
  if (!least.is_symbolic()) return environment.make_unbacked({.least = least.word()});
  const bool is_own = shape_env_of(least) == &environment;
  SymInt size = environment.make_unbacked(
      {.least = is_own ? std::max<int64_t>(0, environment.range(least).least) : 0});
  if (is_own) environment.learn((least <= size).value());
  return size;
}

SymInt make_unknown_size(const char* who, const char* what) {
  return require_environment(who, what).make_unbacked();
}

}  // namespace opwright
