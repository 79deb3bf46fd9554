// vmap rules of reductions: the batch stays in front of the reduced dimensions.
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

using Dims = std::optional<std::span<const int64_t>>;
using TensorPair = std::tuple<Tensor, Tensor>;

// Over all elements of each sample, for an operator that reduces one dimension.
template <class Compute>
auto map_rows(const VmapInfo& info, const Tensor& self, const Compute& compute) {
  return batched(compute(as_rows(batch_first(info, 0, self))));
}

// The index of an extremum among all elements is that in a row; keepdim keeps every dimension.
template <class Compute>
VmapResult<Tensor> map_position(const VmapInfo& info, const Tensor& self,
                                const std::optional<int64_t>& dim, bool keepdim, const char* who,
                                const Compute& compute) {
  if (dim)
    return map_along(info, self, *dim, who, [&](const Tensor& batch, int64_t along) {
      return compute(batch, along, keepdim);
    });
  const Tensor batch = batch_first(info, 0, self);
  const Tensor positions = compute(as_rows(batch), 1, false);
  if (!keepdim) return batched(positions);
  return batched(positions.reshape(
      with_batch(info.batch_size, SymSizes(static_cast<size_t>(batch.dim() - 1), 1))));
}

// An empty list means no dimension.
template <class Compute>
VmapResult<Tensor> map_truth(const VmapInfo& info, const Tensor& self, const Dims& dim,
                             const char* who, const Compute& compute) {
  if (dim && dim->empty()) return in_place_of_first(info, compute(self, {}));
  return map_over(info, self, dim, who, compute);
}

}  // namespace

VmapResult<Tensor> sum_dim_vmap(const VmapInfo& info, const Tensor& self, Dims dim, bool keepdim,
                                const std::optional<DType>& dtype) {
  return map_over(info, self, dim, "sum", [&](const Tensor& batch, IntList dims) {
    return sum(batch, dims, keepdim, dtype);
  });
}
VmapResult<Tensor> sum_vmap(const VmapInfo& info, const Tensor& self,
                            const std::optional<DType>& dtype) {
  return sum_dim_vmap(info, self, std::nullopt, false, dtype);
}
VmapResult<Tensor> mean_dim_vmap(const VmapInfo& info, const Tensor& self, Dims dim, bool keepdim,
                                 const std::optional<DType>& dtype) {
  return map_over(info, self, dim, "mean", [&](const Tensor& batch, IntList dims) {
    return mean(batch, dims, keepdim, dtype);
  });
}
VmapResult<Tensor> mean_vmap(const VmapInfo& info, const Tensor& self,
                             const std::optional<DType>& dtype) {
  return mean_dim_vmap(info, self, std::nullopt, false, dtype);
}
VmapResult<Tensor> prod_vmap(const VmapInfo& info, const Tensor& self,
                             const std::optional<DType>& dtype) {
  return map_rows(info, self, [&](const Tensor& rows) { return prod(rows, 1, false, dtype); });
}
VmapResult<Tensor> prod_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                 bool keepdim, const std::optional<DType>& dtype) {
  return map_along(info, self, dim, "prod", [&](const Tensor& batch, int64_t along) {
    return prod(batch, along, keepdim, dtype);
  });
}

VmapResult<Tensor> amax_vmap(const VmapInfo& info, const Tensor& self, std::span<const int64_t> dim,
                             bool keepdim) {
  return map_over(info, self, dim, "amax",
                  [&](const Tensor& batch, IntList dims) { return amax(batch, dims, keepdim); });
}
VmapResult<Tensor> amin_vmap(const VmapInfo& info, const Tensor& self, std::span<const int64_t> dim,
                             bool keepdim) {
  return map_over(info, self, dim, "amin",
                  [&](const Tensor& batch, IntList dims) { return amin(batch, dims, keepdim); });
}
VmapResult<Tensor> max_vmap(const VmapInfo& info, const Tensor& self) {
  return map_rows(info, self, [](const Tensor& rows) { return amax(rows, {1}); });
}
VmapResult<Tensor> min_vmap(const VmapInfo& info, const Tensor& self) {
  return map_rows(info, self, [](const Tensor& rows) { return amin(rows, {1}); });
}
VmapResult<TensorPair> max_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                    bool keepdim) {
  return map_along(info, self, dim, "max",
                   [&](const Tensor& batch, int64_t along) { return max(batch, along, keepdim); });
}
VmapResult<TensorPair> min_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                    bool keepdim) {
  return map_along(info, self, dim, "min",
                   [&](const Tensor& batch, int64_t along) { return min(batch, along, keepdim); });
}
VmapResult<Tensor> argmax_vmap(const VmapInfo& info, const Tensor& self,
                               const std::optional<int64_t>& dim, bool keepdim) {
  return map_position(info, self, dim, keepdim, "argmax",
                      [](const auto&... a) { return argmax(a...); });
}
VmapResult<Tensor> argmin_vmap(const VmapInfo& info, const Tensor& self,
                               const std::optional<int64_t>& dim, bool keepdim) {
  return map_position(info, self, dim, keepdim, "argmin",
                      [](const auto&... a) { return argmin(a...); });
}

