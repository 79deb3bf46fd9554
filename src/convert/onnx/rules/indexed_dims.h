// Index tensors and masks that index dimensions of a tensor: x[:, i, j], x[mask].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {

// A mask counts as one index vector for each of its dimensions.
struct IndexedDims {
  std::vector<int64_t> dims;    // indexed dimensions, in order
  std::vector<int64_t> others;  // the other dimensions
  OnnxValues places;            // int64 indices, per indexed dimension
  std::vector<int64_t> ranks;   // of the indices
  bool has_mask = false;
  bool is_one_mask = false;
  std::vector<SymInt> sizes;  // the broadcast sizes of the indices; only without masks
  OnnxValue true_places;      // NonZero of the only mask

  [[nodiscard]] int64_t rank() const;  // of the broadcast indices
  // How many of `others` precede the indices in PyTorch's result: the indices take the place of the
  // indexed dimensions if these are adjacent, otherwise they come first.
  [[nodiscard]] int64_t num_ahead() const;
};

// For a Tensor?[] argument that indexes argument 0.
[[nodiscard]] IndexedDims find_indexed_dims(GraphBuilder& g, const Call& call, size_t argument);
// The broadcast shape of the indices, int64[rank]; computed if there are masks.
[[nodiscard]] OnnxValue find_shape(GraphBuilder& g, const IndexedDims& indexed);
// [..., number of indexed dimensions], as in GatherND and ScatterND.
[[nodiscard]] OnnxValue join_places(GraphBuilder& g, const IndexedDims& indexed);

}  // namespace opwright::onnx
