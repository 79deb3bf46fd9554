// The interpreter level that a tensor belongs to. A plain tensor has none; a wrapper has that of
// the transform that made it.
#pragma once

#include "opwright/base/intrusive_ptr.h"
#include "opwright/visibility.h"

namespace opwright {

// Reference-counted: a wrapper that outlives its transform keeps it alive, so that an error can
// name it and no later transform can be confused with it.
class OPWRIGHT_EXPORT Level : public Counted<Level> {
 public:
  virtual ~Level() = default;

  // Shown when a tensor escapes, e.g. "vmap".
  [[nodiscard]] virtual const char* name() const = 0;
  // What to do about an escaped tensor, e.g. "Return it from the mapped function instead of storing
  // it."
  [[nodiscard]] virtual const char* advice() const {
    return "Return it from the transformed function instead of storing it.";
  }
  // Whether one of its tensors represents all samples of a batch.
  [[nodiscard]] virtual bool maps_samples() const noexcept { return false; }
};

}  // namespace opwright
