#include "opwright/convert/onnx/model/builder_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/model.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symint.h"

namespace opwright::onnx {

OnnxValue GraphBuilder::State::add(KnownValue value) {
  values.push_back(std::move(value));
  return OnnxValue(static_cast<uint32_t>(values.size() - 1));
}

std::string GraphBuilder::State::unused_name(std::string_view wanted) {
  std::string name(wanted);
  for (int number = 1; !names.insert(name).second; ++number)
    name = concatenate(wanted, "_", number);
  return name;
}

void GraphBuilder::State::name(OnnxValue value, std::string_view wanted) {
  KnownValue& known = at(value);
  if (known.is_named || known.is_fixed) return;
  if (!known.name.empty()) names.erase(known.name);
  known.name = unused_name(wanted);
  known.is_named = true;
}

void GraphBuilder::State::bind_symbol(OnnxValue value, const SymInt& symbol) {
  if (!symbol.is_symbolic()) return;
  const Expression& expression = expression_of(symbol.word());
  if (expression.kind == ExpressionKind::Symbol)
    scope->symbols.try_emplace(*expression.name, SymbolPlace{value, -1});
}

void GraphBuilder::State::bind_symbols(OnnxValue value, std::span<const SymInt> sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_symbolic()) continue;
    const Expression& expression = expression_of(sizes[i].word());
    if (expression.kind == ExpressionKind::Symbol)
      scope->symbols.try_emplace(*expression.name, SymbolPlace{value, static_cast<int64_t>(i)});
  }
}

OnnxValues GraphBuilder::State::remove_unused(BodyScope& body,
                                              std::span<const OnnxValue> needed) const {
  std::vector<bool> is_read(values.size(), false);
  for (const OnnxValue value : needed) is_read[value.index()] = true;
  const auto read = [&](const OnnxValue value) {
    if (value.is_there()) is_read[value.index()] = true;
  };
  std::vector<PendingNode> kept;
  for (auto node = body.nodes.rbegin(); node != body.nodes.rend(); ++node) {
    const bool is_used = std::ranges::any_of(
        node->outputs, [&](const OnnxValue output) { return is_read[output.index()]; });
    if (!is_used) continue;
    for (const OnnxValue output : node->outputs) is_read[output.index()] = false;
    std::ranges::for_each(node->inputs, read);
    std::ranges::for_each(node->captured, read);
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  body.nodes = std::move(kept);
  std::erase_if(body.initializers, [&](const OnnxValue value) { return !is_read[value.index()]; });
  OnnxValues outside;
  for (uint32_t i = 0; i < is_read.size(); ++i) {
    if (is_read[i]) outside.emplace_back(i);
  }
  return outside;
}

// A value outside the body may not have its name yet.
const std::string& GraphBuilder::State::fixed_name(OnnxValue value, const BodyScope& body) {
  KnownValue& known = at(value);
  if (body.outer) {
    if (known.name.empty())
      known.name = unused_name(known.data.is_defined() ? "constant" : "value");
    known.is_fixed = true;
  }
  return known.name;
}

std::vector<OnnxNode> GraphBuilder::State::finish_nodes(BodyScope& body) {
  std::vector<OnnxNode> nodes;
  nodes.reserve(body.nodes.size());
  for (PendingNode& pending : body.nodes) {
    OnnxNode& node = nodes.emplace_back();
    for (const OnnxValue output : pending.outputs) {
      KnownValue& known = at(output);
      if (known.name.empty()) {
        known.name = unused_name(
            pending.label.empty() ? pending.type : concatenate(pending.label, "/", pending.type));
      }
      node.outputs.push_back(known.name);
    }
    for (const OnnxValue input : pending.inputs)
      node.inputs.push_back(input.is_there() ? fixed_name(input, body) : std::string());
    node.domain = std::move(pending.domain);
    node.type = std::move(pending.type);
    node.attributes = std::move(pending.attributes);
    if (!node.outputs.empty()) node.name = node.outputs.front();
    if (pending.site.is_known()) node.doc = pending.site.text();
  }
  return nodes;
}

ValueInfo GraphBuilder::State::describe(OnnxValue value) {
  const KnownValue& known = at(value);
  return {.name = known.name, .dtype = *known.dtype, .dims = to_dimensions(*known.sizes)};
}

std::vector<Dimension> to_dimensions(std::span<const SymInt> sizes) {
  std::vector<Dimension> dims;
  for (const SymInt& size : sizes) {
    if (size.is_symbolic()) {
      dims.push_back({.name = concatenate(size)});
    } else {
      dims.push_back({.size = size.word()});
    }
  }
  return dims;
}

}  // namespace opwright::onnx
