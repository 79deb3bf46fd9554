// Tensors over XLA's buffers: Views that stand in the frame of one call.
//
// A kernel reads their memory in place. Copying a handle copies the memory, since XLA's ends with
// the call; a written argument is itself, for as long as the call lasts. Operators of the core get
// a tensor of theirs over the same memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bridges/jax/xla_ffi.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {

// TypeError for one that no tensor can have.
[[nodiscard]] DType read_dtype(XlaDType dtype);

class XlaTensor : public OpwTensor {
 public:
  enum class Use : uint8_t { Read, Written };
  XlaTensor(const XlaBuffer& buffer, Use use);
  XlaTensor(const XlaTensor&) = delete;
  XlaTensor& operator=(const XlaTensor&) = delete;

  // Over the same memory; made when it is first asked for. Any thread of the call.
  [[nodiscard]] const Tensor& in_core();
  // The call is over. False when somebody still shows the memory.
  [[nodiscard]] bool end() noexcept { return !memory_ || memory_->end(); }

  // Null for a tensor that is no View of this kind.
  [[nodiscard]] static XlaTensor* from(OpwTensor* tensor);

 private:
  static const OpwTensorTable kTable;
  static OpwTensor* promote(OpwTensor* tensor);

  static constexpr size_t kUsualRank = 8;

  Use use_;
  std::array<int64_t, kUsualRank> strides_{};
  std::vector<int64_t> more_strides_;  // in place of strides_, of a higher rank
  std::mutex mutex_;
  std::unique_ptr<BorrowedMemory> memory_;
};

}  // namespace opwright::jax_bridge
