// Interpolation as Resize, and sampling at a grid as GridSample.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/node.h"

namespace opwright::onnx {
namespace {

struct Resampling {
  const char* mode;
  const char* coordinates;
  const char* nearest = nullptr;
  bool is_antialiased = false;
  std::vector<SymInt> sizes = {};  // of the output's last dimensions; empty: by scales
  std::vector<double> scales = {};
};

OnnxValue float_vector(GraphBuilder& g, std::span<const double> numbers) {
  const Tensor made = empty({static_cast<int64_t>(numbers.size())}, DType::Float32);
  for (size_t i = 0; i < numbers.size(); ++i)
    made.mutable_data<float>()[i] = static_cast<float>(numbers[i]);
  return g.constant(made);
}

OnnxValues resize(GraphBuilder& g, const Call& call, const Resampling& form) {
  std::vector<Attribute> attributes{{"mode", form.mode},
                                    {"coordinate_transformation_mode", form.coordinates}};
  if (form.nearest) attributes.emplace_back("nearest_mode", form.nearest);
  if (std::string_view(form.mode) == "cubic")
    attributes.emplace_back("cubic_coeff_a", form.is_antialiased ? -0.5 : -0.75);
  if (form.is_antialiased) {
    attributes.emplace_back("antialias", true);
    attributes.emplace_back("exclude_outside", true);
  }
  // Opset 12 requires an empty tensor where others omit an input.
  const OnnxValue nothing = g.opset() < 13 ? float_vector(g, {}) : OnnxValue();
  if (!form.scales.empty()) {
    std::vector<double> scales{1, 1};
    scales.insert(scales.end(), form.scales.begin(), form.scales.end());
    return {
        g.op("Resize", {call.input(0), nothing, float_vector(g, scales)}, std::move(attributes))};
  }
  std::vector<SymInt> sizes{call.tensor(0).sym_size(0), call.tensor(0).sym_size(1)};
  sizes.insert(sizes.end(), form.sizes.begin(), form.sizes.end());
  return {g.op("Resize", {call.input(0), nothing, nothing, g.sizes(sizes)}, std::move(attributes))};
}

// ONNX takes either of them, so the scales must yield the sizes.
void check_scales(const Call& call, const std::vector<double>& scales) {
  const std::vector<SymInt> sizes = call.sym_ints(1);
  for (size_t i = 0; i < scales.size(); ++i) {
    const SymInt from = call.tensor(0).sym_size(static_cast<int64_t>(i) + 2);
    const SymInt& to = sizes[i];
    if (from.is_symbolic() && to.is_symbolic()) continue;
    const bool are_known = !from.is_symbolic() && !to.is_symbolic();
    const float scaled = static_cast<float>(from.word()) * static_cast<float>(scales[i]);
    if (!are_known || to.word() != static_cast<int64_t>(std::floor(scaled)))
      call.refuse("ONNX resizes to sizes or by scales, and these scales do not give output_size");
  }
}

// (input, output_size, [align_corners,] scales): a list in the overload "vec", otherwise one
// argument per dimension.
Resampling read_sizes(const Call& call, Resampling form, size_t first_scale) {
  if (!call.has(first_scale) || !call.has(call.num_arguments() - 1)) {
    form.sizes = call.sym_ints(1);
  } else if (call.node().op().schema().index_of("scale_factors")) {
    form.scales = call.numbers(first_scale);
  } else {
    for (size_t i = first_scale; i < call.num_arguments(); ++i)
      form.scales.push_back(call.number(i));
    check_scales(call, form.scales);
  }
  return form;
}

OnnxValues nearest_rule(GraphBuilder& g, const Call& call) {
  return resize(
      g, call,
      read_sizes(call, {.mode = "nearest", .coordinates = "asymmetric", .nearest = "floor"}, 2));
}

OnnxValues nearest_exact_rule(GraphBuilder& g, const Call& call) {
  return resize(
      g, call,
      read_sizes(call,
                 {.mode = "nearest", .coordinates = "half_pixel", .nearest = "round_prefer_ceil"},
                 2));
}

// With aligned corners only the sizes matter; scales that are not their ratio would mislead.
Resampling by_sizes(const Call& call, Resampling form) {
  std::vector<SymInt> sizes = sym_sizes_of(call.result());
  sizes.erase(sizes.begin(), sizes.begin() + 2);
  for (const SymInt& size : sizes)
    if (size.is_symbolic()) return form;
  form.scales.clear();
  form.sizes = sizes;
  return form;
}

OnnxValues smooth(GraphBuilder& g, const Call& call, const char* mode) {
  if (!is_floating(call.result().dtype()))
    call.refuse("ONNX does not say how ints are interpolated; cast the input to a floating dtype");
  const char* coordinates = call.boolean(2) ? "align_corners" : "half_pixel";
  const Resampling form = read_sizes(call, {.mode = mode, .coordinates = coordinates}, 3);
  return resize(g, call, call.boolean(2) ? by_sizes(call, form) : form);
}
OnnxValues linear_resampling_rule(GraphBuilder& g, const Call& call) {
  return smooth(g, call, "linear");
}
OnnxValues cubic_rule(GraphBuilder& g, const Call& call) { return smooth(g, call, "cubic"); }

OnnxValues antialiased(GraphBuilder& g, const Call& call, const char* mode) {
  if (!is_floating(call.result().dtype()))
    call.refuse("ONNX does not say how ints are interpolated; cast the input to a floating dtype");
  if (call.boolean(2))
    call.refuse("ONNX aligns corners differently with antialias; leave align_corners False");
  return resize(
      g, call,
      read_sizes(call, {.mode = mode, .coordinates = "half_pixel", .is_antialiased = true}, 3));
}
OnnxValues antialiased_linear_rule(GraphBuilder& g, const Call& call) {
  return antialiased(g, call, "linear");
}
OnnxValues antialiased_cubic_rule(GraphBuilder& g, const Call& call) {
  return antialiased(g, call, "cubic");
}

// (input, grid, interpolation_mode, padding_mode, align_corners)
OnnxValues grid_rule(GraphBuilder& g, const Call& call) {
  constexpr std::array kOldModes{"bilinear", "nearest", "bicubic"};
  constexpr std::array kModes{"linear", "nearest", "cubic"};
  constexpr std::array kPaddings{"zeros", "border", "reflection"};
  const auto mode = static_cast<size_t>(call.integer(2));
  const DType given = call.result().dtype();
  const DType dtype = without_bfloat16(given);
  const OnnxValue sampled =
      g.op("GridSample", {call.input(0, dtype), call.input(1, dtype)},
           {{"mode", g.opset() < 20 ? kOldModes.at(mode) : kModes.at(mode)},
            {"padding_mode", kPaddings.at(static_cast<size_t>(call.integer(3)))},
            {"align_corners", call.boolean(4)}});
  return {recast(g, sampled, dtype, given)};
}

constexpr std::array kResamplingRules = {
    BuiltinRule{"aten::upsample_nearest1d", &nearest_rule},
    BuiltinRule{"aten::upsample_nearest2d", &nearest_rule},
    BuiltinRule{"aten::upsample_nearest3d", &nearest_rule},
    BuiltinRule{"aten::upsample_nearest1d.vec", &nearest_rule},
    BuiltinRule{"aten::upsample_nearest2d.vec", &nearest_rule},
    BuiltinRule{"aten::upsample_nearest3d.vec", &nearest_rule},
    BuiltinRule{"aten::_upsample_nearest_exact1d", &nearest_exact_rule},
    BuiltinRule{"aten::_upsample_nearest_exact2d", &nearest_exact_rule},
    BuiltinRule{"aten::_upsample_nearest_exact3d", &nearest_exact_rule},
    BuiltinRule{"aten::_upsample_nearest_exact1d.vec", &nearest_exact_rule},
    BuiltinRule{"aten::_upsample_nearest_exact2d.vec", &nearest_exact_rule},
    BuiltinRule{"aten::_upsample_nearest_exact3d.vec", &nearest_exact_rule},
    BuiltinRule{"aten::upsample_linear1d", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_bilinear2d", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_trilinear3d", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_linear1d.vec", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_bilinear2d.vec", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_trilinear3d.vec", &linear_resampling_rule},
    BuiltinRule{"aten::upsample_bicubic2d", &cubic_rule},
    BuiltinRule{"aten::upsample_bicubic2d.vec", &cubic_rule},
    BuiltinRule{"aten::_upsample_bilinear2d_aa", &antialiased_linear_rule, 18},
    BuiltinRule{"aten::_upsample_bicubic2d_aa", &antialiased_cubic_rule, 18},
    BuiltinRule{"aten::grid_sampler_2d", &grid_rule, 16},
    BuiltinRule{"aten::grid_sampler_3d", &grid_rule, 20},
};

}  // namespace

std::span<const BuiltinRule> resampling_rules() { return kResamplingRules; }

}  // namespace opwright::onnx
