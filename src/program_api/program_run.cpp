#include "opwright/program_api/program_run.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/program_api/call_spec.h"
#include "opwright/program_api/program_handle.h"  // IWYU pragma: keep
#include "opwright/runtime/bridge.h"
#include "opwright/scalar.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"

namespace opwright {
namespace {

void check_view(const ValueSpec& spec, const OpwDlTensor& given) {
  OPWRIGHT_CHECK_VALUE(given.ndim >= 0 && given.ndim <= kMostDims, "input '", spec.name,
                       "': the number of dimensions must be from 0 to ", kMostDims, ", got ",
                       given.ndim);
  OPWRIGHT_CHECK_VALUE(given.ndim == 0 || given.shape, "input '", spec.name, "': shape is null");
  const DType dtype = from_dlpack(given.dtype);
  OPWRIGHT_CHECK_TYPE(is_known(dtype), "input '", spec.name, "': ", dtype,
                      " is not a dtype of Opwright");
  bool is_empty = false;
  for (int32_t dim = 0; dim < given.ndim; ++dim) {
    OPWRIGHT_CHECK_VALUE(given.shape[dim] >= 0, "input '", spec.name, "': dimension ", dim,
                         " has the size ", given.shape[dim]);
    is_empty |= given.shape[dim] == 0;
  }
  OPWRIGHT_CHECK_VALUE(is_empty || given.data, "input '", spec.name, "': data is null");
  const auto address = reinterpret_cast<uintptr_t>(given.data) + given.byte_offset;
  const size_t alignment = is_complex(dtype) ? item_size(dtype) / 2 : item_size(dtype);
  OPWRIGHT_CHECK_VALUE(address % alignment == 0, "input '", spec.name,
                       "': its data must be aligned to ", alignment, " bytes, as ", dtype, " is");
}

OpwValue read_number(const ValueSpec& spec, const OpwDlTensor& given) {
  OPWRIGHT_CHECK_TYPE(from_dlpack(given.dtype) == spec.dtype && given.device.type == kOpwDeviceCpu,
                      "input '", spec.name, "' is a number: it is given as a tensor of ",
                      spec.dtype, " on the cpu, got ", from_dlpack(given.dtype), " on ",
                      Device(given.device));
  OPWRIGHT_CHECK_TYPE(given.ndim == 0, "input '", spec.name,
                      "' is a number: it is given as a tensor without dimensions, got ", given.ndim,
                      " dimensions");
  OpwValue value{};
  value.tag = kOpwInt;
  value.as_int =
      *reinterpret_cast<const int64_t*>(static_cast<const char*>(given.data) + given.byte_offset);
  return value;
}

// Dense, in newly allocated memory.
Tensor make_own(const Tensor& tensor) {
  if (!tensor.is_contiguous()) return clone(tensor, MemoryFormat::Contiguous);
  const Storage* storage = impl(tensor).storage;
  const bool is_shared = storage->count.load(std::memory_order_acquire) != 1;
  return is_shared ? clone(tensor, MemoryFormat::Contiguous) : tensor;
}

Tensor output_tensor(const OpwValue& output) {
  switch (output.tag) {
    case kOpwTensor:
      return make_own(Tensor::borrow(output.as_tensor));
    case kOpwInt:
    case kOpwSymInt:
      return make_scalar_tensor(Scalar(output.as_int), DType::Int64);
    case kOpwFloat:
      return make_scalar_tensor(Scalar(output.as_double), DType::Float64);
    case kOpwBool:
      return make_scalar_tensor(Scalar(output.as_int != 0), DType::Bool);
    default:
      return {};
  }
}

std::vector<Tensor> output_tensors(std::vector<Value> outputs) {
  std::vector<Tensor> tensors;
  tensors.reserve(outputs.size());
  for (Value& output : outputs) {
    tensors.push_back(output_tensor(output.get()));
    output = Value();
  }
  return tensors;
}

// The inputs of a call, as values over the caller's memory.
class BorrowedInputs {
 public:
  // TypeError and ValueError that name the input.
  BorrowedInputs(const CallSpec& call, std::span<const OpwDlTensor> given);

  [[nodiscard]] std::span<const OpwValue> values() const noexcept { return values_; }
  // Call after the outputs were copied. RuntimeError if an input is still referenced.
  void end();

 private:
  void add_tensor(size_t place, const OpwDlTensor& given);

  const CallSpec& call_;
  std::vector<OpwValue> values_;
  std::vector<std::optional<BorrowedMemory>> memory_;  // per input; nullopt for a number
};

BorrowedInputs::BorrowedInputs(const CallSpec& call, std::span<const OpwDlTensor> given)
    : call_(call), memory_(call.inputs.size()) {
  OPWRIGHT_CHECK_TYPE(given.size() == call_.inputs.size(), "the program takes ",
                      call_.inputs.size(), " inputs, got ", given.size());
  values_.reserve(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const ValueSpec& spec = call_.inputs[i];
    check_view(spec, given[i]);
    if (spec.tag == kOpwTensor) {
      add_tensor(i, given[i]);
    } else {
      values_.push_back(read_number(spec, given[i]));
    }
  }
}

void BorrowedInputs::add_tensor(size_t place, const OpwDlTensor& given) {
  OpwDlTensor shown = given;
  const auto ndim = static_cast<size_t>(shown.ndim);
  Sizes dense;
  if (!shown.strides) {
    dense = contiguous_strides(std::span<const int64_t>(shown.shape, ndim));
    shown.strides = dense.data();
  }
  const auto access = call_.inputs[place].is_written ? BorrowedMemory::Access::ReadWrite
                                                     : BorrowedMemory::Access::ReadOnly;
  const BorrowedMemory& memory = memory_[place].emplace(shown, access);
  values_.push_back(ValueOf<Tensor>::lend(memory.tensor()));
}

void BorrowedInputs::end() {
  values_.clear();
  for (size_t i = 0; i < memory_.size(); ++i) {
    OPWRIGHT_CHECK(!memory_[i] || memory_[i]->end(), "input '", call_.inputs[i].name,
                   "': an operator of the program kept the tensor, whose memory the caller takes "
                   "back when the run ends");
  }
}

}  // namespace

std::vector<Tensor> run_program(const OpwProgram& program, std::span<const OpwDlTensor> inputs) {
  const ForeignCallScope foreign_call;
  const NoGradScope no_grad;
  BorrowedInputs borrowed(program.call, inputs);
  std::unique_lock lock(program.state_mutex, std::defer_lock);
  if (program.call.keeps_state) lock.lock();
  std::vector<Tensor> outputs =
      output_tensors(program.program->run(add_constants(*program.program, borrowed.values())));
  borrowed.end();
  return outputs;
}

}  // namespace opwright
