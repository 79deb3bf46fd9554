// InputReader: reads and checks the arguments of a run, using only integer comparisons.
//
// It raises no errors: on any mismatch the run falls back to evaluate(), whose checks report it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/frame.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/symbol_source.h"
#include "opwright/value.h"

namespace opwright {

class InputReader {
 public:
  InputReader(const Graph& graph, const SizePlan& sizes);

  enum class Outcome : uint8_t { Refused, SameSizes, NewSizes };
  // Stores the inputs, borrowed, in the first slots, and the symbols and numbers computed from them
  // in their tables. Refused: the caller must run evaluate().
  [[nodiscard]] Outcome read(std::span<const OpwValue> arguments, Frame& frame) const;

 private:
  struct Input {
    const Node* node = nullptr;
    bool is_int = false;
    OpwDtype dtype{};
    OpwDevice device{};
    int32_t ndim = 0;
  };
  struct Size {
    uint32_t slot = 0;
    NumberPlace place;
  };
  struct Range {
    uint32_t symbol = 0;
    int64_t least = 0;
    int64_t greatest = 0;
  };

  [[nodiscard]] bool take(std::span<const OpwValue> arguments, Frame& frame) const;
  [[nodiscard]] static bool fits(const Input& input, const OpwValue& value, uint32_t refused);
  [[nodiscard]] bool compute(Frame& frame) const;
  [[nodiscard]] bool compute_all(Frame& frame) const;

  const SizePlan& sizes_;
  std::vector<Input> inputs_;
  std::vector<SymbolSource> sources_;
  std::vector<Size> expected_;
  std::vector<int64_t> plain_sizes_;  // for a graph without symbols
  std::vector<Range> ranges_;
  size_t num_arguments_ = 0;
};

}  // namespace opwright
