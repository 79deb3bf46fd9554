// InputReader: takes the arguments of a run in and checks them, with compares of ints alone.
//
// It makes no errors: whatever it does not take is a case for evaluate(), whose checks have the
// words.
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
  // Puts the inputs, borrowed, into the first slots, the symbols and all that is computed from them
  // into their tables. Refused: evaluate() has to look at it.
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
  std::vector<int64_t> plain_sizes_;  // of a graph without symbols
  std::vector<Range> ranges_;
  size_t num_arguments_ = 0;
};

}  // namespace opwright
