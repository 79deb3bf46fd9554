// Matrix products and convolutions on a device that computes products.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/device_comparison.h"
#include "ops/moving_device.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/tensor/device/stream.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::expect_same_on_device;
using testing::list;
using testing::MovingDevice;
using testing::numbers;
using testing::sizes;
using testing::TestDevice;

TEST(DeviceProduct, MultipliesMatricesOfEveryKindOfNumber) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16,
                            DType::Int32, DType::Int64, DType::UInt8}) {
    const Tensor a = numbers({3, 4}, dtype);
    const Tensor b = numbers({4, 2}, dtype);

    expect_same_on_device(computed(a).mm(computed(b)), a.mm(b));
  }
}

TEST(DeviceProduct, TakesTransposedOperandsAsTheyAre) {
  const Tensor a = numbers({4, 3});
  const Tensor b = numbers({2, 4});
  const Tensor left = computed(a).t();
  const Tensor right = computed(b).t();
  ComputingDevice::loops = 0;

  const Tensor product = left.mm(right);

  expect_same_on_device(product, a.t().mm(b.t()));
  EXPECT_EQ(ComputingDevice::loops, 0);
  EXPECT_EQ(MovingDevice::product.left.data, left.data());
  EXPECT_EQ(MovingDevice::product.left.row, 1);
  EXPECT_EQ(MovingDevice::product.left.column, 3);
  EXPECT_EQ(MovingDevice::product.right.row, 1);
  EXPECT_EQ(MovingDevice::product.right.column, 4);
}

TEST(DeviceProduct, TakesABatchThatIsRepeated) {
  const Tensor a = numbers({1, 3, 4});
  const Tensor b = numbers({5, 4, 2});
  const Tensor left = computed(a).expand({5, 3, 4});
  const Tensor right = computed(b);
  ComputingDevice::loops = 0;

  expect_same_on_device(left.bmm(right), a.expand({5, 3, 4}).bmm(b));

  EXPECT_EQ(ComputingDevice::loops, 0);
  EXPECT_EQ(MovingDevice::product.batch, 5);
  EXPECT_EQ(MovingDevice::product.left.batch, 0);
}

TEST(DeviceProduct, MultipliesVectors) {
  const Tensor matrix = numbers({3, 4});
  const Tensor vector = numbers({4});
  const Tensor strided = numbers({4, 2}).select(1, 1);

  expect_same_on_device(computed(matrix).mv(computed(vector)), matrix.mv(vector));
  expect_same_on_device(computed(vector).dot(computed(strided)), vector.dot(strided));
  expect_same_on_device(computed(vector).vdot(computed(vector)), vector.vdot(vector));
}

TEST(DeviceProduct, AddsToWhatIsThereInOneCallOfTheDevice) {
  const Tensor a = numbers({3, 4});
  const Tensor b = numbers({4, 2});
  const Tensor bias = numbers({2});
  MovingDevice::products = 0;

  expect_same_on_device(computed(bias).addmm(computed(a), computed(b), 0.5, 2),
                        bias.addmm(a, b, 0.5, 2));

  EXPECT_EQ(MovingDevice::products, 1);
  EXPECT_EQ(MovingDevice::product.alpha, 2);
  EXPECT_EQ(MovingDevice::product.beta, 0.5);
}

TEST(DeviceProduct, DoesNotReadWhatIsNotKept) {
  const Tensor a = numbers({3, 4});
  const Tensor b = numbers({4, 2});
  const Tensor nothing = full({3, 2}, NAN);

  expect_same_on_device(computed(nothing).addmm(computed(a), computed(b), 0), a.mm(b));
}

TEST(DeviceProduct, HasItsOtherSums) {
  const Tensor a = numbers({2, 3, 4}, DType::Float16);
  const Tensor b = numbers({2, 4, 5}, DType::Float16);
  const Tensor sum = numbers({2, 1, 5}, DType::Float16);
  const Tensor matrix = numbers({3, 4});
  const Tensor vector = numbers({4});

  expect_same_on_device(computed(sum).baddbmm(computed(a), computed(b)), sum.baddbmm(a, b), 2e-3);
  expect_same_on_device(computed(numbers({3})).addmv(computed(matrix), computed(vector)),
                        numbers({3}).addmv(matrix, vector));
}

TEST(DeviceProduct, OfDepthZeroIsWhatIsKept) {
  const Tensor a = numbers({3, 0});
  const Tensor b = numbers({0, 2});

  expect_same_on_device(computed(a).mm(computed(b)), a.mm(b));
  expect_same_on_device(computed(numbers({3, 2})).addmm(computed(a), computed(b), 2),
                        numbers({3, 2}).mul(2));
}

TEST(DeviceProduct, AsksTheDeviceForNothingWhereTheResultIsEmpty) {
  const Tensor a = computed(numbers({0, 4}));
  const Tensor b = computed(numbers({4, 2}));
  MovingDevice::products = 0;

  EXPECT_EQ(sizes(a.mm(b)), (std::vector<int64_t>{0, 2}));

  EXPECT_EQ(MovingDevice::products, 0);
}

TEST(DeviceProduct, IsWhatMatmulAndLinearAreMadeOf) {
  const Tensor stack = numbers({2, 1, 3, 4});
  const Tensor other = numbers({5, 4, 2});
  const Tensor weight = numbers({6, 4});
  const Tensor bias = numbers({6});

  expect_same_on_device(computed(stack).matmul(computed(other)), stack.matmul(other));
  expect_same_on_device(linear(computed(stack), computed(weight), computed(bias)),
                        linear(stack, weight, bias));
  expect_same_on_device(computed(bias).outer(computed(bias)), bias.outer(bias));
}

