// opwright::Generator: a counted handle of a generator of random numbers, as operators take it
// (`Generator? generator=None`). What it holds is the host's; a kernel passes it on.
#pragma once

#include <utility>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
class Generator {
 public:
  Generator() = default;
  // Takes over one count.
  static Generator take(OpwObject* owned) noexcept { return Generator(owned); }
  // One more count.
  static Generator borrow(OpwObject* object) noexcept { return Generator(retain(object)); }

  Generator(const Generator& other) noexcept : object_(retain(other.object_)) {}
  Generator(Generator&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Generator& operator=(Generator other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Generator() { drop(this); }

  [[nodiscard]] bool is_defined() const noexcept { return object_ != nullptr; }
  [[nodiscard]] OpwObject* get() const noexcept { return object_; }
  // Gives the count away.
  [[nodiscard]] OpwObject* give() noexcept { return std::exchange(object_, nullptr); }

 private:
  explicit Generator(OpwObject* owned) noexcept : object_(owned) {}
  static OpwObject* retain(OpwObject* object) noexcept {
    if (object) object->table->retain(object);
    return object;
  }
  // Not inlined: in an empty optional GCC would take the handle for one that was never set.
  [[gnu::noinline]] static void drop(Generator* generator) noexcept {
    OpwObject* object = generator->object_;
    if (object) object->table->release(object);
  }

  OpwObject* object_ = nullptr;
};
}  // namespace opwright
