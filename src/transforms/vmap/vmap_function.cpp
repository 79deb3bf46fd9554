#include "opwright/transforms/vmap/vmap_function.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

std::string input_text(const void* /*context*/, size_t index) {
  return concatenate("input ", index + 1);
}

BatchDims dims_for(const std::vector<std::optional<int64_t>>& given, size_t count,
                   const char* what) {
  if (given.empty()) return BatchDims(count, 0);
  OPWRIGHT_CHECK_VALUE(given.size() == count, "vmap: ", what, " has ", given.size(),
                       " dimensions for ", count, " tensors");
  return given;
}

}  // namespace

SymInt find_batch_size(std::span<const Tensor> inputs, std::span<std::optional<int64_t>> dims,
                       const InputNames& names) {
  std::optional<SymInt> known;
  size_t first = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!dims[i]) continue;
    const int64_t ndim = inputs[i].dim();
    OPWRIGHT_CHECK_VALUE(*dims[i] >= -ndim && *dims[i] < ndim, "vmap: Got in_dim=", *dims[i],
                         " for some input, but that input is a Tensor of dimensionality ", ndim,
                         ": ", names.name(names.context, i), " (", inputs[i], ")");
    if (*dims[i] < 0) *dims[i] += ndim;
    SymInt size = inputs[i].sym_size(*dims[i]);
    if (!known) {
      known = std::move(size);
      first = i;
    } else if (known->word() != size.word()) {
      check(*known == size,
            concatenate("vmap: Expected all tensors to have the same size in the mapped dimension, "
                        "but ",
                        names.name(names.context, first), " has ", *known, " in dimension ",
                        *dims[first], ", ", names.name(names.context, i), " has ", size,
                        " in dimension ", *dims[i]));
    }
  }
  OPWRIGHT_CHECK_VALUE(!inputs.empty(), "vmap: got no inputs, so there is nothing to map over");
  OPWRIGHT_CHECK_VALUE(known.has_value(),
                       "vmap: Expected at least one Tensor to vmap over, but no argument has a "
                       "batch\n  Pass at least one tensor whose in_dims is not None.");
  return *std::move(known);
}

std::vector<Tensor> take_chunk(std::span<const Tensor> inputs,
                               std::span<const std::optional<int64_t>> dims, int64_t start,
                               int64_t length) {
  std::vector<Tensor> chunk(inputs.begin(), inputs.end());
  for (size_t i = 0; i < chunk.size(); ++i) {
    if (dims[i]) chunk[i] = chunk[i].narrow(*dims[i], start, length);
  }
  return chunk;
}

std::vector<Tensor> join_chunks(std::span<const std::vector<Tensor>> chunks,
                                std::span<const std::optional<int64_t>> dims) {
  if (chunks.size() == 1) return chunks.front();
  std::vector<Tensor> joined;
  for (size_t i = 0; i < chunks.front().size(); ++i) {
    if (!dims[i]) {
      joined.push_back(chunks.front()[i]);
      continue;
    }
    std::vector<Tensor> parts;
    for (const std::vector<Tensor>& chunk : chunks) parts.push_back(chunk[i]);
    joined.push_back(cat(parts, *dims[i]));
  }
  return joined;
}

std::vector<Tensor> map_function(std::span<const Tensor> inputs, const VmapOptions& options,
                                 MappedBody body, void* context) {
  BatchDims dims = dims_for(options.in_dims, inputs.size(), "in_dims");
  const SymInt size = find_batch_size(inputs, dims, {.name = &input_text, .context = nullptr});
  OPWRIGHT_CHECK_VALUE(options.chunk_size >= 0,
                       "vmap: chunk_size should be None or greater than 0, got ",
                       options.chunk_size);
  return run_mapped(inputs, dims, size, options.randomness, options.chunk_size,
                    [&](std::span<const Tensor> samples) {
                      std::vector<Tensor> outputs = body(context, samples);
                      BatchDims out_dims = dims_for(options.out_dims, outputs.size(), "out_dims");
                      return MappedOutputs{.tensors = std::move(outputs),
                                           .dims = std::move(out_dims)};
                    });
}

}  // namespace opwright
