// The state of a GraphBuilder: the graph so far, and what is known about its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/model.h"
#include "opwright/symint.h"

namespace opwright::graph_engine {

// Where the value of a symbol can be read.
struct SymbolPlace {
  OutputPlace value;
  int64_t dim = -1;  // -1: the value itself
};

struct GraphBuilder::State {
  GeGraph graph = {};
  // By op and output; descriptors have -1 for sizes that are expressions here.
  std::vector<std::vector<std::optional<ValueType>>> types = {};
  uint32_t call = kNoPlace;  // that is being converted
  std::string line = {};     // of that call

  std::unordered_set<std::string> names = {};
  std::unordered_map<std::string, SymbolPlace> symbols = {};
  std::unordered_map<std::string, OutputPlace> shapes = {};  // by value: its Shape op
  std::unordered_map<OpwSymWord, uint32_t> sizes = {};       // int64[1] each
  std::unordered_map<std::string, OutputPlace> small_constants = {};

  // Names the op (by its type if the name is empty), describes its inputs and adds it.
  uint32_t add(GeOp op);
  [[nodiscard]] std::string unused_name(std::string_view wanted);
  [[nodiscard]] std::optional<ValueType>& type_of(OutputPlace value) {
    return types[value.op][value.index];
  }
  // Records that a tensor's symbolic sizes can be read from it.
  void bind_symbols(OutputPlace value, const std::vector<SymInt>& sizes);
  void bind_symbol(OutputPlace value, const SymInt& symbol, int64_t dim);
  // Fills in its descriptors from what is known about the values by now.
  void describe_op(uint32_t place);
  // Removes the ops that no output of the graph depends on.
  void remove_unused();
};

// Ops created during its lifetime belong to no call: later calls may also read them.
class [[nodiscard]] OutsideOfCall {
 public:
  explicit OutsideOfCall(GraphBuilder::State& state) : state_(state), call_(state.call) {
    state.call = kNoPlace;
  }
  ~OutsideOfCall() { state_.call = call_; }
  OutsideOfCall(const OutsideOfCall&) = delete;
  OutsideOfCall& operator=(const OutsideOfCall&) = delete;

 private:
  GraphBuilder::State& state_;
  uint32_t call_;
};

}  // namespace opwright::graph_engine
