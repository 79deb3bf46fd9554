#include "opwright/pt2/replay/recorded_result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
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

}  // namespace

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
