// Index tensors and masks among the dimensions of a tensor: x[:, i, j], x[mask].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {

// A mask stands for one vector of places for each of its dimensions.
struct IndexedDims {
  std::vector<int64_t> dims;    // that are indexed, in order
  std::vector<int64_t> others;  // that are not
  OnnxValues places;            // int64, of each indexed dimension
  std::vector<int64_t> ranks;   // of places
  bool has_mask = false;
  bool is_one_mask = false;
  std::vector<SymInt> sizes;  // to which places broadcast; without masks
  OnnxValue true_places;      // NonZero of the one mask

  [[nodiscard]] int64_t rank() const;  // to which places broadcast
  // How many of `others` stand before the places in PyTorch's result: between them if the indexed
  // dimensions are neighbours, else behind.
  [[nodiscard]] int64_t num_ahead() const;
};

// Of a Tensor?[] argument that indexes argument 0.
[[nodiscard]] IndexedDims find_indexed_dims(GraphBuilder& g, const Call& call, size_t argument);
// The shape, int64[rank], to which places broadcast; computed where there are masks.
[[nodiscard]] OnnxValue find_shape(GraphBuilder& g, const IndexedDims& indexed);
// [..., number of indexed dimensions], as GatherND and ScatterND have it.
[[nodiscard]] OnnxValue join_places(GraphBuilder& g, const IndexedDims& indexed);

}  // namespace opwright::onnx
