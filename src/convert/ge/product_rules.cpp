// Matrix products, convolutions and pooling.
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

ValueType result_type(const Call& call) {
  return {call.result().dtype(), sym_sizes_of(call.result())};
}

GeValues convert_product(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(1)})};
}

// A vector becomes a matrix with one row, or one column, for the product.
GeValues convert_matmul(GraphBuilder& g, const Call& call, const char*) {
  const int64_t first_rank = call.tensor(0).dim();
  const int64_t second_rank = call.tensor(1).dim();
  const auto as_matrix = [&](size_t index, int64_t axis) {
    const Tensor vector = call.tensor(index);
    std::vector<SymInt> sizes = sym_sizes_of(vector);
    sizes.insert(sizes.begin() + axis, SymInt(1));
    return g.op("Unsqueeze", {call.input(index)}, {{"axes", std::vector<int64_t>{axis}}},
                ValueType{vector.dtype(), std::move(sizes)});
  };
  const OutputPlace first = first_rank == 1 ? as_matrix(0, 0) : call.input(0);
  const OutputPlace second = second_rank == 1 ? as_matrix(1, 1) : call.input(1);
  const char* op = first_rank <= 2 && second_rank <= 2 ? "MatMulV2" : "BatchMatMulV2";
  std::vector<SymInt> sizes = sym_sizes_of(call.result());
  if (second_rank == 1) sizes.emplace_back(1);
  if (first_rank == 1) sizes.insert(sizes.end() - 1, SymInt(1));
  const OutputPlace product =
      g.op(op, {first, second}, {}, ValueType{call.result().dtype(), std::move(sizes)});
  if (first_rank != 1 && second_rank != 1) return {product};
  return {g.op("Reshape", {product, g.sizes(sym_sizes_of(call.result()))})};
}

OutputPlace scaled_product(GraphBuilder& g, OutputPlace value, const Call& call, size_t factor,
                           std::vector<SymInt> sizes) {
  if (call.number(factor) == 1) return value;
  const DType dtype = call.result().dtype();
  return g.op("Mul", {value, g.scalar(call.constant(factor), dtype)}, {},
              ValueType{dtype, std::move(sizes)});
}

// beta * self + alpha * product; a bias if both are 1.
GeValues convert_added_product(GraphBuilder& g, const Call& call, const char* op) {
  const bool is_bias = call.number(3) == 1 && call.number(4) == 1 && call.tensor(0).dim() == 1;
  if (is_bias) return {g.op(op, {call.input(1), call.input(2), call.input(0)})};
  const ValueType type = result_type(call);
  const OutputPlace product =
      scaled_product(g, g.op(op, {call.input(1), call.input(2)}, {}, type), call, 4, type.sizes);
  if (call.number(3) == 0) return {product};
  const OutputPlace self = scaled_product(g, call.input(0), call, 3, sym_sizes_of(call.tensor(0)));
  return {g.op("Add", {self, product})};
}

GeValues convert_linear(GraphBuilder& g, const Call& call, const char*) {
  if (call.tensor(1).dim() != 2) call.refuse("GE has no product with a weight that is a vector");
  if (call.tensor(0).dim() == 2)
    return {
        g.op("MatMulV2", {call.input(0), call.input(1), call.input(2)}, {{"transpose_x2", true}})};
  const OutputPlace product =
      g.op("BatchMatMulV2", {call.input(0), call.input(1)}, {{"adj_x2", true}}, result_type(call));
  return {call.has(2) ? g.op("Add", {product, call.input(2)}) : product};
}

// One each for height and width.
std::array<int64_t, 2> pair_at(const Call& call, size_t index, std::array<int64_t, 2> otherwise) {
  const std::vector<int64_t> values = call.integers(index);
  if (values.empty()) return otherwise;
  return {values.front(), values.back()};
}
std::vector<int64_t> with_channels(std::array<int64_t, 2> pair) { return {1, 1, pair[0], pair[1]}; }
std::vector<int64_t> on_both_sides(std::array<int64_t, 2> pads) {
  return {pads[0], pads[0], pads[1], pads[1]};
}

void check_convolution(const Call& call, size_t weight, size_t transposed) {
  if (call.tensor(weight).dim() != 4 || call.boolean(transposed))
    call.refuse("the GE converter knows convolutions over two dimensions, not transposed");
}
GeValues convert_convolution(GraphBuilder& g, const Call& call, const char* op) {
  check_convolution(call, 1, 6);
  return {g.op(op, {call.input(0), call.input(1), call.input(2)},
               {{"strides", with_channels(pair_at(call, 3, {1, 1}))},
                {"pads", on_both_sides(pair_at(call, 4, {0, 0}))},
                {"dilations", with_channels(pair_at(call, 5, {1, 1}))},
                {"groups", call.integer(8)},
                {"data_format", "NCHW"}})};
}

