#include "opwright/compile/llvm/ir_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "opwright/dtype.h"

namespace opwright {
namespace {

constexpr auto kKinds =
    std::to_array<const char*>({"i1", "i8", "i16", "i32", "i64", "half", "float", "double", "ptr"});
constexpr auto kSuffixes =
    std::to_array<const char*>({"i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "p0"});

std::string constant_text(IrType type, const std::string& value) {
  if (type.width == 1) return value;
  return fmt::format("splat ({} {})", kKinds[static_cast<size_t>(type.kind)], value);
}

}  // namespace

std::string to_text(IrType type) {
  const char* kind = kKinds[static_cast<size_t>(type.kind)];
  return type.width == 1 ? std::string(kind) : fmt::format("<{} x {}>", type.width, kind);
}

std::string intrinsic_suffix(IrType type) {
  const char* kind = kSuffixes[static_cast<size_t>(type.kind)];
  return type.width == 1 ? std::string(kind) : fmt::format("v{}{}", type.width, kind);
}

uint32_t bits_of(IrKind kind) {
  constexpr auto kBits = std::to_array<uint32_t>({1, 8, 16, 32, 64, 16, 32, 64, 64});
  return kBits[static_cast<size_t>(kind)];
}

IrKind lane_kind(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return IrKind::I1;
    case DType::UInt8:
    case DType::Int8:
      return IrKind::I8;
    case DType::UInt16:
    case DType::Int16:
      return IrKind::I16;
    case DType::UInt32:
    case DType::Int32:
      return IrKind::I32;
    case DType::UInt64:
    case DType::Int64:
      return IrKind::I64;
    case DType::Float64:
      return IrKind::Double;
    default:
      return IrKind::Float;
  }
}

bool IrValue::is_constant_int(int64_t& value) const {
  if (type.width != 1 || type.is_float() || type.kind == IrKind::Pointer) return false;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

// Floats are written as the bits of the double of the same value.
IrValue IrBuilder::number(IrType type, double value) {
  const double held =
      type.kind == IrKind::Float ? static_cast<double>(static_cast<float>(value)) : value;
  return {constant_text(type, fmt::format("0x{:016X}", std::bit_cast<uint64_t>(held))), type};
}

IrValue IrBuilder::integer(IrType type, int64_t value) {
  if (type.kind == IrKind::I1) return {constant_text(type, value != 0 ? "true" : "false"), type};
  return {constant_text(type, std::to_string(value)), type};
}

IrValue IrBuilder::compute(IrType type, const std::string& text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return {found->second, type};
  IrValue made = read(type, text);
  known_.emplace(text, made.text);
  order_.push_back(text);
  return made;
}

IrValue IrBuilder::read(IrType type, std::string_view text) {
  std::string name = next_name();
  text_.append("  ").append(name).append(" = ").append(text).append("\n");
  return {std::move(name), type};
}

void IrBuilder::perform(std::string_view text) { text_.append("  ").append(text).append("\n"); }

void IrBuilder::support(const std::string& name, const std::string& text) {
  const bool is_there =
      std::ranges::any_of(support_, [&](const auto& entry) { return entry.first == name; });
  if (!is_there) support_.emplace_back(name, text);
}

std::string IrBuilder::support_text() const {
  std::string all;
  for (const auto& [name, text] : support_) all += text;
  return all;
}

IrValue IrBuilder::call(std::string_view intrinsic, IrType type,
                        std::initializer_list<IrValue> args, std::string_view flags) {
  const std::string result = to_text(type);
  const std::string name =
      fmt::format("{}.{}", intrinsic, intrinsic_suffix(args.begin()[args.size() - 1].type));
  std::string types, values;
  for (const IrValue& arg : args) {
    const std::string arg_type = to_text(arg.type);
    types.append(types.empty() ? "" : ", ").append(arg_type);
    values.append(values.empty() ? "" : ", ").append(arg_type).append(" ").append(arg.text);
  }
  support(name, fmt::format("declare {} @{}({})\n", result, name, types));
  return compute(type, fmt::format("call {}{} @{}({})", flags, result, name, values));
}

IrValue IrBuilder::binary(std::string_view op, const IrValue& a, const IrValue& b) {
  return compute(a.type, fmt::format("{} {} {}, {}", op, to_text(a.type), a.text, b.text));
}

IrValue IrBuilder::compare(std::string_view op, const IrValue& a, const IrValue& b) {
  return compute(a.type.of(IrKind::I1),
                 fmt::format("{} {} {}, {}", op, to_text(a.type), a.text, b.text));
}

IrValue IrBuilder::select(const IrValue& condition, const IrValue& a, const IrValue& b) {
  if (a.text == b.text) return a;
  const std::string type = to_text(a.type);
  return compute(a.type, fmt::format("select {} {}, {} {}, {} {}", to_text(condition.type),
                                     condition.text, type, a.text, type, b.text));
}

IrValue IrBuilder::convert(std::string_view op, const IrValue& a, IrKind kind) {
  if (a.type.kind == kind) return a;
  const IrType type = a.type.of(kind);
  return compute(type, fmt::format("{} {} {} to {}", op, to_text(a.type), a.text, to_text(type)));
}

IrValue IrBuilder::splat(const IrValue& scalar, uint32_t width) {
  if (width == scalar.type.width) return scalar;
  const IrType type{scalar.type.kind, width};
  if (scalar.text[0] != '%') return {constant_text(type, scalar.text), type};
  const std::string vector = to_text(type);
  const IrValue one = compute(type, fmt::format("insertelement {} poison, {} {}, i64 0", vector,
                                                to_text(scalar.type), scalar.text));
  return compute(type, fmt::format("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer",
                                   vector, one.text, vector, width));
}

IrValue IrBuilder::negate(const IrValue& a) {
  return compute(a.type, fmt::format("fneg {} {}", to_text(a.type), a.text));
}

IrValue IrBuilder::fma(const IrValue& a, const IrValue& b, const IrValue& c) {
  return call("llvm.fma", a.type, {a, b, c});
}

IrValue IrBuilder::at_least(const IrValue& a, const IrValue& limit) {
  return select(compare("fcmp olt", a, limit), limit, a);
}

IrValue IrBuilder::at_most(const IrValue& a, const IrValue& limit) {
  return select(compare("fcmp ogt", a, limit), limit, a);
}

// One AVX-512 instruction instead of nine.
IrValue IrBuilder::scale(const IrValue& a, const IrValue& n) {
  const std::string vector = to_text(a.type);
  const std::string name = "llvm.x86.avx512.mask.scalef.ps.512";
  support(name, fmt::format("declare {} @{}({}, {}, {}, i16, i32 immarg)\n", vector, name, vector,
                            vector, vector));
  return compute(a.type, fmt::format("call {} @{}({} {}, {} {}, {} poison, i16 -1, i32 4)", vector,
                                     name, vector, a.text, vector, n.text, vector));
}

IrValue IrBuilder::index_add(const IrValue& a, const IrValue& b) {
  int64_t left = 0;
  int64_t right = 0;
  const bool has_left = a.is_constant_int(left);
  const bool has_right = b.is_constant_int(right);
  if (has_left && has_right) return index(left + right);
  if (has_left && left == 0) return b;
  if (has_right && right == 0) return a;
  return binary("add", a, b);
}

IrValue IrBuilder::index_multiply(const IrValue& a, const IrValue& b) {
  int64_t left = 0;
  int64_t right = 0;
  const bool has_left = a.is_constant_int(left);
  const bool has_right = b.is_constant_int(right);
  if (has_left && has_right) return index(left * right);
  if ((has_left && left == 0) || (has_right && right == 1)) return a;
  if ((has_right && right == 0) || (has_left && left == 1)) return b;
  return binary("mul", a, b);
}

IrValue IrBuilder::address(IrKind element, const IrValue& base, const IrValue& index) {
  if (index.text == "0") return base;
  return compute({IrKind::Pointer},
                 fmt::format("getelementptr inbounds {}, ptr {}, i64 {}",
                             kKinds[static_cast<size_t>(element)], base.text, index.text));
}

std::string IrBuilder::new_label(std::string_view hint) {
  return fmt::format("{}{}", hint, count_++);
}

void IrBuilder::start_block(const std::string& label) {
  text_.append(label).append(":\n");
  block_ = label;
}

IrValue IrBuilder::slot(IrType type) {
  std::string name = next_name();
  slots_ += fmt::format("  {} = alloca {}, align 64\n", name, to_text(type));
  return {std::move(name), {IrKind::Pointer}};
}

void IrBuilder::forget(size_t mark) {
  for (size_t i = mark; i < order_.size(); ++i) known_.erase(order_[i]);
  order_.resize(mark);
}

}  // namespace opwright
