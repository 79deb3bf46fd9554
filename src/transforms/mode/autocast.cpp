#include "opwright/transforms/mode/autocast.h"

#include <algorithm>
#include <optional>

#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/rule.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/runtime/autocast.h"
#include "opwright/value.h"

namespace opwright {
namespace {

DType default_dtype(Device device) {
  return device.type == kOpwDeviceCpu ? DType::BFloat16 : DType::Float16;
}

// The innermost Autocast for the device's type, or null.
Autocast* find_autocast(Device device) {
  for (Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    auto* autocast = dynamic_cast<Autocast*>(mode);
    if (autocast && autocast->device().type == device.type)
      return autocast->is_shadowed() ? nullptr : autocast;
  }
  return nullptr;
}

Autocast* find_outermost() {
  Autocast* outermost = nullptr;
  for (Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    if (auto* autocast = dynamic_cast<Autocast*>(mode)) outermost = autocast;
  }
  return outermost;
}

// The values that a rule returns; releases those that are not passed on.
class CastArguments {
 public:
  explicit CastArguments(size_t count) : values_(count, OpwValue{}) {}
  ~CastArguments() {
    for (OpwValue& value : values_) release_value(value);
  }
  CastArguments(const CastArguments&) = delete;
  CastArguments& operator=(const CastArguments&) = delete;

  [[nodiscard]] Results slots() { return {values_.data(), values_.size()}; }
  [[nodiscard]] Arguments get() const { return {values_.data(), values_.size()}; }
  [[nodiscard]] bool are_none() const {
    return std::ranges::all_of(values_,
                               [](const OpwValue& value) { return value.tag == kOpwNone; });
  }

 private:
  SmallVector<OpwValue, 16> values_;
};

}  // namespace

Autocast::Autocast(Device device, std::optional<DType> dtype, bool is_enabled, bool keeps_casts)
    : device_(device),
      dtype_(dtype ? *dtype : autocast_dtype(device)),
      is_enabled_(is_enabled),
      keeps_casts_(keeps_casts) {
  OPWRIGHT_CHECK_VALUE(dtype_ == DType::BFloat16 || dtype_ == DType::Float16,
                       "autocast: dtype must be bfloat16 or float16, got ", dtype_);
}

void Autocast::enter() {
  Autocast* outermost = find_outermost();
  cache_ = outermost ? &outermost->own_cache_ : &own_cache_;
  shadowed_ = find_autocast(device_);
  if (shadowed_) shadowed_->is_shadowed_ = true;
  scope_.emplace(*this);
}

void Autocast::leave() {
  OPWRIGHT_CHECK(thread_state().modes == this,
                 "autocast: exit it on the thread that entered it, innermost first");
  scope_.reset();
  if (shadowed_) shadowed_->is_shadowed_ = false;
  own_cache_.clear();
}

bool Autocast::process(const Operator& op, Arguments args, Results results) {
  if (!is_enabled_ || is_shadowed_ || !op.record(Slot::Autocast)) return false;
  SmallVector<OpwValue, 16> given;
  given.push_back(ValueOf<DType>::lend(dtype_));
  given.push_back(ValueOf<Device>::lend(device_));
  given.append(args.begin(), args.end());
  CastArguments cast(args.size());
  {
    std::optional<ModeScope> caching;
    if (keeps_casts_) caching.emplace(*cache_);
    run_rule(op, Slot::Autocast, {given.data(), given.size()}, cast.slots());
  }
  if (cast.are_none()) return false;
  call(op, cast.get(), results);
  return true;
}

// ---- Per thread ----

AutocastScope::AutocastScope(Device device, std::optional<DType> dtype, bool is_enabled,
                             bool keeps_casts)
    : mode_(std::make_unique<Autocast>(device, dtype, is_enabled, keeps_casts)) {
  mode_->enter();
}
AutocastScope::~AutocastScope() { mode_->leave(); }

bool is_autocast_enabled(Device device) {
  const Autocast* autocast = find_autocast(device);
  return autocast && autocast->is_enabled();
}

DType autocast_dtype(Device device) {
  const Autocast* autocast = find_autocast(device);
  return autocast ? autocast->dtype() : default_dtype(device);
}

void clear_autocast_cache() {
  if (Autocast* outermost = find_outermost()) outermost->clear_cache();
}

}  // namespace opwright
