// Values of the calling convention: how each C++ type is read from, lent as, and returned as an
// OpwValue, and an owning Value.
#pragma once

#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/generator.h"
#include "opwright/memory_format.h"
#include "opwright/registration/type_text.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Releases the contents of an owned value and sets it to None.
inline void release_value(OpwValue& value) noexcept {
  switch (value.tag) {
    case kOpwTensor:
      release_tensor(value.as_tensor);
      break;
    case kOpwSymInt:
      release_word(value.as_int);
      break;
    case kOpwObject:
      if (value.as_object) value.as_object->table->release(value.as_object);
      break;
    case kOpwTensorList:
      for (uint32_t i = 0; i < value.length; ++i) release_tensor(value.as_tensors[i]);
      std::free(const_cast<void*>(value.as_values));
      break;
    case kOpwSymIntList:
      for (uint32_t i = 0; i < value.length; ++i) release_word(value.as_ints[i]);
      std::free(const_cast<void*>(value.as_values));
      break;
    case kOpwList:
      for (uint32_t i = 0; i < value.length; ++i) {
        release_value(const_cast<OpwValue*>(static_cast<const OpwValue*>(value.as_values))[i]);
      }
      std::free(const_cast<void*>(value.as_values));
      break;
    case kOpwComplex:
    case kOpwString:
    case kOpwIntList:
    case kOpwFloatList:
    case kOpwBoolList:
      std::free(const_cast<void*>(value.as_values));
      break;
    default:
      break;
  }
  value = OpwValue{};
}

// An owned array for a list value.
template <class T>
T* allocate_list(size_t length) {
  if (length > UINT32_MAX)
    throw_error("OverflowError", "a list of ", length, " elements is too long");
  void* memory = std::malloc(length * sizeof(T) + 1);
  if (!memory) throw std::bad_alloc();
  return static_cast<T*>(memory);
}
template <class T>
OpwValue give_copy(OpwTag tag, std::span<const T> elements) {
  T* copy = allocate_list<T>(elements.size());
  if (!elements.empty()) __builtin_memcpy(copy, elements.data(), elements.size_bytes());
  OpwValue value{};
  value.tag = tag;
  value.length = static_cast<uint32_t>(elements.size());
  value.as_values = copy;
  return value;
}

// An owned copy of a borrowed value.
inline OpwValue copy_value(const OpwValue& value) {
  const size_t n = value.length;
  switch (value.tag) {
    case kOpwTensor: {
      OpwValue copy = value;
      copy.as_tensor = retain_tensor(value.as_tensor);
      return copy;
    }
    case kOpwSymInt:
      retain_word(value.as_int);
      return value;
    case kOpwObject:
      if (value.as_object) value.as_object->table->retain(value.as_object);
      return value;
    case kOpwComplex:
    case kOpwFloatList:
      return give_copy<double>(static_cast<OpwTag>(value.tag), {value.as_doubles, n});
    case kOpwString:
      return give_copy<char>(kOpwString, {value.as_string, n});
    case kOpwIntList:
      return give_copy<int64_t>(kOpwIntList, {value.as_ints, n});
    case kOpwBoolList:
      return give_copy<uint8_t>(kOpwBoolList, {value.as_bytes, n});
    case kOpwSymIntList: {
      for (size_t i = 0; i < n; ++i) retain_word(value.as_ints[i]);
      return give_copy<int64_t>(kOpwSymIntList, {value.as_ints, n});
    }
    case kOpwTensorList: {
      auto** tensors = allocate_list<OpwTensor*>(n);
      OpwValue copy = value;
      copy.as_tensors = tensors;
      for (copy.length = 0; copy.length < n; ++copy.length) {
        tensors[copy.length] = retain_tensor(value.as_tensors[copy.length]);
      }
      return copy;
    }
    case kOpwList: {
      auto* elements = allocate_list<OpwValue>(n);
      OpwValue copy = value;
      copy.as_values = elements;
      for (copy.length = 0; copy.length < n; ++copy.length) {
        elements[copy.length] =
            copy_value(static_cast<const OpwValue*>(value.as_values)[copy.length]);
      }
      return copy;
    }
    default:
      return value;
  }
}

