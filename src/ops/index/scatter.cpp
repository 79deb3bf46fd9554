// scatter_, scatter_add_ and scatter_reduce_ on the CPU.
#include <cmath>
#include <string_view>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/move/indexed_memory.h"
#include "opwright/ops/engine/move/scatter_loop.h"
#include "opwright/ops/engine/move/scatter_reduction.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/overlap.h"

namespace opwright {
namespace {

// `src` itself, or a copy if it overlaps `self`, which is being written.
Tensor apart_from(const Tensor& src, const Tensor& self) {
  if (overlap(src, self) == Overlap::None) return src;
  const Tensor copy = make_empty(src.sizes(), src.dtype());
  copy_elements(copy, src);
  return copy;
}

void assign(const Tensor& self, size_t dim, const Tensor& index, const Tensor* src,
            const void* value) {
  const ScatterLoop loop(self, index, src, value, dim);
  for_item_size(item_size(self.dtype()), [&]<typename Element>() {
    loop.run<Element>([](Element& target, const Element& source) { target = source; });
  });
}

void assign_number(const Tensor& self, size_t dim, const Tensor& index, const Scalar& value) {
  for_dtype(self.dtype(), "scatter_", [&]<typename T>() {
    const T element = number_as<T>(value);
    assign(self, dim, index, nullptr, &element);
  });
}

// Halves are combined as float32 and rounded once.
DType combined_dtype(DType dtype) {
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  return is_half ? DType::Float32 : dtype;
}

void divide_by_counts(const Tensor& self, size_t dim, const Tensor& index, bool include_self) {
  const Tensor counts = make_empty(self.sizes(), DType::Int64);
  auto* numbers = counts.mutable_data<int64_t>();
  std::fill_n(numbers, counts.numel(), include_self ? 1 : 0);
  const int64_t one = 1;
  ScatterLoop(counts, index, nullptr, &one, dim).run<int64_t>([](int64_t& count, int64_t more) {
    count += more;
  });
  for_dtype(self.dtype(), "scatter_reduce_", [&]<typename T>() {
    StridedLoop({&self, &counts})
        .for_each_run([](const StridedLoop::Pointers& pointers,
                         const StridedLoop::ByteStrides& strides, int64_t length) {
          for (int64_t i = 0; i < length; ++i) {
            auto& sum = *reinterpret_cast<T*>(pointers[0] + i * strides[0]);
            const auto count = *reinterpret_cast<const int64_t*>(pointers[1] + i * strides[1]);
            if (count > 1) sum = mean_of<T>(sum, count);
          }
        });
  });
}

void reduce(const char* who, Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
            ScatterReduction reduction, bool include_self) {
  const size_t along = check_scatter(who, self, dim, index, &src);
  check_writable(who, self);
  if (index.numel() == 0) return;
  const Tensor indices = checked_index(who, index, self, along);
  const DType dtype = combined_dtype(self.dtype());
  const Tensor target = as_dtype(self, dtype);
  const Tensor source = as_dtype(apart_from(src, self), dtype);
  if (!include_self) {
    for_dtype(dtype, who, [&]<typename T>() {
      const T identity = identity_of<T>(reduction);
      assign(target, along, indices, nullptr, &identity);
    });
  }
  const ScatterLoop loop(target, indices, &source, nullptr, along);
  for_combined_dtype(dtype, who, reduction, [&]<typename T, typename Combine>() {
    loop.run<T>([](T& result, const T& value) { result = Combine{}(result, value); });
  });
  if (reduction == ScatterReduction::Mean) divide_by_counts(target, along, indices, include_self);
  if (target.get() != self.get()) copy_elements(self, target);
}

}  // namespace

Tensor& scatter_src_in_place_cpu(Tensor& self, int64_t dim, const Tensor& index,
                                 const Tensor& src) {
  const size_t along = check_scatter("scatter_", self, dim, index, &src);
  check_writable("scatter_", self);
  if (index.numel() == 0) return self;
  const Tensor source = apart_from(src, self);
  assign(self, along, checked_index("scatter_", index, self, along), &source, nullptr);
  return self;
}

Tensor& scatter_value_in_place_cpu(Tensor& self, int64_t dim, const Tensor& index,
                                   const Scalar& value) {
  const size_t along = check_scatter("scatter_", self, dim, index, nullptr);
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()),
                      "scatter_: the complex number ", value, " cannot be stored in self of ",
                      self.dtype());
  check_writable("scatter_", self);
  if (index.numel() == 0) return self;
  assign_number(self, along, checked_index("scatter_", index, self, along), value);
  return self;
}

Tensor& scatter_add_in_place_cpu(Tensor& self, int64_t dim, const Tensor& index,
                                 const Tensor& src) {
  reduce("scatter_add_", self, dim, index, src, ScatterReduction::Sum, true);
  return self;
}

Tensor& scatter_reduce_in_place_cpu(Tensor& self, int64_t dim, const Tensor& index,
                                    const Tensor& src, std::string_view reduction,
                                    bool include_self) {
  reduce("scatter_reduce_", self, dim, index, src,
         parse_scatter_reduction("scatter_reduce_", reduction), include_self);
  return self;
}

}  // namespace opwright
