// PyTorch's spelling: non-maximum suppression, whose output size depends on the data.
#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

template <typename scalar_t>
at::Tensor nms_kernel(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold) {
  const int64_t n = boxes.size(0);
  const auto boxes_at = boxes.accessor<scalar_t, 2>();
  const auto scores_at = scores.accessor<scalar_t, 1>();
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return scores_at[a] > scores_at[b]; });
  const auto area = [&](int64_t i) {
    return (boxes_at[i][2] - boxes_at[i][0]) * (boxes_at[i][3] - boxes_at[i][1]);
  };
  const auto overlap = [&](int64_t i, int64_t j) {
    const auto width =
        std::min(boxes_at[i][2], boxes_at[j][2]) - std::max(boxes_at[i][0], boxes_at[j][0]);
    const auto height =
        std::min(boxes_at[i][3], boxes_at[j][3]) - std::max(boxes_at[i][1], boxes_at[j][1]);
    return std::max(scalar_t(0), width) * std::max(scalar_t(0), height);
  };

  at::Tensor keep = at::empty({n}, boxes.options().dtype(at::kLong));
  int64_t* kept = keep.data_ptr<int64_t>();
  int64_t count = 0;
  std::vector<bool> suppressed(static_cast<size_t>(n), false);
  for (const int64_t i : order) {
    if (suppressed[static_cast<size_t>(i)]) continue;
    kept[count++] = i;
    for (const int64_t j : order) {
      const scalar_t inter = overlap(i, j);
      if (inter / (area(i) + area(j) - inter) > iou_threshold)
        suppressed[static_cast<size_t>(j)] = true;
    }
  }
  return keep.narrow(/*dim=*/0, /*start=*/0, /*length=*/count).clone();
}

at::Tensor nms(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold) {
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes should have shape [n, 4], got ",
              boxes.sizes());
  TORCH_CHECK(scores.dim() == 1 && scores.size(0) == boxes.size(0), "one score for each box, got ",
              scores.sizes());
  TORCH_CHECK(boxes.scalar_type() == scores.scalar_type(),
              "boxes and scores should have the same dtype");
  if (boxes.numel() == 0) return at::empty({0}, boxes.options().dtype(at::kLong));
  at::Tensor result;
  AT_DISPATCH_FLOATING_TYPES(boxes.scalar_type(), "nms",
                             [&] { result = nms_kernel<scalar_t>(boxes, scores, iou_threshold); });
  return result;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(compat_vision, m) {
  m.def(TORCH_SELECTIVE_SCHEMA(
            "compat_vision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"),
        {at::Tag::dynamic_output_shape, at::Tag::pt2_compliant_tag});
}
TORCH_LIBRARY_IMPL(compat_vision, CPU, m) {
  m.impl(TORCH_SELECTIVE_NAME("compat_vision::nms"), TORCH_FN(nms));
}
