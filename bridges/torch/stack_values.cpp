#include "bridges/torch/stack_values.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "bridges/torch/generator_object.h"
#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_numbers.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

StableList* list_of(StableValue value) { return reinterpret_cast<StableList*>(value); }
StableString* string_of(StableValue value) { return reinterpret_cast<StableString*>(value); }
AtenTensorHandle tensor_of(StableValue value) { return reinterpret_cast<AtenTensorHandle>(value); }
AtenGeneratorHandle generator_of(StableValue value) {
  return reinterpret_cast<AtenGeneratorHandle>(value);
}
StableValue* box_of(StableValue value) { return reinterpret_cast<StableValue*>(value); }
template <class T>
StableValue stack_value(T* pointer) {
  return reinterpret_cast<StableValue>(pointer);
}

// ---- Memory of torch ----

void free_box(StableValue* box) noexcept {
  if (torch_abi.delete_value) {
    torch_abi.delete_value(box);
  } else {
    ::operator delete(box);
  }
}
StableValue* make_box(StableValue value) {
  StableValue* box = nullptr;
  if (torch_abi.new_value) {
    require_success(torch_abi.new_value(&box), "making an optional value");
  } else {
    box = static_cast<StableValue*>(::operator new(sizeof(StableValue)));
  }
  *box = value;
  return box;
}

size_t length_of(StableList* list) noexcept {
  size_t size = 0;
  torch_abi.list_size(list, &size);
  return size;
}
StableValue item_of(StableList* list, size_t index) noexcept {
  StableValue item = 0;
  torch_abi.list_item(list, index, &item);
  return item;
}

// A value of torch's stack that is freed unless it is released.
class OwnedStackValue {
 public:
  OwnedStackValue(const StackType& type, StableValue value) : type_(type), value_(value) {}
  OwnedStackValue(const OwnedStackValue&) = delete;
  OwnedStackValue& operator=(const OwnedStackValue&) = delete;
  ~OwnedStackValue() {
    if (is_owned_) release_stack_value(type_, value_);
  }
  [[nodiscard]] StableValue get() const { return value_; }
  StableValue give() {
    is_owned_ = false;
    return value_;
  }

 private:
  const StackType type_;
  StableValue value_;
  bool is_owned_ = true;
};

// ---- Single values ----

std::string_view read_string(StableValue value) {
  size_t length = 0;
  const char* characters = nullptr;
  require_success(torch_abi.string_length(string_of(value), &length), "reading a string");
  require_success(torch_abi.string_characters(string_of(value), &characters), "reading a string");
  return {characters, length};
}
OpwValue lend_string(std::string_view text) {
  OpwValue value{};
  value.tag = kOpwString;
  value.length = static_cast<uint32_t>(text.size());
  value.as_string = text.data();
  return value;
}

OpwValue tensor_value(OpwTensor* tensor) {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = tensor;
  return value;
}
OpwValue object_value(OpwObject* object) {
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = object;
  return value;
}

StableValue copy_single(ValueKind kind, const OpwValue& value) {
  if (kind == ValueKind::Tensor) {
    require_tag(value, kOpwTensor);
    OPWRIGHT_CHECK_TYPE(value.as_tensor, "expected a Tensor, got an undefined one");
    return stack_value(copy_handle(value.as_tensor));
  }
  if (kind == ValueKind::String) {
    require_tag(value, kOpwString);
    StableString* string = nullptr;
    require_success(torch_abi.new_string(value.as_string, value.length, &string),
                    "making a string");
    return stack_value(string);
  }
  if (kind == ValueKind::Generator) {
    require_tag(value, kOpwObject);
    return stack_value(copy_generator(value.as_object));
  }
  return write_number(kind, value);
}

// ---- Lists ----

OpwTag list_tag(const StackType& type) {
  if (type.has_optional_elements) return kOpwList;
  switch (type.kind) {
    case ValueKind::Tensor:
      return kOpwTensorList;
    case ValueKind::Int:
      return kOpwIntList;
    case ValueKind::SymInt:
      return kOpwSymIntList;
    case ValueKind::Float:
      return kOpwFloatList;
    case ValueKind::Bool:
      return kOpwBoolList;
    default:
      return kOpwList;
  }
}

// Element `index` of a list value, borrowed.
OpwValue element_at(const OpwValue& list, uint32_t index) {
  OpwValue value{};
  switch (list.tag) {
    case kOpwTensorList:
      return tensor_value(list.as_tensors[index]);
    case kOpwIntList:
      value.tag = kOpwInt;
      value.as_int = list.as_ints[index];
      return value;
    case kOpwSymIntList:
      value.tag = kOpwSymInt;
      value.as_int = list.as_ints[index];
      return value;
    case kOpwFloatList:
      value.tag = kOpwFloat;
      value.as_double = list.as_doubles[index];
      return value;
    case kOpwBoolList:
      value.tag = kOpwBool;
      value.as_int = list.as_bytes[index];
      return value;
    case kOpwList:
      return static_cast<const OpwValue*>(list.as_values)[index];
    default:
      throw_wrong_tag("a list", list);
  }
}

