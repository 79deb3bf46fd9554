// vmap rules, called through their records as vmap does. That each equals its operator sample by
// sample is tested against torch's calls in test_vmap_rules.py.
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "ops/op_tensors.h"

namespace opwright::testing {
namespace {

using Dims = std::vector<std::optional<int64_t>>;

struct Mapped {
  std::vector<Value> results;
  Dims out_dims;
};

// `in_dims` as the arguments have them; a value that is a list stands for the elements of one.
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
  require_ok(record->function(record, all.data(), static_cast<uint32_t>(all.size()),
                              results.data(), static_cast<uint32_t>(results.size())));
  Mapped mapped{{}, ValueOf<Dims>::take(results.back())};
  for (size_t i = 0; i + 1 < results.size(); ++i) mapped.results.push_back(Value::take(results[i]));
  return mapped;
}

Tensor tensor_of(const Value& value) { return Tensor::borrow(value.get().as_tensor); }

TEST(VmapRules, OfAReductionCountsDimensionsOfASample) {
  const Tensor x = arange(24, DType::Float32).reshape({2, 3, 4});
  const std::vector<int64_t> dim{-1};
  const Mapped mapped = run_vmap(
      "aten::sum.dim_IntList", 3, {ValueOf<int64_t>::lend(1), {}, {}, {}},
      {ValueOf<Tensor>::lend(x), ValueOf<std::vector<int64_t>>::lend(dim), Value(false).get(), {}});

  EXPECT_EQ(mapped.out_dims, (Dims{0}));
  EXPECT_TRUE(equal(tensor_of(mapped.results[0]), x.sum({2}).t()));
}

TEST(VmapRules, OfAReductionTakeSamplesWithoutDimensions) {
  const Tensor x = arange(3, DType::Float32);
  const Mapped mapped =
      run_vmap("aten::argmax", 3, {ValueOf<int64_t>::lend(0), {}, {}},
               {ValueOf<Tensor>::lend(x), ValueOf<int64_t>::lend(-1), Value(true).get()});

  EXPECT_TRUE(equal(tensor_of(mapped.results[0]), zeros({3}, DType::Int64)));
}

}  // namespace
}  // namespace opwright::testing
