// compute_fold: chooses between rows and columns, and how many blocks reduce one result.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/fold_arguments.h"
#include "devices/cuda/kernels/joined_space.h"
#include "devices/cuda/primitives.h"

namespace opwright::cuda {
namespace {

constexpr int64_t kSliceElements = 4096;  // fewer are not worth a separate block
constexpr int64_t kSliceMultiple = 64;    // so that slices begin at pack boundaries
constexpr int64_t kMostSlices = 1024;

// The kept dimensions have three memories: operand, result, indices.
JoinedSpace join_kept(const OpwFold& call) {
  const std::array<const int64_t*, 3> strides{call.operand.strides,
                                              call.result.data ? call.result.strides : nullptr,
                                              call.indices.data ? call.indices.strides : nullptr};
  return {call.num_kept, call.sizes, strides};
}
JoinedSpace join_folded(const OpwFold& call) {
  const std::array<const int64_t*, 1> strides{
      call.operand.strides ? call.operand.strides + call.num_kept : nullptr};
  return {call.num_folded, call.sizes + call.num_kept, strides};
}

// The stride of the innermost dimension; larger than any if there is no dimension.
int64_t inner_stride(const JoinedSpace& space) {
  return space.rank() == 0 ? INT64_MAX : std::abs(space.stride(0, space.rank() - 1));
}

bool has_aligned_rows(const OpwFold& call, const JoinedSpace& kept, const JoinedSpace& folded) {
  const auto item = static_cast<int64_t>(bytes_of(call.operand.dtype));
  bool is_aligned =
      folded.rank() == 1 && folded.stride(0, 0) == 1 && is_aligned_to(call.operand.data, 16);
  for (int dim = 0; dim < kept.rank(); ++dim)
    is_aligned = is_aligned && kept.stride(0, dim) * item % 16 == 0;
  return is_aligned;
}

Element fold_rounding(const OpwFold& call, Element compute) {
  const Element through = element_of(call.operand.through, call.fold);
  return through == compute || through == element_of(call.operand.dtype, call.fold) ? Element::None
                                                                                    : through;
}

void set_launch(FoldPlan& plan, const DeviceLimits& limits) {
  const FoldArguments& fold = plan.arguments;
  const int64_t elements = fold.folded.count;
  if (plan.is_columns) {
    plan.threads = elements >= 64 ? dim3(32, 8) : dim3(256, 1);
    plan.blocks.x = static_cast<unsigned>(blocks_for(fold.kept.count, plan.threads.x));
  } else {
    plan.threads = elements > 1024 ? dim3(256, 1) : dim3(32, 8);
    plan.blocks.x = static_cast<unsigned>(blocks_for(fold.kept.count, plan.threads.y));
  }
  const int64_t wanted = int64_t{8} * limits.multiprocessors / plan.blocks.x;
  const int64_t least = plan.is_columns ? 256 : kSliceElements;
  const int64_t slices = std::clamp(std::min(wanted, elements / least), int64_t{1}, kMostSlices);
  plan.arguments.slice = (elements + slices - 1) / slices;
  plan.arguments.slice += (kSliceMultiple - plan.arguments.slice % kSliceMultiple) % kSliceMultiple;
  plan.blocks.y =
      static_cast<unsigned>((elements + plan.arguments.slice - 1) / plan.arguments.slice);
  plan.blocks.y = std::max(plan.blocks.y, 1U);
}

bool launch_fold(const FoldPlan& plan, const OpwFold& call, Element compute) {
  const std::string_view fold = call.fold;
  if (fold == "sum") return launch_sum(plan, compute);
  if (fold == "mean") return launch_mean(plan, compute);
  if (fold == "prod") return launch_product(plan, compute);
  if (fold == "max" || fold == "min") return launch_extremum(plan, compute, fold == "max");
  if (fold == "any" || fold == "all") return launch_truth(plan, fold == "all");
  if (fold == "var") return launch_variance(plan, compute);
  return fold == "norm" && launch_norm(plan, compute, call.number);
}

Element fold_compute(const OpwFold& call) {
  const Element compute = element_of(call.compute, call.fold);
  const bool is_half = compute == Element::Float16 || compute == Element::BFloat16;
  return is_half ? Element::Float32 : compute;
}

void run_fold(const OpwFold& call, int32_t index, OpwStream* stream) {
  const JoinedSpace kept = join_kept(call);
  const JoinedSpace folded = join_folded(call);
  const Element compute = fold_compute(call);
  FoldPlan plan{};
  FoldArguments& fold = plan.arguments;
  fold.kept = kept.index_space(call.fold);
  fold.folded = folded.index_space(call.fold);
  fold.operand.data = call.operand.data;
  fold.operand.element = element_of(call.operand.dtype, call.fold);
  fold.operand.through = fold_rounding(call, compute);
  if (!call.operand.data) fold.operand.number = loop_number(call.operand.number);
  kept.copy_strides(0, fold.operand.strides);
  folded.copy_strides(0, fold.folded_strides);
  fold.result = call.result.data;
  if (call.result.data) fold.result_element = element_of(call.result.dtype, call.fold);
  kept.copy_strides(1, fold.result_strides);
  fold.indices = static_cast<int64_t*>(call.indices.data);
  kept.copy_strides(2, fold.index_strides);
  fold.numbers = {static_cast<double>(fold.folded.count), call.number};
  plan.stream = cuda_stream(stream);
  plan.is_columns = fold.folded.count <= 16 || inner_stride(kept) < inner_stride(folded);
  plan.is_dense = !plan.is_columns && call.operand.data && fold.operand.through == Element::None &&
                  has_aligned_rows(call, kept, folded);
  set_launch(plan, device_limits(index));
  const size_t slices = plan.blocks.y;
  const size_t bytes =
      slices > 1 ? slices * static_cast<size_t>(fold.kept.count) * kMostStateBytes : 0;
  const Workspace states(index, bytes, stream);
  fold.states = slices > 1 ? states.data() : nullptr;
  if (!launch_fold(plan, call, compute))
    throw_error("NotImplementedError", "the fold '", call.fold, "' is not computed in ",
                from_dlpack(call.compute), " on cuda");
  check_launch(call.fold, index);
}

}  // namespace

int compute_fold_cuda(const OpwHost* host, int32_t index, const OpwFold* fold, OpwStream* stream) {
  return run_on(host, index, [&] { run_fold(*fold, index, stream); });
}

}  // namespace opwright::cuda
