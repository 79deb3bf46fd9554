// Tensors over the dense memory of a foreign host: Views that live for one call.
//
// A kernel reads their memory in place. Copying a handle copies the memory, since the host's memory
// ends with the call; a written argument is itself while the call lasts. Lent ones are not Views
// but counted like other tensors, see lent_tensors.h. Operators of the core get one of their own
// tensors over the same memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tensor.h"

namespace opwright::bridges {

class ViewTensor : public OpwTensor {
 public:
  enum class Use : uint8_t { Read, Written, Lent, LentReadOnly };
  // Row-major; `sizes` must live as long as the view.
  ViewTensor(void* data, DType dtype, std::span<const int64_t> sizes, Use use);
  ViewTensor(const ViewTensor&) = delete;
  ViewTensor& operator=(const ViewTensor&) = delete;

  // Over the same memory; created on first use. Any thread of the call.
  [[nodiscard]] const Tensor& in_core();
  // Ends the call. False if the memory is still in use.
  [[nodiscard]] bool end() noexcept { return !memory_ || memory_->end(); }

  // For a lent one: whether a handle exists. If so it is never freed, and reading it raises.
  [[nodiscard]] bool is_held() const noexcept {
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE) != 0;
  }
  void forbid_reading() noexcept { flags |= kOpwFlagStale; }

  // Null for a tensor of another kind. RuntimeError for one that must no longer be read.
  [[nodiscard]] static ViewTensor* from(OpwTensor* tensor);

 private:
  static const OpwTensorTable kTable;
  static const OpwTensorTable kLentTable;
  static OpwTensor* promote(OpwTensor* tensor);

  [[nodiscard]] bool is_writable() const { return use_ == Use::Written || use_ == Use::Lent; }

  static constexpr size_t kUsualRank = 8;

  Use use_;
  std::array<int64_t, kUsualRank> strides_;  // NOLINT: as many as the rank are set
  std::vector<int64_t> more_strides_;        // instead of strides_, for a higher rank
  std::mutex mutex_;
  std::unique_ptr<BorrowedMemory> memory_;
};

}  // namespace opwright::bridges
