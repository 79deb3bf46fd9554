// _embedding_bag: the sum, mean or maximum of the table rows selected by each bag of indices.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/embedding/embedding_bag_mode.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr const char* kEmbeddingBag = "_embedding_bag";

// The arguments that determine shapes; indices and offsets are one-dimensional.
struct BagCall {
  const Tensor& weight;
  const Tensor& indices;
  const Tensor& offsets;
  BagMode mode;
  const std::optional<Tensor>& per_sample_weights;
  bool include_last_offset;
  int64_t padding_idx;

  [[nodiscard]] bool has_weights() const {
    return per_sample_weights && per_sample_weights->is_defined();
  }
  [[nodiscard]] DType index_dtype() const {
    return indices.dtype() == offsets.dtype() ? indices.dtype() : DType::Int64;
  }
  [[nodiscard]] SymInt bags() const { return offsets.sym_size(0) - (include_last_offset ? 1 : 0); }
  // PyTorch's fast path for adding rows, which does not compute the bag of each index and ignores
  // indices after the last offset.
  [[nodiscard]] bool adds_dense_rows() const {
    const auto is_dense = [](const Tensor& tensor, int64_t dim) {
      return guard_or_false(tensor.sym_stride(dim) == 1);
    };
    return mode != BagMode::Max && weight.dtype() != DType::Float64 && padding_idx < 0 &&
           is_dense(weight, 1) && (!has_weights() || is_dense(*per_sample_weights, 0));
  }
};

void check_bag_call(const BagCall& call) {
  OPWRIGHT_CHECK(call.weight.dim() == 2, kEmbeddingBag, ": weight must have two dimensions, got ",
                 call.weight);
  OPWRIGHT_CHECK(call.indices.dim() == 1 && call.offsets.dim() == 1, kEmbeddingBag,
                 ": indices and offsets must have one dimension, got ", call.indices, " and ",
                 call.offsets);
  check_index_dtype(kEmbeddingBag, call.indices);
  check_index_dtype(kEmbeddingBag, call.offsets);
  if (!is_floating(call.weight.dtype()) || dtype_bits(call.weight.dtype()) == 8)
    throw_dtype(call.weight.dtype(), kEmbeddingBag, "floating dtypes");
  if (call.include_last_offset) {
    check(call.offsets.sym_size(0) >= 1,
          concatenate(kEmbeddingBag, ": offsets must hold the last offset, got none"));
  }
  if (!call.has_weights()) return;
  const Tensor& scales = *call.per_sample_weights;
  OPWRIGHT_CHECK(call.mode == BagMode::Sum, kEmbeddingBag,
                 ": per_sample_weights require mode 0 (sum)");
  OPWRIGHT_CHECK_TYPE(scales.dtype() == call.weight.dtype(), kEmbeddingBag,
                      ": per_sample_weights of ", scales.dtype(),
                      " must have the dtype of weight, ", call.weight.dtype());
  OPWRIGHT_CHECK(scales.dim() == 1, kEmbeddingBag,
                 ": per_sample_weights must have one dimension, got ", scales);
  check(scales.sym_size(0) == call.indices.sym_size(0),
        concatenate(kEmbeddingBag, ": per_sample_weights must hold a number for each index, got ",
                    scales.sym_size(0), " for ", call.indices.sym_size(0)));
}

