// The arguments of a Python call as borrowed values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/value.h"
#include "opwright/schema/bind.h"

namespace opwright::python {

// Valid while the tuple and the dict live.
class BorrowedArguments {
 public:
  BorrowedArguments(const nanobind::tuple& args, const nanobind::dict& keywords) {
    for (const nanobind::handle arg : args) positional_.push_back(memory_.borrow(arg.ptr()));
    names_.reserve(keywords.size());  // the keywords refer to the names
    for (const auto [name, value] : keywords) {
      names_.push_back(nanobind::cast<std::string>(name));
      keywords_.push_back({names_.back(), memory_.borrow(value.ptr())});
    }
  }
  BorrowedArguments(const BorrowedArguments&) = delete;
  BorrowedArguments& operator=(const BorrowedArguments&) = delete;

  [[nodiscard]] std::span<const OpwValue> positional() const { return positional_; }
  [[nodiscard]] std::span<const KeywordValue> keywords() const { return keywords_; }

 private:
  ValueMemory memory_;
  std::vector<OpwValue> positional_;
  std::vector<std::string> names_;
  std::vector<KeywordValue> keywords_;
};

}  // namespace opwright::python
