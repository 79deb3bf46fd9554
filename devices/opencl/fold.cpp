#include "devices/opencl/fold.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <CL/cl.h>

#include "devices/opencl/device.h"
#include "devices/opencl/dtype_text.h"
#include "devices/opencl/fold_source.h"
#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/layout.h"
#include "devices/opencl/memory.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr int64_t kLeastPart = 1024;  // elements that are worth a separate group

// One launch, or two: the results of one reduction over at most kMostRank dimensions each.
class FoldCall {
 public:
  FoldCall(Device& device, const OpwFold& fold, FoldForm form, cl_command_queue queue)
      : device_(device), fold_(fold), form_(form), queue_(queue) {}

  // `skipped` are the kept dimensions that the host iterates over, `offsets` its current offsets:
  // in the operand, the result and the indices.
  void run(uint32_t skipped, std::span<const int64_t> offsets) {
    const uint32_t kept = fold_.num_kept - skipped;
    form_.kept = rank_class(kept);
    form_.folded = rank_class(fold_.num_folded);
    add_kept(skipped);
    add_folded();
    const int64_t parts = choose_parts();
    if (parts <= 1) return fold_each(offsets);
    fold_parts(parts, offsets);
  }

 private:
  [[nodiscard]] bool has_result() const { return fold_.result.data != nullptr; }
  [[nodiscard]] bool has_indices() const { return fold_.indices.data != nullptr; }

  void add_dims(uint32_t made_for, std::span<const int64_t> dims, int64_t filler) {
    layout_.insert(layout_.end(), made_for - dims.size(), filler);
    layout_.insert(layout_.end(), dims.begin(), dims.end());
  }
  void add_kept(uint32_t skipped) {
    const uint32_t kept = fold_.num_kept - skipped;
    const std::span sizes(fold_.sizes + skipped, kept);
    for (const int64_t size : sizes) count_ *= size;
    add_dims(form_.kept, sizes, 1);
    const std::vector<int64_t> none(kept, 0);
    add_dims(form_.kept, {fold_.operand.strides + skipped, kept}, 0);
    add_dims(form_.kept, {has_result() ? fold_.result.strides + skipped : none.data(), kept}, 0);
    add_dims(form_.kept, {has_indices() ? fold_.indices.strides + skipped : none.data(), kept}, 0);
  }
  void add_folded() {
    const std::span sizes(fold_.sizes + fold_.num_kept, fold_.num_folded);
    for (const int64_t size : sizes) length_ *= size;
    add_dims(form_.folded, sizes, 1);
    add_dims(form_.folded, {fold_.operand.strides + fold_.num_kept, fold_.num_folded}, 0);
  }

  [[nodiscard]] int64_t choose_parts() const {
    const auto groups = static_cast<int64_t>(device_.compute_units()) * 4;
    if (length_ < 2 * kLeastPart || count_ >= groups * kFoldGroup) return 1;
    return std::clamp<int64_t>(groups / count_ + 1, 2, length_ / kLeastPart);
  }

  Kernel& find_kernel(const char* name) {
    const std::string key = concatenate(
        name, " ", std::string(form_.fold), " ", form_.number, " ",
        static_cast<uint32_t>(form_.compute), " ", static_cast<uint32_t>(form_.operand), " ",
        static_cast<uint32_t>(form_.through), " ", static_cast<uint32_t>(form_.result), " ",
        form_.has_indices, " ", form_.kept, " ", form_.folded);
    return device_.kernels().find(key, [&] {
      return KernelText{fold_source(form_), name, device_.build_options(),
                        concatenate("the fold '", std::string(form_.fold), "'")};
    });
  }

