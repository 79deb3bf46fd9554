// The part shared by all runs of a trained function: its compiled forward and backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/compile/training/joint_graph.h"
#include "opwright/compile/training/partition.h"
#include "opwright/compile/training/primal_graph.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"

namespace opwright {

class TrainingPlan : public Counted<TrainingPlan> {
 public:
  TrainingPlan(JointGraph joint, Backend backend);

  [[nodiscard]] const JointGraph& joint() const noexcept { return joint_; }
  [[nodiscard]] const Partition& parts() const noexcept { return parts_; }
  [[nodiscard]] const PrimalGraph& primal() const noexcept { return primal_; }
  // For each input of the primal graph, which saved value it is; SavedValue::kNone if none.
  [[nodiscard]] std::span<const uint32_t> saved_inputs() const noexcept { return saved_inputs_; }
  [[nodiscard]] const Executable& forward() const noexcept { return *forward_; }
  [[nodiscard]] size_t num_forward_outputs() const noexcept { return num_forward_outputs_; }

  // The backward for the tangents that exist, compiled at the first request. Thread-safe.
  struct Backward {
    GraphPtr graph;
    ExecutablePtr executable;
  };
  [[nodiscard]] Backward backward(const std::vector<bool>& is_there) const;
  // The gradient in the layout that the backward was compiled for; dense gradients stay dense.
  [[nodiscard]] Tensor lay_out(size_t tangent, const Tensor& gradient) const;

  // An input of the joint graph in a run; undefined if it is not a tensor.
  [[nodiscard]] Tensor input(uint32_t index, std::span<const OpwValue> arguments) const;
  // The same for an int input.
  [[nodiscard]] Value number(uint32_t index, std::span<const OpwValue> arguments) const;
  // Inputs that did not require grad when the function was traced.
  [[nodiscard]] std::span<const uint32_t> untracked() const noexcept { return untracked_; }
  // Whether the input has role RandomState.
  [[nodiscard]] bool is_random_state(uint32_t index) const { return inputs_[index].is_state; }

 private:
  void find_inputs();
  void find_layouts();
  struct Input {
    uint32_t argument = UINT32_MAX;  // which argument it is
    Tensor bound;
    bool is_state = false;
  };

  JointGraph joint_;
  Backend backend_;
  Partition parts_;
  PrimalGraph primal_;
  ExecutablePtr forward_;
  size_t num_forward_outputs_ = 0;
  std::vector<Input> inputs_;
  std::vector<uint32_t> untracked_;
  std::vector<uint32_t> saved_inputs_;
  // For a tangent: its geometry or, with symbolic sizes, only whether it is contiguous.
  struct Layout {
    Geometry geometry;
    bool is_symbolic = false;
    bool is_contiguous = true;
  };
  std::vector<Layout> layouts_;
  mutable std::mutex mutex_;  // protects backwards_
  mutable std::vector<std::pair<std::vector<bool>, Backward>> backwards_;
};
using TrainingPlanPtr = IntrusivePtr<const TrainingPlan>;

}  // namespace opwright
