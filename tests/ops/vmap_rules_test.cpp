// vmap rules, called through their records as vmap does. test_vmap_rules.py compares each with its
// operator applied sample by sample, on calls recorded from torch.
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

using Dims = std::vector<std::optional<int64_t>>;

struct Mapped {
  std::vector<Value> results;
  Dims out_dims;
};

// `in_dims` has one entry per argument; a list value has one per element.
Mapped run_vmap(const char* name, int64_t batch_size, const std::vector<OpwValue>& in_dims,
                const std::vector<OpwValue>& args) {
  const Operator& op = Registry::get().require(name);
  const OpwRecord* record = op.record(Slot::Vmap);
  OpwValue dims{};
  dims.tag = kOpwList;
  dims.length = static_cast<uint32_t>(in_dims.size());
  dims.as_values = in_dims.data();
  std::vector<OpwValue> all{ValueOf<int64_t>::lend(batch_size),
                            ValueOf<std::string_view>::lend("error"), dims};
  all.insert(all.end(), args.begin(), args.end());
  std::vector<OpwValue> results(op.num_results() + 1);
  require_ok(record->function(record, all.data(), static_cast<uint32_t>(all.size()), results.data(),
                              static_cast<uint32_t>(results.size())));
  Mapped mapped{{}, ValueOf<Dims>::take(results.back())};
  for (size_t i = 0; i + 1 < results.size(); ++i) mapped.results.push_back(Value::take(results[i]));
  return mapped;
}

Tensor borrowed_tensor(const Value& value) { return Tensor::borrow(value.get().as_tensor); }

TEST(VmapRules, OfAReductionCountsDimensionsOfASample) {
  const Tensor x = arange(24, DType::Float32).reshape({2, 3, 4});
  const std::vector<int64_t> dim{-1};
  const Mapped mapped = run_vmap(
      "aten::sum.dim_IntList", 3, {ValueOf<int64_t>::lend(1), {}, {}, {}},
      {ValueOf<Tensor>::lend(x), ValueOf<std::vector<int64_t>>::lend(dim), Value(false).get(), {}});

  EXPECT_EQ(mapped.out_dims, (Dims{0}));
  EXPECT_TRUE(equal(borrowed_tensor(mapped.results[0]), x.sum({2}).t()));
}

TEST(VmapRules, OfAReductionTakeSamplesWithoutDimensions) {
  const Tensor x = arange(3, DType::Float32);
  const Mapped mapped =
      run_vmap("aten::argmax", 3, {ValueOf<int64_t>::lend(0), {}, {}},
               {ValueOf<Tensor>::lend(x), ValueOf<int64_t>::lend(-1), Value(true).get()});

  EXPECT_TRUE(equal(borrowed_tensor(mapped.results[0]), zeros({3}, DType::Int64)));
}

TEST(VmapRules, OfAJoinTakeAListWithAndWithoutBatches) {
  const Tensor x = arange(6, DType::Float32).reshape({3, 2});
  const Tensor y = ones({1});
  const OpwValue dims[] = {ValueOf<int64_t>::lend(1), {}};
  OpwValue list_dims{};
  list_dims.tag = kOpwList;
  list_dims.length = 2;
  list_dims.as_values = dims;
  const std::vector<Tensor> tensors{x, y};
  const Mapped mapped =
      run_vmap("aten::cat", 2, {list_dims, {}},
               {ValueOf<std::vector<Tensor>>::lend(tensors), ValueOf<int64_t>::lend(0)});

  const std::vector<Tensor> batches{x.t(), ones({2, 1})};
  EXPECT_TRUE(equal(borrowed_tensor(mapped.results[0]), cat(batches, 1)));
}

TEST(VmapRules, WriteToTheBatchWhereverItIs) {
  const Tensor x = zeros({2, 3});
  const Tensor y = arange(3, DType::Float32);
  const Mapped mapped =
      run_vmap("aten::copy_", 3, {ValueOf<int64_t>::lend(1), ValueOf<int64_t>::lend(0), {}},
               {ValueOf<Tensor>::lend(x), ValueOf<Tensor>::lend(y), Value(false).get()});

  EXPECT_EQ(mapped.out_dims, (Dims{1}));
  EXPECT_EQ(floats(x), (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

TEST(VmapRules, LeaveOutGradientsThatAreNotAskedFor) {
  const Tensor grads = ones({2, 3, 4});
  const Tensor mean = zeros({2, 3, 1});
  const Tensor rstd = ones({2, 3, 1});
  const std::vector<SymInt> shape{4};
  const bool mask[] = {false, true, false};
  const OpwValue first = ValueOf<int64_t>::lend(0);
  const Mapped mapped =
      run_vmap("aten::native_layer_norm_backward", 2, {first, first, {}, first, first, {}, {}, {}},
               {ValueOf<Tensor>::lend(grads),
                ValueOf<Tensor>::lend(grads),
                ValueOf<std::vector<SymInt>>::lend(shape),
                ValueOf<Tensor>::lend(mean),
                ValueOf<Tensor>::lend(rstd),
                {},
                {},
                ValueOf<std::span<const bool>>::lend(mask)});

  EXPECT_EQ(mapped.out_dims, (Dims{std::nullopt, 0, std::nullopt}));
  EXPECT_EQ(sizes(borrowed_tensor(mapped.results[1])), (std::vector<int64_t>{2, 4}));
}

TEST(VmapRules, RefuseSamplesWithResultsOfSeveralSizes) {
  const Tensor x = ones({2, 2}).triu();
  EXPECT_ERROR_CONTAINS(
      run_vmap("aten::nonzero", 2, {ValueOf<int64_t>::lend(0)}, {ValueOf<Tensor>::lend(x)}),
      "RuntimeError",
      "nonzero: under vmap every sample must give a result of the same size, but 3 elements are "
      "not spread evenly over 2 samples");
}

TEST(VmapRules, RefuseAnOutOfOtherSizes) {
  const Tensor a = ones({2, 3, 3});
  const Tensor out = zeros({2, 3});
  const OpwValue first = ValueOf<int64_t>::lend(0);
  EXPECT_ERROR_CONTAINS(
      run_vmap("aten::mm.out", 2, {first, first, first},
               {ValueOf<Tensor>::lend(a), ValueOf<Tensor>::lend(a), ValueOf<Tensor>::lend(out)}),
      "RuntimeError", "out must have the sizes of the result, [3, 3], or no elements, got [3]");
}

TEST(VmapRules, RefuseAnIndexThatIsOutOfRangeForItsOwnSample) {
  const Tensor tables = ones({2, 3, 4});
  const Tensor indices = full({2, 1}, 3, DType::Int64);
  const Tensor offsets = zeros({1}, DType::Int64);
  const OpwValue first = ValueOf<int64_t>::lend(0);
  const OpwValue no = Value(false).get();
  EXPECT_ERROR_CONTAINS(
      run_vmap("aten::_embedding_bag", 2, {first, first, {}, {}, {}, {}, {}, {}, {}},
               {ValueOf<Tensor>::lend(tables),
                ValueOf<Tensor>::lend(indices),
                ValueOf<Tensor>::lend(offsets),
                no,
                ValueOf<int64_t>::lend(0),
                no,
                {},
                no,
                ValueOf<int64_t>::lend(-1)}),
      "IndexError", "is out of range for a weight of 6 rows");
}

}  // namespace
}  // namespace opwright::testing
