// Frame: the tables of one run. Frames are reused by later runs; one run at a time.
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

  // Drops what an unfinished run left behind.
  void clear() noexcept;

  // A step's function for the CPU, resolved at some epoch of the registry.
  struct Function {
    const OpwRecord* record = nullptr;
    uint64_t epoch = 0;
  };

  ArgumentCells arguments;
  std::vector<OpwValue> slots;  // inputs are borrowed, others owned
  std::vector<Function> functions;
  std::vector<Tensor> random_states;

  std::vector<int64_t> symbols;   // in the environment's order; 0: not bound
  std::vector<int64_t> expected;  // sizes that the inputs must have
  std::vector<int64_t> numbers;
  std::vector<int64_t> late_numbers;
  std::vector<int64_t> conditions;  // scratch for guards and assertions
  bool has_sizes = false;           // the tables above are valid for `symbols`

  uint32_t num_inputs;
  RunMemory memory;
};

}  // namespace opwright
