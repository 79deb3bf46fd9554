// stack_kinds::...: operators whose arguments and results have every kind that torch's stable ABI
// carries.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace stack_kinds {
namespace {

using opwright::Device;
using opwright::DType;
using opwright::Generator;
using opwright::MemoryFormat;
using opwright::SymInt;
using opwright::Tensor;

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? opwright::concatenate(*value) : "None";
}
template <class T>
std::string text_of(std::span<const T> values) {
  std::string text = "[";
  for (const T& each : values) text += opwright::concatenate(text.size() == 1 ? "" : ", ", each);
  return text + "]";
}

std::string describe(int64_t number, double real, bool flag, std::string_view word, DType dtype,
                     Device device, MemoryFormat format) {
  return opwright::concatenate(number, " ", real, " ", flag, " ", word, " ", dtype, " ", device,
                               " ", static_cast<int64_t>(format));
}

std::string describe_optional(const std::optional<int64_t>& number,
                              const std::optional<double>& real, const std::optional<bool>& flag,
                              const std::optional<std::string>& word,
                              const std::optional<DType>& dtype,
                              const std::optional<Device>& device,
                              const std::optional<Tensor>& tensor) {
  return opwright::concatenate(text_of(number), " ", text_of(real), " ", text_of(flag), " ",
                               text_of(word), " ", text_of(dtype), " ", text_of(device), " ",
                               text_of(tensor));
}

std::string describe_lists(std::span<const int64_t> numbers, std::span<const double> reals,
                           std::span<const bool> flags, std::span<const SymInt> sizes,
                           const std::vector<std::string>& words, std::span<const Tensor> tensors,
                           const std::optional<std::vector<int64_t>>& maybe) {
  std::string text = text_of(numbers) + text_of(reals) + text_of(flags) + text_of(sizes);
  text += text_of(std::span<const std::string>(words)) + text_of(tensors);
  return text + (maybe ? text_of(std::span<const int64_t>(*maybe)) : "None");
}

std::string describe_holes(std::span<const Tensor> first,
                           const std::vector<std::optional<Tensor>>& tensors,
                           const std::optional<Tensor>& last) {
  std::string text = text_of(first);
  for (const std::optional<Tensor>& each : tensors) text += " " + text_of(each);
  return text + " " + text_of(last);
}

std::tuple<int64_t, double, bool, std::string, std::vector<int64_t>, std::optional<Tensor>,
           std::optional<int64_t>, std::vector<Tensor>>
give_all(const Tensor& x, bool is_full) {
  std::optional<Tensor> maybe;
  std::optional<int64_t> number;
  if (is_full) maybe = x, number = 7;
  return {3, 0.5, true, "word", {1, 2}, maybe, number, {x, x.contiguous()}};
}

// x, filled with random numbers of the generator.
Tensor& fill_randomly_(Tensor& x, const std::optional<Generator>& generator) {
  return x.uniform_(0.0, 1.0, generator);
}

Tensor empty_like_of(const Tensor& x, const std::optional<MemoryFormat>& format) {
  return opwright::empty_like(x, {}, {}, {}, {}, format);
}
Tensor new_rows(const Tensor& x, std::span<const SymInt> size, const std::optional<DType>& dtype) {
  return x.new_empty(size, dtype);
}

// Grows its argument and then reads its new size.
int64_t grow_(Tensor& x, std::span<const SymInt> size) {
  x.resize_(size);
  return x.numel();
}

Tensor conjugate_imaginary(const Tensor& x) {
  const Tensor conjugate = x.conj();
  Tensor result = opwright::empty<Tensor>(x.sizes(), DType::Float32);
  for (int64_t i = 0; i < x.numel(); ++i) {
    result.mutable_data<float>()[i] = conjugate.data<opwright::Complex<float>>()[i].imag;
  }
  return result;
}

Tensor fail(const Tensor& /*x*/, std::string_view kind, std::string_view text) {
  throw opwright::Error(kind, text);
}

Tensor pick(const Tensor& x, const std::vector<std::optional<Tensor>>& indices) {
  return x.index(indices);
}

// A composite: torch differentiates through it.
Tensor multiply(const Tensor& x, const Tensor& y) { return x.matmul(y); }

}  // namespace

OPWRIGHT_LIBRARY(stack_kinds, m) {
  m.def(
      "describe(int number, float real, bool flag, str word, ScalarType dtype, Device device, "
      "MemoryFormat format) -> str",
      &describe);
  m.def(
      "describe_optional(int? number=None, float? real=None, bool? flag=None, str? word=None, "
      "ScalarType? dtype=None, Device? device=None, Tensor? tensor=None) -> str",
      &describe_optional);
  m.def(
      "describe_lists(int[] numbers, float[] reals, bool[] flags, SymInt[] sizes, str[] words, "
      "Tensor[] tensors, int[]? maybe=None) -> str",
      &describe_lists);
  m.def("describe_holes(Tensor[] first, Tensor?[] tensors, Tensor? last=None) -> str",
        &describe_holes);
  m.def("pick(Tensor x, Tensor?[] indices) -> Tensor", &pick);
  m.def("fail(Tensor x, str kind, str text) -> Tensor");
  m.def(
      "give_all(Tensor x, bool is_full) -> (int, float, bool, str, int[], Tensor?, int?, "
      "Tensor[])");
  m.def("fill_randomly_(Tensor(a!) x, Generator? generator=None) -> Tensor(a!)");
  m.def("empty_like_of(Tensor x, MemoryFormat? format=None) -> Tensor");
  m.def("new_rows(Tensor x, SymInt[] size, ScalarType? dtype=None) -> Tensor");
  m.def("grow_(Tensor(a!) x, SymInt[] size) -> int");
  m.def("conjugate_imaginary(Tensor x) -> Tensor");
  m.def("multiply(Tensor x, Tensor y) -> Tensor", &multiply);
}
OPWRIGHT_LIBRARY_IMPL(stack_kinds, CPU, m) {
  m.impl("fail", &fail);
  m.impl("give_all", &give_all);
  m.impl("fill_randomly_", &fill_randomly_);
  m.impl("empty_like_of", &empty_like_of);
  m.impl("new_rows", &new_rows);
  m.impl("grow_", &grow_);
  m.impl("conjugate_imaginary", &conjugate_imaginary);
}

}  // namespace stack_kinds
