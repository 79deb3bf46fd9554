// Runs operators given as text: one call per input line, one result per output line. A reference in
// another language compares them.
//
//   aten::add.Tensor<TAB>T float32 2,3 3,1 0 <hex><TAB>I 2<TAB>alpha=F 0.5
//
// Arguments: T dtype sizes strides offset bytes-of-the-storage; I, F, B number; C real imaginary; S
// text; L ints; G bools; D dtype; M memory format; N for None; V tensors separated by ";"; O the
// same, but may contain N. Empty lists are "-". Results: T dtype sizes strides bytes, with the
// elements in logical order, a number as a zero-dim tensor, N for an undefined one, several tensors
// separated by ";"; or E kind: text.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/schema/bind.h"
#include "opwright/schema/constant_names.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<int64_t> parse_ints(const std::string& text) {
  std::vector<int64_t> ints;
  if (text == "-") return ints;
  for (const std::string& part : split(text, ',')) ints.push_back(std::stoll(part));
  return ints;
}

Tensor parse_tensor(const std::vector<std::string>& words) {
  const DType dtype = find_dtype(words[1]).value();
  const std::string_view bytes = words[5] == "-" ? std::string_view() : words[5];
  const auto numel = static_cast<int64_t>(bytes.size() / 2 / item_size(dtype));
  const Tensor flat = make_empty(IntList{numel}, dtype);
  auto* memory = static_cast<uint8_t*>(flat.mutable_data());
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    std::from_chars(bytes.data() + 2 * i, bytes.data() + 2 * i + 2, memory[i], 16);
  }
  return as_strided(flat, parse_ints(words[2]), parse_ints(words[3]), SymInt(std::stoll(words[4])));
}

Value parse_tensors(const std::string& text, bool is_optional) {
  std::vector<std::optional<Tensor>> tensors;
  if (text != "-") {
    for (const std::string& part : split(text, ';'))
      tensors.push_back(part == "N" ? std::nullopt
                                    : std::optional<Tensor>(parse_tensor(split(part, ' '))));
  }
  if (is_optional) return Value::take(ValueOf<std::vector<std::optional<Tensor>>>::give(tensors));
  std::vector<Tensor> all;
  for (const auto& tensor : tensors) all.push_back(*tensor);
  return Value::take(ValueOf<std::vector<Tensor>>::give(all));
}

Value parse_bools(const std::string& text) {
  const std::vector<int64_t> ints = parse_ints(text);
  SmallVector<bool, 4> bools;
  for (const int64_t value : ints) bools.push_back(value != 0);
  return Value::take(
      ValueOf<std::span<const bool>>::give(std::span<const bool>(bools.data(), bools.size())));
}

Value parse_value(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  switch (words[0][0]) {
    case 'T':
      return Value::take(ValueOf<Tensor>::give(parse_tensor(words)));
    case 'I':
      return Value::take(ValueOf<int64_t>::give(std::stoll(words[1])));
    case 'F':
      return Value::take(ValueOf<double>::give(std::strtod(words[1].c_str(), nullptr)));
    case 'B':
      return Value::take(ValueOf<bool>::give(words[1] == "1"));
    case 'C':
      return Value::take(
          ValueOf<Complex<double>>::give({std::stod(words[1]), std::stod(words[2])}));
    case 'L':
      return Value::take(ValueOf<std::vector<int64_t>>::give(parse_ints(words[1])));
    case 'G':
      return parse_bools(words[1]);
    case 'S':
      return Value::take(ValueOf<std::string>::give(words[1]));
    case 'V':
      return parse_tensors(text.substr(2), false);
    case 'O':
      return parse_tensors(text.substr(2), true);
    case 'D':
      return Value::take(ValueOf<DType>::give(find_dtype(words[1]).value()));
    case 'M':
      return Value::take(ValueOf<MemoryFormat>::give(parse_memory_format(words[1])));
    default:
      return {};
  }
}

std::string join(std::span<const int64_t> ints) {
  std::string text;
  for (const int64_t value : ints) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text.empty() ? "-" : text;
}

std::string print_tensor(const Tensor& tensor) {
  if (!tensor.is_defined()) return "N";
  const Tensor dense = tensor.contiguous();
  const auto* memory = static_cast<const uint8_t*>(dense.data());
  std::string bytes(2 * static_cast<size_t>(dense.numel()) * item_size(dense.dtype()), '0');
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    bytes[2 * i] = "0123456789abcdef"[memory[i] >> 4];
    bytes[2 * i + 1] = "0123456789abcdef"[memory[i] & 15];
  }
  std::string text = "T ";
  append_text(text, tensor.dtype());
  return text + " " + join(tensor.sizes()) + " " + join(tensor.strides()) + " " +
         (bytes.empty() ? "-" : bytes);
}

// A number as a tensor.
Tensor as_tensor(OpwValue result) {
  if (result.tag == kOpwTensor || result.tag == kOpwNone) return ValueOf<Tensor>::take(result);
  const Scalar number = ValueOf<Scalar>::take(result);
  if (number.is_complex()) return make_scalar_tensor(number, DType::Complex128);
  if (number.is_floating()) return make_scalar_tensor(number, DType::Float64);
  return make_scalar_tensor(number, number.is_bool() ? DType::Bool : DType::Int64);
}

std::string run_line(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\t');
  const Operator& op = Registry::get().require(fields[0]);
  std::deque<Value> values;
  std::deque<std::string> names;
  std::vector<OpwValue> positional;
  std::vector<KeywordValue> keywords;
  for (size_t i = 1; i < fields.size(); ++i) {
    const size_t equals = fields[i].find('=');
    if (equals == std::string::npos) {
      positional.push_back(values.emplace_back(parse_value(fields[i])).get());
    } else {
      const std::string& name = names.emplace_back(fields[i].substr(0, equals));
      keywords.push_back(
          {name, values.emplace_back(parse_value(fields[i].substr(equals + 1))).get()});
    }
  }
  const BoundArguments bound(op.schema(), positional, keywords);
  std::vector<OpwValue> results(op.schema().returns.size());
  call(op, bound.values(), results);
  std::string text;
  const auto append = [&text](const Tensor& tensor) {
    text += (text.empty() ? "" : ";") + print_tensor(tensor);
  };
  for (const OpwValue& result : results) {
    if (result.tag != kOpwTensorList) {
      append(as_tensor(result));
    } else {
      for (const Tensor& tensor : ValueOf<std::vector<Tensor>>::take(result)) append(tensor);
    }
  }
  return text.empty() ? "-" : text;
}

}  // namespace
}  // namespace opwright

int main() {
  std::ios::sync_with_stdio(false);  // lines have megabytes
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << opwright::run_line(line) << '\n';
    } catch (const opwright::Error& error) {
      const std::string text = error.text();
      std::cout << "E " << error.kind() << ": " << text.substr(0, text.find('\n')) << '\n';
    }
  }
  return 0;
}
