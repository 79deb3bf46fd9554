#include "opwright/schema/coerce.h"

#include <algorithm>

#include "opwright/symbolic/shape_env/user_question.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

bool is_real_number(uint32_t tag) {
  return tag == kOpwInt || tag == kOpwFloat || tag == kOpwBool || tag == kOpwSymInt;
}

Fit pass(const OpwValue& given, OpwValue& result, Fit fit = Fit::Exact) {
  result = given;
  return fit;
}

// A single number is broadcast only for lists of numbers.
bool can_repeat(const Type& list) {
  const TypeKind kind = list.element().kind();
  return list.fixed_length() &&
         (kind == TypeKind::Int || kind == TypeKind::SymInt || kind == TypeKind::Float);
}

}  // namespace

void* CoercionMemory::allocate_bytes(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (rounded <= sizeof inline_ - used_) {
    void* memory = inline_ + used_;
    used_ += rounded;
    return memory;
  }
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(rounded));
  return blocks_.back().get();
}

Coercion::Coercion(CoercionMemory& memory, const std::optional<Value>& default_value,
                   bool is_attempt)
    : memory_(memory), is_attempt_(is_attempt) {
  if (default_value && is_list_tag(default_value->tag()))
    default_length_ = default_value->get().length;
}

Fit Coercion::run(const Type& type, const OpwValue& given, OpwValue& result) {
  return fit(type, given, result);
}

int64_t Coercion::fix(OpwSymWord word) const {
  if (!is_symbolic(word)) return word;
  return is_attempt_ ? 0 : specialise_for_user(SymInt::borrow(word));
}

double Coercion::as_float(const OpwValue& number) const {
  if (number.tag == kOpwFloat) return number.as_double;
  return static_cast<double>(number.tag == kOpwSymInt ? fix(number.as_int) : number.as_int);
}

Fit Coercion::refuse(Mismatch::Reason reason, const OpwValue& got, std::string text) {
  mismatch_.reason = reason;
  mismatch_.got = got;
  mismatch_.text = std::move(text);
  mismatch_.element.reset();
  return Fit::No;
}

Fit Coercion::fit(const Type& type, const OpwValue& given, OpwValue& result) {
  switch (type.kind()) {
    case TypeKind::Optional:
      return given.tag == kOpwNone ? pass(given, result) : fit(type.element(), given, result);
    case TypeKind::List:
      return fit_list(type, given, result);
    case TypeKind::Tuple:
      return fit_tuple(type, given, result);
    case TypeKind::Union:
      return fit_union(type, given, result);
    case TypeKind::Generator:
    case TypeKind::Stream:
    case TypeKind::Class:
    case TypeKind::Opaque:
      return fit_object(type, given, result);
    case TypeKind::Any:
    case TypeKind::AnyEnum:
    case TypeKind::AnyClass:
    case TypeKind::Variable:
      return pass(given, result, Fit::Coerced);
    case TypeKind::None:
      return given.tag == kOpwNone ? pass(given, result) : refuse(Mismatch::Reason::Type, given);
    default:
      break;
  }
  if (given.tag == type.value_tag() && given.tag != kOpwNone) return pass(given, result);
  switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::SymInt:
    case TypeKind::Scalar:
    case TypeKind::SymBool:
    case TypeKind::SymFloat:
      return fit_number(type.kind(), given, result);
    case TypeKind::Float:
      return fit_float(given, result);
    case TypeKind::Complex:
      return fit_complex(given, result);
    case TypeKind::Device:
      return fit_device(given, result);
    default:
      return refuse(Mismatch::Reason::Type, given);
  }
}

Fit Coercion::fit_number(TypeKind kind, const OpwValue& given, OpwValue& result) {
  const bool is_whole = given.tag == kOpwInt || given.tag == kOpwSymInt;
  switch (kind) {
    case TypeKind::Scalar:
      if (is_real_number(given.tag) || given.tag == kOpwComplex) return pass(given, result);
      break;
    case TypeKind::SymBool:
      if (given.tag == kOpwBool || given.tag == kOpwSymInt) return pass(given, result);
      break;
    case TypeKind::SymFloat:
      if (is_real_number(given.tag)) return pass(given, result);
      break;
    case TypeKind::SymInt:
      if (given.tag == kOpwInt && is_symbolic(given.as_int)) {
        return refuse(Mismatch::Reason::Value, given, "a SymInt must not be below -2^62");
      }
      [[fallthrough]];
    default:
      if (!is_whole && given.tag != kOpwBool) break;
      result = given;
      result.tag = kind == TypeKind::SymInt ? kOpwSymInt : kOpwInt;
      if (kind == TypeKind::Int && given.tag == kOpwSymInt) result.as_int = fix(given.as_int);
      return is_whole ? Fit::Exact : Fit::Coerced;
  }
  return refuse(Mismatch::Reason::Type, given);
}

Fit Coercion::fit_float(const OpwValue& given, OpwValue& result) {
  if (!is_real_number(given.tag)) return refuse(Mismatch::Reason::Type, given);
  result = ValueOf<double>::lend(as_float(given));
  return Fit::Coerced;
}

Fit Coercion::fit_complex(const OpwValue& given, OpwValue& result) {
  if (!is_real_number(given.tag)) return refuse(Mismatch::Reason::Type, given);
  double* parts = memory_.allocate<double>(2);
  parts[0] = as_float(given);
  parts[1] = 0;
  result = OpwValue{};
  result.tag = kOpwComplex;
  result.length = 2;
  result.as_doubles = parts;
  return Fit::Coerced;
}

