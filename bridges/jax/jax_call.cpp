#include "bridges/jax/jax_call.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_arguments.h"
#include "bridges/jax/xla_buffer.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/jax/xla_results.h"
#include "bridges/operators/kernel_run.h"
#include "bridges/operators/results.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {
namespace {

class Call {
 public:
  Call(JaxOperator& op, const XlaCallFrame& frame)
      : op_(op), frame_(frame), layout_(op, frame.attributes) {}

  void run() {
    require_count("arguments", layout_->size(), frame_.args.size);
    show_buffers();
    {
      const BoundArguments args(op_, *layout_, frame_.attributes, pointers_);
      bridges::OwnedResults results(op_.description.results.size());
      bridges::run_kernel(op_, args.values(), results);
      fill_results(results);
    }
    end_memory();
  }

 private:
  void require_count(const char* what, size_t expected, int64_t got) const {
    OPWRIGHT_CHECK_TYPE(static_cast<int64_t>(expected) == got, op_.description.name, ": it has ",
                        expected, " tensor ", what, ", but the call has ", got);
  }

  void show_buffers() {
    for (size_t i = 0; i < layout_->size(); ++i) {
      const XlaBuffer& buffer = *frame_.args.buffers[i];
      const int64_t result = op_.written_buffers[layout_->argument_of(i)];
      if (result < 0) {
        tensors_.emplace_back(buffer, XlaTensor::Use::Read);
      } else {
        tensors_.emplace_back(take_written(buffer, result), XlaTensor::Use::Written);
      }
      pointers_.push_back(&tensors_.back());
    }
  }

  // The result's buffer with the argument's contents: the same memory if XLA followed the hint.
  const XlaBuffer& take_written(const XlaBuffer& argument, int64_t result) const {
    OPWRIGHT_CHECK_TYPE(result < frame_.results.size, op_.description.name,
                        ": the call has no result for an argument that is written");
    const XlaBuffer& buffer = *frame_.results.buffers[result];
    if (buffer.data != argument.data) {
      XlaTensor source(argument, XlaTensor::Use::Read);
      fill_buffer(buffer, source.in_core(), op_.description.name + ": a written argument");
    }
    return buffer;
  }

  void fill_results(const bridges::OwnedResults& results) const {
    std::vector<Tensor> tensors;
    size_t written = 0;
    for (size_t i = 0; i < results.size(); ++i) bridges::append_tensors(tensors, results[i]);
    for (const int64_t buffer : op_.written_buffers)
      written += buffer >= static_cast<int64_t>(results.size()) ? 1 : 0;
    require_count("results", tensors.size() + written, frame_.results.size);
    for (size_t i = 0; i < tensors.size(); ++i) {
      OPWRIGHT_CHECK(tensors[i].is_defined(), op_.description.name, ": result ", i,
                     " was left undefined");
      const bool is_in_place =
          tensors.size() == results.size() && op_.description.results[i].written_argument >= 0;
      if (is_in_place) continue;
      fill_buffer(*frame_.results.buffers[i], tensors[i],
                  concatenate(op_.description.name, ": result ", i));
    }
  }

  void end_memory() {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      OPWRIGHT_CHECK(tensors_[i].end(), name_argument(op_, layout_->argument_of(i)),
                     " is still shown by a tensor that the kernel kept; XLA's memory ends with the "
                     "call, so keep a clone() instead");
    }
  }

  JaxOperator& op_;
  const XlaCallFrame& frame_;
  CallLayout layout_;
  std::deque<XlaTensor> tensors_;  // by buffer; they do not move
  std::vector<OpwTensor*> pointers_;
};

}  // namespace

void run_call(JaxOperator& op, const XlaCallFrame& frame) { Call(op, frame).run(); }

}  // namespace opwright::jax_bridge
