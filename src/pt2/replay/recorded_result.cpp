#include "opwright/pt2/replay/recorded_result.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

std::optional<int64_t> size_at_export(const WrittenSize& size) {
  return size.has_hint ? std::optional(size.number) : std::nullopt;
}

std::optional<int64_t> size_at_export(const SymInt& size) {
  if (!size.is_symbolic()) return size.word();
  const ShapeEnv* env = shape_env_of(size);
  return env ? env->hint(size) : std::nullopt;
}

bool is_same(const WrittenTensor& recorded, const Tensor& given) {
  if (given.dtype() != recorded.dtype) return false;
  if (given.dim() != static_cast<int64_t>(recorded.sizes.size())) return false;
  for (size_t i = 0; i < recorded.sizes.size(); ++i) {
    const std::optional<int64_t> theirs = size_at_export(recorded.sizes[i]);
    const std::optional<int64_t> ours = size_at_export(given.sym_size(static_cast<int64_t>(i)));
    if (theirs && ours && *theirs != *ours) return false;
  }
  return true;
}

template <class A, class B>
bool differ(const A& a, const B& b) {
  const std::optional<int64_t> theirs = size_at_export(a);
  const std::optional<int64_t> ours = size_at_export(b);
  return theirs && ours && *theirs != *ours;
}

// A single element along a dimension is at its place whatever the stride is. `read_dim`: one whose
// stride is a number of the program even so.
bool is_same_layout(const WrittenTensor& recorded, const SymGeometry& given,
                    std::optional<int64_t> read_dim) {
  if (recorded.strides.size() != given.strides.size() || differ(recorded.offset, given.offset))
    return false;
  for (size_t i = 0; i < given.strides.size(); ++i) {
    const bool is_read = read_dim == static_cast<int64_t>(i);
    const bool matters = is_read || size_at_export(given.sizes[i]) != std::optional<int64_t>(1);
    if (matters && differ(recorded.strides[i], given.strides[i])) return false;
  }
  return true;
}

std::string text_of(const std::optional<int64_t>& size) { return size ? concatenate(*size) : "?"; }

std::string text_of(const WrittenTensor& tensor) {
  std::string text = concatenate(tensor.dtype, "[");
  for (size_t i = 0; i < tensor.sizes.size(); ++i)
    text.append(i > 0 ? ", " : "").append(text_of(size_at_export(tensor.sizes[i])));
  return text + "]";
}

std::string text_of(const Tensor& tensor) {
  std::string text = concatenate(tensor.dtype(), "[");
  for (int64_t i = 0; i < tensor.dim(); ++i)
    text.append(i > 0 ? ", " : "").append(text_of(size_at_export(tensor.sym_size(i))));
  return text + "]";
}

template <class Sizes, class Offset>
std::string layout_text(const Sizes& strides, const Offset& offset) {
  std::string text = "strides [";
  for (size_t i = 0; i < strides.size(); ++i)
    text.append(i > 0 ? ", " : "").append(text_of(size_at_export(strides[i])));
  return concatenate(text, "] and offset ", text_of(size_at_export(offset)));
}

// The argument of a node that it reads by strides; null: none.
const WrittenArgument* find_strided_argument(const ArchiveNode& node) {
  constexpr auto kReaders = std::to_array<std::string_view>(
      {"torch.ops.aten.as_strided", "torch.ops.aten.sym_stride.",
       "torch.ops.aten.sym_storage_offset.", "torch.ops.aten.stride."});
  const bool is_reader = std::ranges::any_of(
      kReaders, [&](std::string_view reader) { return node.target.starts_with(reader); });
  // Views of the bases are given by strides.
  const bool has_views = node.target == "torch.ops.higher_order.auto_functionalized_v2" &&
                         std::ranges::any_of(node.inputs, [](const WrittenArgument& input) {
                           return input.name.ends_with("_storage_offset");
                         });
  if (!is_reader && !has_views) return nullptr;
  const std::string_view name = is_reader ? "self" : "_all_bases";
  const auto found = std::ranges::find(node.inputs, name, &WrittenArgument::name);
  return found == node.inputs.end() ? nullptr : &*found;
}

// The `dim` of sym_stride.
std::optional<int64_t> find_read_dim(const ArchiveNode& node, int64_t num_dims) {
  const auto found = std::ranges::find(node.inputs, "dim", &WrittenArgument::name);
  if (found == node.inputs.end() || found->elements.size() != 1) return std::nullopt;
  const auto* dim = std::get_if<int64_t>(&found->elements[0]);
  if (!dim) return std::nullopt;
  return *dim < 0 ? *dim + num_dims : *dim;
}

}  // namespace

void check_recorded_layout(const ArchiveGraph& graph, const ArchiveNode& node,
                           const GraphValues& values) {
  const WrittenArgument* argument = find_strided_argument(node);
  if (!argument) return;
  for (const Element& element : argument->elements) {
    const auto* name = std::get_if<ValueName>(&element);
    const auto recorded = name ? graph.tensors.find(name->name) : graph.tensors.end();
    if (recorded == graph.tensors.end()) continue;
    const auto value = values.find(name->name);
    if (value == values.end() || value->second.tag() != kOpwTensor) continue;
    const Tensor given = Tensor::borrow(value->second.get().as_tensor);
    const SymGeometry geometry = sym_geometry_of(given);
    const WrittenTensor& theirs = recorded->second;
    OPWRIGHT_CHECK_KIND(
        "NotImplementedError", is_same_layout(theirs, geometry, find_read_dim(node, given.dim())),
        "'", name->name, "' is read by strides, and has ",
        layout_text(geometry.strides, geometry.offset), ", but in the archive ",
        layout_text(theirs.strides, theirs.offset), "; make it contiguous in the model");
  }
}

void check_recorded(const ArchiveGraph& graph, const ArchiveNode& node, const GraphValues& values) {
  for (const WrittenArgument& output : node.outputs) {
    for (const Element& element : output.elements) {
      const auto* name = std::get_if<ValueName>(&element);
      if (!name) continue;
      const auto recorded = graph.tensors.find(name->name);
      const auto value = values.find(name->name);
      if (recorded == graph.tensors.end() || value == values.end() ||
          value->second.tag() != kOpwTensor)
        continue;
      const Tensor given = Tensor::borrow(value->second.get().as_tensor);
      OPWRIGHT_CHECK_VALUE(is_same(recorded->second, given), "the archive records ",
                           text_of(recorded->second), " for '", name->name,
                           "', but the operator gives ", text_of(given));
    }
  }
}

}  // namespace opwright::pt2
