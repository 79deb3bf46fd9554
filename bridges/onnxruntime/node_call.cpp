#include "bridges/onnxruntime/node_call.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bridges/onnxruntime/attribute_value.h"
#include "bridges/onnxruntime/node_arguments.h"
#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/node_outputs.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/ort_tensor.h"
#include "bridges/onnxruntime/predicted_outputs.h"
#include "bridges/operators/allocation_request.h"
#include "bridges/operators/core_arguments.h"
#include "bridges/operators/host_binary.h"
#include "bridges/operators/inline_array.h"
#include "bridges/operators/inline_stack.h"
#include "bridges/operators/kernel_run.h"
#include "bridges/operators/lent_tensors.h"
#include "bridges/operators/results.h"
#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tensor.h"

namespace opwright::ort_bridge {
namespace {

using bridges::ViewTensor;

constexpr size_t kUsualInputs = 6;

constinit thread_local bridges::SpareTensors spare_tensors;

class NodeCall;
constinit thread_local NodeCall* current_call __attribute__((tls_model("initial-exec"))) = nullptr;
class CurrentCallScope {
 public:
  explicit CurrentCallScope(NodeCall& call) : outside_(std::exchange(current_call, &call)) {}
  CurrentCallScope(const CurrentCallScope&) = delete;
  CurrentCallScope& operator=(const CurrentCallScope&) = delete;
  ~CurrentCallScope() { current_call = outside_; }

 private:
  NodeCall* outside_;
};

class NodeCall {
 public:
  NodeCall(const NodeKernel& kernel, OrtKernelContext* context)
      : kernel_(kernel),
        op_(kernel.op()),
        context_(context),
        inputs_(kernel.num_inputs()),
        pointers_(kernel.num_inputs()),
        lent_(*spare_tensors.take()) {}
  NodeCall(const NodeCall&) = delete;
  NodeCall& operator=(const NodeCall&) = delete;
  ~NodeCall() { spare_tensors.give_back(&lent_); }

  void run() {
    read_inputs();
    NodeOutputs outputs(kernel_, context_, predict(), lent_);
    outputs_ = &outputs;
    show_inputs(outputs);
    {
      const NodeArguments args(op_, kernel_.places(), kernel_.attributes(),
                               {pointers_.data(), pointers_.size()});
      bridges::OwnedResults results(op_.description.results.size());
      {
        const CurrentCallScope scope(*this);
        bridges::run_kernel(op_, args.values(), results);
      }
      fill_outputs(outputs, results);
    }
    end_memory();
  }

  // Answers the kernel's call of an import without the core; null if the core must run it.
  OpwTensor* answer(const bridges::HostBinary& binary, uint32_t index, const OpwValue* args) {
    if (binary.is_contiguous_at(index)) return lend_input(args);
    bridges::AllocationRequest request;
    const bool is_simple = bridges::read_request(binary.allocation_at(index), args, request) &&
                           request.device.type == kOpwDeviceCpu && bridges::is_contiguous(request);
    return is_simple ? outputs_->serve(request) : nullptr;
  }

 private:
  void read_inputs() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const OrtValue* value = nullptr;
      op_.api.require(entry::kGetInput, context_, i, &value);
      if (!value) continue;  // it stays Undefined
      if (op_.api.has(entry::kGetTypeShapeReference)) [[likely]] {
        inputs_[i] = read_tensor(op_.api, value, no_room_);
      } else {
        inputs_[i] = read_tensor(op_.api, value, rooms_.emplace_back());
      }
    }
  }

  std::span<const PredictedOutput> predict() {
    return kernel_.predicted().find(op_, kernel_.places(), kernel_.attributes(),
                                    {inputs_.data(), inputs_.size()});
  }