StableValue copy_list(const StackType& type, const OpwValue& value) {
  StableList* list = nullptr;
  require_success(torch_abi.new_list(value.length, &list), "making a list");
  OwnedStackValue owned(type, stack_value(list));
  for (uint32_t i = 0; i < value.length; ++i) {
    OwnedStackValue item(type.element(), copy_to_stack(type.element(), element_at(value, i)));
    require_success(torch_abi.list_append(list, item.get()), "filling a list");
    item.give();
  }
  return owned.give();
}

// Writes a borrowed or owned number to index `index` of a list's memory.
void store_number(OpwTag tag, void* memory, size_t index, const OpwValue& number) {
  if (tag == kOpwFloatList) {
    static_cast<double*>(memory)[index] = number.as_double;
  } else if (tag == kOpwBoolList) {
    static_cast<uint8_t*>(memory)[index] = static_cast<uint8_t>(number.as_int);
  } else {
    static_cast<int64_t*>(memory)[index] = number.as_int;
  }
}
bool holds_numbers(OpwTag tag) { return tag != kOpwTensorList && tag != kOpwList; }

OpwValue list_value(OpwTag tag, const void* memory, size_t length) {
  OpwValue value{};
  value.tag = tag;
  value.length = static_cast<uint32_t>(length);
  value.as_values = memory;
  return value;
}

// The items are moved out one by one; the rest is freed with the list.
OpwValue take_list(const StackType& type, StableValue list) {
  struct OwnedValue {
    OpwValue value;
    ~OwnedValue() { release_value(value); }
  };
  const size_t length = length_of(list_of(list));
  const OpwTag tag = list_tag(type);
  struct ListEnd {
    StableList* list;
    ~ListEnd() { torch_abi.delete_list(list); }
  } const end{list_of(list)};
  auto* memory = allocate_list<OpwValue>(length);  // room for the largest kind of element
  OwnedValue result{list_value(tag, memory, 0)};
  size_t taken = 0;
  try {
    for (; taken < length; ++taken) {
      const OpwValue item = take_from_stack(type.element(), item_of(end.list, taken));
      if (tag == kOpwList) {
        memory[taken] = item;
      } else if (tag == kOpwTensorList) {
        reinterpret_cast<OpwTensor**>(memory)[taken] = item.as_tensor;
      } else {
        store_number(tag, memory, taken, item);
      }
      ++result.value.length;
    }
  } catch (...) {
    for (size_t i = taken + 1; i < length; ++i) {
      release_stack_value(type.element(), item_of(end.list, i));
    }
    throw;
  }
  return std::exchange(result.value, OpwValue{});
}

StackType single_type(ValueKind kind) {
  StackType type;
  type.kind = kind;
  return type;
}
OpwValue take_single(ValueKind kind, StableValue value) {
  if (kind == ValueKind::Tensor) return tensor_value(own_handle(tensor_of(value)));
  if (kind == ValueKind::String) {
    const OwnedStackValue owned(single_type(kind), value);
    const std::string_view text = read_string(value);
    return give_copy<char>(kOpwString, {text.data(), text.size()});
  }
  if (kind == ValueKind::Generator) {
    const OwnedStackValue owned(single_type(kind), value);
    return object_value(make_generator_object(generator_of(value)));
  }
  return read_number(kind, value);
}

}  // namespace

bool is_nothing(const OpwValue& value) noexcept {
  return value.tag == kOpwNone || (value.tag == kOpwTensor && !value.as_tensor);
}

void release_stack_value(const StackType& type, StableValue value) noexcept {
  if (type.is_optional) {
    if (value == 0) return;
    release_stack_value(type.required(), *box_of(value));
    free_box(box_of(value));
  } else if (type.is_list) {
    const size_t length = length_of(list_of(value));
    for (size_t i = 0; i < length; ++i) {
      release_stack_value(type.element(), item_of(list_of(value), i));
    }
    torch_abi.delete_list(list_of(value));
  } else if (type.kind == ValueKind::Tensor) {
    torch_abi.delete_tensor(tensor_of(value));
  } else if (type.kind == ValueKind::String) {
    torch_abi.delete_string(string_of(value));
  } else if (type.kind == ValueKind::Generator) {
    torch_abi.delete_generator(generator_of(value));
  }
}

