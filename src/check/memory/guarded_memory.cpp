#include "opwright/check/memory/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/scalar.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr size_t kProtectedBytes = size_t{1} << 20;  // uses address space only
constexpr size_t kLeastGuards = 1024;

struct Mapping {
  void* begin;
  size_t bytes;

  static void unmap(void* context) {
    const std::unique_ptr<Mapping> mapping(static_cast<Mapping*>(context));
    munmap(mapping->begin, mapping->bytes);
  }
};

struct Pages {
  std::byte* begin;
  std::byte* end;
  std::unique_ptr<Mapping> mapping;
};

constexpr size_t round_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

// Pages for at least `bytes` bytes, between protected ones.
Pages map_pages(size_t bytes) {
  const size_t open = round_up(bytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  const size_t length = open + 2 * kProtectedBytes;
  void* mapped =
      mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw_error("MemoryError", "cannot map ", length, " bytes with guards");
  auto* begin = static_cast<std::byte*>(mapped) + kProtectedBytes;
  auto mapping = std::make_unique<Mapping>(mapped, length);
  if (mprotect(begin, open, PROT_READ | PROT_WRITE) != 0) {
    Mapping::unmap(mapping.release());
    throw_error("MemoryError", "cannot open ", open, " bytes between guards");
  }
  return {begin, begin + open, std::move(mapping)};
}

// All differ in sign or magnitude, so that sums, squares, maxima and minima distinguish them.
Scalar number_of(GuardPattern pattern, DType dtype) {
  if (dtype == DType::Bool) return pattern != GuardPattern::Low;
  if (is_integral(dtype)) {
    // Small, so that it is usable as an index.
    const bool has_sign = dtype_code(dtype) == kOpwDtypeInt;
    if (pattern == GuardPattern::Spreading) return 99;
    return pattern == GuardPattern::High ? 1 : (has_sign ? -1 : 0);
  }
  if (pattern == GuardPattern::Spreading) return std::numeric_limits<double>::quiet_NaN();
  const bool is_high = pattern == GuardPattern::High;
  if (item_size(dtype) == 1) return is_high ? 96.0 : -40.0;
  if (item_size(dtype) == 2) return is_high ? 1234.0 : -567.0;
  return is_high ? 1.5e10 : -3e9;
}

std::vector<std::byte> bytes_of_number(GuardPattern pattern, DType dtype) {
  const Tensor number = make_scalar_tensor(number_of(pattern, dtype), dtype);
  std::vector<std::byte> bytes(item_size(dtype));
  std::memcpy(bytes.data(), number.data(), bytes.size());
  return bytes;
}

// Calls visit(offset in the storage, length), in bytes, for ranges that cover every element.
template <class Visit>
void visit_elements(const TensorImpl& tensor, size_t dim, int64_t offset, const Visit& visit) {
  const auto item = static_cast<int64_t>(item_size(tensor.dtype()));
  const auto sizes = tensor.shape();
  if (dim == sizes.size()) return visit(offset, item);
  const int64_t stride = tensor.strides()[dim] * item;
  if (dim + 1 == sizes.size() && stride == item && sizes[dim] > 0)
    return visit(offset, item * sizes[dim]);
  for (int64_t i = 0; i < sizes[dim]; ++i)
    visit_elements(tensor, dim + 1, offset + i * stride, visit);
}

// Of the first element, from the start of the storage.
int64_t offset_in_bytes(const TensorImpl& tensor) {
  return static_cast<const std::byte*>(tensor.dl.data) -
         static_cast<const std::byte*>(tensor.storage->data);
}

Tensor on_storage(StoragePtr storage, const TensorImpl& like) {
  auto* begin = static_cast<std::byte*>(storage->data);
  TensorImpl* made = new_impl(std::move(storage), like.dtype(), like.device(),
                              like.flags & ~(kAutogradFlags | kOpwFlagInference), like.dl.ndim);
  std::ranges::copy(like.shape(), made->dl.shape);
  std::ranges::copy(like.strides(), made->dl.strides);
  made->storage_offset = like.storage_offset;
  made->dl.data = begin + offset_in_bytes(like);
  return Tensor::take(made);
}

}  // namespace

const char* text_of(GuardZone zone) {
  switch (zone) {
    case GuardZone::Before:
      return "before the first element";
    case GuardZone::Between:
      return "between the elements";
    case GuardZone::After:
      break;
  }
  return "after the last element";
}

