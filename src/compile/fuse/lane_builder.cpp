#include "opwright/compile/fuse/lane_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

bool is_float(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64; }

bool gives_truth(LaneOp op) { return op >= LaneOp::Equal && op <= LaneOp::IsNan; }

// Compares NaNs and zeros of either sign by their bits.
bool is_same_lane(const Lane& a, const Lane& b) {
  return a.op == b.op && a.dtype == b.dtype && a.args == b.args && a.operand == b.operand &&
         a.integer == b.integer && a.half == b.half &&
         std::bit_cast<uint64_t>(a.number) == std::bit_cast<uint64_t>(b.number);
}

}  // namespace

uint32_t LaneBuilder::add(Lane lane) {
  const auto found =
      std::ranges::find_if(lanes_, [&](const Lane& each) { return is_same_lane(each, lane); });
  const auto place = static_cast<uint32_t>(found - lanes_.begin());
  if (found == lanes_.end()) lanes_.push_back(std::move(lane));
  halves_.resize(lanes_.size());
  return place;
}

uint32_t LaneBuilder::load(uint32_t operand, DType memory) {
  if (!target_.can_emit(LaneOp::Load, memory)) refuse();
  const uint32_t place = add({.op = LaneOp::Load, .dtype = lane_dtype(memory), .operand = operand});
  if (is_half(memory)) halves_[place] = memory;
  return place;
}

uint32_t LaneBuilder::number(uint32_t index) {
  return add({.op = LaneOp::Number, .dtype = DType::Int64, .integer = index});
}

uint32_t LaneBuilder::constant(double number, DType dtype) {
  return constant(Scalar(number), dtype);
}

uint32_t LaneBuilder::constant(const Scalar& number, DType dtype) {
  Lane lane{.op = LaneOp::Constant, .dtype = lane_dtype(dtype)};
  if (number.is_complex()) {
    refuse();
  } else if (lane.dtype == DType::Float32) {
    lane.number = static_cast<double>(static_cast<float>(number.to<double>()));
  } else if (is_float(lane.dtype)) {
    lane.number = number.to<double>();
  } else if (lane.dtype == DType::Bool) {
    lane.integer = number.is_floating() ? number.to<double>() != 0 : number.to<int64_t>() != 0;
  } else if (number.is_floating()) {
    const double whole = std::trunc(number.to<double>());
    if (!(std::abs(whole) < 9.2e18)) refuse();
    lane.integer = std::abs(whole) < 9.2e18 ? static_cast<int64_t>(whole) : 0;
  } else {
    lane.integer = number.to<int64_t>();
  }
  return add(std::move(lane));
}

uint32_t LaneBuilder::apply(LaneOp op, std::initializer_list<uint32_t> args) {
  const uint32_t last = *(args.end() - 1);
  const DType taken = dtype(last);
  if (!target_.can_emit(op, taken)) refuse();
  const uint32_t place =
      add({.op = op, .dtype = gives_truth(op) ? DType::Bool : taken, .args = args});
  // A result that is one of its arguments, up to the sign, is representable as a half.
  const bool chooses = op == LaneOp::Select || op == LaneOp::Minimum || op == LaneOp::Maximum ||
                       op == LaneOp::Negate || op == LaneOp::Absolute ||
                       op == LaneOp::FoldMaximum || op == LaneOp::FoldMinimum;
  if (chooses && halves_[last]) {
    const auto first = args.begin() + (op == LaneOp::Select ? 1 : 0);
    const bool all =
        std::all_of(first, args.end(), [&](uint32_t arg) { return halves_[arg] == halves_[last]; });
    if (all) halves_[place] = halves_[last];
  }
  return place;
}

bool LaneBuilder::holds_half(uint32_t lane, DType half) const {
  if (halves_[lane] == half) return true;
  if (!is_constant(lane)) return false;
  const double number = lanes_[lane].number;
  return std::isfinite(number) && std::trunc(number) == number && std::abs(number) <= 256;
}

uint32_t LaneBuilder::convert(uint32_t lane, DType dtype) {
  const DType wanted = lane_dtype(dtype);
  if (this->dtype(lane) != wanted) {
    if (!target_.can_emit(LaneOp::Cast, this->dtype(lane)) ||
        !target_.can_emit(LaneOp::Load, wanted))
      refuse();
    const Lane& from = lanes_[lane];
    if (from.op == LaneOp::Constant) {
      lane = is_float(from.dtype) ? constant(Scalar(from.number), wanted)
                                  : constant(Scalar(from.integer), wanted);
    } else {
      lane = add({.op = LaneOp::Cast, .dtype = wanted, .args = {lane}});
    }
  }
  if (!is_half(dtype) || holds_half(lane, dtype)) return lane;
  if (!target_.can_emit(LaneOp::RoundHalf, DType::Float32)) refuse();
  const uint32_t rounded =
      add({.op = LaneOp::RoundHalf, .dtype = DType::Float32, .args = {lane}, .half = dtype});
  halves_[rounded] = dtype;
  return rounded;
}

}  // namespace opwright
