// The environment that fake kernels of this thread make symbols in.
#pragma once

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {

// Null outside of fake mode and tracing: then no symbol can be made.
[[nodiscard]] ShapeEnv* current_shape_env() noexcept;

// Makes `shape_env` current until the end of the scope, which it outlives.
class [[nodiscard]] ShapeEnvScope {
 public:
  explicit ShapeEnvScope(ShapeEnv* shape_env) noexcept;
  ~ShapeEnvScope();
  ShapeEnvScope(const ShapeEnvScope&) = delete;
  ShapeEnvScope& operator=(const ShapeEnvScope&) = delete;

 private:
  ShapeEnv* previous_;
};

}  // namespace opwright
