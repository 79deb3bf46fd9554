#include "opwright/convert/onnx/rules/windows.h"

#include <array>
#include <cstddef>

#include "opwright/convert/onnx/model/opset.h"

namespace opwright::onnx {
namespace {

constexpr std::array<int64_t, 1> kBatch{0};

}  // namespace

std::vector<int64_t> per_dim(std::vector<int64_t> numbers, int64_t dims) {
  if (numbers.size() == 1) numbers.resize(static_cast<size_t>(dims), numbers[0]);
  return numbers;
}

std::vector<int64_t> on_both_sides(const std::vector<int64_t>& padding) {
  std::vector<int64_t> pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

OnnxValue with_batch(GraphBuilder& g, OnnxValue x, bool is_batched) {
  return is_batched ? x : unsqueeze(g, x, kBatch);
}

OnnxValue without_batch(GraphBuilder& g, OnnxValue x, bool is_batched) {
  return is_batched ? x : squeeze(g, x, kBatch);
}

}  // namespace opwright::onnx