BagMode parse_mode(int64_t mode) {
  OPWRIGHT_CHECK_VALUE(mode >= 0 && mode <= 2, kEmbeddingBag,
                       ": mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode);
  return static_cast<BagMode>(mode);
}

// The sizes of the bag of each index and of the indices of maxima.
std::pair<SymSizes, SymSizes> find_bag_sizes(const BagCall& call) {
  const bool finds_bags = call.mode != BagMode::Sum || !call.adds_dense_rows();
  return {SymSizes{finds_bags ? call.indices.sym_size(0) : SymInt(0)},
          call.mode == BagMode::Max ? SymSizes{call.bags(), call.weight.sym_size(1)}
                                    : SymSizes{call.bags()}};
}

Tensor as_int64(const Tensor& tensor) { return as_contiguous(as_dtype(tensor, DType::Int64)); }

// Where each bag begins, and the end of the last one; checked.
std::vector<int64_t> find_bounds(const BagCall& call) {
  const int64_t bags = call.bags().specialise();
  const int64_t count = call.indices.size(0);
  const Tensor offsets = as_int64(call.offsets);
  std::vector<int64_t> bounds;
  bounds.reserve(static_cast<size_t>(offsets.numel() + 1));
  const int64_t* begins = offsets.numel() == 0 ? nullptr : offsets.data<int64_t>();
  for (int64_t i = 0; i < offsets.numel(); ++i) {
    const int64_t offset = begins[i];
    OPWRIGHT_CHECK(i > 0 || offset == 0, kEmbeddingBag, ": offsets must begin with 0, got ",
                   offset);
    OPWRIGHT_CHECK(offset <= count, kEmbeddingBag, ": offsets must be at most ", count,
                   ", the number of indices, got ", offset);
    OPWRIGHT_CHECK(i == 0 || offset >= bounds.back(), kEmbeddingBag,
                   ": offsets must not decrease, got ", offset, " after ", bounds.back());
    bounds.push_back(offset);
  }
  bounds.resize(static_cast<size_t>(bags));
  bounds.push_back(count);
  return bounds;
}

void check_bag_indices(const BagCall& call, const int64_t* indices) {
  const int64_t rows = call.weight.size(0);
  const int64_t count = call.indices.size(0);
  int64_t signs = 0;  // negative if a sign bit is set
  for (int64_t i = 0; i < count; ++i)
    signs |= indices[i] | static_cast<int64_t>(static_cast<uint64_t>(rows - 1) -
                                               static_cast<uint64_t>(indices[i]));
  if (signs >= 0) return;
  for (int64_t i = 0; i < count; ++i) {
    OPWRIGHT_CHECK_INDEX(indices[i] >= 0 && indices[i] < rows, kEmbeddingBag, ": index ",
                         indices[i], " at position ", i, " is out of range for a weight of ", rows,
                         " rows");
  }
}

// A table whose rows have dense columns, and the indices of rows with their scales, or null.
template <class T>
struct RowSource {
  const T* rows;
  int64_t row_stride;
  int64_t columns;
  const int64_t* indices;
  int64_t count;  // of the indices
  const T* scales;
  int64_t padding_idx;
};

// Adds the rows of the indices from `begin` to `end` to `sum`.
template <class T>
struct AddRows {
  using C = ComputeType<T>;
  OPWRIGHT_INLINE static void run(const RowSource<T>* source, int64_t begin, int64_t end, C* sum) {
    constexpr int64_t kBlock = 64;  // columns that stay in registers
    constexpr int64_t kAhead = 16;  // rows of the next bags that are fetched
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    int64_t first = 0;
    for (; first + kBlock <= source->columns; first += kBlock) {
      C block[kBlock] = {};
      for (int64_t i = begin; i < end; ++i) {
        if (source->indices[i] == source->padding_idx) continue;
        const T* row = source->rows + source->indices[i] * source->row_stride + first;
        const C scale = source->scales ? static_cast<C>(source->scales[i]) : C{1};
        if (i + kAhead < source->count) {
          const T* later = source->rows + source->indices[i + kAhead] * source->row_stride + first;
          for (int64_t k = 0; k < kBlock; k += kLine) __builtin_prefetch(later + k);
          __builtin_prefetch(later + kBlock - 1);  // rows seldom begin with a line
        }
        for (int64_t k = 0; k < kBlock; ++k) block[k] += scale * static_cast<C>(row[k]);
      }
      for (int64_t k = 0; k < kBlock; ++k) sum[first + k] += block[k];
    }
    if (first == source->columns) return;
    for (int64_t i = begin; i < end; ++i) {
      if (source->indices[i] == source->padding_idx) continue;
      const T* row = source->rows + source->indices[i] * source->row_stride;
      const C scale = source->scales ? static_cast<C>(source->scales[i]) : C{1};
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t k = first; k < source->columns; ++k) sum[k] += scale * static_cast<C>(row[k]);
    }
  }
};

