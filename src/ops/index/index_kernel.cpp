// index, index_put_, index_select and embedding on the CPU.
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/move/dense_index.h"
#include "opwright/ops/engine/move/indexed_memory.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/index/index_mask.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

IndexedMemory find_memory(const char* who, const Tensor& self, const IndexTensors& given) {
  const IndexTensors indices = without_masks(who, self, given);
  const IndexedShape shape = find_indexed_shape(who, self, indices);
  SmallVector<Tensor, 4> tensors;
  for (const size_t dim : shape.indexed) tensors.push_back(*indices[dim]);
  return {who, self, shape, tensors, Negative::FromTheEnd};
}

// Calls run(pointers, strides, count) for every run in loop order. Threads divide the rows by
// target position, so that the winner among several writes to one position, and the order of sums,
// do not depend on threads.
template <class Run>
void for_each_run_by_place(const StridedLoop& loop, const Run& run) {
  const bool has_rows = loop.strides(0)[1] == 0;
  const auto parts =
      has_rows && loop.numel() >= 2 * kElementwiseGrain ? static_cast<uint64_t>(num_threads()) : 1;
  const auto part_of = [parts](int64_t offset) {
    return (static_cast<uint64_t>(offset) * 0x9E3779B97F4A7C15U >> 32) % parts;
  };
  parallel_for(static_cast<int64_t>(parts), 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      loop.for_each_run_of(0, loop.numel(),
                           [&](const StridedLoop::Pointers& pointers,
                               const StridedLoop::ByteStrides& strides, int64_t count) {
                             if (parts > 1 && part_of(*reinterpret_cast<const int64_t*>(
                                                  pointers[1])) != static_cast<uint64_t>(part))
                               return;
                             run(pointers, strides, count);
                           });
    }
  });
}

template <class Element, class Combine>
void write_elements(const StridedLoop& loop, const Combine& combine) {
  for_each_run_by_place(loop, [&](const StridedLoop::Pointers& pointers,
                                  const StridedLoop::ByteStrides& strides, int64_t count) {
    const std::byte* from = pointers[0];
    const std::byte* offset = pointers[1];
    std::byte* to = pointers[2];
    for (int64_t i = 0; i < count; ++i) {
      auto& target = *reinterpret_cast<Element*>(to + *reinterpret_cast<const int64_t*>(offset));
      target = combine(target, *reinterpret_cast<const Element*>(from));
      from += strides[0];
      offset += strides[1];
      to += strides[2];
    }
  });
}

void put_elements(const StridedLoop& loop, const Tensor& self) {
  if (loop.strides(0)[1] == 0) {  // rows
    const ConversionFunction copy = find_conversion(self.dtype(), self.dtype());
    return for_each_run_by_place(loop, [&](const StridedLoop::Pointers& pointers,
                                           const StridedLoop::ByteStrides& strides, int64_t count) {
      const int64_t offset = *reinterpret_cast<const int64_t*>(pointers[1]);
      copy(pointers[2] + offset, strides[2], pointers[0], strides[0], count);
    });
  }
  for_item_size(item_size(self.dtype()), [&]<typename Element>() {
    write_elements<Element>(loop, [](const Element&, const Element& value) { return value; });
  });
}

void add_elements(const StridedLoop& loop, const Tensor& self) {
  for_dtype(self.dtype(), "index_put_", [&]<typename T>() {
    using C = ComputeType<T>;
    write_elements<T>(loop, [](const T& sum, const T& value) {
      return convert_number<T>(wrap_add(convert_number<C>(sum), convert_number<C>(value)));
    });
  });
}

}  // namespace

Tensor index_cpu(const Tensor& self, const IndexTensors& indices) {
  if (indices.size() == 1 && indices[0] && indices[0]->is_defined())
    if (std::optional<Tensor> dense = select_dense(self, 0, *indices[0])) return *dense;
  return find_memory("index", self, indices).read();
}

Tensor& index_put_in_place_cpu(Tensor& self, const IndexTensors& indices, const Tensor& values,
                               bool accumulate) {
  constexpr const char* kWho = "index_put_";
  OPWRIGHT_CHECK_TYPE(self.dtype() == values.dtype(), kWho, ": values of ", values.dtype(),
                      " must have the dtype of self, ", self.dtype());
  check_writable(kWho, self);
  const IndexedMemory memory = find_memory(kWho, self, indices);
  const Geometry given = expand_geometry(geometry_of(values), memory.sizes(),
                                         "index_put_: values of the indexed part");
  Tensor source = make_view(values, given);
  if (overlap(self, values) != Overlap::None) {
    const Tensor copy = make_empty(source.sizes(), source.dtype());
    copy_elements(copy, source);
    source = copy;
  }
  (void)self.mutable_data();  // rejects a read-only tensor
  const StridedLoop loop =
      memory.loop_with(const_cast<std::byte*>(static_cast<const std::byte*>(source.data())),
                       source.strides(), static_cast<int64_t>(item_size(source.dtype())));
  if (loop.numel() == 0) return self;
  if (accumulate)
    add_elements(loop, self);
  else
    put_elements(loop, self);
  return self;
}

Tensor index_select_cpu(const Tensor& self, int64_t dim, const Tensor& index) {
  constexpr const char* kWho = "index_select";
  OPWRIGHT_CHECK_VALUE(index.dim() <= 1, kWho, ": index must have one dimension, got sizes ",
                       to_text(index.sizes()));
  if (index.dim() == 1)
    if (std::optional<Tensor> dense = select_dense(self, dim, index)) return *dense;
  check_index_dtype(kWho, index);
  const auto ndim = static_cast<size_t>(self.dim() == 0 ? 1 : self.dim());
  const size_t along = wrap_dim(dim, ndim, kWho);
  OPWRIGHT_CHECK_VALUE(self.dim() > 0 || index.numel() == 1, kWho,
                       ": self has zero dimensions, so "
                       "index must hold one index, got sizes ",
                       to_text(index.sizes()));
  const Geometry vector = {.sizes = {1}, .strides = {1}, .offset = geometry_of(self).offset};
  const Tensor source = self.dim() == 0 ? make_view(self, vector) : self;
  Geometry flat = geometry_of(index);
  if (index.dim() == 0) flat = unsqueeze_geometry(flat, 0, kWho);
  const Tensor indices = make_view(index, flat);
  Tensor result = IndexedMemory(kWho, source, replace_dim(source, along, indices), {&indices, 1},
                                Negative::Refused)
                      .read();
  return self.dim() == 0 ? make_view(result, Geometry{}) : result;
}

Tensor embedding_cpu(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                     bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  constexpr const char* kWho = "embedding";
  OPWRIGHT_CHECK_VALUE(weight.dim() == 2, kWho, ": weight must have two dimensions, got sizes ",
                       to_text(weight.sizes()));
  if (std::optional<Tensor> dense = select_dense(weight, 0, indices)) return *dense;
  check_index_dtype(kWho, indices);
  return IndexedMemory(kWho, weight, replace_dim(weight, 0, indices), {&indices, 1},
                       Negative::Refused)
      .read();
}

}  // namespace opwright
