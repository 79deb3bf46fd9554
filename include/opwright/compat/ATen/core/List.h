// c10::List: a list argument as PyTorch's own registrations spell it. It is a vector; copies do not
// share elements.
#pragma once

#include <utility>
#include <vector>

#include "opwright/value.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class T>
class List : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  explicit List(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}

  [[nodiscard]] T get(size_t index) const { return this->at(index); }
  void set(size_t index, T element) { this->at(index) = std::move(element); }
  [[nodiscard]] std::vector<T> vec() const { return *this; }
};
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at

template <class T>
struct opwright::ValueOf<c10::List<T>> : opwright::ValueOf<std::vector<T>> {
  static c10::List<T> read(const OpwValue& value) {
    return c10::List<T>(ValueOf<std::vector<T>>::read(value));
  }
  static c10::List<T> take(OpwValue value) {
    return c10::List<T>(ValueOf<std::vector<T>>::take(value));
  }
};