GuardedMemory::GuardedMemory(std::span<const Tensor> tensors, const GuardPatterns& patterns,
                             ProtectedEnd end) {
  const TensorImpl& first = impl(tensors.front());
  const Storage& source = *first.storage;
  size_t alignment = 1;
  for (const Tensor& tensor : tensors) alignment = std::max(alignment, item_size(tensor.dtype()));
  const size_t held = round_up(source.nbytes, alignment);
  Pages pages = map_pages(held + kLeastGuards);
  guards_begin_ = pages.begin;
  guards_end_ = pages.end;
  data_ = end == ProtectedEnd::Last ? guards_end_ - held : guards_begin_;
  storage_ =
      adopt_storage(data_, source.nbytes, source.device, &Mapping::unmap, pages.mapping.release());
  storage_->is_read_only = source.is_read_only;
  if (source.nbytes > 0) std::memcpy(data_, source.data, source.nbytes);
  is_element_.resize(source.nbytes);
  for (const Tensor& tensor : tensors) {
    mark_elements(impl(tensor));
    tensors_.push_back(on_storage(storage_, impl(tensor)));
  }
  for (size_t zone = 0; zone < kGuardZones; ++zone)
    numbers_[zone] = bytes_of_number(patterns.of_zone[zone], first.dtype());
  visit_guards([&](ptrdiff_t position, std::byte wanted) { data_[position] = wanted; });
}

void GuardedMemory::mark_elements(const TensorImpl& tensor) {
  visit_elements(tensor, 0, offset_in_bytes(tensor), [&](int64_t begin, int64_t bytes) {
    std::fill_n(is_element_.begin() + begin, bytes, true);
    first_ = last_ == 0 ? begin : std::min(first_, begin);
    last_ = std::max(last_, begin + bytes);
  });
}

// Calls visit(position from the start of the storage, the expected byte).
template <class Visit>
void GuardedMemory::visit_guards(const Visit& visit) const {
  const auto nbytes = static_cast<ptrdiff_t>(is_element_.size());
  for (ptrdiff_t position = guards_begin_ - data_; position < guards_end_ - data_; ++position) {
    if (position >= 0 && position < nbytes && is_element_[static_cast<size_t>(position)]) continue;
    const std::vector<std::byte>& number = numbers_[static_cast<size_t>(place_of(position).zone)];
    const auto item = static_cast<ptrdiff_t>(number.size());
    visit(position, number[static_cast<size_t>((position % item + item) % item)]);
  }
}

GuardedMemory::Place GuardedMemory::place_of(ptrdiff_t position) const noexcept {
  if (position < first_) return {GuardZone::Before, static_cast<size_t>(first_ - position - 1)};
  if (position >= last_) return {GuardZone::After, static_cast<size_t>(position - last_)};
  return {GuardZone::Between, 0};
}

std::optional<GuardedMemory::Damage> GuardedMemory::find_damage() const {
  // An argument that the call resized has elements where it had none.
  std::vector<bool> is_own = is_element_;
  for (const Tensor& tensor : tensors_) {
    if (impl(tensor).storage != storage_.get()) continue;
    visit_elements(impl(tensor), 0, offset_in_bytes(impl(tensor)),
                   [&](int64_t begin, int64_t bytes) {
                     const auto held = static_cast<int64_t>(is_own.size());
                     std::fill(is_own.begin() + std::min(begin, held),
                               is_own.begin() + std::min(begin + bytes, held), true);
                   });
  }
  std::optional<Damage> damage;
  visit_guards([&](ptrdiff_t position, std::byte wanted) {
    if (data_[position] == wanted) return;
    if (position >= 0 && static_cast<size_t>(position) < is_own.size() &&
        is_own[static_cast<size_t>(position)])
      return;
    const Place place = place_of(position);
    if (!damage) damage = Damage{.nearest = place, .bytes = 0};
    if (place.zone == damage->nearest.zone)
      damage->nearest.distance = std::min(damage->nearest.distance, place.distance);
    ++damage->bytes;
  });
  return damage;
}

std::optional<GuardedMemory::Place> GuardedMemory::find_protected(
    const void* address) const noexcept {
  const auto* byte = static_cast<const std::byte*>(address);
  const bool is_before = byte >= guards_begin_ - kProtectedBytes && byte < guards_begin_;
  const bool is_after = byte >= guards_end_ && byte < guards_end_ + kProtectedBytes;
  if (!is_before && !is_after) return std::nullopt;
  return place_of(byte - data_);
}

}  // namespace opwright
