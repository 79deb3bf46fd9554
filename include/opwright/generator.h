// opwright::Generator: a reference-counted handle to a random number generator, as operators accept
// it (`Generator? generator=None`). Its contents belong to the host; a kernel passes it on.
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
  // Adds one count.
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
  // Releases ownership: the caller gets the count.
  [[nodiscard]] OpwObject* give() noexcept { return std::exchange(object_, nullptr); }

 private:
  explicit Generator(OpwObject* owned) noexcept : object_(owned) {}
  static OpwObject* retain(OpwObject* object) noexcept {
    if (object) object->table->retain(object);
    return object;
  }
  // Not inlined: for an empty optional, GCC would warn about an uninitialised handle.
  [[gnu::noinline]] static void drop(Generator* generator) noexcept {
    OpwObject* object = generator->object_;
    if (object) object->table->release(object);
  }

  OpwObject* object_ = nullptr;
};
}  // namespace opwright
