#include "opwright/ir/text/argument_parser.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "opwright/base/ascii.h"
#include "opwright/complex.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/constant_names.h"
#include "opwright/schema/schema_source.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Parses a float at the start of `text` and removes it from there.
std::optional<double> read_float(std::string_view& text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_special = digits.starts_with("inf") || digits.starts_with("nan");
  if (digits.empty() || (!is_special && !is_digit(digits[0]))) return std::nullopt;
  double number = 0;
  if (is_special) {
    number = std::numeric_limits<double>::infinity();
    if (digits.starts_with("nan")) number = std::numeric_limits<double>::quiet_NaN();
    if (text.starts_with('-')) number = -number;
    text = digits.substr(3);
    return number;
  }
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Parses text that ends with 'j': 2.0j, 1.0-2.0j.
std::optional<Complex<double>> read_complex(std::string_view text) {
  const auto first = read_float(text);
  if (!first) return std::nullopt;
  if (text == "j") return Complex<double>(0, *first);
  const bool is_negative = text.starts_with('-');
  if (!is_negative && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('-')) return std::nullopt;
  const auto second = read_float(text);
  if (!second || text != "j") return std::nullopt;
  return Complex<double>(*first, is_negative ? -*second : *second);
}

std::optional<Value> find_constant_word(std::string_view word) {
  if (word == "None") return Value();
  if (word == "True") return Value(true);
  if (word == "False") return Value(false);
  if (const auto dtype = find_dtype(word)) return Value(*dtype);
  if (const auto format = find_memory_format(word)) return Value(*format);
  if (const auto layout = find_layout(word)) return Value(*layout);
  return std::nullopt;
}

// Packs the elements as a list of their common kind.
Value pack_constants(std::vector<Value> elements) {
  const auto all = [&](auto has_kind) { return std::ranges::all_of(elements, has_kind); };
  const auto has_tag = [](OpwTag tag) { return [tag](const Value& v) { return v.tag() == tag; }; };
  if (elements.empty() || all(has_tag(kOpwInt))) return pack_list(kOpwIntList, elements);
  if (all(has_tag(kOpwFloat))) return pack_list(kOpwFloatList, elements);
  if (all(has_tag(kOpwBool))) return pack_list(kOpwBoolList, elements);
  if (all([](const Value& v) { return v.tag() == kOpwInt || v.tag() == kOpwSymInt; })) {
    std::vector<SymInt> ints;
    for (const Value& element : elements) ints.push_back(ValueOf<SymInt>::read(element.get()));
    return Value(ints);
  }
  return pack_list(kOpwList, elements);
}

// Makes a fake tensor without checking its symbolic sizes: make_fake would check that they are not
// negative, which adds a guard that the text does not have.
Tensor fake_of(std::span<const SymInt> sizes, std::span<const SymInt> strides, const SymInt& offset,
               DType dtype, Device device) {
  const bool is_plain = as_plain(sizes) && as_plain(strides) && !offset.is_symbolic();
  if (is_plain || sizes.size() != strides.size()) {
    return make_fake(sizes, strides, offset, dtype, device);
  }
  const Device resolved = resolve_device(device);
  const uint32_t flags = device_bit(resolved.type) | kOpwFlagFake;
  const Tensor tensor =
      Tensor::take(new_impl(make_fake_storage(kUnknownBytes, resolved), dtype, resolved, flags, 0));
  set_symbolic_shape(impl(tensor), sizes, strides, offset);
  return tensor;
}

}  // namespace

// ---- Arguments ----

NodeArgument ArgumentParser::parse_value() {
  const size_t begin = cursor_.at();
  cursor_.expect("%");
  const TextSpan word = cursor_.take_word();
  GraphValue* value = graph_ ? graph_->find(cursor_.text(word)) : nullptr;
  if (!value) {
    cursor_.fail({begin, word.end},
                 concatenate("no input and no earlier node defines %", cursor_.text(word)));
  }
  return NodeArgument::of(*value);
}

NodeArgument ArgumentParser::parse_list() {
  const size_t begin = cursor_.at();
  cursor_.expect("[");
  if (++depth_ > kMostNested) {
    cursor_.fail_since(begin, concatenate("lists are nested deeper than ", kMostNested));
  }
  std::vector<NodeArgument> elements;
  if (cursor_.peek() != ']') {
    do {
      elements.push_back(parse_argument());
    } while (cursor_.take_if(","));
  }
  cursor_.expect("]");
  --depth_;
  std::vector<Value> constants;
  for (const NodeArgument& element : elements) {
    if (element.kind() != NodeArgument::Kind::Constant) {
      return NodeArgument::list(std::move(elements));
    }
    constants.push_back(element.constant());
  }
  return NodeArgument::constant(pack_constants(std::move(constants)));
}

NodeArgument ArgumentParser::parse_argument() {
  switch (cursor_.peek()) {
    case '%':
      return parse_value();
    case '[':
      return parse_list();
    default:
      return NodeArgument::constant(parse_constant());
  }
}

Value ArgumentParser::parse_device() {
  cursor_.expect("(");
  const size_t begin = cursor_.next();
  const std::string name = cursor_.take_string();
  const TextSpan span{begin, cursor_.at()};
  cursor_.expect(")");
  try {
    return Value(opwright::parse_device(name));
  } catch (const Error& error) {
    cursor_.fail(span, first_line(error.text()));
  }
}

