// native_group_norm.
#include <algorithm>
#include <optional>
#include <tuple>

#include "opwright/ops/normalization/channel_affine.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/ops/normalization/norm_result.h"
#include "opwright/ops/normalization/row_moments.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kGroupNorm = "native_group_norm";

template <class C>
struct FindStatistics {
  OPWRIGHT_INLINE static void run(const C* in, int64_t count, double eps,
                                  RowStatistics<C>* statistics) {
    *statistics = find_statistics(in, count, eps);
  }
};

// The sizes of the call, as ints or SymInts.
template <class Int>
void check_groups(const Int& channels, int64_t group) {
  OPWRIGHT_CHECK(group > 0, kGroupNorm, ": group must be positive, got ", group);
  OPWRIGHT_DEMAND(channels % group == 0, kGroupNorm, ": C = ", channels,
                  " channels cannot be divided among group = ", group, " groups");
}
template <class Int>
void check_group_parameter(const char* name, int64_t ndim, const Int& size, const Int& channels) {
  const auto message = [&] {
    return concatenate(kGroupNorm, ": ", name, " must have one dimension of size C = ", channels,
                       ", got ", ndim, " dimensions, the first of size ", size);
  };
  demand(ndim == 1, "RuntimeError", message);
  demand(size == channels, "RuntimeError", message);
}
template <class AnyTensor, class Int>
void check_parameters(const std::optional<AnyTensor>& weight, const std::optional<AnyTensor>& bias,
                      const Int& channels) {
  const auto check_one = [&](const char* name, const std::optional<AnyTensor>& parameter) {
    if (parameter)
      check_group_parameter<Int>(name, parameter->dim(),
                                 parameter->dim() > 0 ? parameter->size(0) : 1, channels);
  };
  check_one("weight", weight);
  check_one("bias", bias);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> group_norm_cpu(const Tensor& input,
                                                  const std::optional<Tensor>& weight,
                                                  const std::optional<Tensor>& bias, int64_t N,
                                                  int64_t C, int64_t HxW, int64_t group,
                                                  double eps) {
  check_groups(C, group);
  OPWRIGHT_CHECK(input.numel() == N * C * HxW, kGroupNorm, ": input of sizes ",
                 to_text(input.sizes()), " does not have N * C * HxW = ", N, " * ", C, " * ", HxW,
                 " elements");
  check_parameters<Tensor, int64_t>(weight, bias, C);
  StatisticsDType dtype(kGroupNorm, input.dtype());
  dtype.add("weight", weight);
  dtype.add("bias", bias);
  const int64_t channels = C / group;
  const int64_t count = channels * HxW;
  const DType wide = wide_dtype(input.dtype());
  const Tensor x = as_contiguous(as_dtype(input, wide));
  const Tensor y = make_empty(input.sizes(), wide);
  const Tensor mean = make_empty(Sizes{N, group}, wide);
  const Tensor reciprocal = make_empty(Sizes{N, group}, wide);
  for_floating_dtype(wide, kGroupNorm, [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const Parameter<T> scales(weight), shifts(bias);
      const T* in = x.numel() == 0 ? nullptr : x.data<T>();
      T* means = mean.mutable_data<T>();
      T* reciprocals = reciprocal.mutable_data<T>();
      parallel_for(N * group, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, count)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       RowStatistics<T> found{};
                       run_at_level<FindStatistics<T>>(in + i * count, count, eps, &found);
                       means[i] = found.mean;
                       reciprocals[i] = found.reciprocal;
                     }
                   });
      apply_to_rows(y.mutable_data<T>(), in, N * C, HxW, [&](int64_t row) {
        const int64_t channel = row % C;
        const T scale =
            reciprocals[row / channels] * (scales.data() ? scales.data()[channel] : T{1});
        const T shift = shifts.data() ? shifts.data()[channel] : T{};
        return std::tuple(means[row / channels], scale, shift);
      });
    }
  });
  return {in_format_of(input, y), as_dtype(mean, dtype.get()), as_dtype(reciprocal, dtype.get())};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> group_norm_fake(
    const FakeTensor& input, const std::optional<FakeTensor>& weight,
    const std::optional<FakeTensor>& bias, const SymInt& N, const SymInt& C, const SymInt& HxW,
    int64_t group, double /*eps*/) {
  check_groups(C, group);
  check(input.numel() == N * C * HxW,
        "native_group_norm: input does not have N * C * HxW elements");
  check_parameters<FakeTensor, SymInt>(weight, bias, C);
  StatisticsDType dtype(kGroupNorm, input.dtype());
  dtype.add("weight", weight);
  dtype.add("bias", bias);
  const SymSizes sizes{N, SymInt(group)};
  return {in_format_of(input), make_fake_like(input, sizes, dtype.get()),
          make_fake_like(input, sizes, dtype.get())};
}

}  // namespace opwright
