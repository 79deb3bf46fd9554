#include "opwright/transforms/trace/fake.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

// The strides of `real` for possibly symbolic sizes: products of sizes if they equal such products
// in this run, as for dense memory in any order; plain numbers otherwise.
SymSizes derive_strides(const Geometry& real, const SymSizes& sizes) {
  std::vector<size_t> inner_first(real.sizes.size());
  std::iota(inner_first.begin(), inner_first.end(), size_t{0});
  std::ranges::sort(inner_first, [&](size_t a, size_t b) {
    return real.strides[a] != real.strides[b] ? real.strides[a] < real.strides[b] : a > b;
  });
  SymSizes strides(real.strides.begin(), real.strides.end());
  SymInt dense = 1;
  int64_t dense_hint = 1;
  for (const size_t dim : inner_first) {
    if (real.strides[dim] != dense_hint) continue;
    strides[dim] = dense;
    dense = dense * sym_max(sizes[dim], 1);
    dense_hint *= std::max<int64_t>(real.sizes[dim], 1);
  }
  return strides;
}

bool has_symbols(const SymSizes& sizes) {
  return std::ranges::any_of(sizes, [](const SymInt& size) { return size.is_symbolic(); });
}

Tensor make_fake_twin(const TensorImpl& real, StoragePtr storage, const SymSizes& sizes,
                      const SymSizes& strides) {
  constexpr uint32_t kKeptFlags = kOpwDeviceBits | kOpwFlagReadOnly | kOpwFlagRequiresGrad;
  TensorImpl* twin = new_impl(std::move(storage), real.dtype(), real.device(),
                              (real.flags & kKeptFlags) | kOpwFlagFake, 0);
  Tensor owner = Tensor::take(twin);
  set_symbolic_shape(*twin, sizes, strides, real.storage_offset);
  return owner;
}

StoragePtr fake_storage_of(const Storage& real, bool has_unknown_size) {
  StoragePtr fake = make_fake_storage(has_unknown_size ? kUnknownBytes : real.nbytes, real.device);
  fake->version.store(real.current_version(), std::memory_order_relaxed);
  return fake;
}

}  // namespace

FakeMode::FakeMode(ShapeEnvPtr shape_env, RealInputs real_inputs, Numbers numbers)
    : Interpreter(nullptr),
      shape_env_(std::move(shape_env)),
      real_inputs_(real_inputs),
      numbers_(numbers) {}

const char* FakeMode::advice() const {
  return "A fake tensor has no data, but goes on to work outside of its mode.";
}

bool FakeMode::keeps_whole(const Operator& op) const {
  return op.record(Slot::Fake) != op.record(Slot::ImplicitComposite);
}

void FakeMode::process(const Operator& op, Arguments args, Results results) {
  bool has_real = false;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (tensor->flags & kOpwFlagFake) [[likely]]
      return;
    if (real_inputs_ == RealInputs::Refused) throw_real_in_fake_mode(op, index, tensor);
    has_real = true;
  });
  if (!has_real) [[likely]]
    return process_fakes(op, args, results);
  const ReplacedArguments fakes(args, [&](OpwTensor* tensor) {
    return from_tensor(Tensor::borrow(tensor)).get();  // the mode keeps it
  });
  process_fakes(op, fakes.get(), results);
}

void FakeMode::process_fakes(const Operator& op, Arguments args, Results results) {
  const uint32_t flags = op.merged_tensor_flags(args);
  if (flags & kOpwDeviceBits) (void)select_slot(op, args, flags);  // rejects two devices
  const ParentScope parent(*this);
  const ShapeEnvScope scope(shape_env_.get());
  run_fake(op, args, results);
  if (op.tags().has(Tag::DynamicOutputShape)) [[unlikely]]
    dynamic_calls_.relate(op, args, results, *shape_env_);
}

SymSizes FakeMode::make_sizes(const Tensor& real, std::span<const int64_t> dynamic_dims,
                              const std::string& source) {
  SymSizes sizes(real.sizes().begin(), real.sizes().end());
  const std::string who = source.empty() ? "tensor" : source;
  for (const int64_t given : dynamic_dims) {
    const size_t dim = wrap_dim(given, sizes.size(), "from_tensor");
    if (sizes[dim].is_symbolic()) continue;
    sizes[dim] = shape_env_->make_size(sizes[dim].word(), concatenate(who, ".size(", dim, ")"));
  }
  return sizes;
}

StoragePtr FakeMode::storage_twin(Storage& real, bool has_unknown_size) {
  StorageTwin& twin = storages_[&real];
  if (!twin.fake) {
    twin = {.real = StoragePtr::share(&real), .fake = fake_storage_of(real, has_unknown_size)};
  } else if (has_unknown_size) {
    twin.fake->nbytes = kUnknownBytes;
  }
  return twin.fake;
}

Tensor FakeMode::from_tensor(const Tensor& real, Sizes sizes, const std::string& source) {
  std::vector<int64_t> dims;
  if (sizes == Sizes::Dynamic) {
    for (int64_t i = 0; i < real.dim(); ++i) dims.push_back(i);
  }
  return from_tensor(real, dims, source);
}

Tensor FakeMode::from_tensor(const Tensor& real, std::span<const int64_t> dynamic_dims,
                             const std::string& source) {
  const TensorImpl& self = impl(real);
  if (self.flags & kOpwFlagFake) return real;
  if (self.is_wrapper()) return fake_of(real);  // with the sizes that its transform shows
  if (const auto found = twins_.find(real.get()); found != twins_.end()) return found->second.fake;
  const SymSizes sizes = make_sizes(real, dynamic_dims, source);
  const SymSizes strides = derive_strides(geometry_of(real), sizes);
  Tensor fake =
      make_fake_twin(self, storage_twin(*self.storage, has_symbols(sizes)), sizes, strides);
  copy_gradient_dtype(real, fake);
  twins_.emplace(real.get(), Twin{.real = real, .fake = fake});
  return fake;
}

Tensor FakeMode::make_apart(const Tensor& real, std::span<const SymInt> sizes) {
  const TensorImpl& self = impl(real);
  const SymSizes given(sizes.begin(), sizes.end());
  return make_fake_twin(self, fake_storage_of(*self.storage, has_symbols(given)), given,
                        derive_strides(geometry_of(real), given));
}

bool is_making_fakes() noexcept {
  if (thread_state().makes_fakes()) return true;
  for (const Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (dynamic_cast<const Trace*>(level)) return false;
    if (dynamic_cast<const FakeMode*>(level)) return true;
  }
  return false;
}

Tensor fake_of(const Tensor& shown) {
  const SymGeometry geometry = sym_geometry_of(shown);
  return make_fake(geometry.sizes, geometry.strides, geometry.offset, shown.dtype(),
                   shown.device());
}

Tensor fake_copy_of(const Tensor& real) {
  const TensorImpl& self = impl(real);
  const Geometry geometry = geometry_of(real);
  const SymSizes sizes(geometry.sizes.begin(), geometry.sizes.end());
  const SymSizes strides(geometry.strides.begin(), geometry.strides.end());
  return make_fake_twin(self, fake_storage_of(*self.storage, false), sizes, strides);
}

}  // namespace opwright