VmapResult<Tensor> any_dims_vmap(const VmapInfo& info, const Tensor& self, Dims dim, bool keepdim) {
  return map_truth(info, self, dim, "any", [&](const Tensor& batch, IntList dims) {
    return any(batch, OptionalIntList(dims), keepdim);
  });
}
VmapResult<Tensor> any_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                bool keepdim) {
  return any_dims_vmap(info, self, Dims({&dim, 1}), keepdim);
}
VmapResult<Tensor> any_vmap(const VmapInfo& info, const Tensor& self) {
  return any_dims_vmap(info, self, std::nullopt, false);
}
VmapResult<Tensor> all_dims_vmap(const VmapInfo& info, const Tensor& self, Dims dim, bool keepdim) {
  return map_truth(info, self, dim, "all", [&](const Tensor& batch, IntList dims) {
    return all(batch, OptionalIntList(dims), keepdim);
  });
}
VmapResult<Tensor> all_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                bool keepdim) {
  return all_dims_vmap(info, self, Dims({&dim, 1}), keepdim);
}
VmapResult<Tensor> all_vmap(const VmapInfo& info, const Tensor& self) {
  return all_dims_vmap(info, self, std::nullopt, false);
}

VmapResult<Tensor> var_dim_vmap(const VmapInfo& info, const Tensor& self, Dims dim, bool unbiased,
                                bool keepdim) {
  return map_over(info, self, dim, "var", [&](const Tensor& batch, IntList dims) {
    return var(batch, dims, unbiased, keepdim);
  });
}
VmapResult<Tensor> var_correction_vmap(const VmapInfo& info, const Tensor& self, Dims dim,
                                       const std::optional<Scalar>& correction, bool keepdim) {
  return map_over(info, self, dim, "var", [&](const Tensor& batch, IntList dims) {
    return var(batch, OptionalIntList(dims), correction, keepdim);
  });
}
VmapResult<Tensor> std_correction_vmap(const VmapInfo& info, const Tensor& self, Dims dim,
                                       const std::optional<Scalar>& correction, bool keepdim) {
  return map_over(info, self, dim, "std", [&](const Tensor& batch, IntList dims) {
    return opwright::std(batch, OptionalIntList(dims), correction, keepdim);
  });
}
VmapResult<TensorPair> var_mean_correction_vmap(const VmapInfo& info, const Tensor& self, Dims dim,
                                                const std::optional<Scalar>& correction,
                                                bool keepdim) {
  return map_over(info, self, dim, "var_mean", [&](const Tensor& batch, IntList dims) {
    return var_mean(batch, OptionalIntList(dims), correction, keepdim);
  });
}
VmapResult<TensorPair> std_mean_correction_vmap(const VmapInfo& info, const Tensor& self, Dims dim,
                                                const std::optional<Scalar>& correction,
                                                bool keepdim) {
  return map_over(info, self, dim, "std_mean", [&](const Tensor& batch, IntList dims) {
    return std_mean(batch, OptionalIntList(dims), correction, keepdim);
  });
}

VmapResult<Tensor> linalg_vector_norm_vmap(const VmapInfo& info, const Tensor& self,
                                           const Scalar& ord, Dims dim, bool keepdim,
                                           const std::optional<DType>& dtype) {
  return map_over(info, self, dim, "linalg_vector_norm", [&](const Tensor& batch, IntList dims) {
    return linalg_vector_norm(batch, ord, dims, keepdim, dtype);
  });
}
VmapResult<Tensor> norm_dim_vmap(const VmapInfo& info, const Tensor& self,
                                 const std::optional<Scalar>& p, std::span<const int64_t> dim,
                                 bool keepdim) {
  return map_over(info, self, dim, "norm",
                  [&](const Tensor& batch, IntList dims) { return norm(batch, p, dims, keepdim); });
}
VmapResult<Tensor> norm_vmap(const VmapInfo& info, const Tensor& self, const Scalar& p) {
  return norm_dim_vmap(info, self, p, {}, false);
}
VmapResult<Tensor> norm_dim_dtype_vmap(const VmapInfo& info, const Tensor& self,
                                       const std::optional<Scalar>& p, std::span<const int64_t> dim,
                                       bool keepdim, DType dtype) {
  return map_over(info, self, dim, "norm", [&](const Tensor& batch, IntList dims) {
    return norm(batch, p, dims, keepdim, dtype);
  });
}
VmapResult<Tensor> norm_dtype_vmap(const VmapInfo& info, const Tensor& self,
                                   const std::optional<Scalar>& p, DType dtype) {
  return norm_dim_dtype_vmap(info, self, p, {}, false, dtype);
}
VmapResult<Tensor> logsumexp_vmap(const VmapInfo& info, const Tensor& self,
                                  std::span<const int64_t> dim, bool keepdim) {
  return map_over(info, self, dim, "logsumexp", [&](const Tensor& batch, IntList dims) {
    return logsumexp(batch, dims, keepdim);
  });
}
VmapResult<Tensor> count_nonzero_dims_vmap(const VmapInfo& info, const Tensor& self,
                                           std::span<const int64_t> dim) {
  return map_over(info, self, dim, "count_nonzero",
                  [](const Tensor& batch, IntList dims) { return count_nonzero(batch, dims); });
}
VmapResult<Tensor> count_nonzero_vmap(const VmapInfo& info, const Tensor& self,
                                      const std::optional<int64_t>& dim) {
  return count_nonzero_dims_vmap(
      info, self, dim ? std::span<const int64_t>(&*dim, 1) : std::span<const int64_t>());
}
VmapResult<Tensor> trace_vmap(const VmapInfo& info, const Tensor& self) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(batch.dim() == 3, "trace: self must be a matrix, got ", batch.dim() - 1,
                 " dimensions");
  return batched(sum(batch.diagonal(0, 1, 2), {1}));
}

}  // namespace opwright