// The results for a bag: a row, the number of rows, and the origins of maxima.
template <class T>
class BagRows {
 public:
  using C = ComputeType<T>;

  BagRows(const BagCall& call, const int64_t* indices, const std::vector<int64_t>& bounds)
      : call_(call),
        indices_(indices),
        bounds_(bounds),
        rows_(call.weight.data<T>()),
        columns_(call.weight.size(1)),
        row_stride_(call.weight.stride(0)),
        column_stride_(call.weight.stride(1)) {
    if (call.has_weights()) scales_ = as_contiguous(*call.per_sample_weights);
    if (call.include_last_offset && call.adds_dense_rows() && bounds.size() > 1)
      last_ = as_int64(call.offsets).data<int64_t>()[bounds.size() - 1];
  }

  // `scratch` is memory for a row.
  void compute(int64_t bag, std::vector<C>& scratch, T* out, int64_t* size,
               int64_t* positions) const {
    C* sum = scratch.data();
    if constexpr (std::is_same_v<T, C>) sum = out;
    std::fill_n(sum, columns_, C{});
    const bool is_last = static_cast<size_t>(bag) + 2 == bounds_.size();
    const int64_t begin = bounds_[static_cast<size_t>(bag)];
    const int64_t end = bounds_[static_cast<size_t>(bag) + 1];
    int64_t count = 0;
    if (call_.mode == BagMode::Max) {
      for (int64_t i = begin; i < end; ++i) {
        if (indices_[i] == call_.padding_idx) continue;
        take_larger(sum, indices_[i], ++count == 1, positions);
      }
    } else {
      count = end - begin;
      if (call_.padding_idx >= 0)
        count -= std::count(indices_ + begin, indices_ + end, call_.padding_idx);
      add(sum, begin, is_last && last_ ? std::max(begin, std::min(end, *last_)) : end);
    }
    if (call_.mode != BagMode::Sum) *size = count;
    const bool divides = call_.mode == BagMode::Mean && count > 1;
    if (std::is_same_v<T, C> && !divides) return;
    const C divisor = divides ? static_cast<C>(count) : C{1};
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t k = 0; k < columns_; ++k) out[k] = static_cast<T>(sum[k] / divisor);
  }

 private:
  void add(C* sum, int64_t begin, int64_t end) const {
    const T* scales = scales_.is_defined() ? scales_.data<T>() : nullptr;
    if (column_stride_ == 1) {
      const RowSource<T> source{rows_,  row_stride_,      columns_, indices_, call_.indices.size(0),
                                scales, call_.padding_idx};
      return run_at_level<AddRows<T>>(&source, begin, end, sum);
    }
    for (int64_t i = begin; i < end; ++i) {
      if (indices_[i] == call_.padding_idx) continue;
      const T* row = rows_ + indices_[i] * row_stride_;
      const C scale = scales ? static_cast<C>(scales[i]) : C{1};
      for (int64_t k = 0; k < columns_; ++k)
        sum[k] += scale * static_cast<C>(row[k * column_stride_]);
    }
  }
  void take_larger(C* largest, int64_t index, bool is_first, int64_t* positions) const {
    const T* row = rows_ + index * row_stride_;
    for (int64_t k = 0; k < columns_; ++k) {
      const C value = static_cast<C>(row[k * column_stride_]);
      if (!is_first && !(value > largest[k])) continue;
      largest[k] = value;
      positions[k] = index;
    }
  }

  const BagCall& call_;
  const int64_t* indices_;
  const std::vector<int64_t>& bounds_;
  const T* rows_;
  int64_t columns_;
  int64_t row_stride_;
  int64_t column_stride_;
  Tensor scales_;
  std::optional<int64_t> last_;  // the last offset; no rows after it are added
};

