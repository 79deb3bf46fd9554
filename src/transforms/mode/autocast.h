// Autocast: a mode that casts the floating-point arguments of a call by the operator's Autocast
// rule.
#pragma once

#include <optional>

#include "opwright/device.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dtype.h"
#include "opwright/transforms/mode/cast_cache.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Autocast final : public Mode {
 public:
  // See AutocastScope for the arguments.
  Autocast(Device device, std::optional<DType> dtype, bool is_enabled, bool keeps_casts);

  // Becomes the innermost mode of this thread. It cannot be entered twice at a time.
  void enter();
  // RuntimeError unless it is the innermost mode of this thread.
  void leave();

  bool process(const Operator& op, Arguments args, Results results) override;

  void clear_cache() { own_cache_.clear(); }

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] bool is_enabled() const noexcept { return is_enabled_; }
  [[nodiscard]] bool is_shadowed() const noexcept { return is_shadowed_; }

 private:
  Device device_;
  DType dtype_;
  bool is_enabled_;
  bool keeps_casts_;
  bool is_shadowed_ = false;      // an inner Autocast decides for this device
  Autocast* shadowed_ = nullptr;  // the outer Autocast for this device
  CastCache* cache_ = nullptr;    // owned by the outermost Autocast
  CastCache own_cache_;
  std::optional<ModeScope> scope_;
};

}  // namespace opwright