StableValue copy_to_stack(const StackType& type, const OpwValue& value) {
  if (type.is_optional) {
    if (is_nothing(value)) return 0;
    OwnedStackValue inner(type.required(), copy_to_stack(type.required(), value));
    StableValue* box = make_box(inner.get());
    inner.give();
    return stack_value(box);
  }
  return type.is_list ? copy_list(type, value) : copy_single(type.kind, value);
}

StableValue give_to_stack(const StackType& type, OpwValue& value) {
  if (type.is_plain_tensor() && value.tag == kOpwTensor && value.as_tensor) [[likely]] {
    OpwTensor* tensor = value.as_tensor;
    value = OpwValue{};
    return stack_value(take_handle(tensor));
  }
  struct ValueEnd {
    OpwValue& value;
    ~ValueEnd() { release_value(value); }
  } const end{value};
  return copy_to_stack(type, value);
}

OpwValue take_from_stack(const StackType& type, StableValue value) {
  if (type.is_optional) {
    if (value == 0) return OpwValue{};
    const StableValue inner = *box_of(value);
    free_box(box_of(value));
    return take_from_stack(type.required(), inner);
  }
  return type.is_list ? take_list(type, value) : take_single(type.kind, value);
}

// ---- Arguments of a call ----

StackArguments::~StackArguments() {
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    const StackType& type = plan_.arguments[i];
    if (type.is_plain_tensor()) {
      torch_abi.delete_tensor(tensor_of(stack_[i]));
    } else {
      release_stack_value(type, stack_[i]);
    }
  }
  for (OpwObject* object : objects_) {
    if (object) object->table->release(object);
  }
}

void* StackArguments::allocate(size_t bytes) {
  blocks_.push_back(std::make_unique<unsigned char[]>(bytes));
  return blocks_.back().get();
}

void StackArguments::read(Reading reading) {
  reading_ = reading;
  if (plan_.arguments.size() > kInline) [[unlikely]] {
    values_ = static_cast<OpwValue*>(allocate(plan_.arguments.size() * sizeof(OpwValue)));
    views_ = static_cast<HandleTensor*>(allocate(plan_.num_tensors * sizeof(HandleTensor)));
  }
  for (place_ = 0; place_ < plan_.arguments.size(); ++place_) {
    values_[place_] = read_value(plan_.arguments[place_], stack_[place_]);
  }
}

HandleTensor& StackArguments::next_view() {
  if (num_views_ < plan_.num_tensors) [[likely]]
    return views_[num_views_++];
  return *static_cast<HandleTensor*>(allocate(sizeof(HandleTensor)));  // in a list
}

OpwTensor* StackArguments::show(HandleTensor& view, StableValue value, bool is_written) {
  if (reading_ == Reading::Later) {
    show_later(view, tensor_of(value));
  } else {
    show_handle(view, tensor_of(value), is_written);
  }
  flags_ |= view.flags;
  return &view;
}

OpwValue StackArguments::read_value(const StackType& type, StableValue value) {
  if (type.is_optional) {
    return value == 0 ? OpwValue{} : read_value(type.required(), *box_of(value));
  }
  if (type.is_list) return read_list(type, value);
  switch (type.kind) {
    case ValueKind::Tensor:
      return tensor_value(show(next_view(), value, type.is_written));
    case ValueKind::String:
      return lend_string(read_string(value));
    case ValueKind::Generator:
      return read_generator(value);
    default:
      return read_number(type.kind, value);
  }
}

OpwValue StackArguments::read_generator(StableValue value) {
  objects_.push_back(nullptr);
  objects_.back() = make_generator_object(generator_of(value));
  return object_value(objects_.back());
}

OpwValue StackArguments::read_tensor_list(StableList* list, size_t size, bool is_written) {
  auto* views = static_cast<HandleTensor*>(allocate(size * sizeof(HandleTensor)));
  auto** tensors = static_cast<OpwTensor**>(allocate(size * sizeof(OpwTensor*)));
  for (size_t i = 0; i < size; ++i) tensors[i] = show(views[i], item_of(list, i), is_written);
  return list_value(kOpwTensorList, static_cast<const void*>(tensors), size);
}

OpwValue StackArguments::read_list(const StackType& type, StableValue value) {
  StableList* list = list_of(value);
  const size_t size = length_of(list);
  const OpwTag tag = list_tag(type);
  if (tag == kOpwTensorList) return read_tensor_list(list, size, type.is_written);
  void* memory = allocate(size * sizeof(OpwValue));
  for (size_t i = 0; i < size; ++i) {
    const OpwValue item = read_value(type.element(), item_of(list, i));
    if (holds_numbers(tag)) {
      store_number(tag, memory, i, item);
    } else {
      static_cast<OpwValue*>(memory)[i] = item;
    }
  }
  return list_value(tag, memory, size);
}

}  // namespace opwright::torch_bridge
