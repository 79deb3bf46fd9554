// Values by operator: a table that is written with names and read by identity.
#pragma once

#include <initializer_list>
#include <unordered_map>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"

namespace opwright {

template <class T>
class OperatorMap {
 public:
  struct Row {
    const char* name;
    T value;
  };

  // Every operator must exist.
  OperatorMap(std::initializer_list<Row> rows) {
    for (const Row& row : rows) values_.emplace(&Registry::get().require(row.name), row.value);
  }

  // The value of `op`, or null.
  [[nodiscard]] const T* find(const Operator& op) const {
    const auto found = values_.find(&op);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<const Operator*, T> values_;
};

}  // namespace opwright