  [[nodiscard]] static void* at(const OpwOperand& operand, int64_t offset) {
    const auto size = static_cast<int64_t>(item_size(from_dlpack(operand.dtype)));
    return static_cast<std::byte*>(operand.data) + offset * size;
  }
  void pass_layout(KernelCall& call) const {
    call.bytes(layout_.data(), layout_.size() * sizeof(int64_t));
  }
  void pass_results(KernelCall& call, std::span<const int64_t> offsets) const {
    if (has_result()) call.memory(at(fold_.result, offsets[1]));
    if (has_indices()) call.memory(at(fold_.indices, offsets[2]));
  }
  [[nodiscard]] WorkSize items() const {
    return {round_up(static_cast<uint64_t>(count_), kFoldGroup), 1, 1};
  }

  void fold_each(std::span<const int64_t> offsets) {
    KernelCall call(find_kernel("fold_each"));
    pass_layout(call);
    call.value(count_).value(length_).memory(at(fold_.operand, offsets[0]));
    pass_results(call, offsets);
    call.run(queue_, items(), {kFoldGroup, 1, 1});
  }

  void fold_parts(int64_t parts, std::span<const int64_t> offsets) {
    const int64_t part = (length_ + parts - 1) / parts;
    const Scratch states(device_, static_cast<size_t>(count_ * parts) * kStateBytes, queue_);
    {
      KernelCall call(find_kernel("fold_parts"));
      pass_layout(call);
      call.value(length_).value(part).memory(at(fold_.operand, offsets[0]));
      call.memory(states.data());
      call.run(queue_, {static_cast<size_t>(count_) * kFoldGroup, static_cast<size_t>(parts), 1},
               {kFoldGroup, 1, 1});
    }
    KernelCall call(find_kernel("fold_finish"));
    pass_layout(call);
    call.value(count_).value(length_).value(parts).memory(states.data());
    pass_results(call, offsets);
    call.run(queue_, items(), {kFoldGroup, 1, 1});
  }

  Device& device_;
  const OpwFold& fold_;
  FoldForm form_;
  cl_command_queue queue_;
  int64_t count_ = 1, length_ = 1;
  std::vector<int64_t> layout_;
};

FoldForm read_form(const Device& device, const OpwFold& fold) {
  FoldForm form{};
  form.fold = fold.fold;
  form.compute = computing(from_dlpack(fold.compute));
  form.operand = from_dlpack(fold.operand.dtype);
  form.through = fold.operand.through.bits == 0 ? form.operand : from_dlpack(fold.operand.through);
  form.result = fold.result.data != nullptr ? from_dlpack(fold.result.dtype) : DType{};
  form.has_indices = fold.indices.data != nullptr;
  form.number = fold.number;
  const std::string who = concatenate("the fold '", fold.fold, "'");
  for (const DType dtype : {form.compute, form.operand, form.through})
    check_computes(device, dtype, who.c_str());
  if (form.result != DType{}) check_computes(device, form.result, who.c_str());
  OPWRIGHT_CHECK_VALUE(fold.operand.data != nullptr, "opencl: ", who, " needs elements in memory");
  OPWRIGHT_CHECK_KIND("NotImplementedError", fold.num_folded <= kMostRank, "opencl: ", who,
                      " folds ", fold.num_folded, " dimensions that cannot be joined; at most ",
                      kMostRank, " are possible");
  return form;
}

}  // namespace

void compute_fold(int32_t index, const OpwFold* fold, OpwStream* stream) {
  Device& device = find_device(index);
  const FoldForm form = read_form(device, *fold);
  const uint32_t outer = fold->num_kept > kMostRank ? fold->num_kept - kMostRank : 0;
  const std::vector<int64_t> none(fold->num_kept, 0);
  const std::array<const int64_t*, 3> strides = {
      fold->operand.strides, fold->result.data != nullptr ? fold->result.strides : none.data(),
      fold->indices.data != nullptr ? fold->indices.strides : none.data()};
  for_each_outer({fold->sizes, fold->num_kept}, strides, outer,
                 [&](std::span<const int64_t> offsets) {
                   FoldCall(device, *fold, form, queue_of(device, stream)).run(outer, offsets);
                 });
}

}  // namespace opwright::opencl
