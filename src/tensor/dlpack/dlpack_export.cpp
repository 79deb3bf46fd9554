#include <memory>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// The struct and the data it points to. It keeps the storage alive, not the tensor, whose contents
// may be replaced.
template <class Managed>
struct Exported : Managed {
  StoragePtr storage;
  Sizes dims;  // shape, then strides
};

void check_can_export(const TensorImpl& tensor) {
  const auto require = [](bool holds, const char* problem) {
    OPWRIGHT_CHECK_KIND("BufferError", holds, "to_dlpack: ", problem);
  };
  require(!tensor.is_wrapper(),
          "a tensor inside a transform has no memory of its own to export; export its result");
  require(!(tensor.flags & kOpwFlagSymbolic),
          "a tensor with symbolic sizes has no memory to export");
  require(!(tensor.flags & kOpwFlagFake), "a fake tensor has no memory to export");
  require(!(tensor.flags & kOpwFlagRequiresGrad),
          "a tensor that requires grad cannot be exported, since gradients would not follow; "
          "detach it first");
}

// Makes the consumer's stream wait for the work that this thread has queued.
void order_streams(Device device, const DlExport& options) {
  if (!options.stream || !has_streams(device)) return;
  OpwStream* mine = current_device_stream(device);
  if (*options.stream != mine) Event::record(device, mine).make_wait(device, *options.stream);
}

template <class Managed>
Exported<Managed>* export_memory(const Tensor& tensor, const DlExport& options) {
  const TensorImpl& self = impl(tensor);
  order_streams(self.device(), options);
  auto exported = std::make_unique<Exported<Managed>>();
  exported->storage = StoragePtr::share(self.storage);
  exported->dims.append(self.shape().begin(), self.shape().end());
  exported->dims.append(self.strides().begin(), self.strides().end());
  exported->dl_tensor = self.dl;
  exported->dl_tensor.shape = exported->dims.data();
  exported->dl_tensor.strides = exported->dims.data() + self.dl.ndim;
  exported->manager_ctx = exported.get();
  exported->deleter = [](Managed* managed) { delete static_cast<Exported<Managed>*>(managed); };
  return exported.release();
}

}  // namespace

DlManagedTensor* to_dlpack(const Tensor& tensor, const DlExport& options) {
  check_can_export(impl(tensor));
  OPWRIGHT_CHECK_KIND(
      "BufferError", !(impl(tensor).flags & kOpwFlagReadOnly),
      "to_dlpack: read-only memory can only be exported to consumers of DLPack 1.0 or newer "
      "(max_version=(1, 0)); clone the tensor for others");
  return export_memory<DlManagedTensor>(tensor, options);
}

DlManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor, const DlExport& options) {
  check_can_export(impl(tensor));
  auto* exported = export_memory<DlManagedTensorVersioned>(tensor, options);
  exported->version = kDlVersion;
  exported->flags = ((impl(tensor).flags & kOpwFlagReadOnly) ? kDlFlagReadOnly : 0) |
                    (options.is_copied ? kDlFlagIsCopied : 0);
  return exported;
}

}  // namespace opwright
