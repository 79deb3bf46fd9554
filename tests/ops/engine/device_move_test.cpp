// Indexing, gather and scatter on a device that moves elements, and operators built on them.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/device_comparison.h"
#include "ops/moving_device.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::expect_same_on_device;
using testing::MovingDevice;
using testing::numbers;
using testing::on_cpu;
using testing::range;
using testing::tensor_of;
using testing::TestDevice;

using Indices = std::vector<std::optional<Tensor>>;

Tensor ints(const std::vector<int64_t>& sizes, const std::vector<int64_t>& values) {
  return tensor_of<int64_t>(sizes, values);
}
Indices computed(const Indices& indices) {
  Indices moved;
  for (const auto& index : indices)
    moved.push_back(index ? std::optional(testing::computed(*index)) : std::nullopt);
  return moved;
}

// ---- index

TEST(DeviceIndex, ReadsByTensorsInEveryPlace) {
  const Tensor x = range({3, 4, 5});
  const Tensor rows = ints({2}, {2, -1});
  const Tensor columns = ints({2, 1}, {0, 3});

  for (const Indices& indices :
       {Indices{rows}, Indices{std::nullopt, rows}, Indices{rows, columns},
        Indices{rows, std::nullopt, columns}, Indices{std::nullopt, columns.to(DType::Int32)}})
    expect_same_on_device(computed(x).index(computed(indices)), x.index(indices));
}

TEST(DeviceIndex, IsOneMoveOverJoinedDimensions) {
  const Tensor x = computed(range({3, 4, 5}));
  const Tensor rows = computed(ints({2}, {2, 0}));
  MovingDevice::moves = 0;
  ComputingDevice::loops = 0;

  (void)x.index({rows});

  EXPECT_EQ(MovingDevice::moves, 1);
  EXPECT_EQ(ComputingDevice::loops, 0);
  EXPECT_EQ(MovingDevice::sizes, (std::vector<int64_t>{2, 20}));
}

TEST(DeviceIndex, ReadsViewsAndEveryDtype) {
  for (const DType dtype :
       {DType::Bool, DType::UInt8, DType::Float16, DType::Int64, DType::Complex128}) {
    const Tensor x = range({4, 3}).to(dtype);
    const Tensor rows = ints({2, 2}, {2, 0, 1, -1});

    expect_same_on_device(computed(x).t().index({computed(rows)}), x.t().index({rows}));
  }
}

TEST(DeviceIndex, TakesMasksAndIndicesOfTheCpu) {
  const Tensor x = range({3, 4});
  const Tensor mask = x.gt(5);
  const Tensor rows = ints({2}, {2, 0});

  expect_same_on_device(computed(x).index({computed(mask)}), x.index({mask}));
  expect_same_on_device(computed(x).index({mask}), x.index({mask}));
  expect_same_on_device(computed(x).index({rows}), x.index({rows}));
  expect_same_on_device(computed(x).masked_select(computed(mask)), x.masked_select(mask));
  expect_same_on_device(computed(x).nonzero(), x.nonzero());
}

TEST(DeviceIndex, HasTheErrorsOfTheCpu) {
  const Tensor x = computed(range({3, 4}));
  const Tensor rows = computed(ints({2}, {2, 0}));

  EXPECT_ERROR_CONTAINS(x.index({rows, rows, rows}), "IndexError",
                        "index: 3 dimensions are indexed, but self has sizes [3, 4]");
  EXPECT_ERROR_CONTAINS(x.index({x.gt(3).select(0, 1)}), "IndexError",
                        "index: a mask of sizes [4] does not fit the sizes [3, 4] of self from "
                        "dimension 0 on");
  EXPECT_ERROR_CONTAINS(x.narrow(0, 0, 0).index_select(0, rows), "IndexError",
                        "index_select: dimension 0 of self, whose sizes are [0, 4], has no "
                        "elements to index");
  EXPECT_ERROR_CONTAINS(range({3}).index({rows}), "RuntimeError",
                        "index: an index tensor must be on the device of self, cpu");
}

TEST(DeviceIndex, LeavesValuesOutOfRangeToTheDevice) {
  const Tensor x = computed(range({3, 4}));

  EXPECT_ERROR_CONTAINS(x.index({computed(ints({1}, {3}))}), "IndexError",
                        "an index is out of range on the computing device");
}

TEST(DeviceIndex, NamesWhatADeviceLacks) {
  const Tensor x = range({2, 2}).to(TestDevice::device(), DType::Float32);
  const Tensor rows = ints({1}, {0}).to(TestDevice::device(), DType::Int64);

  EXPECT_ERROR_CONTAINS(x.index_select(0, rows), "NotImplementedError",
                        "index_select: there is no kernel for test:0, since the device computes no "
                        "moves (move_elements)");
}

