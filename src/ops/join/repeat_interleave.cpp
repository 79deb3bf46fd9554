// repeat_interleave: repeats every element several times in a row.
#include <algorithm>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/unknown_size.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kRepeatInterleave = "repeat_interleave";

template <class AnyTensor>
void check_repeats(const AnyTensor& repeats) {
  OPWRIGHT_CHECK(repeats.dim() == 1, kRepeatInterleave, ": repeats must have one dimension, got ",
                 repeats);
  OPWRIGHT_CHECK_TYPE(repeats.dtype() == DType::Int64 || repeats.dtype() == DType::Int32,
                      kRepeatInterleave, ": repeats must be of int64 or int32, got ", repeats);
}

// Where elements are repeated: along `dim`, or all of them as a vector.
struct Repeated {
  Repeated(const Tensor& self, const std::optional<int64_t>& given)
      : tensor(given ? (self.dim() == 0 ? self.unsqueeze(0) : self) : self.flatten()),
        dim(static_cast<int64_t>(
            wrap_dim(given.value_or(0), static_cast<size_t>(tensor.dim()), kRepeatInterleave))) {}
  Tensor tensor;
  int64_t dim;
};

}  // namespace

Tensor repeat_interleave_int_composite(const Tensor& self, const SymInt& repeats,
                                       const std::optional<int64_t>& dim,
                                       const std::optional<SymInt>& output_size) {
  const Repeated repeated(self, dim);
  std::string problem = "repeat_interleave: repeats must not be negative, got ";
  append_text(problem, repeats);
  check(repeats >= 0, problem);
  if (output_size)
    check(*output_size == repeated.tensor.sym_size(repeated.dim) * repeats,
          "repeat_interleave: output_size is not the size of dim times repeats");
  SymSizes sizes = sym_geometry_of(repeated.tensor).sizes;
  SymSizes expanded;
  for (size_t i = 0; i < sizes.size(); ++i) {
    expanded.push_back(sizes[i]);
    if (static_cast<int64_t>(i) == repeated.dim) expanded.push_back(repeats);
  }
  return repeated.tensor.unsqueeze(repeated.dim + 1)
      .expand(expanded)
      .clone(MemoryFormat::Contiguous)
      .flatten(repeated.dim, repeated.dim + 1);
}

Tensor repeat_interleave_tensor_composite(const Tensor& self, const Tensor& repeats,
                                          const std::optional<int64_t>& dim,
                                          const std::optional<SymInt>& output_size) {
  const Repeated repeated(self, dim);
  const SymInt size = repeated.tensor.sym_size(repeated.dim);
  OPWRIGHT_CHECK(repeats.dim() <= 1, kRepeatInterleave,
                 ": repeats must have zero or one dimension, got ", repeats);
  const bool is_one = repeats.dim() == 0 || guard_or_false(repeats.sym_size(0) == 1);
  if (!is_one)
    check(repeats.sym_size(0) == size,
          concatenate(kRepeatInterleave, ": repeats (", repeats,
                      ") must hold one number, or one for each element of dimension ", repeated.dim,
                      " of self (", self, ")"));
  const Tensor counts = is_one ? repeats.reshape({1}).expand({size}) : repeats;
  return repeated.tensor.index_select(repeated.dim, repeat_interleave(counts, output_size));
}

Tensor repeat_interleave_indices_cpu(const Tensor& repeats,
                                     const std::optional<int64_t>& output_size) {
  check_repeats(repeats);
  const Tensor counts = as_contiguous(as_dtype(repeats, DType::Int64));
  const auto* numbers = counts.numel() == 0 ? nullptr : counts.data<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < counts.numel(); ++i) {
    OPWRIGHT_CHECK(numbers[i] >= 0, kRepeatInterleave, ": repeats must not be negative, got ",
                   numbers[i]);
    const bool overflows = __builtin_add_overflow(total, numbers[i], &total);
    OPWRIGHT_CHECK(!overflows, kRepeatInterleave, ": the sum of repeats needs more than 64 bits");
  }
  OPWRIGHT_CHECK(!output_size || *output_size == total, kRepeatInterleave, ": output_size ",
                 output_size.value_or(0), " is not the sum of repeats, ", total);
  const Tensor indices = make_empty(Sizes{total}, DType::Int64);
  auto* to = indices.mutable_data<int64_t>();
  for (int64_t i = 0; i < counts.numel(); ++i) to = std::fill_n(to, numbers[i], i);
  return as_dtype(indices, repeats.dtype());
}
FakeTensor repeat_interleave_indices_fake(const FakeTensor& repeats,
                                          const std::optional<SymInt>& output_size) {
  check_repeats(repeats);
  const SymInt size =
      output_size
          ? *output_size
          : make_unknown_size(kRepeatInterleave, "the sum of repeats, if no output_size is given,");
  return make_fake_like(repeats, SymSizes{size}, repeats.dtype());
}

}  // namespace opwright