Tensor make_zeros(std::span<const SymInt> sizes) {
  Sizes plain;
  for (const SymInt& size : sizes) plain.push_back(size.specialise());
  Tensor zeros = make_empty(plain, DType::Int64);
  std::fill_n(zeros.mutable_data<int64_t>(), zeros.numel(), 0);
  return zeros;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag_cpu(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool /*scale_grad_by_freq*/,
    int64_t mode, bool /*sparse*/, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset, int64_t padding_idx) {
  const BagCall call{
      weight,     indices, offsets, parse_mode(mode), per_sample_weights, include_last_offset,
      padding_idx};
  check_bag_call(call);
  const auto [bag_of_sizes, max_sizes] = find_bag_sizes(call);
  const int64_t bags = call.bags().specialise();
  const int64_t columns = weight.size(1);
  const Tensor dense = as_int64(indices);
  const int64_t* each = dense.numel() == 0 ? nullptr : dense.data<int64_t>();
  const std::vector<int64_t> bounds = find_bounds(call);
  if (bags > 0) check_bag_indices(call, each);
  Tensor result = make_empty(Sizes{bags, columns}, weight.dtype());
  const Tensor bag_of = make_zeros(bag_of_sizes);
  const Tensor bag_sizes = make_zeros(SymSizes{SymInt(bags)});
  Tensor positions = make_zeros(max_sizes);
  int64_t* counts = bag_sizes.mutable_data<int64_t>();
  if (bag_of.numel() != 0) {
    int64_t* bag = bag_of.mutable_data<int64_t>();
    for (int64_t i = 0; i < bags; ++i)
      std::fill(bag + bounds[static_cast<size_t>(i)], bag + bounds[static_cast<size_t>(i) + 1], i);
  }
  for_floating_dtype(weight.dtype(), kEmbeddingBag, [&]<typename T>() {
    const BagRows<T> rows(call, each, bounds);
    T* out = result.mutable_data<T>();
    int64_t* maxima = call.mode == BagMode::Max ? positions.mutable_data<int64_t>() : nullptr;
    const int64_t work = (call.indices.size(0) + bags) * (columns + 1) / std::max<int64_t>(1, bags);
    parallel_for(bags, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)),
                 [&](int64_t begin, int64_t end) {
                   std::vector<ComputeType<T>> sum(static_cast<size_t>(columns));
                   for (int64_t i = begin; i < end; ++i)
                     rows.compute(i, sum, out + i * columns, counts + i,
                                  maxima ? maxima + i * columns : nullptr);
                 });
  });
  if (call.mode != BagMode::Max) copy_elements(positions, bag_sizes);
  const DType dtype = call.index_dtype();
  return {result, as_dtype(bag_of, dtype), as_dtype(bag_sizes, dtype), as_dtype(positions, dtype)};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor, FakeTensor> embedding_bag_fake(
    const FakeTensor& weight, const FakeTensor& indices, const FakeTensor& offsets,
    bool /*scale_grad_by_freq*/, int64_t mode, bool /*sparse*/,
    const std::optional<FakeTensor>& per_sample_weights, bool include_last_offset,
    int64_t padding_idx) {
  std::optional<Tensor> scales;
  if (per_sample_weights) scales = as_tensor(*per_sample_weights);
  const BagCall call{
      as_tensor(weight),   as_tensor(indices), as_tensor(offsets), parse_mode(mode), scales,
      include_last_offset, padding_idx};
  check_bag_call(call);
  const auto [bag_of_sizes, max_sizes] = find_bag_sizes(call);
  const DType dtype = call.index_dtype();
  return {make_fake_like(weight, SymSizes{call.bags(), weight.size(1)}, weight.dtype()),
          make_fake_like(weight, bag_of_sizes, dtype),
          make_fake_like(weight, SymSizes{call.bags()}, dtype),
          make_fake_like(weight, max_sizes, dtype)};
}

}  // namespace opwright
