#include "opwright/symbolic/shape_env/current_shape_env.h"

#include <utility>

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

thread_local ShapeEnv* current = nullptr;

}  // namespace

ShapeEnv* current_shape_env() noexcept { return current; }

ShapeEnvScope::ShapeEnvScope(ShapeEnv* shape_env) noexcept
    : previous_(std::exchange(current, shape_env)) {}
ShapeEnvScope::~ShapeEnvScope() { current = previous_; }

}  // namespace opwright
