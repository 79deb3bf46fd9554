// One run of a mapped function: splits the caller's inputs into samples, and turns the function's
// outputs into batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/runtime/vmap.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/transforms/vmap/drawn_states.h"
#include "opwright/transforms/vmap/vmap.h"
#include "opwright/visibility.h"

namespace opwright {

// The batch dimension of each tensor; none: the same for all samples.
using BatchDims = std::vector<std::optional<int64_t>>;

// How errors name the inputs.
struct InputNames {
  std::string (*name)(const void* context, size_t index);
  const void* context;
};

// The common batch size of all inputs. Makes negative dims nonnegative. ValueError if an input has
// no such dimension, if the sizes differ, or if no input has a batch.
[[nodiscard]] OPWRIGHT_EXPORT SymInt find_batch_size(std::span<const Tensor> inputs,
                                                     std::span<std::optional<int64_t>> dims,
                                                     const InputNames& names);

// The outputs of a mapped function.
struct MappedOutputs {
  std::vector<Tensor> tensors;  // undefined: an output that is not a tensor
  BatchDims dims;               // where the caller wants the batches
};

// A slice of the batch. An input without a batch is returned as it is.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> take_chunk(
    std::span<const Tensor> inputs, std::span<const std::optional<int64_t>> dims, int64_t start,
    int64_t length);
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> join_chunks(
    std::span<const std::vector<Tensor>> chunks, std::span<const std::optional<int64_t>> dims);

// Runs `function(std::span<const Tensor> samples) -> MappedOutputs` over the entire batch. Inputs
// without a batch, and undefined ones, are passed unchanged. `drawn` notes the generators used.
template <class Function>
[[nodiscard]] MappedOutputs run_mapped_at_once(std::span<const Tensor> inputs,
                                               std::span<const std::optional<int64_t>> dims,
                                               const SymInt& batch_size, Randomness randomness,
                                               const Function& function,
                                               DrawnStates* drawn = nullptr) {
  const auto level = VmapPtr::take(new Vmap(current_interpreter(), batch_size, randomness));
  level->note_drawn_states(drawn);
  std::vector<Tensor> samples(inputs.begin(), inputs.end());
  for (size_t i = 0; i < samples.size(); ++i) {
    if (dims[i]) samples[i] = level->wrap(std::move(samples[i]), *dims[i]);
  }
  MappedOutputs outputs;
  {
    const InterpreterScope scope(level.get());
    outputs = function(std::span<const Tensor>(samples));
  }
  for (size_t i = 0; i < outputs.tensors.size(); ++i) {
    if (outputs.tensors[i].is_defined())
      outputs.tensors[i] = level->unwrap(outputs.tensors[i], outputs.dims[i]);
  }
  return outputs;
}

// The same, `chunk_size` samples at a time; 0: all at once. With Randomness::Same every chunk draws
// the numbers of the first.
template <class Function>
[[nodiscard]] std::vector<Tensor> run_mapped(std::span<const Tensor> inputs,
                                             std::span<const std::optional<int64_t>> dims,
                                             const SymInt& batch_size, Randomness randomness,
                                             int64_t chunk_size, const Function& function) {
  if (chunk_size == 0)
    return run_mapped_at_once(inputs, dims, batch_size, randomness, function).tensors;
  std::vector<std::vector<Tensor>> chunks;
  BatchDims out_dims;
  const int64_t size = batch_size.specialise();
  DrawnStates drawn(current_interpreter());
  for (int64_t start = 0; start == 0 || start < size; start += chunk_size) {
    const int64_t length = std::min(chunk_size, size - start);
    const std::vector<Tensor> chunk = take_chunk(inputs, dims, start, length);
    if (randomness == Randomness::Same) drawn.restore();
    MappedOutputs outputs = run_mapped_at_once(chunk, dims, length, randomness, function, &drawn);
    chunks.push_back(std::move(outputs.tensors));
    out_dims = std::move(outputs.dims);
  }
  return join_chunks(chunks, out_dims);
}

}  // namespace opwright
