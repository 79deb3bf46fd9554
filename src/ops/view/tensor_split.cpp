// Splits at indices or into sections of nearly equal size: tensor_split, hsplit, vsplit, dsplit.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/view/part_count.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

int64_t tensor_split_dim(const Tensor& self, int64_t dim) {
  OPWRIGHT_CHECK(
      self.dim() > 0,
      "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  return static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), "tensor_split"));
}

// The names and the dimension of hsplit, vsplit and dsplit.
struct SplitForm {
  const char* name;
  int64_t least_ndim;
  int64_t dim;
};
SplitForm hsplit_form(const Tensor& self) { return {"hsplit", 1, self.dim() == 1 ? 0 : 1}; }
SplitForm vsplit_form(const Tensor& /*self*/) { return {"vsplit", 2, 0}; }
SplitForm dsplit_form(const Tensor& /*self*/) { return {"dsplit", 3, 2}; }

void check_split_ndim(const SplitForm& form, const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= form.least_ndim, form.name, ": requires a tensor with at least ",
                 form.least_ndim, " dimension", form.least_ndim == 1 ? "" : "s",
                 ", but got a tensor with ", self.dim(), " dimensions");
}

std::vector<Tensor> split_evenly(const SplitForm& form, const Tensor& self, int64_t sections) {
  check_split_ndim(form, self);
  const SymInt size = self.sym_size(form.dim);
  OPWRIGHT_CHECK(sections > 0 && guard_or_false(size % SymInt(sections) == 0), form.name,
                 ": attempted to split along dimension ", form.dim,
                 ", but the size of the dimension ", size, " is not divisible by the split_size ",
                 sections);
  return tensor_split(self, SymInt(sections), form.dim);
}

std::vector<Tensor> split_at(const SplitForm& form, const Tensor& self,
                             std::span<const int64_t> indices) {
  check_split_ndim(form, self);
  return tensor_split(self, SymSizes(indices.begin(), indices.end()), form.dim);
}

}  // namespace

std::vector<Tensor> tensor_split_sections_composite(const Tensor& self, const SymInt& sections,
                                                    int64_t dim) {
  const int64_t along = tensor_split_dim(self, dim);
  const int64_t count = sections.specialise();  // the number of parts must be known
  OPWRIGHT_CHECK(count > 0, "tensor_split: the number of sections must be larger than 0, got ",
                 count);
  check_part_count("tensor_split", self, count);
  const SymInt size = self.sym_size(along);
  const SymInt longer = size % SymInt(count);  // so many parts have one element more
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (int64_t i = 0; i < count; ++i) {
    const SymInt end = start + size / SymInt(count) + SymInt(guard_or_false(longer > i) ? 1 : 0);
    parts.push_back(self.slice(along, start, end));
    start = end;
  }
  return parts;
}

std::vector<Tensor> tensor_split_indices_composite(const Tensor& self,
                                                   std::span<const SymInt> indices, int64_t dim) {
  const int64_t along = tensor_split_dim(self, dim);
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (const SymInt& end : indices) {
    parts.push_back(self.slice(along, start, end));
    start = end;
  }
  parts.push_back(self.slice(along, start));
  return parts;
}

std::vector<Tensor> tensor_split_tensor_composite(const Tensor& self,
                                                  const Tensor& tensor_indices_or_sections,
                                                  int64_t dim) {
  const Tensor& given = tensor_indices_or_sections;
  OPWRIGHT_CHECK(given.device().type == kOpwDeviceCpu,
                 "tensor_split: expected tensor_indices_or_sections to be on cpu, but it is on ",
                 given.device());
  OPWRIGHT_CHECK(given.dtype() == DType::Int64,
                 "tensor_split: expected tensor_indices_or_sections to have dtype of int64, got ",
                 given.dtype());
  OPWRIGHT_CHECK(given.dim() <= 1,
                 "tensor_split: expected tensor_indices_or_sections to be a zero-dimensional or "
                 "one-dimensional tensor, got ",
                 given.dim(), " dims");
  const auto number = [](const Tensor& element) { return element.item().sym_int(); };
  if (given.dim() == 0) return tensor_split_sections_composite(self, number(given), dim);
  SymSizes indices;
  for (int64_t i = 0; i < given.size(0); ++i) indices.push_back(number(given.select(0, i)));
  return tensor_split_indices_composite(self, indices, dim);
}

std::vector<Tensor> hsplit_composite(const Tensor& self, int64_t sections) {
  return split_evenly(hsplit_form(self), self, sections);
}
std::vector<Tensor> hsplit_array_composite(const Tensor& self, std::span<const int64_t> indices) {
  return split_at(hsplit_form(self), self, indices);
}
std::vector<Tensor> vsplit_composite(const Tensor& self, int64_t sections) {
  return split_evenly(vsplit_form(self), self, sections);
}
std::vector<Tensor> vsplit_array_composite(const Tensor& self, std::span<const int64_t> indices) {
  return split_at(vsplit_form(self), self, indices);
}
std::vector<Tensor> dsplit_composite(const Tensor& self, int64_t sections) {
  return split_evenly(dsplit_form(self), self, sections);
}
std::vector<Tensor> dsplit_array_composite(const Tensor& self, std::span<const int64_t> indices) {
  return split_at(dsplit_form(self), self, indices);
}

}  // namespace opwright
