// One run of a program for C: memory of the caller in, tensors with memory of their own out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/host/call_spec.h"
#include "opwright/host/program_handle.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

// The inputs of a call, as values over the caller's memory.
class BorrowedInputs {
 public:
  // TypeError and ValueError that name the input.
  BorrowedInputs(const CallSpec& call, std::span<const OpwDlTensor> given);

  [[nodiscard]] std::span<const OpwValue> values() const noexcept { return values_; }
  // After the outputs were made independent. RuntimeError for an input that somebody still shows.
  void end();

 private:
  void add_tensor(size_t place, const OpwDlTensor& given);

  const CallSpec& call_;
  std::vector<OpwValue> values_;
  std::vector<std::optional<BorrowedMemory>> memory_;  // for each input; none for a number
};

// Undefined for an output that is neither a tensor nor a number.
[[nodiscard]] std::vector<Tensor> run_program(const OpwProgram& program,
                                              std::span<const OpwDlTensor> inputs);

}  // namespace opwright