template <class T>
struct ValueOf;  // below

// An OpwValue that owns what it holds.
class Value {
 public:
  Value() : value_{} {}
  // The value of a C++ type that ValueOf covers, e.g. Value(1.0).
  template <class T>
    requires requires(const T& t) { ValueOf<T>::give(t); }
  explicit Value(const T& t) : value_(ValueOf<T>::give(t)) {}
  static Value take(OpwValue owned) noexcept {
    Value value;
    value.value_ = owned;
    return value;
  }
  static Value copy_of(const OpwValue& borrowed) { return take(copy_value(borrowed)); }
  Value(const Value& other) : value_(copy_value(other.value_)) {}
  Value(Value&& other) noexcept : value_(std::exchange(other.value_, OpwValue{})) {}
  Value& operator=(Value other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Value() { release_value(value_); }

  [[nodiscard]] const OpwValue& get() const noexcept { return value_; }
  [[nodiscard]] OpwValue give() noexcept { return std::exchange(value_, OpwValue{}); }
  [[nodiscard]] uint32_t tag() const noexcept { return value_.tag; }
  [[nodiscard]] bool is_none() const noexcept { return value_.tag == kOpwNone; }

 private:
  OpwValue value_;
};

// ---- C++ types as values ----
//
// ValueOf<T> has, for a type T of kernel parameters and results:
//   write_type(out)     the type in schema syntax
//   read(value)         T, or something that converts to it, borrowed for the duration of the call
//   lend(t)             a borrowed value, valid while t is
//   give(t)             an owned value
//   take(value)         the T of an owned value
// A value with the wrong tag is an error that names both types.

template <class T>
struct ValueOf;

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_tag(const char* expected,
                                                                   const OpwValue& value) {
  throw_error("TypeError", "expected ", expected, ", got ", tag_name(value.tag));
}
inline void require_tag(const OpwValue& value, uint32_t tag, const char* expected) {
  if (value.tag != tag) [[unlikely]]
    throw_wrong_tag(expected, value);
}
inline OpwValue make_value(OpwTag tag, int64_t payload) {
  OpwValue value{};
  value.tag = tag;
  value.as_int = payload;
  return value;
}

// A handle for the duration of a call: no reference counting.
template <class Handle>
class Borrowed {
 public:
  explicit Borrowed(OpwTensor* tensor) noexcept : handle_(Handle::take(tensor)) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { (void)handle_.give(); }
  // NOLINTBEGIN(google-explicit-constructor): converts like the argument
  operator const Handle&() const noexcept { return handle_; }
  operator Handle&() noexcept { return handle_; }
  // NOLINTEND(google-explicit-constructor)