void ArgumentParser::fail_object() {
  const size_t begin = cursor_.at();
  cursor_.expect("(");
  const std::string type = cursor_.take_string();
  cursor_.expect(")");
  cursor_.fail_since(begin, concatenate("an object of type ", type, " cannot be read from text"),
                     "give the operator an argument that a text can hold, or keep the graph as an "
                     "object.");
}

Value ArgumentParser::parse_constant() {
  if (cursor_.peek() == '"') return Value(cursor_.take_string());
  const size_t begin = cursor_.at();
  const std::string_view word = cursor_.text(cursor_.take_word());
  if (!word.empty() && cursor_.peek() == '(') {
    if (word == "graph") {
      if (++depth_ > kMostNested) {
        cursor_.fail_since(begin, concatenate("graphs are nested deeper than ", kMostNested));
      }
      const Graph* outer = graph_;
      Value value = graph_value(sub_graphs_.parse_sub_graph());
      graph_ = outer;
      --depth_;
      return value;
    }
    if (word == "device") return parse_device();
    if (word == "object") fail_object();
  }
  cursor_.seek(begin);
  return parse_written(cursor_.take_expression(",)]}", "an argument"));
}

std::optional<Value> ArgumentParser::parse_number(std::string_view text, TextSpan span) const {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty()) return std::nullopt;
  if (std::ranges::all_of(digits, is_digit)) {
    int64_t whole = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (problem != std::errc()) cursor_.fail(span, concatenate("'", text, "' does not fit an int"));
    return Value(whole);
  }
  if (text.ends_with('j')) {
    const auto number = read_complex(text);
    return number ? std::optional(Value(*number)) : std::nullopt;
  }
  const auto number = read_float(text);
  return number && text.empty() ? std::optional(Value(*number)) : std::nullopt;
}

Value ArgumentParser::parse_written(TextSpan span) {
  const std::string_view text = cursor_.text(span);
  if (auto number = parse_number(text, span)) return std::move(*number);
  if (auto word = find_constant_word(text)) return std::move(*word);
  return Value(parse_int(span));
}

SymInt ArgumentParser::parse_int(TextSpan span) {
  const std::string_view text = cursor_.text(span);
  const bool is_plain =
      std::ranges::all_of(text.starts_with('-') ? text.substr(1) : text, is_digit);
  const int64_t plain = is_plain ? cursor_.int_at(span) : 0;
  try {
    if (is_plain) return SymInt(plain);
    if (graph_ && graph_->shape_env()) return graph_->shape_env()->parse(text);
  } catch (const Error& error) {
    cursor_.fail(span, first_line(error.text()));
  }
  cursor_.fail(span, concatenate("'", text, "' is neither a constant nor a symbol of the graph"));
}

// ---- Metadata ----

std::vector<SymInt> ArgumentParser::parse_int_list() {
  std::vector<SymInt> ints;
  cursor_.expect("[");
  if (cursor_.take_if("]")) return ints;
  do {
    ints.push_back(parse_int(cursor_.take_expression(",]", "an int")));
  } while (cursor_.take_if(","));
  cursor_.expect("]");
  return ints;
}

Value ArgumentParser::parse_tensor(TextSpan dtype_span) {
  const std::string_view name = cursor_.text(dtype_span);
  const auto dtype = find_dtype(name);
  if (!dtype) {
    cursor_.fail(dtype_span, concatenate("unknown dtype '", name, "'"),
                 did_you_mean(name, dtype_names()));
  }
  const std::vector<SymInt> sizes = parse_int_list();
  std::optional<std::vector<SymInt>> strides;
  if (cursor_.take_word_if("strides")) strides = parse_int_list();
  SymInt offset = 0;
  if (cursor_.take_word_if("offset")) {
    cursor_.expect("(");
    offset = parse_int(cursor_.take_expression(")", "an int"));
    cursor_.expect(")");
  }
  Device device = kCpu;
  TextSpan device_span;
  if (cursor_.take_word_if("on")) device_span = cursor_.take_run("_:");
  const bool requires_grad = cursor_.take_word_if("grad");
  try {
    if (device_span.end != 0) device = opwright::parse_device(cursor_.text(device_span));
    if (!strides) {
      const SymSizes dense = contiguous_strides(std::span<const SymInt>(sizes));
      strides.emplace(dense.begin(), dense.end());
    }
    const Tensor tensor = fake_of(sizes, *strides, offset, *dtype, device);
    if (requires_grad) impl(tensor).flags |= kOpwFlagRequiresGrad;
    return Value(tensor);
  } catch (const Error& error) {
    cursor_.fail_since(dtype_span.begin, first_line(error.text()));
  }
}

Value ArgumentParser::parse_meta() {
  const TextSpan word = cursor_.take_word();
  const std::string_view text = cursor_.text(word);
  if (text.empty()) cursor_.fail_expected("a type such as float32[2, 3] or int(s0)");
  if (text == "None") return {};
  if (text == "int" && cursor_.take_if("(")) {
    Value number(parse_int(cursor_.take_expression(")", "an int")));
    cursor_.expect(")");
    return number;
  }
  return parse_tensor(word);
}

}  // namespace opwright
