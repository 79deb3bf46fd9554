// The tape node that represents a run of a compiled function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/formula_node.h"
#include "opwright/autograd/saved_hooks.h"
#include "opwright/autograd/tape.h"
#include "opwright/compile/training/training_plan.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

inline constexpr const char* kCompiledFunction = "compiled function";  // in errors

// Its slots are the tangents of the joint graph, its edges lead to the targets.
class TrainingNode final : public TapeNode {
 public:
  TrainingNode(TrainingPlanPtr plan, TapeEdges&& edges);

  // Stores what the run saved, after it ended: `saved` from the forward, then the saved ints. The
  // slots exist by now.
  void save(std::span<const OpwValue> arguments, std::span<const OpwValue> saved,
            const Tensor& random_state);

  [[nodiscard]] std::string name() const override { return "compiled"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  void release_saved() noexcept override;
  void visit_owned(OwnedTensorVisitor& visitor) const override;

 private:
  // A value of the run, and what hooks store instead.
  struct Kept {
    SavedTensor saved;
    PackedTensorPtr packed;
    Value number;  // if it is not a tensor
  };
  struct Everything {
    std::vector<Kept> saved;
    std::vector<Kept> inputs;  // of the primal graph
    std::vector<Value> ints;
    bool is_released = false;
  };
  [[nodiscard]] static Kept keep(const OpwValue& value, uint32_t place);
  [[nodiscard]] Everything take_kept() const;
  [[nodiscard]] Value unpack(Kept kept, const std::string& name);
  // With create_graph: runs the function again, recorded.
  void apply_recorded(std::span<Tensor> gradients, std::span<Tensor> given);
  void apply_compiled(std::span<Tensor> gradients, std::span<Tensor> given);
  void fit_dtypes(std::span<Tensor> given) const;

  TrainingPlanPtr plan_;
  mutable std::mutex mutex_;  // a backward may free what one on another thread reads
  Everything kept_;           // protected by mutex_
};

}  // namespace opwright