// ---- index_put_

TEST(DeviceIndexPut, WritesAndAdds) {
  const Tensor rows = ints({3}, {2, 0, 2});
  const Tensor values = range({3, 4});
  for (const DType dtype : {DType::Float32, DType::Float16, DType::Int64, DType::UInt8}) {
    const Tensor x = range({3, 4}).to(dtype);
    const Tensor y = values.to(dtype);
    const Indices apart{ints({3}, {2, 0, 1})};

    expect_same_on_device(computed(x).index_put(computed(apart), computed(y)),
                          x.index_put(apart, y));
    expect_same_on_device(computed(x).index_put(computed(Indices{rows}), computed(y), true),
                          x.index_put({rows}, y, true));
  }
}

TEST(DeviceIndexPut, BroadcastsValuesAndTakesMasks) {
  const Tensor x = range({3, 4});
  const Tensor value = tensor_of<float>({}, {9});
  const Tensor mask = x.gt(6);

  expect_same_on_device(computed(x).index_put({computed(mask)}, computed(value)),
                        x.index_put({mask}, value));
  expect_same_on_device(computed(x).index_put({computed(mask)}, value), x.index_put({mask}, value));
}

TEST(DeviceIndexPut, AddsSmallDtypesInWiderOnes) {
  const Tensor x = computed(zeros({1}, DType::BFloat16));
  const Tensor ones_there = computed(ones({300}, DType::BFloat16));

  const Tensor sum = x.index_put({computed(zeros({300}, DType::Int64))}, ones_there, true);

  EXPECT_EQ(on_cpu(sum).item().to<double>(), 300);
  EXPECT_EQ(MovingDevice::dtype, DType::Float32);
}

TEST(DeviceIndexPut, ReadsValuesBeforeItWritesThem) {
  Tensor x = computed(range({4}));
  const Tensor rows = computed(ints({4}, {3, 2, 1, 0}));

  x.index_put_({rows}, x);

  expect_same_on_device(x, tensor_of<float>({4}, {3, 2, 1, 0}));
}

// ---- rows

TEST(DeviceRows, AreSelectedAndWritten) {
  const Tensor x = range({3, 4});
  const Tensor rows = ints({2}, {2, 0});
  const Tensor source = range({3, 2}).mul(-1);
  const auto on_device = [](const Tensor& tensor) { return testing::computed(tensor); };

  expect_same_on_device(on_device(x).index_select(1, on_device(rows)), x.index_select(1, rows));
  expect_same_on_device(on_device(x).index_add(1, on_device(rows), on_device(source), 2),
                        x.index_add(1, rows, source, 2));
  expect_same_on_device(on_device(x).index_copy(1, on_device(rows), on_device(source)),
                        x.index_copy(1, rows, source));
  expect_same_on_device(on_device(x).index_fill(-1, on_device(rows.sub(4)), 7),
                        x.index_fill(-1, rows.sub(4), 7));
  expect_same_on_device(
      on_device(tensor_of<float>({}, {5})).index_select(0, on_device(ints({1}, {0}))),
      tensor_of<float>({}, {5}));
}

TEST(DeviceRows, OfAnEmbeddingHaveTheirGradient) {
  const Tensor weight = range({5, 3});
  const Tensor words = ints({2, 3}, {4, 0, 1, 1, 4, 4});
  const Tensor grad = numbers({2, 3, 3});

  expect_same_on_device(embedding(computed(weight), computed(words)), embedding(weight, words));
  for (const bool scales : {false, true})
    expect_same_on_device(embedding_dense_backward(computed(grad), computed(words), 5, 1, scales),
                          embedding_dense_backward(grad, words, 5, 1, scales));
}

// ---- gather and scatter

TEST(DeviceGather, TakesOneElementForEachIndex) {
  const Tensor x = range({3, 4});
  const Tensor index = ints({2, 2}, {2, 0, 1, 1});

  for (const int64_t dim : {0, 1, -1})
    expect_same_on_device(computed(x).gather(dim, computed(index)), x.gather(dim, index));
  expect_same_on_device(computed(x).take_along_dim(computed(ints({3, 1}, {3, 0, 1})), 1),
                        x.take_along_dim(ints({3, 1}, {3, 0, 1}), 1));
  expect_same_on_device(computed(x).gather(0, computed(ints({0, 2}, {}))),
                        x.gather(0, ints({0, 2}, {})));
}

