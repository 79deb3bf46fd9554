// The environment in which fake kernels of this thread create symbols.
#pragma once

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {

// Null outside fake mode and tracing: then no symbol can be created.
[[nodiscard]] ShapeEnv* current_shape_env() noexcept;

// Makes `shape_env`, which must outlive the scope, current until the end of the scope.
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
