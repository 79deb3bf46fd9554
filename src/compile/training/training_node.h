// The one node that stands for a run of a compiled function on the tape.
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

// Its places are the tangents of the joint graph, its edges lead to the targets.
class TrainingNode final : public TapeNode {
 public:
  TrainingNode(TrainingPlanPtr plan, TapeEdges&& edges);

  // What the run saved, after it ended: `saved` as the forward gave it, then the saved ints. Places
  // are there by now.
  void save(std::span<const OpwValue> arguments, std::span<const OpwValue> saved,
            const Tensor& random_state);

  [[nodiscard]] std::string name() const override { return "compiled"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  void release_saved() noexcept override;
  void visit_owned(OwnedTensorVisitor& visitor) const override;

 private:
  // A value of the run, and what hooks keep in its place.
  struct Kept {
    SavedTensor saved;
    PackedTensorPtr packed;
    Value number;  // where it is no tensor
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
  // With create_graph: by running the function again, recorded.
  void apply_recorded(std::span<Tensor> gradients, std::span<Tensor> given);
  void apply_compiled(std::span<Tensor> gradients, std::span<Tensor> given);

  TrainingPlanPtr plan_;
  mutable std::mutex mutex_;  // a backward on one thread may free what one on another reads
  Everything kept_;           // under it
};

}  // namespace opwright
