// c10::ArrayRef: a span that one element, a braced list, a vector or another span converts to.
//
// Like every span it owns nothing; its source must live until the end of the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "opwright/int_list.h"
#include "opwright/value.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class T>
class ArrayRef : public std::span<const T> {
 public:
  using Span = std::span<const T>;
  using value_type = T;
  using iterator = typename Span::iterator;
  using const_iterator = iterator;

  ArrayRef() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
  ArrayRef(const T& element) : Span(&element, 1) {}
  ArrayRef(const T* data, size_t length) : Span(data, length) {}
  ArrayRef(const T* begin, const T* end) : Span(begin, end) {}
  ArrayRef(std::initializer_list<T> list) : Span(list.begin(), list.size()) {}
  template <opwright::ContiguousRangeOf<T> Range>
  ArrayRef(const Range& range) : Span(std::data(range), std::size(range)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const T& at(size_t index) const {
    if (index >= this->size()) {
      opwright::throw_error("IndexError", "index ", index, " is out of range for a list of ",
                            this->size(), " elements");
    }
    return (*this)[index];
  }
  [[nodiscard]] ArrayRef slice(size_t start, size_t length) const {
    return ArrayRef(this->subspan(start, length));
  }
  [[nodiscard]] ArrayRef slice(size_t start) const { return ArrayRef(this->subspan(start)); }
  [[nodiscard]] const_iterator cbegin() const { return this->begin(); }
  [[nodiscard]] const_iterator cend() const { return this->end(); }
  [[nodiscard]] std::vector<T> vec() const { return {this->begin(), this->end()}; }
  [[nodiscard]] bool equals(ArrayRef other) const {
    if (this->size() != other.size()) return false;
    for (size_t i = 0; i < this->size(); ++i) {
      if (!((*this)[i] == other[i])) return false;
    }
    return true;
  }

  friend bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }
};
template <class T>
ArrayRef(const std::vector<T>&) -> ArrayRef<T>;

using IntArrayRef = ArrayRef<int64_t>;

template <class T>
void append_text(std::string& out, ArrayRef<T> list) {
  using opwright::append_text;
  out.push_back('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out.append(", ");
    append_text(out, list[i]);
  }
  out.push_back(']');
}
template <class Char, class Traits, class T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             ArrayRef<T> list) {
  return out << opwright::concatenate(list);
}
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at

template <class T>
struct opwright::ValueOf<c10::ArrayRef<T>> : opwright::ValueOf<std::span<const T>> {
  static c10::ArrayRef<T> read(const OpwValue& value) {
    return opwright::ValueOf<std::span<const T>>::read(value);
  }
};
