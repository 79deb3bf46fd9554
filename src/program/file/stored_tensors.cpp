#include "opwright/program/file/stored_tensors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_text.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

class Maker {
 public:
  Maker(const ProgramText& program, const StoredBytes& bytes)
      : program_(program), bytes_(bytes), storages_(program.blocks.size()) {}

  std::vector<Tensor> make();

 private:
  [[nodiscard]] std::string_view block_bytes(size_t index) const;
  void check_blocks() const;
  void check_extent(size_t number) const;
  void check_bools(size_t number) const;
  StoragePtr make_storage(size_t index, Device device) const;
  Tensor make_tensor(size_t number);

  const ProgramText& program_;
  const StoredBytes& bytes_;
  std::vector<StoragePtr> storages_;
};

std::string_view Maker::block_bytes(size_t index) const {
  const StoredBlock& block = program_.blocks[index];
  return bytes_.data.substr(block.offset, block.bytes);
}

void Maker::check_blocks() const {
  for (size_t i = 0; i < program_.blocks.size(); ++i) {
    const StoredBlock& block = program_.blocks[i];
    const uint64_t size = bytes_.data.size();
    OPWRIGHT_CHECK_VALUE(block.offset <= size && block.bytes <= size - block.offset, "block ", i,
                         " ends after the last of the ", size, " bytes of tensors");
    OPWRIGHT_CHECK_VALUE(!bytes_.is_checked || checksum(block_bytes(i)) == block.checksum,
                         "the file is damaged: the checksum of block ", i, " is wrong");
  }
}

void Maker::check_extent(size_t number) const {
  const StoredTensor& stored = program_.tensors[number];
  const TensorImpl& meta = impl(stored.meta);
  const StoredBlock& block = program_.blocks[stored.block];
  const auto extent = find_extent(meta.shape(), meta.strides());
  const bool is_known = extent && extent->lowest == 0 && meta.storage_offset >= 0;
  int64_t elements = 0;
  const bool is_sum =
      is_known && !__builtin_add_overflow(extent->length(), meta.storage_offset, &elements);
  const std::optional<int64_t> end =
      is_sum ? bytes_of(elements, item_size(meta.dtype())) : std::nullopt;
  OPWRIGHT_CHECK_VALUE(end && static_cast<uint64_t>(*end) <= block.bytes, "tensor ", number, ", ",
                       stored.meta, ", exceeds its block of ", block.bytes, " bytes");
}

// Other bytes are not valid C++ bools.
void Maker::check_bools(size_t number) const {
  const StoredTensor& stored = program_.tensors[number];
  if (stored.meta.dtype() != DType::Bool) return;
  const TensorImpl& meta = impl(stored.meta);
  const auto extent = find_extent(meta.shape(), meta.strides());
  const std::string_view reached =
      block_bytes(stored.block)
          .substr(static_cast<size_t>(meta.storage_offset), static_cast<size_t>(extent->length()));
  const bool has_other = std::ranges::any_of(reached, [](char byte) { return (byte & ~1) != 0; });
  OPWRIGHT_CHECK_VALUE(!has_other, "the file is damaged: tensor ", number,
                       ", of bools, has a byte that is neither 0 nor 1");
}

// For elements of every dtype. An archive of another program may place them anywhere.
bool is_aligned(std::string_view bytes) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignof(std::max_align_t) == 0;
}

void drop_mapping(void* mapping) { static_cast<MappedFile*>(mapping)->release(); }

StoragePtr Maker::make_storage(size_t index, Device device) const {
  const std::string_view bytes = block_bytes(index);
  if (bytes_.mapping && device == kCpu && !bytes.empty() && is_aligned(bytes)) {
    bytes_.mapping->add_ref();
    return adopt_storage(const_cast<char*>(bytes.data()), bytes.size(), kCpu, &drop_mapping,
                         bytes_.mapping.get());
  }
  OPWRIGHT_CHECK_VALUE(find_device_table(device.type), "the program has tensors on ",
                       device_text(device),
                       ", which is not available here; load a plug-in for it, or "
                       "export the program on the cpu");
  StoragePtr storage = allocate_storage(bytes.size(), device);
  if (!bytes.empty()) copy_bytes(storage->data, device, bytes.data(), kCpu, bytes.size());
  return storage;
}

Tensor Maker::make_tensor(size_t number) {
  check_extent(number);
  check_bools(number);
  const StoredTensor& stored = program_.tensors[number];
  const TensorImpl& meta = impl(stored.meta);
  StoragePtr& storage = storages_[stored.block];
  if (!storage) storage = make_storage(stored.block, meta.device());
  OPWRIGHT_CHECK_VALUE(storage->device == meta.device(), "the tensors of block ", stored.block,
                       " are on ", device_text(storage->device), " and ",
                       device_text(meta.device()));
  TensorImpl* made =
      new_impl(storage, meta.dtype(), meta.device(), device_bit(meta.device().type), meta.dl.ndim);
  Tensor tensor = Tensor::take(made);
  std::ranges::copy(meta.shape(), made->dl.shape);
  std::ranges::copy(meta.strides(), made->dl.strides);
  made->storage_offset = meta.storage_offset;
  made->dl.data = static_cast<char*>(storage->data) +
                  meta.storage_offset * static_cast<int64_t>(item_size(meta.dtype()));
  if (stored.meta.requires_grad()) set_requires_grad(tensor, true);
  return tensor;
}

std::vector<Tensor> Maker::make() {
  check_blocks();
  std::vector<Tensor> tensors;
  tensors.reserve(program_.tensors.size());
  for (size_t i = 0; i < program_.tensors.size(); ++i) tensors.push_back(make_tensor(i));
  return tensors;
}

}  // namespace

std::vector<Tensor> make_stored_tensors(const ProgramText& program, const StoredBytes& bytes) {
  return Maker(program, bytes).make();
}

}  // namespace opwright
