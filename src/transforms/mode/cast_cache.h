// Caches casts of weights while autocast is on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// While it is the innermost mode, `to` on a leaf that requires grad returns the previous cast,
// unless the leaf was written since.
class OPWRIGHT_EXPORT CastCache final : public Mode {
 public:
  bool process(const Operator& op, Arguments args, Results results) override;
  void clear() { casts_.clear(); }

 private:
  // A cast belongs to the transform under which it was made, and is recorded or not.
  struct Key {
    const OpwTensor* leaf;
    Interpreter* level;
    DType dtype;
    bool is_recorded;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept;
  };
  struct Cast {
    Tensor leaf;  // with the level, keeps the addresses in the key valid
    IntrusivePtr<Interpreter> level;
    Tensor cast;
    uint64_t version;
  };
  std::unordered_map<Key, Cast, KeyHash> casts_;
};

}  // namespace opwright
