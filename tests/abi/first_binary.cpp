// first_binary: all that an operator binary of ABI 1.0 can have. Its build of the first day is kept
// beside it (README.md) and must run in every later host of major version 1; this source is how it
// was made and never changes with it.
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace first_binary {
namespace {

using opwright::AutogradContext;
using opwright::DType;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Scalar;
using opwright::SymInt;
using opwright::Tag;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

// ---- Arguments of every kind; each is a digit of what x is multiplied with or added to ----

Tensor numbers(const Tensor& x, int64_t i, const SymInt& n, double f, bool b,
               const opwright::Complex<double>& z, const Scalar& s) {
  return x *
         (static_cast<double>(i) + 10.0 * static_cast<double>(n.specialise()) + f +
          (b ? 1000.0 : 0.0) + 10000.0 * z.real + 100000.0 * z.imag + 1000000.0 * s.to<double>());
}

Tensor names(const Tensor& x, std::string_view mode, DType dtype, opwright::Device device,
             opwright::Layout layout, opwright::MemoryFormat format) {
  OPWRIGHT_CHECK_VALUE(mode == "double" || mode == "", "names: unknown mode '", mode, "'");
  OPWRIGHT_CHECK_VALUE(device.type == x.device().type, "names: x is on another device");
  OPWRIGHT_CHECK_VALUE(layout == opwright::Layout::Strided, "names: x is strided");
  const Tensor dense = x.clone(format);
  return opwright::_to_copy(mode == "double" ? dense * 2.0 : dense, dtype);
}

Tensor lists(const Tensor& x, std::span<const int64_t> ints, std::span<const SymInt> sizes,
             std::span<const double> floats, std::span<const bool> bools,
             const std::vector<std::string>& words, const std::vector<Scalar>& scalars) {
  double total = 0;
  for (const int64_t each : ints) total += static_cast<double>(each);
  for (const SymInt& each : sizes) total += 10.0 * static_cast<double>(each.specialise());
  for (const double each : floats) total += each;
  for (const bool each : bools) total += each ? 1000.0 : 0.0;
  for (const std::string& each : words) total += 10000.0 * static_cast<double>(each.size());
  for (const Scalar& each : scalars) total += 100000.0 * each.to<double>();
  return x + total;
}

Tensor tensors(const Tensor& x, const std::optional<Tensor>& y, std::span<const Tensor> xs,
               const std::vector<std::optional<Tensor>>& ys) {
  Tensor total = y ? x + *y : x * 1.0;
  for (const Tensor& each : xs) total = total + each * 10.0;
  for (const std::optional<Tensor>& each : ys) {
    if (each) total = total + *each * 100.0;
  }
  return total;
}

Tensor optionals(const Tensor& x, const std::optional<int64_t>& i, const std::optional<double>& f,
                 const std::optional<bool>& b, const std::optional<std::string>& word,
                 const std::optional<std::vector<int64_t>>& ints,
                 const std::optional<DType>& dtype) {
  const double total = static_cast<double>(i.value_or(0)) + f.value_or(0) +
                       (b.value_or(false) ? 100.0 : 0.0) +
                       (word ? 1000.0 * static_cast<double>(word->size()) : 0.0) +
                       (ints ? 10000.0 * static_cast<double>(ints->size()) : 0.0);
  const Tensor sum = x + total;
  return dtype ? opwright::_to_copy(sum, *dtype) : sum;
}

Tensor noise(const Tensor& x, const std::optional<opwright::Generator>& generator) {
  Tensor made = opwright::empty_like(x);
  made.uniform_(0.0, 1.0, generator);
  return made;
}

// ---- Results of every kind ----

std::tuple<Tensor, Tensor> two(const Tensor& x) { return {x + 1.0, x * 2.0}; }
std::vector<Tensor> many(const Tensor& x, int64_t count) {
  std::vector<Tensor> made;
  for (int64_t i = 0; i < count; ++i) made.push_back(x * static_cast<double>(i));
  return made;
}
std::tuple<int64_t, double, bool> measure(const Tensor& x) {
  return {x.numel(), 0.5 * static_cast<double>(x.dim()), x.numel() > 2};
}
std::string describe(const Tensor& x) { return opwright::concatenate(x); }
void ignore(const Tensor& /*x*/) {}
bool is_on_default_stream(const Tensor& x) {
  return opwright::current_stream(x.device()) == nullptr;
}

// ---- An operator with every rule: width * tanh(x / width) ----

Tensor bend_cpu(const Tensor& x, double width) {
  OPWRIGHT_CHECK_VALUE(width > 0, "bend: width must be positive, got ", width);
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  opwright::for_floating_dtype(input.dtype(), "bend", [&]<typename T>() {
    const auto scale = static_cast<float>(width);
    const T* in = input.data<T>();
    T* out = output.mutable_data<T>();
    opwright::parallel_for(input.numel(), 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = static_cast<T>(scale * std::tanh(static_cast<float>(in[i]) / scale));
    });
  });
  return output;
}
FakeTensor bend_fake(const FakeTensor& x, double /*width*/) { return opwright::empty_like(x); }
void bend_save(AutogradContext& context, const Tensor& /*x*/, double width, const Tensor& y) {
  context.save({y});
  context.set_attribute("inverse", 1.0 / width);
}
Tensor bend_slope(const Tensor& y, double inverse) {
  const Tensor scaled = y * inverse;
  return 1.0 - scaled * scaled;
}
Gradients bend_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * bend_slope(context.saved(0), context.attribute<double>("inverse"))};
}
Tensor bend_jvp(const Tensor& x, double width, const Tensor& tangent) {
  return tangent * bend_slope((x * (1.0 / width)).tanh() * width, 1.0 / width);
}
VmapResult<Tensor> bend_vmap(const VmapInfo& info, const Tensor& x, double width) {
  return {opwright::imported<"first_binary::bend", Tensor(const Tensor&, double)>(x, width),
          {info.in_dims[0]}};
}