  void show_inputs(NodeOutputs& outputs) {
    size_t num_written = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) num_written += is_written(i) ? 1 : 0;
    num_results_ = op_.num_result_outputs(kernel_.num_outputs(), num_written);
    size_t next_written = num_results_;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const OrtTensor& input = inputs_[i];
      if (input.dtype == OrtDType::Undefined) continue;  // absent
      const std::optional<DType> dtype = to_dtype(input.dtype);
      OPWRIGHT_CHECK_TYPE(dtype, name_argument(op_.description, kernel_.argument_of(i)),
                          " is a tensor of ", dtype_text(input.dtype),
                          ", which no tensor of Opwright can hold");
      if (is_written(i)) {
        void* memory = copy_written(outputs, next_written++, *dtype, input);
        pointers_[i] = &views_.emplace(memory, *dtype, input.sizes(), ViewTensor::Use::Written);
      } else {
        pointers_[i] = &views_.emplace(input.data, *dtype, input.sizes(), ViewTensor::Use::Read);
      }
    }
  }

  [[nodiscard]] bool is_written(size_t input) const {
    return !op_.written.empty() && op_.description.arguments[kernel_.argument_of(input)].is_written;
  }

  // The output for the new value of a written argument, initialized with the old one.
  void* copy_written(NodeOutputs& outputs, size_t index, DType dtype, const OrtTensor& input) {
    size_t bytes = item_size(dtype);
    for (const int64_t size : input.sizes()) bytes *= static_cast<size_t>(size);
    void* memory =
        index < kernel_.num_outputs() ? outputs.take(index, dtype, input.sizes()) : nullptr;
    if (!memory) memory = unread_.emplace_back(bytes).data();
    if (bytes != 0) std::memcpy(memory, input.data, bytes);
    return memory;
  }

  // aten::contiguous of an input, which already is.
  OpwTensor* lend_input(const OpwValue* args) {
    OpwTensor* given = args[0].as_tensor;
    const bool is_input = ViewTensor::from(given) && (given->flags & kOpwFlagReadOnly) != 0;
    if (!is_input || args[1].as_int != 0) return nullptr;
    return lent_.lend(
        given->dl.data, from_dlpack(given->dl.dtype),
        std::span<const int64_t>(given->dl.shape, static_cast<size_t>(given->dl.ndim)),
        ViewTensor::Use::LentReadOnly);
  }

  void fill_outputs(NodeOutputs& outputs, const bridges::OwnedResults& results) const {
    size_t count = 0;
    for (const size_t each : op_.results) count += bridges::count_tensors(results[each]);
    OPWRIGHT_CHECK_VALUE(count == num_results_, op_.description.name, ": it returns ", count,
                         " tensors, but the node has ", num_results_, " outputs for them");
    bridges::InlineArray<Tensor, kUsualInputs> tensors(count);
    size_t next = 0;
    for (const size_t each : op_.results) {
      if (results[each].tag == kOpwTensor) [[likely]] {
        tensors[next++] = Tensor::borrow(results[each].as_tensor);
        continue;
      }
      std::vector<Tensor> list;
      bridges::append_tensors(list, results[each]);
      for (Tensor& tensor : list) tensors[next++] = std::move(tensor);
    }
    outputs.fill({tensors.data(), tensors.size()});
  }

  void end_memory() {
    constexpr const char* kAdvice =
        " is still shown by a tensor that the kernel kept; ONNX Runtime's memory ends with the "
        "call, so keep a clone() instead";
    const void* shown = lent_.end();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      auto* view = static_cast<ViewTensor*>(pointers_[i]);
      const bool is_free = (!view || view->end()) && (!shown || shown != inputs_[i].data);
      OPWRIGHT_CHECK(is_free, name_argument(op_.description, kernel_.argument_of(i)), kAdvice);
    }
    OPWRIGHT_CHECK(!shown, op_.description.name, ": a result", kAdvice);
  }

  const NodeKernel& kernel_;
  const OrtOperator& op_;
  OrtKernelContext* context_;
  bridges::InlineArray<OrtTensor, kUsualInputs> inputs_;
  bridges::InlineStack<ViewTensor, kUsualInputs> views_;
  bridges::InlineArray<OpwTensor*, kUsualInputs> pointers_;
  bridges::LentTensors& lent_;
  NodeOutputs* outputs_ = nullptr;
  size_t num_results_ = 0;
  std::vector<int64_t> no_room_;
  std::list<std::vector<int64_t>> rooms_;
  std::list<std::vector<char>> unread_;  // new values that the model does not read
};

}  // namespace

void run_node(const NodeKernel& kernel, OrtKernelContext* context) {
  NodeCall(kernel, context).run();
}

int call_from_node(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results) {
  try {
    auto* binary = static_cast<bridges::HostBinary*>(host->instance);
    OpwTensor* given = current_call ? current_call->answer(*binary, index, args) : nullptr;
    if (given) {
      results[0].tag = kOpwTensor;
      results[0].as_tensor = given;
      return 0;
    }
  } catch (...) {
    host->give_error(host, current_error().share());
    return 1;
  }
  return bridges::call_import(host, index, args, num_args, results, num_results);
}

}  // namespace opwright::ort_bridge
