#include "opwright/ir/graph/node_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/print.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

bool are_same_words(std::span<const SymInt> a, std::span<const SymInt> b) {
  return std::ranges::equal(a, b,
                            [](const SymInt& x, const SymInt& y) { return x.word() == y.word(); });
}

void append_tensor_text(std::string& out, const Tensor& tensor) {
  if (!tensor.is_defined()) return out.append("None"), void();
  const SymGeometry geometry = sym_geometry_of(tensor);
  append_text(out, tensor.dtype());
  out.append(to_text(std::span<const SymInt>(geometry.sizes)));
  const SymSizes dense = contiguous_strides(std::span<const SymInt>(geometry.sizes));
  if (!are_same_words(geometry.strides, dense)) {
    out.append(" strides ").append(to_text(std::span<const SymInt>(geometry.strides)));
  }
  if (geometry.offset.word() != 0) {
    out.append(" offset(");
    append_text(out, geometry.offset);
    out.push_back(')');
  }
  if (tensor.device() != kCpu) out.append(" on ").append(device_text(tensor.device()));
  if (tensor.requires_grad()) out.append(" grad");
}

void append_object_text(std::string& out, const OpwValue& value, size_t indent) {
  if (is_graph(value)) return append_graph_text(out, *graph_of(value), indent);
  const char* type = value.as_object ? value.as_object->table->type_name : "null";
  out.append("object(");
  append_quoted(out, type);
  out.push_back(')');
}

void append_list_text(std::string& out, const OpwValue& list, size_t indent) {
  out.push_back('[');
  for (uint32_t i = 0; i < list.length; ++i) {
    if (i != 0) out.append(", ");
    append_constant_text(out, list_element(list, i), indent);
  }
  out.push_back(']');
}

void append_results(std::string& out, const Node& node) {
  bool is_first = true;
  for (const GraphValue& value : node.values()) {
    out.append(is_first ? "%" : ", %").append(value.name());
    is_first = false;
  }
  if (!node.values().empty()) out.append(" = ");
}

bool is_site_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./-+~@<>").find(c) != std::string_view::npos;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.()[]").find(c) != std::string_view::npos;
}

}  // namespace

void append_meta_text(std::string& out, const Value& meta) {
  switch (meta.tag()) {
    case kOpwTensor:
      return append_tensor_text(out, BorrowedTensor(meta.get().as_tensor));
    case kOpwSymInt:
      out.append("int(");
      append_text(out, SymInt::borrow(meta.get().as_int));
      return out.push_back(')');
    default:
      out.append("None");
  }
}

std::string meta_text(const Value& meta) {
  std::string text;
  append_meta_text(text, meta);
  return text;
}

void append_constant_text(std::string& out, const OpwValue& value, size_t indent) {
  if (is_list_tag(value.tag)) return append_list_text(out, value, indent);
  switch (value.tag) {
    case kOpwDeviceValue:
      out.append("device(");
      append_value_text(out, value);
      return out.push_back(')');
    case kOpwObject:
      return append_object_text(out, value, indent);
    case kOpwTensor:
      return out.append("object(\"Tensor\")"), void();
    default:
      append_value_text(out, value);
  }
}

void append_argument_text(std::string& out, const NodeArgument& argument, size_t indent) {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      return append_constant_text(out, argument.constant().get(), indent);
    case NodeArgument::Kind::Value:
      out.append("%").append(argument.value().name());
      return;
    case NodeArgument::Kind::List:
      break;
  }
  const char* separator = "[";
  for (const NodeArgument& element : argument.elements()) {
    out.append(separator);
    append_argument_text(out, element, indent);
    separator = ", ";
  }
  out.append(argument.elements().empty() ? "[]" : "]");
}

bool is_default(const NodeArgument& argument, const Argument& declared) {
  if (argument.kind() != NodeArgument::Kind::Constant || !declared.default_value) return false;
  const OpwValue& value = argument.constant().get();
  const OpwValue& default_value = declared.default_value->get();
  if (value.tag == default_value.tag) return equal_values(value, default_value);
  return value_text(value) == value_text(default_value);
}

void append_call_text(std::string& out, const Node& node, size_t indent) {
  out.append(node.op().name()).append("(");
  bool is_first = true;
  visit_written_arguments(node, [&](std::string_view name, const NodeArgument& argument) {
    if (!is_first) out.append(", ");
    is_first = false;
    if (!name.empty()) out.append(name).append("=");
    append_argument_text(out, argument, indent);
  });
  out.push_back(')');
}

std::string node_text(const Node& node) {
  if (node.is_erased()) return "an erased node";
  std::string text;
  switch (node.kind()) {
    case NodeKind::Input:
      return "input %" + node.values()[0].name();
    case NodeKind::Output:
      text.append("return");
      for (const NodeArgument& output : node.args()) {
        text.append(&output == node.args().data() ? " " : ", ");
        append_argument_text(text, output);
      }
      return text;
    case NodeKind::Call:
      break;
  }
  append_results(text, node);
  append_call_text(text, node);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void append_site_text(std::string& out, SourceSite site) {
  const std::string_view file = site.file ? site.file : "";
  if (!file.empty() && std::ranges::all_of(file, is_site_character)) {
    out.append(file);
  } else {
    append_quoted(out, file);
  }
  out.push_back(':');
  append_text(out, site.line);
}

void append_word_text(std::string& out, std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_word_character)) {
    out.append(word);
  } else {
    append_quoted(out, word);
  }
}

bool equal_meta(const Value& a, const Value& b) {
  return a.tag() == b.tag() && meta_text(a) == meta_text(b);
}

}  // namespace opwright