// ---- Writes, with values from before ----

void square(Tensor& x) { x.mul_(x.clone()); }
void square_save(AutogradContext& context, const Tensor& old_x) { context.save({old_x}); }
Gradients square_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(0) * 2.0};
}
Tensor square_functional(const Tensor& x) { return x * x; }

Tensor& scale(Tensor& x, double factor) { return x.mul_(factor); }
void scale_save(AutogradContext& /*context*/, const Tensor& /*x*/, double /*factor*/,
                const Tensor& /*result*/) {}
Gradients scale_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.attribute<double>("factor")};
}

// ---- Views ----

Tensor first_row(const Tensor& x) { return x.select(0, 0); }
Tensor first_row_scatter(const Tensor& base, const Tensor& value) {
  return opwright::select_scatter(base, value, 0, 0);
}

// ---- Symbolic sizes ----

Tensor pair_rows(const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(x.size(0) % 2 == 0, "pair_rows: the rows must come in pairs, got ",
                       x.size(0));
  const std::vector<int64_t> sizes = {x.size(0) / 2, 2};
  return x.contiguous().view(sizes);
}
FakeTensor pair_rows_fake(const FakeTensor& x) {
  opwright::check(x.size(0) % 2 == 0, "pair_rows: the rows must come in pairs");
  return x.new_empty({x.size(0) / 2, 2});
}

Tensor positive(const Tensor& x) {
  const Tensor input = x.contiguous();
  std::vector<float> kept;
  for (int64_t i = 0; i < input.numel(); ++i) {
    if (input.data<float>()[i] > 0) kept.push_back(input.data<float>()[i]);
  }
  Tensor made = opwright::empty({static_cast<int64_t>(kept.size())}, x.dtype(), {}, x.device());
  for (size_t i = 0; i < kept.size(); ++i) made.mutable_data<float>()[i] = kept[i];
  return made;
}
FakeTensor positive_fake(const FakeTensor& x) {
  return x.new_empty({opwright::new_dynamic_size(0, std::nullopt)});
}

// ---- Errors ----

Tensor fail(const Tensor& x, std::string_view how) {
  OPWRIGHT_CHECK(how != "check", "fail: a check failed for ", x);
  OPWRIGHT_CHECK_VALUE(how != "value", "fail: a value was wrong");
  OPWRIGHT_CHECK_TYPE(how != "type", "fail: a type was wrong");
  OPWRIGHT_CHECK_INDEX(how != "index", "fail: an index was wrong");
  if (how == "standard") throw std::runtime_error("fail: an exception of the C++ library");
  if (how == "worker") {
    opwright::parallel_for(1000, 1, [](int64_t begin, int64_t end) {
      OPWRIGHT_CHECK_VALUE(begin > 500 || end <= 500, "fail: a worker found 500");
    });
  }
  if (how == "import") return x.mm(x.unsqueeze(0));
  return x * 1.0;
}

