// An array of fixed length, known at construction; on the stack if it is short.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace opwright::bridges {

// Elements start as T{}.
template <class T, size_t kUsual>
class InlineArray {
 public:
  explicit InlineArray(size_t size) : size_(size) {
    if (size > kUsual) [[unlikely]]
      more_ = std::make_unique<T[]>(size);
    data_ = size > kUsual ? more_.get() : usual_.data();
    if constexpr (std::is_trivially_default_constructible_v<T>) {
      if (size <= kUsual) std::fill_n(data_, size, T{});
    }
  }
  InlineArray(const InlineArray&) = delete;
  InlineArray& operator=(const InlineArray&) = delete;

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] T& operator[](size_t index) { return data_[index]; }
  [[nodiscard]] const T& operator[](size_t index) const { return data_[index]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

 private:
  size_t size_;
  T* data_;
  std::array<T, kUsual> usual_;  // NOLINT: as many as there are get a value
  std::unique_ptr<T[]> more_;
};

}  // namespace opwright::bridges
