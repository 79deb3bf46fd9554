// Snapshots of arguments that a schema does not mark as written, taken before a call.
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
  // Copies the tensors on the CPU, except those that share memory with a written one.
  UnwrittenArguments(const Operator& op, Arguments args);

  [[nodiscard]] bool empty() const noexcept { return snapshots_.empty(); }
  // Describes the first changed element, with both values and what to declare.
  [[nodiscard]] std::optional<std::string> find_change() const;

  struct Snapshot {
    uint32_t argument;
    uint32_t position;  // among the tensors of the argument
    Tensor memory;      // its own view: keeps the elements if the call replaces the tensor
    Tensor copy;        // contiguous
  };

 private:
  const Operator& op_;
  std::vector<Snapshot> snapshots_;
};

}  // namespace opwright
