// TensorGuards: the conditions on the tensors of a call under which a captured graph is valid.
//
// A flat list of numbers, compared without allocation: dtype, device, rank, sizes and strides, the
// flags that change what operators do, and which tensors are identical. A symbolic dimension is
// unchecked here; SizeGuards checks what the graph requires of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// How the strides of a tensor follow from its sizes: dimensions from the innermost on, each either
// dense (the product of the inner sizes) or with its own stride.
struct StrideOrder {
  explicit StrideOrder(const Tensor& tensor);
  // For sizes that may be symbols.
  [[nodiscard]] std::vector<SymInt> strides_of(std::span<const SymInt> sizes) const;

  struct Dimension {
    uint32_t dim;
    int64_t stride;  // kDense: the product
  };
  static constexpr int64_t kDense = INT64_MIN;
  std::vector<Dimension> inner_first;
};

class OPWRIGHT_EXPORT TensorGuards {
 public:
  // One bit per dimension whose size is dynamic.
  using DynamicDims = uint64_t;

  // The tensor as it is now. `name` is used in messages.
  void add(const Tensor& tensor, DynamicDims dynamic, std::string name);
  // The first `count` are arguments, which must be distinct tensors; the rest is captured.
  void set_num_arguments(size_t count) noexcept { num_arguments_ = count; }
  // Indices of tensors that the graph writes: each must overlap other tensors exactly as it does
  // now. Call after adding all tensors.
  void watch_writes(std::span<const Tensor> tensors, std::span<const uint32_t> written);

  [[nodiscard]] size_t size() const noexcept { return tensors_.size(); }
  // One tensor per added one, in order.
  [[nodiscard]] bool check(std::span<const OpwValue> tensors) const noexcept;
  // "x has dtype float64, it had float32"; empty if the guards hold.
  [[nodiscard]] std::string find_difference(std::span<const OpwValue> tensors) const;
  // One line per guard.
  [[nodiscard]] std::string text() const;

 private:
  struct One {
    OpwDevice device;
    int32_t ndim;
    OpwDtype dtype;
    uint32_t flags;  // of kWatchedFlags
    uint32_t first;  // in numbers_: sizes, then strides; for a dynamic one, sizes and the order
    bool is_dynamic;
    int64_t offset = -1;  // for shared memory that the graph writes; -1: any
    // For a tensor captured by a graph that writes; compared, never read. Null: any.
    const Storage* storage = nullptr;
  };
  // Whether two tensors share a storage.
  struct Pair {
    uint32_t first;
    uint32_t second;
    bool is_shared;
  };
  [[nodiscard]] bool check_one(const One& one, const OpwTensor* tensor) const noexcept;
  [[nodiscard]] bool check_sizes(const One& one, const OpwTensor* tensor) const noexcept;
  [[nodiscard]] bool check_memory(std::span<const OpwValue> tensors) const noexcept;
  [[nodiscard]] std::string describe(const One& one) const;
  [[nodiscard]] std::string describe_difference(const One& one, const OpwTensor* tensor) const;

  std::vector<One> tensors_;
  std::vector<int64_t> numbers_;
  std::vector<std::string> names_;
  std::vector<Pair> pairs_;
  size_t num_arguments_ = 0;
  bool writes_ = false;
};

}  // namespace opwright
