// masked_select, masked_scatter_ and masked_fill_: read and write the elements where a mask is
// true, in order.
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/mask_chunks.h"
#include "opwright/ops/engine/cpu/moved_item.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

void check_mask(const char* who, const Tensor& mask) {
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, who, ": mask must be of bool, got ", mask);
}

Tensor expand_to(const Tensor& tensor, std::span<const int64_t> sizes, const char* who) {
  return as_contiguous(make_view(tensor, expand_geometry(geometry_of(tensor), sizes, who)));
}

// Of dense elements: writes all of them, so that the loop is vector code.
template <class Element>
struct DenseFill {
  OPWRIGHT_INLINE static void run(Element* elements, const uint8_t* truth, Element value,
                                  int64_t count) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) elements[i] = truth[i] != 0 ? value : elements[i];
  }
};

template <class Element>
void fill_run(const StridedLoop::Pointers& pointers, const StridedLoop::ByteStrides& strides,
              int64_t count, Element value) {
  const auto* truth = reinterpret_cast<const uint8_t*>(pointers[1]);
  if (strides[0] == static_cast<int64_t>(sizeof(Element)) && strides[1] == 1) {
    return run_at_level<DenseFill<Element>>(reinterpret_cast<Element*>(pointers[0]), truth, value,
                                            count);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (truth[i * strides[1]] != 0)
      *reinterpret_cast<Element*>(pointers[0] + i * strides[0]) = value;
  }
}

// Writes `value`, of the dtype of self, where the mask is true.
void fill_where(Tensor& self, const Tensor& mask, const void* value) {
  constexpr const char* kWho = "masked_fill_";
  check_mask(kWho, mask);
  check_expands(kWho, "mask", mask, self);
  check_writable(kWho, self);
  for_item_size(item_size(self.dtype()), [&]<typename Element>() {
    const Element element = *static_cast<const Element*>(value);
    StridedLoop({&self, &mask})
        .for_each_run([&](const StridedLoop::Pointers& pointers,
                          const StridedLoop::ByteStrides& strides,
                          int64_t count) { fill_run(pointers, strides, count, element); });
  });
}

}  // namespace

Tensor& masked_fill_scalar_in_place_cpu(Tensor& self, const Tensor& mask, const Scalar& value) {
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()),
                      "masked_fill_: the complex number ", value, " cannot be stored in self of ",
                      self.dtype());
  for_dtype(self.dtype(), "masked_fill_", [&]<typename T>() {
    const T element = number_as<T>(value);
    fill_where(self, mask, &element);
  });
  return self;
}

Tensor& masked_fill_tensor_in_place_cpu(Tensor& self, const Tensor& mask, const Tensor& value) {
  OPWRIGHT_CHECK_VALUE(value.dim() == 0,
                       "masked_fill_: value must be a number or a zero-dim tensor, got ", value);
  OPWRIGHT_CHECK_TYPE(!is_complex(value.dtype()) || is_complex(self.dtype()),
                      "masked_fill_: a value of ", value.dtype(), " cannot be stored in self of ",
                      self.dtype());
  const Tensor element = make_empty({}, self.dtype());
  copy_elements(element, value);
  fill_where(self, mask, element.data());
  return self;
}

Tensor masked_select_cpu(const Tensor& self, const Tensor& mask) {
  check_mask("masked_select", mask);
  const Sizes sizes = broadcast_sizes(self.sizes(), mask.sizes(), "masked_select");
  const Tensor truth = expand_to(mask, sizes, "masked_select");
  const Tensor source = expand_to(self, sizes, "masked_select");
  const bool* keeps = truth.data<bool>();
  const MaskChunks chunks(keeps, truth.numel());
  Tensor result = make_empty(IntList{chunks.count()}, self.dtype());
  for_item_size(item_size(self.dtype()), [&]<typename Element>() {
    const auto* from = static_cast<const Element*>(source.data());
    auto* to = static_cast<Element*>(result.mutable_data());
    chunks.for_each([&](int64_t begin, int64_t end, int64_t rank) {
      for (int64_t i = begin; i < end; ++i) {
        if (keeps[i]) to[rank++] = from[i];
      }
    });
  });
  return result;
}

Tensor& masked_scatter_in_place_cpu(Tensor& self, const Tensor& mask, const Tensor& source) {
  constexpr const char* kWho = "masked_scatter_";
  check_mask(kWho, mask);
  OPWRIGHT_CHECK_TYPE(self.dtype() == source.dtype(), kWho, ": source of ", source.dtype(),
                      " must have the dtype of self, ", self.dtype());
  check_expands(kWho, "mask", mask, self);
  check_writable(kWho, self);
  const Tensor truth = expand_to(mask, self.sizes(), kWho);
  const bool* takes = truth.data<bool>();
  const MaskChunks chunks(takes, truth.numel());
  OPWRIGHT_CHECK_VALUE(chunks.count() <= source.numel(), kWho, ": mask has ", chunks.count(),
                       " true elements, more than source of sizes ", to_text(source.sizes()),
                       " has elements");
  const bool is_apart = overlap(self, source) == Overlap::None;
  Tensor values = as_contiguous(source);
  if (!is_apart && values.get() == source.get()) {
    values = make_empty(source.sizes(), source.dtype());
    copy_elements(values, source);
  }
  const Tensor target = as_contiguous(self);
  for_item_size(item_size(self.dtype()), [&]<typename Element>() {
    const auto* from = static_cast<const Element*>(values.data());
    auto* to = static_cast<Element*>(target.mutable_data());
    chunks.for_each([&](int64_t begin, int64_t end, int64_t rank) {
      for (int64_t i = begin; i < end; ++i) {
        if (takes[i]) to[i] = from[rank++];
      }
    });
  });
  if (target.get() != self.get()) copy_elements(self, target);
  return self;
}

}  // namespace opwright
