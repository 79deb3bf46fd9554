#include "opwright/convert/ge/builder_state.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/ge/model.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symint.h"

namespace opwright::graph_engine {
namespace {

void describe(TensorDescriptor& descriptor, const std::optional<ValueType>& type) {
  if (!type) return;
  descriptor.dtype = type->dtype;
  std::vector<int64_t>& dims = descriptor.dims.emplace();
  for (const SymInt& size : type->sizes)
    dims.push_back(size.is_symbolic() ? kFreeSize : size.word());
}

void renumber(OutputPlace& place, const std::vector<uint32_t>& places) {
  if (!place.is_there()) return;
  place.op = places[place.op];
}

}  // namespace

std::string GraphBuilder::State::unused_name(std::string_view wanted) {
  std::string name(wanted);
  for (int number = 1; !names.insert(name).second; ++number)
    name = concatenate(wanted, "_", number);
  return name;
}

uint32_t GraphBuilder::State::add(GeOp op) {
  op.name = unused_name(op.name.empty() ? op.type : op.name);
  op.call = call;
  op.line = line;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].is_there()) describe(op.input_descriptors[i], type_of(op.inputs[i]));
  }
  const auto place = static_cast<uint32_t>(graph.ops.size());
  if (call != kNoPlace) graph.calls[call].ops.push_back(place);
  types.emplace_back(op.output_descriptors.size());
  graph.ops.push_back(std::move(op));
  return place;
}

void GraphBuilder::State::bind_symbol(OutputPlace value, const SymInt& symbol, int64_t dim) {
  if (!symbol.is_symbolic()) return;
  const Expression& expression = expression_of(symbol.word());
  if (expression.kind == ExpressionKind::Symbol)
    symbols.try_emplace(*expression.name, SymbolPlace{value, dim});
}

void GraphBuilder::State::bind_symbols(OutputPlace value, const std::vector<SymInt>& sizes_of_it) {
  for (size_t i = 0; i < sizes_of_it.size(); ++i)
    bind_symbol(value, sizes_of_it[i], static_cast<int64_t>(i));
}

void GraphBuilder::State::describe_op(uint32_t place) {
  GeOp& op = graph.ops[place];
  for (size_t i = 0; i < op.output_descriptors.size(); ++i)
    describe(op.output_descriptors[i], types[place][i]);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].is_there()) describe(op.input_descriptors[i], type_of(op.inputs[i]));
  }
}

void GraphBuilder::State::remove_unused() {
  std::vector<bool> is_read(graph.ops.size(), false);
  for (const uint32_t input : graph.inputs) is_read[input] = true;
  is_read.back() = true;  // NetOutput
  for (size_t place = graph.ops.size(); place-- > 0;) {
    if (!is_read[place]) continue;
    for (const OutputPlace& input : graph.ops[place].inputs) {
      if (input.is_there()) is_read[input.op] = true;
    }
  }
  std::vector<uint32_t> places(graph.ops.size(), kNoPlace);
  std::vector<GeOp> kept;
  for (size_t place = 0; place < graph.ops.size(); ++place) {
    if (!is_read[place]) continue;
    places[place] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(graph.ops[place]));
    for (OutputPlace& input : kept.back().inputs) renumber(input, places);
  }
  graph.ops = std::move(kept);
  for (uint32_t& input : graph.inputs) input = places[input];
  for (OutputPlace& output : graph.outputs) renumber(output, places);
  for (OutputPlace& value : graph.values) renumber(value, places);
  for (InputWrite& write : graph.writes) {
    write.input = places[write.input];
    renumber(write.value, places);
  }
  for (SourceCall& each : graph.calls) {
    for (OutputPlace& result : each.results) renumber(result, places);
    for (uint32_t& op : each.ops) op = places[op];
    std::erase(each.ops, kNoPlace);
  }
}

}  // namespace opwright::graph_engine
