// The node of one call of a Python autograd.Function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/autograd/formula_node.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/tensor.h"

namespace opwright::python {

// The node's Python object holds the class, whose `backward` is the formula.
class PythonFunctionNode final : public FormulaNode {
 public:
  // `inputs` are all arguments; undefined means not a tensor.
  PythonFunctionNode(std::string name, std::vector<Tensor> inputs);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string backward_name() const override { return name_ + "Backward"; }
  [[nodiscard]] std::string line_text() const override;
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  void release_saved() noexcept override;
  void visit_owned(OwnedTensorVisitor& visitor) const override;

  void save(std::span<OpwTensor* const> tensors) override;
  [[nodiscard]] size_t num_saved() const override;
  [[nodiscard]] Tensor saved(size_t index) override;
  void set_materialize(bool on) noexcept override { materializes_ = on; }
  void mark_non_differentiable(std::span<OpwTensor* const> results) override;
  void mark_dirty(std::span<OpwTensor* const> inputs);

  // After the forward: the outputs as the caller gets them, with their history; undefined means not
  // a tensor.
  void finish(std::span<Tensor> outputs);
  [[nodiscard]] bool is_recorded() const noexcept { return is_recorded_; }

 private:
  // While the forward runs.
  struct Call {
    std::vector<Tensor> inputs;
    std::vector<uint64_t> versions;  // of the inputs, before the call
    std::vector<Tensor> saved;
    std::vector<Tensor> dirty;
    std::vector<Tensor> non_differentiable;
  };
  [[nodiscard]] static TapeEdges find_edges(std::span<const Tensor> inputs);
  [[nodiscard]] Tensor attach(Tensor output, uint32_t place);
  [[nodiscard]] SavedTensor make_saved(const Tensor& tensor, std::span<const Tensor> outputs) const;
  [[nodiscard]] nanobind::object call_formula(PyObject* context, std::span<Tensor> gradients);
  void check_not_released() const;

  std::string name_;
  SourceSite line_;
  SmallVector<SavedTensor, 2> saved_;
  std::vector<PackedTensorPtr> packed_;  // null: use saved_
  std::vector<bool> output_is_tensor_;
  std::vector<bool> input_is_tensor_;
  std::unique_ptr<Call> call_;
  bool is_recorded_ = false;
  bool materializes_ = true;
  bool is_released_ = false;
};

void bind_function_node(nanobind::module_& m);

}  // namespace opwright::python
