#include "bridges/onnxruntime/infer_outputs.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridges/onnxruntime/node_arguments.h"
#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/ort_tensor.h"
#include "bridges/operators/results.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {
namespace {

// A name that no model has: two unknown sizes are not equal.
constexpr const char* kUnknown = "opw_unknown_";
std::string make_unknown_name() {
  static std::atomic<uint64_t> count{0};
  return concatenate(kUnknown, count.fetch_add(1, std::memory_order_relaxed));
}

class TypeShape {
 public:
  explicit TypeShape(const OrtApi& api) : api_(api) {
    api.require(entry::kCreateTypeShape, &info_);
  }
  TypeShape(const TypeShape&) = delete;
  TypeShape& operator=(const TypeShape&) = delete;
  ~TypeShape() { api_.call(entry::kReleaseTypeShape, info_); }

  void set(OrtDType dtype, const std::vector<std::string>& names,
           const std::vector<int64_t>& sizes) {
    std::vector<const char*> texts;
    for (const std::string& each : names) texts.push_back(each.c_str());
    api_.require(entry::kSetDType, info_, dtype);
    api_.require(entry::kSetSizes, info_, sizes.data(), sizes.size());
    api_.require(entry::kSetSizeNames, info_, texts.data(), texts.size());
  }
  [[nodiscard]] const OrtTypeShape* get() const { return info_; }

 private:
  const OrtApi& api_;
  OrtTypeShape* info_ = nullptr;
};

class Inference {
 public:
  // Names: sizes that are not numbers are symbols. Samples: all such sizes get one number, for
  // kernels that require some of them to be equal; then only dtypes and ranks are certain.
  enum class Sizes : uint8_t { Names, Samples };
  Inference(const OrtOperator& op, OrtShapeInferContext* context, Sizes sizes)
      : op_(op), api_(op.api), context_(context), sizes_(sizes) {}

  void run() {
    size_t num_inputs = 0;
    api_.require(entry::kGetInferInputCount, context_, &num_inputs);
    for (size_t i = 0; i < num_inputs; ++i) fakes_.push_back(read_input(i));
    const InferredAttributes attributes(api_, context_);
    const std::vector<InputPlace> places = place_inputs(op_, attributes, num_inputs);
    const std::vector<Value> values = read_attributes(op_, attributes);
    std::vector<OpwTensor*> pointers;
    for (const Tensor& each : fakes_) pointers.push_back(each.get());
    const NodeArguments args(op_, places, values, pointers);
    const std::vector<Value> results = call_.run(op_.description.name, args.values());
    std::vector<Tensor> outputs;
    for (const size_t each : op_.results) bridges::append_tensors(outputs, results[each].get());
    for (const InputPlace& each : places) {
      if (!op_.description.arguments[each.argument].is_written) continue;
      for (size_t i = 0; i < each.count; ++i) outputs.push_back(fakes_[each.first + i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) tell(i, outputs[i]);
  }

 private:
  // Undefined if it is absent.
  Tensor read_input(size_t index) {
    OrtTypeShape* info = nullptr;
    if (!api_.try_call(entry::kGetInferInput, context_, index, &info)) return {};
    OrtDType dtype = OrtDType::Undefined;
    size_t rank = 0;
    api_.require(entry::kGetDType, info, &dtype);
    const std::optional<DType> known = to_dtype(dtype);
    if (!known) return {};
    api_.require(entry::kGetRank, info, &rank);
    std::vector<int64_t> numbers(rank);
    std::vector<const char*> names(rank);
    api_.require(entry::kGetSizes, info, numbers.data(), rank);
    api_.require(entry::kGetSizeNames, info, names.data(), rank);
    std::vector<SymInt> sizes;
    for (size_t i = 0; i < rank; ++i) sizes.push_back(read_size(numbers[i], names[i]));
    // For an input without a shape ONNX Runtime returns no dimensions, as for one of rank 0.
    is_vague_ = is_vague_ || rank == 0;
    last_dtype_ = known;
    return FakeCall::tensor(*known, sizes);
  }

  SymInt read_size(int64_t number, const char* name) {
    constexpr int64_t kSample = 12;
    const bool is_named = name && *name != '\0';
    if (!is_named && number >= 0) return number;
    if (sizes_ == Sizes::Samples) return kSample;
    return call_.size(is_named ? name : make_unknown_name());
  }

  void tell(size_t index, const Tensor& output) {
    // Without a shape, a dtype cannot be set either; the last input's is used anyway.
    const bool is_unsure = is_vague_ || sizes_ == Sizes::Samples || call_.has_decided();
    if (is_unsure && output.dtype() == last_dtype_) return;
    const std::optional<OrtDType> dtype = to_ort_dtype(output.dtype());
    if (!dtype) return;
    std::vector<std::string> names;
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < output.dim(); ++i) {
      const SymInt size = output.sym_size(i);
      const bool is_sure = call_.is_predicted(size) && !is_unsure;
      const bool is_number = is_sure && !size.is_symbolic();
      sizes.push_back(is_number ? size.word() : -1);
      names.push_back(is_number ? "" : is_sure ? concatenate(size) : make_unknown_name());
      if (names.back().find(kUnknown) != std::string::npos) names.back() = make_unknown_name();
    }
    TypeShape shape(api_);
    shape.set(*dtype, names, sizes);
    (void)api_.try_call(entry::kSetInferOutput, context_, index, shape.get());
  }

  const OrtOperator& op_;
  const OrtApi& api_;
  OrtShapeInferContext* context_;
  Sizes sizes_;
  FakeCall call_;
  std::vector<Tensor> fakes_;
  std::optional<DType> last_dtype_;
  bool is_vague_ = false;
};

}  // namespace

OrtStatus* infer_outputs(const OrtCustomOp* op, OrtShapeInferContext* context) {
  const ForeignCallScope scope;
  for (const auto sizes : {Inference::Sizes::Names, Inference::Sizes::Samples}) {
    try {
      Inference(OrtOperator::from(op), context, sizes).run();
      break;
    } catch (...) {
      (void)current_error();
    }
  }
  return nullptr;
}

}  // namespace opwright::ort_bridge