Fit Coercion::fit_device(const OpwValue& given, OpwValue& result) {
  if (given.tag != kOpwString) return refuse(Mismatch::Reason::Type, given);
  try {
    result = ValueOf<Device>::lend(parse_device({given.as_string, given.length}));
    return Fit::Coerced;
  } catch (const Error& error) {
    return refuse(Mismatch::Reason::Value, given, error.text());
  }
}

Fit Coercion::fit_object(const Type& type, const OpwValue& given, OpwValue& result) {
  if (given.tag != kOpwObject || !given.as_object) return refuse(Mismatch::Reason::Type, given);
  const std::string_view wanted =
      type.name().empty() ? std::string_view(kind_word(type.kind())) : type.name();
  return wanted == given.as_object->table->type_name ? pass(given, result)
                                                     : refuse(Mismatch::Reason::Type, given);
}

Fit Coercion::fit_union(const Type& type, const OpwValue& given, OpwValue& result) {
  Fit best = Fit::No;
  for (const Type& one : type.elements()) {
    OpwValue attempt{};
    const Fit found = fit(one, given, attempt);
    if (found <= best) continue;
    best = found;
    result = attempt;
  }
  return best == Fit::No ? refuse(Mismatch::Reason::Type, given) : best;
}

OpwValue Coercion::new_list(OpwTag tag, uint32_t length) {
  OpwValue list{};
  list.tag = tag;
  list.length = length;
  const size_t bytes = tag == kOpwBoolList ? 1 : tag == kOpwList ? sizeof(OpwValue) : 8;
  list.as_values = memory_.allocate<std::byte>(bytes * length);
  return list;
}

// `element` fits the list's element type. The list was created by new_list.
void Coercion::store(OpwValue& list, uint32_t index, const OpwValue& element) {
  auto* array = const_cast<void*>(list.as_values);
  switch (list.tag) {
    case kOpwIntList:
    case kOpwSymIntList:
      static_cast<int64_t*>(array)[index] = element.as_int;
      if (element.tag == kOpwSymInt) list.tag = kOpwSymIntList;  // a symbol among ints
      break;
    case kOpwFloatList:
      static_cast<double*>(array)[index] = element.as_double;
      break;
    case kOpwBoolList:
      static_cast<uint8_t*>(array)[index] = element.as_int != 0;
      break;
    case kOpwTensorList:
      static_cast<OpwTensor**>(array)[index] = element.as_tensor;
      break;
    default:
      static_cast<OpwValue*>(array)[index] = element;
  }
}

Fit Coercion::repeat(const Type& type, const OpwValue& element, OpwValue& result) {
  OpwValue one{};
  if (fit(type.element(), element, one) == Fit::No) return Fit::No;
  result = new_list(type.value_tag(), *type.fixed_length());
  for (uint32_t i = 0; i < result.length; ++i) store(result, i, one);
  return Fit::Coerced;
}

Fit Coercion::fit_list(const Type& type, const OpwValue& given, OpwValue& result) {
  if (!is_list_tag(given.tag)) {
    return can_repeat(type) ? repeat(type, given, result) : refuse(Mismatch::Reason::Type, given);
  }
  const std::optional<uint32_t> length = type.fixed_length();
  const bool is_other_length = length && *length != 1 && given.length != *length;
  if (is_other_length && given.length == 1 && can_repeat(type)) {
    const Fit found = repeat(type, list_element(given, 0), result);
    if (found == Fit::No) mismatch_.element = 0;
    return found;
  }
  // An empty list means not given: PyTorch's gradients of pooling pass the stride this way.
  if (is_other_length && given.length != 0 && given.length != default_length_)
    return refuse(Mismatch::Reason::Length, given);
  return convert_list(type, given, result);
}

Fit Coercion::convert_list(const Type& type, const OpwValue& given, OpwValue& result) {
  const OpwTag tag = type.value_tag();
  const bool is_same = given.tag == tag && tag != kOpwList;
  if (is_same || given.length == 0) {
    result = given;
    result.tag = tag;
    return Fit::Exact;
  }
  const std::optional<uint32_t> outer_default = std::exchange(default_length_, std::nullopt);
  OpwValue list = new_list(tag, given.length);
  Fit worst = Fit::Exact;
  for (uint32_t i = 0; i < given.length && worst != Fit::No; ++i) {
    OpwValue element{};
    worst = std::min(worst, fit(type.element(), list_element(given, i), element));
    if (worst == Fit::No) {
      mismatch_.element = i;
    } else {
      store(list, i, element);
    }
  }
  default_length_ = outer_default;
  result = list;
  return worst;
}

Fit Coercion::fit_tuple(const Type& type, const OpwValue& given, OpwValue& result) {
  if (!is_list_tag(given.tag)) return refuse(Mismatch::Reason::Type, given);
  if (given.length != type.elements().size()) return refuse(Mismatch::Reason::Length, given);
  OpwValue list = new_list(kOpwList, given.length);
  Fit worst = Fit::Exact;
  for (uint32_t i = 0; i < given.length && worst != Fit::No; ++i) {
    OpwValue element{};
    worst = std::min(worst, fit(type.elements()[i], list_element(given, i), element));
    if (worst == Fit::No) {
      mismatch_.element = i;
    } else {
      store(list, i, element);
    }
  }
  result = list;
  return worst;
}

}  // namespace opwright
