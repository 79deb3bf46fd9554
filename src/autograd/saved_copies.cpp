#include "opwright/autograd/saved_copies.h"

#include <bit>
#include <utility>

#include "opwright/base/thread_state.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

struct PackedEntry final : PackedTensor {
  explicit PackedEntry(IntrusivePtr<SavedCopies::Entry> packed) : entry(std::move(packed)) {}

  Tensor unpack() override {
    OPWRIGHT_CHECK_KIND("AssertionError", entry->owner->is_open(),
                        "Trying to backward outside of the 'allow_mutation_on_saved_tensors' "
                        "context in which the graph was originally recorded.");
    return entry->tensor;
  }

  IntrusivePtr<SavedCopies::Entry> entry;
};

bool shows_the_same(const Tensor& a, const Tensor& b) {
  if (impl(a).level != impl(b).level || a.dtype() != b.dtype()) return false;
  if (a.is_symbolic() || b.is_symbolic() || impl(a).is_wrapper()) return a.get() == b.get();
  const Geometry of_a = geometry_of(a);
  const Geometry of_b = geometry_of(b);
  return of_a.sizes == of_b.sizes && of_a.strides == of_b.strides && of_a.offset == of_b.offset;
}

}  // namespace

SavedCopies::Entry::~Entry() {
  const auto found = owner->entries_.find(storage);
  if (found == owner->entries_.end()) return;
  std::erase(found->second, this);
  if (found->second.empty()) owner->entries_.erase(found);
}

PackedTensorPtr SavedCopies::pack(const Tensor& tensor) {
  const Storage& storage = storage_of(impl(tensor));
  const uint64_t version = storage.current_version();
  std::vector<Entry*>& entries = entries_[&storage];
  for (Entry* each : entries) {
    if (each->is_copy || each->version != version || !shows_the_same(each->tensor, tensor)) {
      continue;
    }
    return make_intrusive<PackedEntry>(IntrusivePtr<Entry>::share(each));
  }
  auto entry = make_intrusive<Entry>();
  entry->owner = IntrusivePtr<SavedCopies>::share(this);
  entry->storage = &storage;
  entry->tensor = tensor;
  entry->version = version;
  entries.push_back(entry.get());
  return make_intrusive<PackedEntry>(std::move(entry));
}

void SavedCopies::copy_before_write(OpwTensor* written) {
  const Storage& storage = storage_of(impl(written));
  const auto found = entries_.find(&storage);
  if (found == entries_.end()) return;
  const AttentionScope grad_off(kAttentionGradOff, true);
  for (Entry* each : found->second) {
    if (each->is_copy || each->version != storage.current_version()) continue;
    each->tensor = each->tensor.clone();
    each->is_copy = true;
  }
}

bool SavedCopies::process(const Operator& op, Arguments args, Results /*results*/) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))],
                  [&](OpwTensor* written) { copy_before_write(written); });
  }
  return false;
}

size_t SavedCopies::num_saved() const {
  size_t count = 0;
  for (const auto& [storage, entries] : entries_) count += entries.size();
  return count;
}

size_t SavedCopies::num_copies() const {
  size_t count = 0;
  for (const auto& [storage, entries] : entries_) {
    for (const Entry* each : entries) count += each->is_copy ? 1 : 0;
  }
  return count;
}

}  // namespace opwright
