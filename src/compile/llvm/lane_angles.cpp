#include "opwright/compile/llvm/lane_angles.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "opwright/compile/llvm/ir_builder.h"
#include "opwright/compile/llvm/lane_math.h"

namespace opwright::lane_math {
namespace {

constexpr double kFarAngle = 65536.0;
constexpr double kPi1 = 3.1415927410125732;
constexpr double kPi2 = -8.742277657347586e-08;
constexpr double kPi3 = -3.430250403e-15;

// 32 bits of 2/pi starting at every eighth bit.
constexpr const char* kTwoOverPi = R"(
@two_over_pi = private unnamed_addr constant [24 x i32] [i32 162, i32 41721, i32 10680707, i32 -1560706194, i32 -108827058, i32 -2089923004, i32 1850622997, i32 1313084713, i32 1142237692, i32 355073063, i32 704390999, i32 -64530479, i32 660066805, i32 1473377588, i32 -772459299, i32 -181084736, i32 886948059, i32 -574563486, i32 -1059364203, i32 -614296167, i32 1653971260, i32 -1785119677, i32 -1724103792, i32 1011060801]
)";

// Lanes beyond kFarAngle: x = m * 2^e. The product of m and the 96 bits of 2/pi around the binary
// point gives the quadrant and the remainder, whose Taylor series is summed in double.
constexpr const char* kFarFunction = R"(
define internal {vector} @{name}({vector} %xs, {vector} %near) #1 {{
entry:
  br label %lanes
lanes:
  %k = phi i32 [ 0, %entry ], [ %k.next, %next ]
  %acc = phi {vector} [ %near, %entry ], [ %acc.after, %next ]
  %x = {take}
  %u = bitcast float %x to i32
  %magnitude = and i32 %u, 2147483647
  %far = icmp ugt i32 %magnitude, 1199570944
  br i1 %far, label %reduce, label %next
reduce:
  %row = lshr i32 %u, 26
  %row15 = and i32 %row, 15
  %shift = lshr i32 %u, 23
  %shift7 = and i32 %shift, 7
  %mantissa = and i32 %u, 8388607
  %m = or i32 %mantissa, 8388608
  %ms = shl i32 %m, %shift7
  %p0 = getelementptr inbounds [24 x i32], ptr @two_over_pi, i32 0, i32 %row15
  %p1 = getelementptr inbounds i32, ptr %p0, i32 4
  %p2 = getelementptr inbounds i32, ptr %p0, i32 8
  %a0 = load i32, ptr %p0, align 4
  %a1 = load i32, ptr %p1, align 4
  %a2 = load i32, ptr %p2, align 4
  %w0 = mul i32 %ms, %a0
  %mw = zext i32 %ms to i64
  %a1w = zext i32 %a1 to i64
  %a2w = zext i32 %a2 to i64
  %r1 = mul i64 %mw, %a1w
  %r2 = mul i64 %mw, %a2w
  %w0w = zext i32 %w0 to i64
  %h0 = shl i64 %w0w, 32
  %h2 = lshr i64 %r2, 32
  %h = or i64 %h0, %h2
  %sum = add i64 %h, %r1
  %rounded = add i64 %sum, 2305843009213693952
  %n0 = lshr i64 %rounded, 62
  %n62 = shl i64 %n0, 62
  %rest = sub i64 %sum, %n62
  %n = add i64 %n0, {turn}
  %restf = sitofp i64 %rest to double
  %r = fmul double %restf, 0x3C1921FB54442D18
  %s = fmul double %r, %r
  %s1 = call double @llvm.fma.f64(double %s, double 0x3EC71DE3A556C734, double 0xBF2A01A01A01A01A)
  %s2 = call double @llvm.fma.f64(double %s, double %s1, double 0x3F81111111111111)
  %s3 = call double @llvm.fma.f64(double %s, double %s2, double 0xBFC5555555555555)
  %s4 = fmul double %s3, %s
  %sine = call double @llvm.fma.f64(double %s4, double %r, double %r)
  %c1 = call double @llvm.fma.f64(double %s, double 0xBE927E4FB7789F5C, double 0x3EFA01A01A01A01A)
  %c2 = call double @llvm.fma.f64(double %s, double %c1, double 0xBF56C16C16C16C17)
  %c3 = call double @llvm.fma.f64(double %s, double %c2, double 0x3FA5555555555555)
  %c4 = call double @llvm.fma.f64(double %s, double %c3, double 0xBFE0000000000000)
  %cosine = call double @llvm.fma.f64(double %s, double %c4, double 0x3FF0000000000000)
  %odd = and i64 %n, 1
  %is_odd = icmp ne i64 %odd, 0
  %v = select i1 %is_odd, double %cosine, double %sine
  %two = and i64 %n, 2
  %two62 = shl i64 %two, 62
  %sign = and i32 %u, {sign}
  %sign64 = zext i32 %sign to i64
  %sign63 = shl i64 %sign64, 32
  %flip = xor i64 %two62, %sign63
  %vbits = bitcast double %v to i64
  %flipped = xor i64 %vbits, %flip
  %vf = bitcast i64 %flipped to double
  %finite = icmp ult i32 %magnitude, 2139095040
  %single = fptrunc double %vf to float
  %lane = select i1 %finite, float %single, float 0x7FF8000000000000
  %acc.next = {put}
  br label %next
next:
  %acc.after = phi {vector} [ %acc, %lanes ], [ %acc.next, %reduce ]
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, {width}
  br i1 %more, label %lanes, label %leave
leave:
  ret {vector} %acc.after
}}
)";