TEST(DeviceProduct, WritesOutAndInPlace) {
  const Tensor a = numbers({3, 4});
  const Tensor b = numbers({4, 2});
  Tensor out = computed(zeros({3, 2}));
  Tensor sum = computed(ones({3, 2}));

  mm(computed(a), computed(b), out);
  sum.addmm_(computed(a), computed(b));

  expect_same_on_device(out, a.mm(b));
  expect_same_on_device(sum, a.mm(b).add(1));
}

TEST(DeviceProduct, RunsOnTheDeviceAndStreamOfItsOperands) {
  const Tensor a = computed(numbers({2, 2}), 1);
  OpwStream* stream = TestDevice::stream(7);
  const StreamScope scope(a.device(), stream);

  const Tensor product = a.mm(a);

  EXPECT_EQ(product.device(), ComputingDevice::device(1));
  EXPECT_EQ(MovingDevice::index, 1);
  EXPECT_EQ(MovingDevice::stream, stream);
}

TEST(DeviceProduct, HasTheErrorsOfTheCpu) {
  const Tensor a = computed(numbers({3, 4}));

  EXPECT_ERROR_CONTAINS(a.mm(a), "RuntimeError",
                        "mm: sizes [3, 4] and [3, 4] cannot be multiplied: 4 against 3");
  EXPECT_ERROR_CONTAINS(a.addmm(a.t(), a.to(DType::Float64)), "TypeError",
                        "addmm: both operands must have one dtype, got float32 and float64");
  EXPECT_ERROR_CONTAINS(a.to(DType::Float64).addmm(a.t(), a), "TypeError",
                        "addmm: self must have the dtype of the operands, got float64 and float32");
}

TEST(DeviceProduct, NamesWhatADeviceLacks) {
  const Tensor a = numbers({2, 2}).to(TestDevice::device(), DType::Float32);

  EXPECT_ERROR_CONTAINS(a.mm(a), "NotImplementedError",
                        "mm: there is no kernel for test:0, since the device computes no products "
                        "(compute_product)");
}

// ---- convolutions

struct Convolution {
  std::vector<int64_t> input, weight;
  std::vector<int64_t> stride, padding, dilation, output_padding;
  bool transposed;
  int64_t groups;
};

const Convolution kConvolutions[] = {
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, false, 1},
    {{2, 4, 7, 6}, {6, 2, 3, 2}, {2, 1}, {0, 1}, {1, 2}, {0, 0}, false, 2},
    {{1, 4, 9}, {4, 1, 3}, {2}, {2}, {1}, {0}, false, 4},
    {{2, 2, 3, 4, 3}, {3, 2, 2, 2, 2}, {1, 2, 1}, {1, 0, 1}, {1, 1, 1}, {0, 0, 0}, false, 1},
    {{2, 4, 3, 4}, {4, 3, 3, 2}, {2, 2}, {1, 0}, {1, 1}, {1, 0}, true, 2},
};

Tensor convolve(const Convolution& by, const Tensor& input, const Tensor& weight,
                const Tensor& bias) {
  return convolution(input, weight, bias, list(by.stride), list(by.padding), list(by.dilation),
                     by.transposed, list(by.output_padding), by.groups);
}

TEST(DeviceConvolution, GivesWhatTheCpuGives) {
  for (const Convolution& by : kConvolutions) {
    const Tensor input = numbers(by.input);
    const Tensor weight = numbers(by.weight);
    const Tensor bias = numbers({by.transposed ? by.weight[1] * by.groups : by.weight[0]});

    expect_same_on_device(convolve(by, computed(input), computed(weight), computed(bias)),
                          convolve(by, input, weight, bias), 1e-4);
  }
}

TEST(DeviceConvolution, HasTheGradientsOfTheCpu) {
  for (const Convolution& by : kConvolutions) {
    const Tensor input = numbers(by.input);
    const Tensor weight = numbers(by.weight);
    const Tensor bias = numbers({by.transposed ? by.weight[1] * by.groups : by.weight[0]});
    const Tensor grad = convolve(by, input, weight, bias).cos();
    const auto differentiate = [&](const Tensor& of, const Tensor& x, const Tensor& w) {
      const bool mask[] = {true, true, true};
      return convolution_backward(of, x, w, std::nullopt, list(by.stride), list(by.padding),
                                  list(by.dilation), by.transposed, list(by.output_padding),
                                  by.groups, mask);
    };

    const auto actual = differentiate(computed(grad), computed(input), computed(weight));
    const auto expected = differentiate(grad, input, weight);

    expect_same_on_device(std::get<0>(actual), std::get<0>(expected), 1e-4);
    expect_same_on_device(std::get<1>(actual), std::get<1>(expected), 1e-4);
    expect_same_on_device(std::get<2>(actual), std::get<2>(expected), 1e-4);
  }
}

TEST(DeviceConvolution, KeepsChannelsLast) {
  const Convolution& by = kConvolutions[0];
  const Tensor input = numbers(by.input).contiguous(MemoryFormat::ChannelsLast);
  const Tensor weight = numbers(by.weight);
  const Tensor bias = numbers({4});
  const Tensor moved = computed(numbers(by.input)).contiguous(MemoryFormat::ChannelsLast);

  expect_same_on_device(convolve(by, moved, computed(weight), computed(bias)),
                        convolve(by, input, weight, bias), 1e-4);
}

}  // namespace
}  // namespace opwright
