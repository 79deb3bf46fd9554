// vmap rules of copies and of tensors created like another one.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/memory_format.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {
namespace {

using OptionalDType = std::optional<DType>;
using OptionalLayout = std::optional<Layout>;
using OptionalDevice = std::optional<Device>;
using OptionalBool = std::optional<bool>;
using OptionalFormat = std::optional<MemoryFormat>;

// make(tensor, format) returns a tensor like its argument. With a format, each sample has it: the
// batch comes first, and channels last.
template <class Make>
VmapResult<Tensor> map_format(const VmapInfo& info, const Tensor& self,
                              const OptionalFormat& format, const Make& make) {
  const MemoryFormat wanted = format.value_or(MemoryFormat::Preserve);
  if (wanted == MemoryFormat::Preserve) return in_place_of_first(info, make(self, format));
  const Tensor batch = batch_first(info, 0, self);
  if (wanted == MemoryFormat::Contiguous) return batched(make(batch, wanted));
  const int64_t ndim = wanted == MemoryFormat::ChannelsLast ? 4 : 5;
  OPWRIGHT_CHECK_VALUE(batch.dim() - 1 == ndim, "a tensor in ", memory_format_name(wanted),
                       " must have ", ndim, " dimensions, got ", batch.dim() - 1);
  constexpr int64_t kChannels = 2;  // of a batch
  return batched(
      make(batch.movedim(kChannels, -1), MemoryFormat::Contiguous).movedim(-1, kChannels));
}

// The fill value per sample, with the batch dimension first.
Tensor fill_value(const VmapInfo& info, const Tensor& value, int64_t ndim) {
  const Tensor batch = batch_first(info, 1, value);
  const int64_t own = batch.dim() - (is_batched(info, 1) ? 1 : 0);
  OPWRIGHT_CHECK(own == 0, "fill: value must have zero dimensions, got ", own);
  return is_batched(info, 1) ? with_sample_ndim(batch, ndim) : batch;
}

// The source of a copy to a batch, broadcastable to samples of `ndim` dimensions.
Tensor copied_batch(const VmapInfo& info, const Tensor& src, int64_t ndim) {
  const Tensor batch = batch_first(info, 1, src);
  const int64_t own = batch.dim() - (is_batched(info, 1) ? 1 : 0);
  OPWRIGHT_CHECK_VALUE(own <= ndim, "copy_: a sample of src has ", own,
                       " dimensions, one of self has ", ndim, ", so it does not broadcast to it");
  return is_batched(info, 1) ? with_sample_ndim(batch, ndim) : batch;
}

}  // namespace

VmapResult<Tensor> clone_vmap(const VmapInfo& info, const Tensor& self,
                              const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format,
                    [](const Tensor& x, const OptionalFormat& format) { return x.clone(format); });
}
VmapResult<Tensor> to_copy_vmap(const VmapInfo& info, const Tensor& self,
                                const OptionalDType& dtype, const OptionalLayout& layout,
                                const OptionalDevice& device, const OptionalBool& pin_memory,
                                bool non_blocking, const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format, [&](const Tensor& x, const OptionalFormat& format) {
    return _to_copy(x, dtype, layout, device, pin_memory, non_blocking, format);
  });
}
VmapResult<Tensor> copy_vmap(const VmapInfo& info, const Tensor& self, const Tensor& src,
                             bool non_blocking) {
  const Tensor batch = as_batch(info, 0, self);
  return batched(copy(batch, copied_batch(info, src, batch.dim() - 1), non_blocking));
}
VmapResult<Tensor&> copy_in_place_vmap(const VmapInfo& info, Tensor& self, const Tensor& src,
                                       bool non_blocking) {
  Tensor batch = written_batch(info, 0, self);
  batch.copy_(copied_batch(info, src, batch.dim() - 1), non_blocking);
  return {self, {info.in_dims[0]}};
}

VmapResult<Tensor> fill_scalar_vmap(const VmapInfo& info, const Tensor& self, const Scalar& value) {
  return in_place_of_first(info, fill(self, value));
}
VmapResult<Tensor> fill_tensor_vmap(const VmapInfo& info, const Tensor& self, const Tensor& value) {
  const Tensor batch = as_batch(info, 0, self);
  return batched(copy(batch, fill_value(info, value, batch.dim() - 1)));
}
VmapResult<Tensor&> fill_scalar_in_place_vmap(const VmapInfo& info, Tensor& self,
                                              const Scalar& value) {
  self.fill_(value);
  return {self, {info.in_dims[0]}};
}
VmapResult<Tensor&> fill_tensor_in_place_vmap(const VmapInfo& info, Tensor& self,
                                              const Tensor& value) {
  Tensor batch = written_batch(info, 0, self);
  batch.copy_(fill_value(info, value, batch.dim() - 1));
  return {self, {info.in_dims[0]}};
}
VmapResult<Tensor> zero_vmap(const VmapInfo& info, const Tensor& self) {
  return in_place_of_first(info, zero(self));
}
VmapResult<Tensor&> zero_in_place_vmap(const VmapInfo& info, Tensor& self) {
  self.zero_();
  return {self, {info.in_dims[0]}};
}

