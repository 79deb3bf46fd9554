// What a binary asks of its host by the names of imports, besides operators: to record a function
// with its own backward, to call an operator by a name known only at run time, and to switch
// recording. A host without one of them reports it when it loads a binary that imports it.
//
//   opwright::apply_function(Tensor?[] inputs, Any function) -> Tensor?[]
//   opwright::call_operator(str name, Any args) -> Any
//   opwright::set_grad_enabled(bool? enabled) -> bool
//   opwright::set_below_autograd(bool below) -> bool
//
// The last two return the previous state of the thread; set_grad_enabled(None) changes nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
// The kind of the error with which a rule says that it does not apply to a call, which then goes on
// as if there were no rule: for a function in the slot AutogradKernel, and for a decomposition.
inline constexpr char kDeclined[] = "Declined";

inline constexpr char kFunctionTypeName[] = "AutogradFunction";
inline constexpr uint32_t kNumForwardResults = 6;

// Null: the object is not an autograd function.
inline const OpwAutogradFunction* find_autograd_function(const OpwObject* object) {
  if (std::strcmp(object->table->type_name, kFunctionTypeName) != 0) return nullptr;
  const auto* function = reinterpret_cast<const OpwAutogradFunction*>(object);
  const bool is_complete = function->function->struct_size >= sizeof(OpwAutogradFunctionTable);
  return is_complete ? function : nullptr;
}

// The text of an object: its name, if it is an autograd function.
inline std::string text_of(const OpwObject* object) {
  std::string text(object->table->text(object, nullptr, 0) + 1, '\0');
  text.resize(object->table->text(object, text.data(), text.size()));
  return text;
}

// A value of any type: an argument is borrowed, a result is owned.
class AnyValue {
 public:
  AnyValue() = default;
  static AnyValue lend(const OpwValue& borrowed) {
    AnyValue any;
    any.borrowed_ = borrowed;
    return any;
  }
  static AnyValue take(OpwValue owned) {
    AnyValue any;
    any.owned_ = Value::take(owned);
    return any;
  }
  [[nodiscard]] const OpwValue& get() const { return owned_.is_none() ? borrowed_ : owned_.get(); }
  [[nodiscard]] OpwValue give() { return owned_.is_none() ? copy_value(borrowed_) : owned_.give(); }

 private:
  Value owned_;
  OpwValue borrowed_{};
};
template <>
struct ValueOf<AnyValue> {
  static constexpr void write_type(TextWriter& out) { out.put("Any"); }
  static AnyValue read(const OpwValue& value) { return AnyValue::lend(value); }
  static OpwValue lend(const AnyValue& any) { return any.get(); }
  static OpwValue give(AnyValue any) { return any.give(); }
  static AnyValue take(OpwValue value) { return AnyValue::take(value); }
};

// The tensors of a Tensor[] or Tensor?[]; undefined for None.
template <class AnyTensor>
std::vector<AnyTensor> read_tensors(const OpwValue& list) {
  std::vector<AnyTensor> tensors(list.length);
  for (uint32_t i = 0; i < list.length; ++i) {
    if (list.tag == kOpwTensorList) {
      tensors[i] = AnyTensor::borrow(list.as_tensors[i]);
    } else {
      require_tag(list, kOpwList, "Tensor?[]");
      const OpwValue& element = static_cast<const OpwValue*>(list.as_values)[i];
      if (element.tag == kOpwNone) continue;
      require_tag(element, kOpwTensor, "Tensor");
      tensors[i] = AnyTensor::borrow(element.as_tensor);
    }
  }
  return tensors;
}
// An owned Tensor?[]: None for an undefined tensor.
template <class AnyTensor>
OpwValue give_tensors(std::vector<AnyTensor> tensors) {
  auto* elements = allocate_list<OpwValue>(tensors.size());
  OpwValue list{};
  list.tag = kOpwList;
  list.length = static_cast<uint32_t>(tensors.size());
  list.as_values = elements;
  for (size_t i = 0; i < tensors.size(); ++i) {
    elements[i] =
        tensors[i].is_defined() ? ValueOf<AnyTensor>::give(std::move(tensors[i])) : OpwValue{};
  }
  return list;
}
}  // namespace opwright
