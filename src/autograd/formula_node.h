// A node with a formula, which is also the formula's context: what it saves and queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/autograd/saved_hooks.h"
#include "opwright/autograd/tape.h"
#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/visibility.h"

namespace opwright {

// A tensor that a formula needs, with the version of its memory when it was saved.
struct OPWRIGHT_EXPORT SavedTensor {
  static constexpr uint32_t kNotAResult = UINT32_MAX;
  Tensor tensor;  // for a result: another object over its memory, to avoid owning its node
  uint64_t version = 0;
  uint32_t result_place = kNotAResult;  // which output of this node it is
  uint32_t argument = kNotAResult;      // which argument, for errors

  // What this thread's hooks return in place of the tensor, which is then undefined; null: no
  // hooks.
  [[nodiscard]] PackedTensorPtr pack();
  // With its history if grad mode is on; `node` is the one that saved it. Not for None.
  [[nodiscard]] Tensor unpack(TapeNode& node, PackedTensor* packed) &&;
};

class OPWRIGHT_EXPORT FormulaNode : public TapeNode {
 public:
  using TapeNode::TapeNode;
  [[nodiscard]] FormulaNode* formula() noexcept final { return this; }

  // Replaces what was saved before; a null is saved as null.
  virtual void save(std::span<OpwTensor* const> tensors) = 0;
  // Throws RuntimeError if they were freed by an earlier backward.
  [[nodiscard]] virtual size_t num_saved() const = 0;
  // Throws RuntimeError if it was written since, or freed by an earlier backward. Undefined: it was
  // saved so.
  [[nodiscard]] virtual Tensor saved(size_t index) = 0;
  // Passes undefined gradients instead of zeros if off.
  virtual void set_materialize(bool on) noexcept = 0;
  // While saving: marks results that carry no gradient.
  virtual void mark_non_differentiable(std::span<OpwTensor* const> results) = 0;
};

// The versions of the gradients passed to a formula: others may hold them, so it must not write
// them.
class OPWRIGHT_EXPORT GradientVersions {
 public:
  explicit GradientVersions(std::span<const Tensor> gradients) {
    for (const Tensor& gradient : gradients) {
      versions_.push_back(gradient.is_defined() ? version_of(gradient) : 0);
    }
  }
  // After the formula ran: throws RuntimeError if it wrote.
  void check(std::span<const Tensor> gradients, const TapeNode& node) const {
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_defined() && version_of(gradients[i]) != versions_[i]) [[unlikely]] {
        throw_written(node, i);
      }
    }
  }

 private:
  [[noreturn]] static void throw_written(const TapeNode& node, size_t index);

  SmallVector<uint64_t, 2> versions_;
};

}  // namespace opwright
