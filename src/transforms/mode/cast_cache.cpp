#include "opwright/transforms/mode/cast_cache.h"

#include "opwright/autograd/history.h"
#include "opwright/base/hash.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool is_cast(const Operator& op) {
  static const Operator& to_dtype = Registry::get().require("aten::to.dtype");
  return &op == &to_dtype;
}

bool is_kept(OpwTensor* tensor) {
  if (!(tensor->flags & kOpwFlagRequiresGrad)) return false;
  const BorrowedTensor borrowed(tensor);
  return is_leaf(borrowed);
}

}  // namespace

size_t CastCache::KeyHash::operator()(const Key& key) const noexcept {
  const auto kind = static_cast<uint64_t>(key.dtype) << 1 | static_cast<uint64_t>(key.is_recorded);
  const uint64_t leaf = hash_combine(kind, reinterpret_cast<uintptr_t>(key.leaf));
  return hash_combine(leaf, reinterpret_cast<uintptr_t>(key.level));
}

bool CastCache::process(const Operator& op, Arguments args, Results results) {
  if (!is_cast(op) || !is_kept(args[0].as_tensor)) return false;
  const Key key{.leaf = args[0].as_tensor,
                .level = thread_state().current,
                .dtype = ValueOf<DType>::read(args[1]),
                .is_recorded = thread_state().grad_is_enabled()};
  const Tensor leaf = Tensor::borrow(args[0].as_tensor);
  const uint64_t version = version_of(leaf);
  if (const auto found = casts_.find(key);
      found != casts_.end() && found->second.version == version) {
    results[0] = ValueOf<Tensor>::give(found->second.cast);
    return true;
  }
  call(op, args, results);
  casts_.insert_or_assign(key, Cast{.leaf = leaf,
                                    .level = IntrusivePtr<Interpreter>::share(key.level),
                                    .cast = Tensor::borrow(results[0].as_tensor),
                                    .version = version});
  return true;
}

}  // namespace opwright
