#include "opwright/compile/llvm/lane_memory.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/ir_loop.h"
#include "opwright/compile/llvm/lane_constants.h"
#include "opwright/dtype.h"

namespace opwright {
namespace {

// The bits of a bfloat16 in the upper half, rounded to nearest even; NaN stays NaN.
IrValue round_bfloat_bits(IrBuilder& b, const IrValue& x) {
  const IrValue bits = b.bitcast(x, IrKind::I32);
  const IrValue odd = b.binary("and", b.binary("lshr", bits, lane_math::whole(bits, 16)),
                               lane_math::whole(bits, 1));
  const IrValue rounded =
      b.binary("add", bits, b.binary("add", odd, lane_math::whole(bits, 0x7FFF)));
  const IrValue quiet = b.binary("or", bits, lane_math::whole(bits, 0x400000));
  return b.select(b.compare("fcmp uno", x, x), quiet, rounded);
}

IrValue decode(IrBuilder& b, const IrValue& raw, DType dtype) {
  if (dtype == DType::Bool) return b.compare("icmp ne", raw, lane_math::whole(raw, 0));
  if (dtype == DType::Float16)
    return b.convert("fpext", b.bitcast(raw, IrKind::Half), IrKind::Float);
  if (dtype == DType::BFloat16) {
    const IrValue wide = b.convert("zext", raw, IrKind::I32);
    return b.bitcast(b.binary("shl", wide, lane_math::whole(wide, 16)), IrKind::Float);
  }
  return raw;
}

IrValue encode(IrBuilder& b, const IrValue& value, DType dtype) {
  if (dtype == DType::Bool) return b.convert("zext", value, IrKind::I8);
  if (dtype == DType::Float16)
    return b.bitcast(b.convert("fptrunc", value, IrKind::Half), IrKind::I16);
  if (dtype == DType::BFloat16) {
    const IrValue bits = round_bfloat_bits(b, value);
    return b.convert("trunc", b.binary("lshr", bits, lane_math::whole(bits, 16)), IrKind::I16);
  }
  return value;
}

int64_t alignment_of(IrKind kind) { return bits_of(kind) / 8; }

IrValue read_element(IrBuilder& b, IrType type, const IrValue& address) {
  return b.read(type, fmt::format("load {}, ptr {}, align {}", to_text(type), address.text,
                                  alignment_of(type.kind)));
}

void write_element(IrBuilder& b, const IrValue& value, const IrValue& address) {
  b.perform(fmt::format("store {} {}, ptr {}, align {}", to_text(value.type), value.text,
                        address.text, alignment_of(value.type.kind)));
}

// 32-byte registers have no masks for elements below 4 bytes.
bool has_masks(IrKind kind, uint32_t vector_bytes) {
  return vector_bytes >= 64 || bits_of(kind) >= 32;
}

IrValue points_of(const LaneSpan& span) {
  return span.count.is_there() ? span.count : IrBuilder::index(span.width);
}

// memcpy of the existing points.
void copy_points(IrBuilder& b, IrKind kind, const IrValue& to, const IrValue& from,
                 const LaneSpan& span) {
  const IrValue bytes = b.index_multiply(points_of(span), IrBuilder::index(alignment_of(kind)));
  b.support("llvm.memcpy", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)\n");
  b.perform(fmt::format("call void @llvm.memcpy.p0.p0.i64(ptr {}, ptr {}, i64 {}, i1 false)",
                        to.text, from.text, bytes.text));
}

IrValue read_neighbours(IrBuilder& b, IrType type, const IrValue& address, const LaneSpan& span,
                        uint32_t vector_bytes) {
  if (!span.mask.is_there()) return read_element(b, type, address);
  if (!has_masks(type.kind, vector_bytes)) {
    const IrValue slot = b.slot(type);
    copy_points(b, type.kind, slot, address, span);
    return read_element(b, type, slot);
  }
  const std::string vector = to_text(type);
  const std::string name = fmt::format("llvm.masked.load.{}.p0", intrinsic_suffix(type));
  const std::string mask = to_text(span.mask.type);
  b.support(name,
            fmt::format("declare {} @{}(ptr, i32 immarg, {}, {})\n", vector, name, mask, vector));
  return b.read(type,
                fmt::format("call {} @{}(ptr {}, i32 {}, {} {}, {} zeroinitializer)", vector, name,
                            address.text, alignment_of(type.kind), mask, span.mask.text, vector));
}

void write_neighbours(IrBuilder& b, const IrValue& value, const IrValue& address,
                      const LaneSpan& span, uint32_t vector_bytes) {
  if (!span.mask.is_there()) return write_element(b, value, address);
  if (!has_masks(value.type.kind, vector_bytes)) {
    const IrValue slot = b.slot(value.type);
    write_element(b, value, slot);
    return copy_points(b, value.type.kind, address, slot, span);
  }
  const std::string vector = to_text(value.type);
  const std::string name = fmt::format("llvm.masked.store.{}.p0", intrinsic_suffix(value.type));
  const std::string mask = to_text(span.mask.type);
  b.support(name, fmt::format("declare void @{}({}, ptr, i32 immarg, {})\n", name, vector, mask));
  b.perform(fmt::format("call void @{}({} {}, ptr {}, i32 {}, {} {})", name, vector, value.text,
                        address.text, alignment_of(value.type.kind), mask, span.mask.text));
}

// One element at a time, through a stack slot.
void move_elements(IrBuilder& b, IrKind kind, const IrValue& slot, const LaneMemory& memory,
                   const LaneSpan& span, bool is_load) {
  emit_loop(b, IrBuilder::index(0), points_of(span), 1, {},
            [&](const IrValue& lane, const IrValues&) {
              const IrValue place = b.index_multiply(b.index_add(span.index, lane), memory.stride);
              const IrValue there = b.address(kind, memory.base, place);
              const IrValue here = b.address(kind, slot, lane);
              const IrValue element = read_element(b, {kind}, is_load ? there : here);
              write_element(b, element, is_load ? here : there);
              return IrValues{};
            });
}

bool is_neighbours(const LaneMemory& memory) { return memory.stride.text == "1"; }

}  // namespace

IrKind memory_kind(DType dtype) {
  if (dtype == DType::Float16 || dtype == DType::BFloat16) return IrKind::I16;
  return dtype == DType::Bool ? IrKind::I8 : lane_kind(dtype);
}

IrValue load_scalar(IrBuilder& b, const LaneMemory& memory) {
  const IrType type{memory_kind(memory.dtype)};
  return decode(b, read_element(b, type, memory.base), memory.dtype);
}

IrValue load_lanes(IrBuilder& b, const LaneMemory& memory, const LaneSpan& span,
                   uint32_t vector_bytes) {
  const IrType type{memory_kind(memory.dtype), span.width};
  if (is_neighbours(memory)) {
    const IrValue address = b.address(type.kind, memory.base, span.index);
    return decode(b, read_neighbours(b, type, address, span, vector_bytes), memory.dtype);
  }
  if (span.width == 1) {
    const IrValue place = b.index_multiply(span.index, memory.stride);
    return decode(b, read_element(b, type, b.address(type.kind, memory.base, place)), memory.dtype);
  }
  const IrValue slot = b.slot(type);
  move_elements(b, type.kind, slot, memory, span, true);
  return decode(b, read_element(b, type, slot), memory.dtype);
}

void store_scalar(IrBuilder& b, const LaneMemory& memory, const IrValue& value) {
  write_element(b, encode(b, value, memory.dtype), memory.base);
}

void store_lanes(IrBuilder& b, const LaneMemory& memory, const IrValue& value, const LaneSpan& span,
                 uint32_t vector_bytes) {
  const IrValue raw = encode(b, value, memory.dtype);
  if (is_neighbours(memory)) {
    const IrValue address = b.address(raw.type.kind, memory.base, span.index);
    return write_neighbours(b, raw, address, span, vector_bytes);
  }
  if (span.width == 1) {
    const IrValue place = b.index_multiply(span.index, memory.stride);
    return write_element(b, raw, b.address(raw.type.kind, memory.base, place));
  }
  const IrValue slot = b.slot(raw.type);
  write_element(b, raw, slot);
  move_elements(b, raw.type.kind, slot, memory, span, false);
}

IrValue round_half(IrBuilder& b, const IrValue& x, DType half) {
  if (half == DType::Float16)
    return b.convert("fpext", b.convert("fptrunc", x, IrKind::Half), IrKind::Float);
  const IrValue bits = round_bfloat_bits(b, x);
  return b.bitcast(b.binary("and", bits, lane_math::whole(bits, -65536)), IrKind::Float);
}

}  // namespace opwright
