// Finds values of unbacked symbols when a query needs them: a trace that can run what it recorded.
#pragma once

#include <span>
#include <vector>

#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

class ShapeEnv;

class ValueFinder {
 public:
  // True: the symbols of the environment now have values (ShapeEnv::learn_equal), or nothing more
  // can be learned about them. False: raise an error for the query.
  virtual bool find_values(const ShapeEnv& environment) = 0;

 protected:
  ~ValueFinder() = default;
};

// Used on this thread until the end of the scope; the innermost first.
class [[nodiscard]] ValueFinderScope {
 public:
  explicit ValueFinderScope(ValueFinder& finder) noexcept;
  ~ValueFinderScope();
  ValueFinderScope(const ValueFinderScope&) = delete;
  ValueFinderScope& operator=(const ValueFinderScope&) = delete;

 private:
  ValueFinder& finder_;
  ValueFinderScope* outer_;
  friend bool find_values(const ShapeEnv& environment);
};

// A plain int if the facts of the environment fix the value, as they do once a trace ended early;
// else unchanged.
[[nodiscard]] OPWRIGHT_EXPORT SymInt settled(const SymInt& value);
[[nodiscard]] OPWRIGHT_EXPORT std::vector<SymInt> settled(std::span<const SymInt> values);

// Calls the finders of this thread.
[[nodiscard]] bool find_values(const ShapeEnv& environment);

}  // namespace opwright
