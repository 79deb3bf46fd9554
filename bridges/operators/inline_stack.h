// Objects that do not move, created one after the other; on the stack if they are few.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <new>
#include <utility>

namespace opwright::bridges {

template <class T, size_t kUsual>
class InlineStack {
 public:
  InlineStack() = default;
  InlineStack(const InlineStack&) = delete;
  InlineStack& operator=(const InlineStack&) = delete;
  ~InlineStack() {
    for (size_t i = 0; i < size_; ++i) std::destroy_at(place(i));
  }

  template <class... Args>
  T& emplace(Args&&... args) {
    if (size_ == kUsual) [[unlikely]]
      return more_.emplace_back(std::forward<Args>(args)...);
    T* made = new (&memory_[size_ * sizeof(T)]) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }

 private:
  [[nodiscard]] T* place(size_t index) {
    return std::launder(reinterpret_cast<T*>(&memory_[index * sizeof(T)]));
  }

  size_t size_ = 0;
  alignas(T) std::byte memory_[kUsual * sizeof(T)];
  std::list<T> more_;
};

}  // namespace opwright::bridges
