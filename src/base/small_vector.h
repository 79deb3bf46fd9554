// SmallVector<T, N>: a vector whose first N elements need no heap.
//
// It has the part of std::vector that the core uses, with the same meaning. Pointers to elements
// are invalidated by a move as well as by growth, since the elements may be inside the object
// itself. T must not throw when moved.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace opwright {

template <class T, size_t N>
class SmallVector {
  static_assert(N > 0);
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  // Not defaulted: `{}` would first zero the entire inline buffer.
  SmallVector() noexcept {}
  explicit SmallVector(size_t size) {
    undo_on_throw([&] { resize(size); });
  }
  SmallVector(size_t size, const T& value) {
    undo_on_throw([&] { resize(size, value); });
  }
  SmallVector(std::initializer_list<T> values) : SmallVector(values.begin(), values.end()) {}
  explicit SmallVector(std::span<const T> values) : SmallVector(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    undo_on_throw([&] { append(first, last); });
  }
  SmallVector(const SmallVector& other) : SmallVector(other.begin(), other.end()) {}
  SmallVector(SmallVector&& other) noexcept { steal(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) *this = SmallVector(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      drop();
      steal(other);
    }
    return *this;
  }
  ~SmallVector() { drop(); }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] size_t size() const noexcept { return size_; }
  [[nodiscard]] size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool is_inline() const noexcept { return data_ == inline_data(); }

  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  T& operator[](size_t index) noexcept { return data_[index]; }
  const T& operator[](size_t index) const noexcept { return data_[index]; }
  T& front() noexcept { return data_[0]; }
  const T& front() const noexcept { return data_[0]; }
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) move_to(allocate(capacity), capacity);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) [[unlikely]]
      return emplace_in_larger(std::forward<Args>(args)...);
    T* element = std::construct_at(data_ + size_, std::forward<Args>(args)...);
    ++size_;
    return *element;
  }
  void pop_back() noexcept { std::destroy_at(data_ + --size_); }

  void resize(size_t size) {
    resize_with(size, [](T* to, size_t count) { std::uninitialized_value_construct_n(to, count); });
  }
  void resize(size_t size, const T& value) {
    if (size <= size_) return truncate(size);
    const T copy = value;  // NOLINT(performance-*): `value` may be an element
    resize_with(size, [&](T* to, size_t count) { std::uninitialized_fill_n(to, count, copy); });
  }
  void clear() noexcept { truncate(0); }

  // The range is not part of this vector.
  template <std::forward_iterator Iterator>
  void append(Iterator first, Iterator last) {
    resize_with(size_ + static_cast<size_t>(std::distance(first, last)),
                [&](T* to, size_t) { std::uninitialized_copy(first, last, to); });
  }
  T* insert(const T* position, T value) {
    const ptrdiff_t index = position - data_;
    emplace_back(std::move(value));
    std::rotate(data_ + index, end() - 1, end());
    return data_ + index;
  }
  // The range is not part of this vector.
  template <std::forward_iterator Iterator>
  T* insert(const T* position, Iterator first, Iterator last) {
    const ptrdiff_t index = position - data_;
    const size_t old_size = size_;
    append(first, last);
    std::rotate(data_ + index, data_ + old_size, end());
    return data_ + index;
  }
  T* erase(const T* position) { return erase(position, position + 1); }
  T* erase(const T* first, const T* last) {
    T* to = data_ + (first - data_);
    T* from = data_ + (last - data_);
    truncate(static_cast<size_t>(std::move(from, end(), to) - data_));
    return to;
  }

  // Only for elements whose comparison is a bool: comparing SymInts is a guard, which belongs at
  // the caller's line.
  friend bool operator==(const SmallVector& a, const SmallVector& b)
    requires requires(const T& x) {
      { x == x } -> std::same_as<bool>;
    }
  {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* inline_data() noexcept { return reinterpret_cast<T*>(inline_); }
  const T* inline_data() const noexcept { return reinterpret_cast<const T*>(inline_); }

  static T* allocate(size_t capacity) { return std::allocator<T>().allocate(capacity); }
  void free_heap() noexcept {
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
  }
  void drop() noexcept {
    clear();
    free_heap();
  }
  void truncate(size_t size) noexcept {
    std::destroy(data_ + size, end());
    size_ = static_cast<uint32_t>(size);
  }
  size_t larger_capacity(size_t least) const noexcept {
    return std::max(least, size_t{2} * capacity_);
  }

  // `buffer` is the new memory of the elements.
  void move_to(T* buffer, size_t capacity) noexcept {
    std::uninitialized_move(begin(), end(), buffer);
    std::destroy(begin(), end());
    free_heap();
    data_ = buffer;
    capacity_ = static_cast<uint32_t>(capacity);
  }

  // Constructs the new element before the old ones move: an argument may be one of them.
  template <class... Args>
  [[gnu::noinline]] T& emplace_in_larger(Args&&... args) {
    const size_t capacity = larger_capacity(size_ + size_t{1});
    T* buffer = allocate(capacity);
    try {
      std::construct_at(buffer + size_, std::forward<Args>(args)...);
    } catch (...) {
      std::allocator<T>().deallocate(buffer, capacity);
      throw;
    }
    move_to(buffer, capacity);
    return data_[size_++];
  }

  // The destructor does not run after a constructor that throws.
  template <class Fill>
  void undo_on_throw(Fill fill) {
    try {
      fill();
    } catch (...) {
      free_heap();
      throw;
    }
  }

  template <class Construct>
  void resize_with(size_t size, Construct construct) {
    if (size <= size_) return truncate(size);
    const size_t added = size - size_;
    if (size > capacity_) reserve(larger_capacity(size));
    construct(end(), added);
    size_ = static_cast<uint32_t>(size);
  }

  void steal(SmallVector& other) noexcept {
    if (other.is_inline()) {
      data_ = inline_data();
      capacity_ = N;
      std::uninitialized_move(other.begin(), other.end(), data_);
      size_ = other.size_;
      other.clear();
    } else {
      data_ = std::exchange(other.data_, other.inline_data());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, static_cast<uint32_t>(N));
    }
  }

  T* data_ = inline_data();
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace opwright
