// IntrusivePtr<T>, a handle to an object that carries its own reference count, and Counted, such a
// count.
//
// T has members add_ref() and release(), or free functions add_ref(T*) and release(T*) next to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "opwright/visibility.h"

namespace opwright {

// The reference count of a Derived on the heap. A new object has the count 1, owned by its creator.
template <class Derived>
class OPWRIGHT_EXPORT Counted {
 public:
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

  // The last release deletes the object. Any thread.
  void release() const noexcept {
    // A thread that reads 1 holds the only handle, and only a handle raises the count.
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete static_cast<const Derived*>(this);
    }
  }

  // Whether the caller, which owns a count, is the only owner.
  [[nodiscard]] bool is_owned_once() const noexcept {
    return count_.load(std::memory_order_acquire) == 1;
  }

 protected:
  Counted() = default;
  ~Counted() = default;

 private:
  mutable std::atomic<uint32_t> count_{1};
};

template <class T>
class IntrusivePtr {
 public:
  constexpr IntrusivePtr() noexcept = default;
  constexpr IntrusivePtr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)

  // Takes over one count.
  [[nodiscard]] static IntrusivePtr take(T* owned) noexcept { return IntrusivePtr(owned); }
  // Adds a count.
  [[nodiscard]] static IntrusivePtr share(T* borrowed) noexcept {
    raise(borrowed);
    return IntrusivePtr(borrowed);
  }

  IntrusivePtr(const IntrusivePtr& other) noexcept : object_(other.object_) { raise(object_); }
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  IntrusivePtr(IntrusivePtr<U> other) noexcept
      : object_(other.give()) {}  // NOLINT(google-explicit-constructor)
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IntrusivePtr() {
    if (object_) lower(object_);
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  // Releases ownership: the caller gets the count.
  [[nodiscard]] T* give() noexcept { return std::exchange(object_, nullptr); }
  void reset() noexcept { *this = IntrusivePtr(); }

  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) noexcept {
    return a.object_ == b.object_;
  }
  friend bool operator==(const IntrusivePtr& a, const T* b) noexcept { return a.object_ == b; }

 private:
  explicit IntrusivePtr(T* owned) noexcept : object_(owned) {}

  static void raise(T* object) noexcept {
    if (!object) return;
    if constexpr (requires { object->add_ref(); }) {
      object->add_ref();
    } else {
      add_ref(object);
    }
  }
  static void lower(T* object) noexcept {
    if constexpr (requires { object->release(); }) {
      object->release();
    } else {
      release(object);
    }
  }

  T* object_ = nullptr;
};

// A new T; for types whose count starts at 1.
template <class T, class... Args>
[[nodiscard]] IntrusivePtr<T> make_intrusive(Args&&... args) {
  return IntrusivePtr<T>::take(new T(std::forward<Args>(args)...));
}

}  // namespace opwright

template <class T>
struct std::hash<opwright::IntrusivePtr<T>> {
  size_t operator()(const opwright::IntrusivePtr<T>& pointer) const noexcept {
    return std::hash<T*>()(pointer.get());
  }
};
