// Lets a program write to tensors that were saved for a backward: they are copied first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "opwright/autograd/saved_hooks.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/visibility.h"

namespace opwright {

// A mode that looks at every call that writes, and the hooks that keep saved tensors. For one
// thread; what it packed keeps it alive.
class OPWRIGHT_EXPORT SavedCopies final : public Mode,
                                          public SavedTensorHooks,
                                          public Counted<SavedCopies> {
 public:
  // A saved value: the tensor itself until it is written, then a copy.
  struct Entry : Counted<Entry> {
    ~Entry();
    IntrusivePtr<SavedCopies> owner;
    const Storage* storage = nullptr;  // an address; the tensor or another view owns it
    Tensor tensor;
    uint64_t version = 0;
    bool is_copy = false;
  };

  ~SavedCopies() override = default;

  bool process(const Operator& op, Arguments args, Results results) override;
  [[nodiscard]] PackedTensorPtr pack(const Tensor& tensor) override;

  // A backward may use what was packed until then.
  void close() noexcept { is_open_ = false; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  // How many values are saved, and how many of them were copied.
  [[nodiscard]] size_t num_saved() const;
  [[nodiscard]] size_t num_copies() const;

 private:
  void copy_before_write(OpwTensor* written);

  std::unordered_map<const Storage*, std::vector<Entry*>> entries_;
  bool is_open_ = true;
};

}  // namespace opwright
