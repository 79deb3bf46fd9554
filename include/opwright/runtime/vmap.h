// For programs that link the core: turns a function of one sample into one of a batch of samples.
//
//   const auto dot = [](const Tensor& x, const Tensor& y) { return (x * y).sum(); };
//   const Tensor products = opwright::vmap(dot)(xs, ys)[0];                   // over dimension 0
//   const auto scale = opwright::vmap(dot, {.in_dims = {1, std::nullopt}});  // one y for all
//
// Operator binaries do not include this.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/runtime/tensor_function.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
// What random operators do inside vmap.
enum class Randomness : uint8_t {
  Error,      // they raise an error
  Same,       // every sample gets the same numbers
  Different,  // every sample gets its own numbers
};

struct VmapOptions {
  // The batch dimension of each input; nullopt: the same for all samples. Empty: 0 for all.
  std::vector<std::optional<int64_t>> in_dims = {};
  // The batch dimension of each output. Empty: 0 for all.
  std::vector<std::optional<int64_t>> out_dims = {};
  Randomness randomness = Randomness::Error;
  int64_t chunk_size = 0;  // samples at once; 0: all
};

// The function passed to vmap, over a list of tensors.
using MappedBody = std::vector<Tensor> (*)(void* context, std::span<const Tensor> samples);
// Throws ValueError for inputs that do not fit the options or each other.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> map_function(std::span<const Tensor> inputs,
                                                               const VmapOptions& options,
                                                               MappedBody body, void* context);

template <class F>
class MappedFunction {
 public:
  MappedFunction(F function, VmapOptions options)
      : function_(std::move(function)), options_(std::move(options)) {}

  template <std::same_as<Tensor>... Inputs>
  [[nodiscard]] std::vector<Tensor> operator()(const Inputs&... inputs) {
    const Tensor given[] = {inputs...};
    return map_function(
        given, options_,
        [](void* self, std::span<const Tensor> samples) {
          return call_with_list(static_cast<MappedFunction*>(self)->function_, samples,
                                std::make_index_sequence<sizeof...(Inputs)>());
        },
        this);
  }

 private:
  F function_;
  VmapOptions options_;
};

// `function` accepts tensors and returns a tensor or a std::vector of them.
template <class F>
[[nodiscard]] MappedFunction<F> vmap(F function, VmapOptions options = {}) {
  return MappedFunction<F>(std::move(function), std::move(options));
}
}  // namespace opwright
