#include "opwright/check/variation/number_variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/complex.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

using Values = std::vector<Value>;

Values other_values(const OpwValue& value);

// A tensor in its own memory, because lists may be written.
Value apart(const Value& value) {
  if (value.tag() != kOpwTensor) return value;
  const Tensor tensor = Tensor::borrow(value.get().as_tensor);
  return Value(lay_out(values_of(tensor), layout_of(tensor), tensor));
}

// A list with one element removed, one added, none, and one changed.
Values other_lists(const OpwValue& list, bool has_fixed_length) {
  Values elements;
  for (uint32_t i = 0; i < list.length; ++i) {
    elements.push_back(Value::copy_of(list_element(list, i)));
  }
  const auto pack = [&](Values given) { return pack_list(static_cast<OpwTag>(list.tag), given); };
  Values lists;
  for (size_t place = 0; place < 3; ++place) {
    for (size_t i = 0; i < elements.size(); ++i) {
      Values others = other_values(elements[i].get());
      if (place >= others.size()) continue;
      Values changed = elements;
      changed[i] = std::move(others[place]);
      lists.push_back(pack(std::move(changed)));
    }
  }
  if (has_fixed_length || elements.empty()) return lists;
  const Values shorter(elements.begin(), elements.end() - 1);
  Values longer = elements;
  longer.push_back(apart(elements.back()));
  Values all;
  all.push_back(pack(shorter));
  all.push_back(pack(std::move(longer)));
  if (elements.size() > 1) all.push_back(pack({}));
  for (Value& each : lists) all.push_back(std::move(each));
  return all;
}

Values other_ints(int64_t number) {
  Values values;
  for (const int64_t other :
       {number + 1, number - 1, int64_t{0}, int64_t{1}, int64_t{2}, -number, int64_t{-1}}) {
    if (other != number) values.emplace_back(other);
  }
  return values;
}

Values other_floats(double number) {
  Values values;
  for (const double other : {number * 1.5 + 0.25, 0.0, 1.0, number * 0.5, -number}) {
    if (other != number) values.emplace_back(other);
  }
  return values;
}

Values other_values(const OpwValue& value) {
  Values values;
  switch (value.tag) {
    case kOpwInt:
    case kOpwSymInt:
      return other_ints(value.as_int);
    case kOpwFloat:
      return other_floats(value.as_double);
    case kOpwBool:
      values.emplace_back(value.as_int == 0);
      return values;
    case kOpwComplex:
      values.emplace_back(Complex<double>(value.as_doubles[0], -value.as_doubles[1]));
      values.emplace_back(Complex<double>(value.as_doubles[0] + 0.5, 0.0));
      return values;
    default:
      return values;
  }
}

bool has_symbol(const OpwValue& value) {
  if (value.tag == kOpwSymInt) return is_symbolic(value.as_int);
  if (value.tag != kOpwSymIntList) return false;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (is_symbolic(value.as_ints[i])) return true;
  }
  return false;
}

Values other_values(const Argument& argument, const OpwValue& value) {
  Values values;
  if (has_symbol(value)) return values;
  if (argument.type.is_optional() && value.tag != kOpwNone) values.emplace_back();
  if (argument.default_value && argument.default_value->tag() != kOpwNone &&
      !equal_values(argument.default_value->get(), value)) {
    values.push_back(*argument.default_value);
  }
  Values others = is_list_tag(value.tag) ? other_lists(value, argument.fixed_length().has_value())
                                         : other_values(value);
  for (Value& each : others) values.push_back(std::move(each));
  return values;
}

VariationStep number_step(uint32_t argument, size_t place) {
  return [argument, place](const Draft& draft, RandomSource& /*rng*/) -> std::optional<Draft> {
    const Argument& declared = draft.example.op().schema().arguments[argument];
    const OpwValue& value = draft.example.values()[argument].get();
    const Values others = other_values(declared, value);
    if (place >= others.size()) return std::nullopt;
    return with_value(draft, argument, others[place]);
  };
}

// Without the angle brackets of tensors.
std::string describe_value(const OpwValue& value) {
  if (value.tag == kOpwTensor) return "a tensor";
  if (value.tag == kOpwTensorList) return concatenate("a list of ", value.length);
  return value_text(value);
}

}  // namespace

Draft with_value(const Draft& draft, uint32_t argument, const Value& value) {
  const Argument& declared = draft.example.op().schema().arguments[argument];
  const OpwValue& old = draft.example.values()[argument].get();
  const std::string what = concatenate(declared.name, ": ", describe_value(old), " became ",
                                       describe_value(value.get()));
  return draft.with(draft.example.with_value(argument, value), what);
}

VariationSteps number_steps(const Example& example) {
  const std::vector<Argument>& arguments = example.op().schema().arguments;
  std::vector<size_t> counts;
  size_t most = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    counts.push_back(other_values(arguments[i], example.values()[i].get()).size());
    most = std::max(most, counts.back());
  }
  VariationSteps steps;
  for (size_t place = 0; place < most; ++place) {
    for (uint32_t i = 0; i < counts.size(); ++i) {
      if (place < counts[i]) steps.push_back(number_step(i, place));
    }
  }
  return steps;
}

}  // namespace opwright
