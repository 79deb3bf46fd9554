// Which values of a graph may share memory according to the schemas, so what a write changes.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// The graph must not change while this is in use.
class SharedMemory {
 public:
  // Whether inputs from outside may share memory with one another.
  enum class Inputs : uint8_t { MayShare, Apart };
  explicit SharedMemory(const Graph& graph, Inputs inputs = Inputs::MayShare);

  // Values of different groups share no memory.
  [[nodiscard]] uint32_t group(const GraphValue& value) const { return find(value.number()); }
  // Whether a node writes to the value's memory.
  [[nodiscard]] bool is_written(const GraphValue& value) const { return is_written_[group(value)]; }
  // Whether the graph returns the value's memory to its caller.
  [[nodiscard]] bool is_returned(const GraphValue& value) const {
    return is_returned_[group(value)];
  }
  // Call it after a pass replaced a returned value with `value`.
  void set_returned(const GraphValue& value) { is_returned_[group(value)] = true; }
  // The groups that the node writes to.
  [[nodiscard]] std::vector<uint32_t> written_groups(const Node& node) const;

 private:
  void join(const GraphValue& a, const GraphValue& b);
  void join_results(const Node& node);
  [[nodiscard]] uint32_t find(uint32_t number) const;
  template <class Visit>
  static void visit_written(const Node& node, const Visit& visit);

  mutable std::vector<uint32_t> parents_;  // indexed by value number
  std::vector<bool> is_written_;
  std::vector<bool> is_returned_;
};

}  // namespace opwright
