// Core tensors over the memory of another host.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

// Held by the borrower and by the storage; the last one frees it.
struct BorrowedMemory::Lease {
  std::atomic<uint32_t> holders{2};

  void leave() noexcept {
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

BorrowedMemory::BorrowedMemory(const OpwDlTensor& shown, Access access) : lease_(new Lease) {
  const auto ndim = static_cast<size_t>(shown.ndim);
  try {
    tensor_ = make_from_memory(
        static_cast<char*>(shown.data) + shown.byte_offset, std::span(shown.shape, ndim),
        std::span(shown.strides, ndim), from_dlpack(shown.dtype), shown.device,
        [](void* lease) { static_cast<Lease*>(lease)->leave(); }, lease_);
  } catch (...) {
    lease_->leave();
    throw;
  }
  if (access == Access::ReadOnly) {
    impl(tensor_).storage->is_read_only = true;
    impl(tensor_).flags |= kOpwFlagReadOnly;
  }
}

BorrowedMemory::~BorrowedMemory() { (void)end(); }

bool BorrowedMemory::end() noexcept {
  if (!lease_) return true;
  tensor_ = Tensor();
  const bool is_free = lease_->holders.load(std::memory_order_acquire) == 1;
  lease_->leave();
  lease_ = nullptr;
  return is_free;
}

}  // namespace opwright