// The engine stores these as int32.
OutputPlace sizes_of_argument(GraphBuilder& g, const Call& call, size_t index) {
  return g.cast(g.sizes(sym_sizes_of(call.tensor(index))), DType::Int32);
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, output_mask)
GeValues convert_convolution_gradient(GraphBuilder& g, const Call& call, const char*) {
  check_convolution(call, 2, 7);
  const OutputPlace grad = call.input(0);
  const auto gradient = [&](const char* op, OutputPlace first, OutputPlace second) {
    return g.op(op, {first, second, grad},
                {{"strides", with_channels(pair_at(call, 4, {1, 1}))},
                 {"pads", on_both_sides(pair_at(call, 5, {0, 0}))},
                 {"dilations", with_channels(pair_at(call, 6, {1, 1}))},
                 {"groups", call.integer(9)},
                 {"data_format", "NCHW"}});
  };
  GeValues made(3);
  if (call.gives(0))
    made[0] = gradient("Conv2DBackpropInput", sizes_of_argument(g, call, 1), call.input(2));
  if (call.gives(1))
    made[1] = gradient("Conv2DBackpropFilter", call.input(1), sizes_of_argument(g, call, 2));
  if (call.gives(2)) made[2] = g.op("ReduceSum", {grad, g.ints({0, 2, 3})});
  return call.given(made);
}

OutputPlace max_pool(GraphBuilder& g, const Call& call, const char* op) {
  const std::array<int64_t, 2> kernel = pair_at(call, 1, {1, 1});
  if (call.tensor(0).dim() != 4 || pair_at(call, 4, {1, 1}) != std::array<int64_t, 2>{1, 1})
    call.refuse("the GE converter knows pools over batches of images, without dilation");
  return g.op(op, {call.input(0)},
              {{"ksize", with_channels(kernel)},
               {"strides", with_channels(pair_at(call, 2, kernel))},
               {"pads", on_both_sides(pair_at(call, 3, {0, 0}))},
               {"ceil_mode", call.boolean(5)}});
}
GeValues convert_max_pool(GraphBuilder& g, const Call& call, const char* op) {
  return {max_pool(g, call, op)};
}

std::vector<int64_t> pair_of(std::array<int64_t, 2> pair) { return {pair[0], pair[1]}; }

// (..., kernel_size, stride, padding, dilation, ceil_mode) from `first` on; indices of maxima are
// positions in the image, as int64.
GeValues pool_with_places(GraphBuilder& g, const Call& call, const char* op,
                          std::initializer_list<Operand> inputs, size_t first) {
  const std::array<int64_t, 2> kernel = pair_at(call, first, {1, 1});
  if (call.result().dim() != 4) call.refuse("the GE converter knows pools over batches of images");
  return g.op_of_many(op, inputs,
                      {{"ksize", pair_of(kernel)},
                       {"strides", pair_of(pair_at(call, first + 1, kernel))},
                       {"pads", pair_of(pair_at(call, first + 2, {0, 0}))},
                       {"dtype", DT_INT64},
                       {"dilation", pair_of(pair_at(call, first + 3, {1, 1}))},
                       {"ceil_mode", call.boolean(first + 4)}});
}
GeValues convert_max_pool_with_indices(GraphBuilder& g, const Call& call, const char* op) {
  if (!call.is_used(1)) return {max_pool(g, call, "MaxPoolV3"), {}};
  return pool_with_places(g, call, op, {call.input(0)}, 1);
}
GeValues convert_max_pool_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return pool_with_places(g, call, op, {call.input(1), call.input(0), call.input(7)}, 2);
}

// (..., kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) from `first`.
GeValues avg_pool(GraphBuilder& g, const Call& call, const char* op,
                  std::initializer_list<Operand> inputs, size_t first) {
  const std::array<int64_t, 2> kernel = pair_at(call, first, {1, 1});
  if (call.result().dim() != 4) call.refuse("the GE converter knows pools over batches of images");
  return {g.op(op, inputs,
               {{"ksize", with_channels(kernel)},
                {"strides", with_channels(pair_at(call, first + 1, kernel))},
                {"pads", on_both_sides(pair_at(call, first + 2, {0, 0}))},
                {"ceil_mode", call.boolean(first + 3)},
                {"exclusive", !call.boolean(first + 4)},
                {"divisor_override", call.has(first + 5) ? call.integer(first + 5) : 0}})};
}
GeValues convert_avg_pool(GraphBuilder& g, const Call& call, const char* op) {
  return avg_pool(g, call, op, {call.input(0)}, 1);
}
GeValues convert_avg_pool_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return avg_pool(g, call, op, {sizes_of_argument(g, call, 1), call.input(0)}, 2);
}

constexpr auto kProductRules = std::to_array<BuiltinRule>({
    {"aten::mm", convert_product, "MatMulV2"},
    {"aten::bmm", convert_product, "BatchMatMulV2"},
    {"aten::matmul", convert_matmul},
    {"aten::addmm", convert_added_product, "MatMulV2"},
    {"aten::baddbmm", convert_added_product, "BatchMatMulV2"},
    {"aten::linear", convert_linear},
    {"aten::convolution", convert_convolution, "Conv2D"},
    {"aten::convolution_backward", convert_convolution_gradient},
    {"aten::max_pool2d", convert_max_pool, "MaxPoolV3"},
    {"aten::max_pool2d_with_indices", convert_max_pool_with_indices, "MaxPoolWithArgmaxV3"},
    {"aten::max_pool2d_with_indices_backward", convert_max_pool_gradient,
     "MaxPoolGradWithArgmaxV3"},
    {"aten::avg_pool2d", convert_avg_pool, "AvgPoolV2"},
    {"aten::avg_pool2d_backward", convert_avg_pool_gradient, "AvgPoolV2Grad"},
});

}  // namespace

std::span<const BuiltinRule> product_rules() { return kProductRules; }

}  // namespace opwright::graph_engine
