// The functions that torch's dispatcher calls. They carry no data, so each operator and key takes
// one of a fixed number of them.
#pragma once

#include <string>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

inline constexpr size_t kNumThunks = 4096;

// The task of one of them.
struct ThunkSlot {
  TorchOperator* op = nullptr;
  Thunk thunk = Thunk::Kernel;
  std::string key;
};

// The function for that operator and key: its previous one, or a new one. RuntimeError if all are
// taken.
[[nodiscard]] StableKernel take_thunk(TorchOperator& op, Thunk thunk, const std::string& key);

}  // namespace opwright::torch_bridge