 private:
  Handle handle_;
};
using BorrowedTensor = Borrowed<Tensor>;

// For Tensor and FakeTensor.
template <class Handle>
struct ValueOfTensor {
  static constexpr void write_type(TextWriter& out) { out.put("Tensor"); }
  static Borrowed<Handle> read(const OpwValue& value) {
    if (value.tag == kOpwNone) return Borrowed<Handle>(nullptr);
    require_tag(value, kOpwTensor, "Tensor");
    return Borrowed<Handle>(value.as_tensor);
  }
  static OpwValue lend(
      const Handle& tensor) {  // an undefined tensor is None: a Tensor argument is never null
    OpwValue value{};
    value.tag = tensor.is_defined() ? kOpwTensor : kOpwNone;
    value.as_tensor = tensor.get();
    return value;
  }
  static OpwValue give(Handle tensor) {  // an undefined one stays detectable: its caller reports it
    OpwValue value{};
    value.tag = kOpwTensor;
    value.as_tensor = tensor.give();
    return value;
  }
  static Handle take(const OpwValue& value) {
    return Handle::take(value.tag == kOpwTensor ? value.as_tensor : nullptr);
  }
};
template <>
struct ValueOf<Tensor> : ValueOfTensor<Tensor> {};

template <>
struct ValueOf<int64_t> {
  static constexpr void write_type(TextWriter& out) { out.put("int"); }
  static int64_t read(const OpwValue& value) {
    if (value.tag == kOpwInt) [[likely]]
      return value.as_int;
    require_tag(value, kOpwSymInt, "int");
    return SymInt::borrow(value.as_int).specialise();
  }
  static OpwValue lend(int64_t number) { return make_value(kOpwInt, number); }
  static OpwValue give(int64_t number) { return lend(number); }
  static int64_t take(const OpwValue& value) { return read(value); }
};

template <>
struct ValueOf<SymInt> {
  static constexpr void write_type(TextWriter& out) { out.put("SymInt"); }
  static SymInt read(const OpwValue& value) {
    if (value.tag == kOpwInt) return value.as_int;
    require_tag(value, kOpwSymInt, "SymInt");
    return SymInt::borrow(value.as_int);
  }
  static OpwValue lend(const SymInt& number) { return make_value(kOpwSymInt, number.word()); }
  static OpwValue give(SymInt number) { return make_value(kOpwSymInt, number.give()); }
  static SymInt take(const OpwValue& value) {
    return value.tag == kOpwSymInt ? SymInt::take(value.as_int) : read(value);
  }
};

template <>
struct ValueOf<double> {
  static constexpr void write_type(TextWriter& out) { out.put("float"); }
  static double read(const OpwValue& value) {
    require_tag(value, kOpwFloat, "float");
    return value.as_double;
  }
  static OpwValue lend(double number) {
    OpwValue value{};
    value.tag = kOpwFloat;
    value.as_double = number;
    return value;
  }
  static OpwValue give(double number) { return lend(number); }
  static double take(const OpwValue& value) { return read(value); }
};

template <>
struct ValueOf<bool> {
  static constexpr void write_type(TextWriter& out) { out.put("bool"); }
  static bool read(const OpwValue& value) {
    require_tag(value, kOpwBool, "bool");
    return value.as_int != 0;
  }
  static OpwValue lend(bool flag) { return make_value(kOpwBool, flag ? 1 : 0); }
  static OpwValue give(bool flag) { return lend(flag); }
  static bool take(const OpwValue& value) { return read(value); }
};

template <>
struct ValueOf<Scalar> {
  static constexpr void write_type(TextWriter& out) { out.put("Scalar"); }
  static Scalar read(const OpwValue& value) {
    switch (value.tag) {
      case kOpwInt:
        return value.as_int;
      case kOpwFloat:
        return value.as_double;
      case kOpwBool:
        return value.as_int != 0;
      case kOpwSymInt:
        return SymInt::borrow(value.as_int);
      case kOpwComplex:
        return Complex<double>(value.as_doubles[0], value.as_doubles[1]);
      default:
        throw_wrong_tag("Scalar", value);
    }
  }
  static OpwValue lend(const Scalar& number) { return number.value(); }
  static OpwValue give(const Scalar& number) { return copy_value(number.value()); }
  static Scalar take(OpwValue value) {
    Scalar number = read(value);
    release_value(value);
    return number;
  }
};

template <>
struct ValueOf<Complex<double>> {
  static constexpr void write_type(TextWriter& out) { out.put("complex"); }
  static Complex<double> read(const OpwValue& value) {
    require_tag(value, kOpwComplex, "complex");
    return {value.as_doubles[0], value.as_doubles[1]};
  }
  static OpwValue lend(const Complex<double>& number) {
    OpwValue value{};
    value.tag = kOpwComplex;
    value.length = 2;
    value.as_doubles = &number.real;
    return value;
  }
  static OpwValue give(const Complex<double>& number) { return copy_value(lend(number)); }
  static Complex<double> take(OpwValue value) {
    const Complex<double> number = read(value);
    release_value(value);
    return number;
  }
};

// Numeric types with their own tag.
template <class T, OpwTag kTag>
struct ValueOfEnum {
  static T read(const OpwValue& value) {
    require_tag(value, kTag, tag_name(kTag));
    return static_cast<T>(value.as_int);
  }
  static OpwValue lend(T t) { return make_value(kTag, static_cast<int64_t>(t)); }
  static OpwValue give(T t) { return lend(t); }
  static T take(const OpwValue& value) { return read(value); }
  static constexpr void write_type(TextWriter& out) { out.put(tag_name(kTag)); }
};
template <>
struct ValueOf<DType> : ValueOfEnum<DType, kOpwDtype> {};
template <>
struct ValueOf<MemoryFormat> : ValueOfEnum<MemoryFormat, kOpwMemoryFormat> {};
template <>
struct ValueOf<Layout> : ValueOfEnum<Layout, kOpwLayout> {};

template <>
struct ValueOf<Device> {
  static constexpr void write_type(TextWriter& out) { out.put("Device"); }
  static Device read(const OpwValue& value) {
    require_tag(value, kOpwDeviceValue, "Device");
    return value.as_device;
  }
  static OpwValue lend(Device device) {
    OpwValue value{};
    value.tag = kOpwDeviceValue;
    value.as_device = device;
    return value;
  }
  static OpwValue give(Device device) { return lend(device); }
  static Device take(const OpwValue& value) { return read(value); }
};

template <>
struct ValueOf<Generator> {
  static constexpr void write_type(TextWriter& out) { out.put("Generator"); }
  static Generator read(const OpwValue& value) {
    require_tag(value, kOpwObject, "Generator");
    return Generator::borrow(value.as_object);
  }
  static OpwValue lend(const Generator& generator) {
    OpwValue value{};
    value.tag = generator.is_defined() ? kOpwObject : kOpwNone;
    value.as_object = generator.get();
    return value;
  }
  static OpwValue give(Generator generator) {
    OpwValue value = lend(generator);
    (void)generator.give();
    return value;
  }
  static Generator take(const OpwValue& value) {
    return Generator::take(value.tag == kOpwObject ? value.as_object : nullptr);
  }
};

template <>
struct ValueOf<std::string_view> {
  static constexpr void write_type(TextWriter& out) { out.put("str"); }
  static std::string_view read(const OpwValue& value) {
    require_tag(value, kOpwString, "str");
    return {value.as_string, value.length};
  }
  static OpwValue lend(std::string_view text) {
    if (text.size() > UINT32_MAX)
      throw_error("OverflowError", "a string of ", text.size(), " bytes is too long");
    OpwValue value{};
    value.tag = kOpwString;
    value.length = static_cast<uint32_t>(text.size());
    value.as_string = text.data();
    return value;
  }
};
template <>
struct ValueOf<std::string> {
  static constexpr void write_type(TextWriter& out) { out.put("str"); }
  static std::string read(const OpwValue& value) {
    return std::string(ValueOf<std::string_view>::read(value));
  }
  static OpwValue lend(const std::string& text) { return ValueOf<std::string_view>::lend(text); }
  static OpwValue give(const std::string& text) { return copy_value(lend(text)); }
  static std::string take(OpwValue value) {
    std::string text = read(value);
    release_value(value);
    return text;
  }
};

// Lists whose array is that of the C++ type: `Stored` is the type of the array's elements.
template <class T, class Stored, OpwTag kTag>
struct ValueOfSpan {
  static_assert(sizeof(T) == sizeof(Stored));
  static std::span<const T> read(const OpwValue& value) {
    if (value.tag == kOpwIntList && kTag == kOpwSymIntList)
      return elements(value);  // plain ints are words
    if (value.tag == kOpwSymIntList && kTag == kOpwIntList) {
      for (uint32_t i = 0; i < value.length; ++i) {
        if (is_symbolic(value.as_ints[i])) throw_wrong_tag("int[]", value);
      }
      return elements(value);
    }
    require_tag(value, kTag, tag_name(kTag));
    return elements(value);
  }
  static OpwValue lend(std::span<const T> list) {
    if (list.size() > UINT32_MAX)
      throw_error("OverflowError", "a list of ", list.size(), " elements is too long");
    OpwValue value{};
    value.tag = kTag;
    value.length = static_cast<uint32_t>(list.size());
    value.as_values = list.data();
    return value;
  }
  static OpwValue give(std::span<const T> list) { return copy_value(lend(list)); }
  static constexpr void write_type(TextWriter& out) { out.put(tag_name(kTag)); }