TEST(DeviceScatter, WritesElementsAndNumbers) {
  const Tensor x = range({3, 4});
  const Tensor index = ints({2, 2}, {2, 0, 1, 1});
  const Tensor src = range({2, 3}).mul(-1);

  expect_same_on_device(computed(x).scatter(0, computed(index), computed(src)),
                        x.scatter(0, index, src));
  expect_same_on_device(computed(x).scatter(1, computed(index), 2.5), x.scatter(1, index, 2.5));
  expect_same_on_device(computed(x.to(DType::Int32)).scatter(1, computed(index), 2.5),
                        x.to(DType::Int32).scatter(1, index, 2.5));
  expect_same_on_device(one_hot(computed(index), 3), one_hot(index, 3));
}

TEST(DeviceScatter, AddsWhereSeveralMeet) {
  const Tensor index = ints({2, 3}, {2, 2, 2, 0, 0, 1});
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Int8, DType::Bool}) {
    const Tensor x = range({3, 4}).to(dtype);
    const Tensor src = range({2, 3}).to(dtype);

    expect_same_on_device(computed(x).scatter_add(1, computed(index), computed(src)),
                          x.scatter_add(1, index, src));
  }
}

TEST(DeviceScatter, HasTheErrorsOfTheCpu) {
  const Tensor x = computed(range({3, 4}));
  const Tensor index = computed(ints({4, 1}, {0, 1, 2, 0}));

  EXPECT_ERROR_CONTAINS(x.gather(1, index), "ValueError",
                        "gather: index of sizes [4, 1] must be no larger than self of sizes [3, 4] "
                        "but in dimension 1");
  EXPECT_ERROR_CONTAINS(x.scatter(0, index, x.to(DType::Float64)), "TypeError",
                        "scatter_: src of float64 must have the dtype of self, float32");
}

// ---- losses and pooling

TEST(DeviceNllLoss, IsThatOfTheCpuForwardsAndBackwards) {
  const Tensor scores = numbers({4, 3}).log_softmax(1);
  const Tensor target = ints({4}, {2, 0, -100, 1});
  const std::optional<Tensor> weight = numbers({3}).abs();
  const std::optional<Tensor> moved = computed(*weight);
  for (const int64_t reduction : {0, 1, 2}) {
    const auto expected = nll_loss_forward(scores, target, weight, reduction, -100);
    const auto& [loss, total] = expected;
    const Tensor grad = loss.mul(0).add(0.5);

    const auto actual =
        nll_loss_forward(computed(scores), computed(target), moved, reduction, -100);
    const Tensor gradient = nll_loss_backward(computed(grad), computed(scores), computed(target),
                                              moved, reduction, -100, computed(total));

    expect_same_on_device(std::get<0>(actual), loss);
    expect_same_on_device(std::get<1>(actual), total);
    expect_same_on_device(gradient,
                          nll_loss_backward(grad, scores, target, weight, reduction, -100, total));
  }
}

TEST(DeviceNllLoss, TakesImagesAndSingleVectors) {
  const Tensor images = numbers({2, 3, 2, 2}).log_softmax(1);
  const Tensor classes = ints({2, 2, 2}, {0, 1, 2, 0, 1, 1, 2, 2});
  const Tensor vector = numbers({3});
  const Tensor one = ints({}, {1});

  expect_same_on_device(nll_loss2d(computed(images), computed(classes)),
                        nll_loss2d(images, classes));
  expect_same_on_device(nll_loss(computed(vector), computed(one)), nll_loss(vector, one));
}

TEST(DevicePooling, FindsWhatTheCpuFinds) {
  struct Pool {
    std::vector<int64_t> kernel, stride, padding, dilation;
    bool ceils;
  };
  const Tensor x = numbers({2, 3, 7, 6});
  for (const Pool& by :
       {Pool{{2, 2}, {2, 2}, {0, 0}, {1, 1}, false}, Pool{{3, 2}, {2, 1}, {1, 1}, {1, 2}, false},
        Pool{{3, 3}, {2, 2}, {1, 0}, {1, 1}, true}}) {
    const auto pool = [&](const Tensor& self) {
      return max_pool2d_with_indices(self, by.kernel, by.stride, by.padding, by.dilation, by.ceils);
    };
    const auto [values, indices] = pool(x);
    const auto [found, places] = pool(computed(x));
    const auto differentiate = [&](const Tensor& grad, const Tensor& self, const Tensor& where) {
      return max_pool2d_with_indices_backward(grad, self, by.kernel, by.stride, by.padding,
                                              by.dilation, by.ceils, where);
    };

    expect_same_on_device(found, values);
    expect_same_on_device(places, indices);
    expect_same_on_device(differentiate(computed(values), computed(x), places),
                          differentiate(values, x, indices));
  }
}

}  // namespace
}  // namespace opwright