// Every sample keeps its elements, in order.
VmapResult<Tensor&> resize_vmap(const VmapInfo& info, Tensor& self, std::span<const SymInt> size,
                                const OptionalFormat& memory_format) {
  const Tensor rows = as_rows(written_batch(info, 0, self)).clone();
  const auto place = static_cast<size_t>(*info.in_dims[0]);
  OPWRIGHT_CHECK(place <= size.size(), "resize_: under vmap self has its batch at dimension ",
                 place, ", which sizes ", to_text(size), " do not leave");
  SymSizes sizes(size);
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(place), info.batch_size);
  const bool is_contiguous = memory_format == MemoryFormat::Contiguous;
  self.resize_(sizes, is_contiguous ? memory_format : std::nullopt);
  const SymInt count = product(size);
  const Tensor grown = constant_pad_nd(rows, {0, sym_max(count - rows.sym_size(1), 0)});
  batch_first(info, 0, self)
      .copy_(slice(grown, 1, SymInt(0), count).reshape(with_batch(info.batch_size, size)));
  return {self, {info.in_dims[0]}};
}

// ---- tensors like another one ----
VmapResult<Tensor> empty_like_vmap(const VmapInfo& info, const Tensor& self,
                                   const OptionalDType& dtype, const OptionalLayout& layout,
                                   const OptionalDevice& device, const OptionalBool& pin_memory,
                                   const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format, [&](const Tensor& x, const OptionalFormat& format) {
    return empty_like(x, dtype, layout, device, pin_memory, format);
  });
}
VmapResult<Tensor> full_like_vmap(const VmapInfo& info, const Tensor& self,
                                  const Scalar& fill_value, const OptionalDType& dtype,
                                  const OptionalLayout& layout, const OptionalDevice& device,
                                  const OptionalBool& pin_memory,
                                  const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format, [&](const Tensor& x, const OptionalFormat& format) {
    return full_like(x, fill_value, dtype, layout, device, pin_memory, format);
  });
}
VmapResult<Tensor> zeros_like_vmap(const VmapInfo& info, const Tensor& self,
                                   const OptionalDType& dtype, const OptionalLayout& layout,
                                   const OptionalDevice& device, const OptionalBool& pin_memory,
                                   const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format, [&](const Tensor& x, const OptionalFormat& format) {
    return zeros_like(x, dtype, layout, device, pin_memory, format);
  });
}
VmapResult<Tensor> ones_like_vmap(const VmapInfo& info, const Tensor& self,
                                  const OptionalDType& dtype, const OptionalLayout& layout,
                                  const OptionalDevice& device, const OptionalBool& pin_memory,
                                  const OptionalFormat& memory_format) {
  return map_format(info, self, memory_format, [&](const Tensor& x, const OptionalFormat& format) {
    return ones_like(x, dtype, layout, device, pin_memory, format);
  });
}
VmapResult<Tensor> new_empty_vmap(const VmapInfo& info, const Tensor& self,
                                  std::span<const SymInt> size, const OptionalDType& dtype,
                                  const OptionalLayout& layout, const OptionalDevice& device,
                                  const OptionalBool& pin_memory) {
  return batched(
      self.new_empty(with_batch(info.batch_size, size), dtype, layout, device, pin_memory));
}
VmapResult<Tensor> new_empty_strided_vmap(const VmapInfo& info, const Tensor& self,
                                          std::span<const SymInt> size,
                                          std::span<const SymInt> stride,
                                          const OptionalDType& dtype, const OptionalLayout& layout,
                                          const OptionalDevice& device,
                                          const OptionalBool& pin_memory) {
  return batched(self.new_empty_strided(with_batch(info.batch_size, size),
                                        with_batch(extent_of(size, stride), stride), dtype, layout,
                                        device, pin_memory));
}
VmapResult<Tensor> new_full_vmap(const VmapInfo& info, const Tensor& self,
                                 std::span<const SymInt> size, const Scalar& fill_value,
                                 const OptionalDType& dtype, const OptionalLayout& layout,
                                 const OptionalDevice& device, const OptionalBool& pin_memory) {
  return batched(self.new_full(with_batch(info.batch_size, size), fill_value, dtype, layout, device,
                               pin_memory));
}
VmapResult<Tensor> new_zeros_vmap(const VmapInfo& info, const Tensor& self,
                                  std::span<const SymInt> size, const OptionalDType& dtype,
                                  const OptionalLayout& layout, const OptionalDevice& device,
                                  const OptionalBool& pin_memory) {
  return batched(
      self.new_zeros(with_batch(info.batch_size, size), dtype, layout, device, pin_memory));
}
VmapResult<Tensor> new_ones_vmap(const VmapInfo& info, const Tensor& self,
                                 std::span<const SymInt> size, const OptionalDType& dtype,
                                 const OptionalLayout& layout, const OptionalDevice& device,
                                 const OptionalBool& pin_memory) {
  return batched(
      self.new_ones(with_batch(info.batch_size, size), dtype, layout, device, pin_memory));
}

}  // namespace opwright