// ---- Bodies that are seen through ----

Tensor twice_bent(const Tensor& x) {
  using Bend = Tensor(const Tensor&, double);
  return opwright::imported<"first_binary::bend", Bend>(
      opwright::imported<"first_binary::bend", Bend>(x, 2.0), 2.0);
}
Tensor shifted(const Tensor& x, double by) { return x + by; }

}  // namespace

OPWRIGHT_LIBRARY(first_binary, m) {
  m.def("numbers(Tensor x, int i, SymInt n, float f, bool b, complex z, Scalar s) -> Tensor");
  m.def(
      "names(Tensor x, str mode, ScalarType dtype, Device device, Layout layout, "
      "MemoryFormat format) -> Tensor");
  m.def(
      "lists(Tensor x, int[] ints, SymInt[] sizes, float[] floats, bool[] bools, str[] words, "
      "Scalar[] scalars) -> Tensor");
  m.def("tensors(Tensor x, Tensor? y, Tensor[] xs, Tensor?[] ys) -> Tensor");
  m.def(
      "optionals(Tensor x, int? i=None, *, float? f=None, bool? b=None, str? word=None, "
      "int[]? ints=None, ScalarType? dtype=None) -> Tensor");
  m.def("noise(Tensor x, *, Generator? generator=None) -> Tensor", {Tag::NondeterministicSeeded});
  m.def("two(Tensor x) -> (Tensor, Tensor)");
  m.def("many(Tensor x, int count=2) -> Tensor[]");
  m.def("measure(Tensor x) -> (int, float, bool)");
  m.def("describe(Tensor x) -> str");
  m.def("ignore(Tensor x) -> ()");
  m.def("is_on_default_stream(Tensor x) -> bool");

  m.def("bend(Tensor x, float width=1.0) -> Tensor");
  m.register_fake("bend", &bend_fake);
  m.register_autograd("bend", &bend_save, &bend_backward);
  m.register_jvp("bend", &bend_jvp);
  m.register_vmap("bend", &bend_vmap);
  m.register_autocast("bend", opwright::kCpu, DType::BFloat16);

  m.def("square_(Tensor(a!) x) -> ()");
  m.register_autograd("square_", &square_save, &square_backward);
  m.keep_old("square_", {0});
  m.def("scale_(Tensor(a!) x, float factor) -> Tensor(a!)", {Tag::Inplace});
  m.register_autograd("scale_", &scale_save, &scale_backward);

  m.def("first_row(Tensor(a) x) -> Tensor(a)", {Tag::View});
  m.register_scatter("first_row", &first_row_scatter);

  m.def("pair_rows(Tensor x) -> Tensor");
  m.register_fake("pair_rows", &pair_rows_fake);
  m.def("positive(Tensor x) -> Tensor", {Tag::DynamicOutputShape});
  m.register_fake("positive", &positive_fake);

  m.def("fail(Tensor x, str how) -> Tensor");
  m.def("twice_bent(Tensor x) -> Tensor", &twice_bent);
}

OPWRIGHT_LIBRARY_FRAGMENT(first_binary, m) {
  m.def("shifted", [](const Tensor& x, double by) { return shifted(x, by); });
}

OPWRIGHT_LIBRARY_IMPL(first_binary, CPU, m) {
  m.impl("bend", &bend_cpu);
  m.impl("noise", &noise);
  m.impl("positive", &positive);
  m.impl("pair_rows", &pair_rows);
}

OPWRIGHT_LIBRARY_IMPL(first_binary, CompositeExplicitAutograd, m) {
  m.impl("numbers", &numbers);
  m.impl("names", &names);
  m.impl("lists", &lists);
  m.impl("tensors", &tensors);
  m.impl("optionals", &optionals);
  m.impl("two", &two);
  m.impl("many", &many);
  m.impl("measure", &measure);
  m.impl("describe", &describe);
  m.impl("ignore", &ignore);
  m.impl("is_on_default_stream", &is_on_default_stream);
  m.impl("square_", &square);
  m.impl("scale_", &scale);
  m.impl("first_row", &first_row);
  m.impl("fail", &fail);
}

OPWRIGHT_LIBRARY_IMPL(first_binary, Functional, m) { m.impl("square_", &square_functional); }

}  // namespace first_binary
