// Frame: the tables of one run. Kept and used again by the next one; one run at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/run/argument_layout.h"
#include "opwright/run/run_memory.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

struct Schedule;

struct Frame {
  explicit Frame(const Schedule& schedule);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { clear(); }

  // Drops what an unfinished run left.
  void clear() noexcept;

  // A step's function for cpu, as of an epoch of the registry.
  struct Function {
    const OpwRecord* record = nullptr;
    uint64_t epoch = 0;
  };

  ArgumentCells arguments;
  std::vector<OpwValue> slots;  // inputs are borrowed, the rest is owned
  std::vector<Function> functions;
  std::vector<Tensor> random_states;

  std::vector<int64_t> symbols;   // by the order of the environment; 0: not bound
  std::vector<int64_t> expected;  // sizes of inputs
  std::vector<int64_t> numbers;
  std::vector<int64_t> late_numbers;
  std::vector<int64_t> conditions;  // room for guards and assertions
  bool has_sizes = false;           // the tables above hold for `symbols`

  uint32_t num_inputs;
  RunMemory memory;
};

}  // namespace opwright