// Replaces the lanes of `near` whose angle is far.
IrValue with_far_lanes(IrBuilder& b, const IrValue& x, const IrValue& near, bool is_cosine) {
  const uint32_t width = x.type.width;
  const std::string vector = to_text(x.type);
  const std::string name = fmt::format("far_{}.{}", is_cosine ? "cos" : "sin", width);
  b.support("two_over_pi", kTwoOverPi);
  b.support("cold", "attributes #1 = { cold noinline nounwind }\n");
  b.support("rarely", "!0 = !{!\"branch_weights\", i32 1, i32 1048575}\n");
  b.support("llvm.fma.f64", "declare double @llvm.fma.f64(double, double, double)\n");
  b.support(name,
            fmt::format(
                fmt::runtime(kFarFunction), fmt::arg("vector", vector), fmt::arg("name", name),
                fmt::arg("width", width), fmt::arg("turn", is_cosine ? 1 : 0),
                fmt::arg("sign", is_cosine ? "0" : "-2147483648"),
                fmt::arg("take", width == 1 ? "fadd float %xs, -0.0"
                                            : fmt::format("extractelement {} %xs, i32 %k", vector)),
                fmt::arg("put", width == 1 ? "fadd float %lane, -0.0"
                                           : fmt::format("insertelement {} %acc, float "
                                                         "%lane, i32 %k",
                                                         vector))));
  const IrValue far = b.compare("fcmp ugt", b.absolute(x), IrBuilder::number(x.type, kFarAngle));
  const IrValue any = width == 1 ? far : b.call("llvm.vector.reduce.or", {IrKind::I1}, {far});
  const std::string before = b.block();
  const std::string cold = b.new_label("far");
  const std::string join = "after_" + cold;
  b.perform(fmt::format("br i1 {}, label %{}, label %{}, !prof !0", any.text, cold, join));
  b.start_block(cold);
  const IrValue slow = b.read(x.type, fmt::format("call {} @{}({} {}, {} {}) #1", vector, name,
                                                  vector, x.text, vector, near.text));
  b.perform(fmt::format("br label %{}", join));
  b.start_block(join);
  return b.read(x.type, fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", vector, near.text, before,
                                    slow.text, cold));
}

// The sine of x - turns * pi, negated if the lowest of `bits` is 1.
IrValue sine_of_rest(IrBuilder& b, const IrValue& x, const IrValue& turns, const IrValue& bits) {
  const auto constant = [&](double value) { return IrBuilder::number(x.type, value); };
  const IrValue minus = b.negate(turns);
  IrValue r = b.fma(minus, constant(kPi1), x);
  r = b.fma(minus, constant(kPi2), r);
  r = b.fma(minus, constant(kPi3), r);
  const IrValue square = b.multiply(r, r);
  const IrValue rest =
      polynomial(b, square, {-0x1.55554cp-3, 0x1.110edap-7, -0x1.9f70fp-13, 0x1.5dc902p-19});
  const IrValue y = b.fma(b.multiply(square, r), rest, r);
  const IrValue sign = b.binary("shl", bits, IrBuilder::integer(bits.type, 31));
  return b.bitcast(b.binary("xor", b.bitcast(y, IrKind::I32), sign), IrKind::Float);
}

}  // namespace

IrValue sin(IrBuilder& b, const IrValue& x) {
  const Rounded n = round_scaled(b, x, 0.31830988618379067);
  const IrValue y = sine_of_rest(b, x, n.whole, n.bits);
  const IrValue is_zero = b.compare("fcmp oeq", x, IrBuilder::number(x.type, 0));
  return with_far_lanes(b, x, b.select(is_zero, x, y), false);  // also -0
}

// The sine of x + pi/2: turns are halves, rounded up.
IrValue cos(IrBuilder& b, const IrValue& x) {
  const auto constant = [&](double value) { return IrBuilder::number(x.type, value); };
  const IrValue magnitude = b.absolute(x);
  const IrValue shifted =
      b.add(b.fma(magnitude, constant(0.31830988618379067), constant(0.5)), constant(12582912.0));
  const IrValue turns = b.subtract(b.subtract(shifted, constant(12582912.0)), constant(0.5));
  const IrValue bits = b.bitcast(shifted, IrKind::I32);
  return with_far_lanes(b, x, sine_of_rest(b, magnitude, turns, bits), true);
}

}  // namespace opwright::lane_math
