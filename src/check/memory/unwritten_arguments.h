// Arguments that a schema does not mark as written, as they were before a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {

class UnwrittenArguments {
 public:
  // Copies the tensors on the CPU; one that shares memory with a written one is left out.
  UnwrittenArguments(const Operator& op, Arguments args);

  [[nodiscard]] bool empty() const noexcept { return snapshots_.empty(); }
  // The first element that is not as it was, with both values and what to declare.
  [[nodiscard]] std::optional<std::string> find_change() const;

  struct Snapshot {
    uint32_t argument;
    uint32_t position;  // among the tensors of the argument
    Tensor memory;  // a view of its own, so that the elements stay if the call replaces the tensor
    Tensor copy;    // contiguous
  };

 private:
  const Operator& op_;
  std::vector<Snapshot> snapshots_;
};

}  // namespace opwright