 private:
  static std::span<const T> elements(const OpwValue& value) {
    return {static_cast<const T*>(value.as_values), value.length};
  }
};
template <>
struct ValueOf<std::span<const int64_t>> : ValueOfSpan<int64_t, int64_t, kOpwIntList> {};
template <>
struct ValueOf<std::span<const SymInt>> : ValueOfSpan<SymInt, OpwSymWord, kOpwSymIntList> {};
template <>
struct ValueOf<std::span<const double>> : ValueOfSpan<double, double, kOpwFloatList> {};
template <>
struct ValueOf<std::span<const bool>> : ValueOfSpan<bool, uint8_t, kOpwBoolList> {};
template <>
struct ValueOf<std::span<const Tensor>> : ValueOfSpan<Tensor, OpwTensor*, kOpwTensorList> {};

template <class T>
concept HasListTag = requires(TextWriter& out) { ValueOf<std::span<const T>>::write_type(out); };

// Vectors: of the types above as their array, of every other type as a list of values.
template <class T>
struct ValueOf<std::vector<T>> {
  static constexpr void write_type(TextWriter& out) {
    ValueOf<T>::write_type(out);
    out.put("[]");
  }
  static std::vector<T> read(const OpwValue& value) {
    std::vector<T> list;
    if constexpr (HasListTag<T>) {
      const auto elements = ValueOf<std::span<const T>>::read(value);
      list.assign(elements.begin(), elements.end());
    } else {
      require_tag(value, kOpwList, "a list");
      list.reserve(value.length);
      for (uint32_t i = 0; i < value.length; ++i) {
        list.push_back(ValueOf<T>::read(static_cast<const OpwValue*>(value.as_values)[i]));
      }
    }
    return list;
  }
  static OpwValue lend(const std::vector<T>& list)
    requires HasListTag<T>
  {
    return ValueOf<std::span<const T>>::lend(list);
  }
  static OpwValue give(const std::vector<T>& list) {
    if constexpr (HasListTag<T>) {
      return copy_value(lend(list));
    } else {
      auto* elements = allocate_list<OpwValue>(list.size());
      OpwValue value{};
      value.tag = kOpwList;
      value.as_values = elements;
      for (const T& element : list) elements[value.length++] = ValueOf<T>::give(element);
      return value;
    }
  }
  static std::vector<T> take(OpwValue value) {
    std::vector<T> list = read(value);
    release_value(value);
    return list;
  }
};

template <class T>
struct ValueOf<std::optional<T>> {
  static constexpr void write_type(TextWriter& out) {
    ValueOf<T>::write_type(out);
    out.put("?");
  }
  static std::optional<T> read(const OpwValue& value) {
    if (value.tag == kOpwNone) return std::nullopt;
    return static_cast<T>(ValueOf<T>::read(value));
  }
  static OpwValue lend(const std::optional<T>& maybe) {
    return maybe ? ValueOf<T>::lend(*maybe) : OpwValue{};
  }
  static OpwValue give(std::optional<T> maybe) {
    return maybe ? ValueOf<T>::give(std::move(*maybe)) : OpwValue{};
  }
  static std::optional<T> take(const OpwValue& value) {
    if (value.tag == kOpwNone) return std::nullopt;
    return ValueOf<T>::take(value);
  }
};
}  // namespace opwright
