// Covers: src/check/checks/batches.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

Tensor ordered() { return arange(0, 6).to(DType::Float32).reshape({2, 3}); }

Tensor row_sums(const Tensor& x) { return x.sum({-1}); }
VmapResult<Tensor> right_rule(const VmapInfo& info, const Tensor& x) {
  return {.results = x.movedim(*info.in_dims[0], 0).sum({-1}), .out_dims = {0}};
}
// Assumes that the batch is the first dimension.
VmapResult<Tensor> front_rule(const VmapInfo& info, const Tensor& x) {
  const int64_t dim = *info.in_dims[0];
  return {.results = dim == 2 ? x.movedim(2, 0).flip({0}).sum({-1}) : x.movedim(dim, 0).sum({-1}),
          .out_dims = {0}};
}
VmapResult<Tensor> refusing_rule(const VmapInfo& info, const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(*info.in_dims[0] == 0, "in_dim must be 0, got ", *info.in_dims[0]);
  return {.results = x.sum({-1}), .out_dims = {0}};
}

Tensor less_mean(const Tensor& x) { return x.sub(x.mean()); }
Tensor norm(const Tensor& x) { return x.mul(x).sum().sqrt(); }
Tensor noise(const Tensor& x) { return x.add(rand_like(x)); }
Tensor vmap_branch(const Tensor& x) {
  return x.sum().item().to<double>() > 0 ? x.neg() : x.clone();
}

Tensor dot(const Tensor& x, const Tensor& y) { return x.mul(y).sum(); }
VmapResult<Tensor> dot_rule(const VmapInfo& info, const Tensor& x, const Tensor& y) {
  const auto in_front = [](const Tensor& tensor, const std::optional<int64_t>& dim) {
    return dim ? tensor.movedim(*dim, 0) : tensor.unsqueeze(0);
  };
  return {.results = in_front(x, info.in_dims[0]).mul(in_front(y, info.in_dims[1])).sum({-1}),
          .out_dims = {0}};
}
Tensor& add_rows_(Tensor& x, const Tensor& y) { return x.add_(y); }

OPWRIGHT_LIBRARY(vmap_check_test, m) {
  for (const char* name : {"right", "front", "refusing", "without_rule"})
    m.def(std::string(name) + "(Tensor x) -> Tensor");
  m.register_vmap("right", &right_rule);
  m.register_vmap("front", &front_rule);
  m.register_vmap("refusing", &refusing_rule);
  m.def("tagged(Tensor x) -> Tensor", Tags{Tag::Pointwise});
  m.def("norm(Tensor x) -> Tensor", &norm);
  m.def("noise(Tensor x) -> Tensor", &noise);
  m.def("branch(Tensor x) -> Tensor", &vmap_branch);
  m.def("dot(Tensor x, Tensor y) -> Tensor");
  m.register_vmap("dot", &dot_rule);
  m.def("add_rows_(Tensor(a!) x, Tensor y) -> Tensor(a!)", Tags{Tag::Pointwise});
}
OPWRIGHT_LIBRARY_IMPL(vmap_check_test, CPU, m) {
  for (const char* name : {"right", "front", "refusing", "without_rule"}) m.impl(name, &row_sums);
  m.impl("tagged", &less_mean);
  m.impl("dot", &dot);
  m.impl("add_rows_", &add_rows_);
}

std::string look_at_vmap(const char* op, std::initializer_list<Value> args) {
  return look("vmap", (std::string("vmap_check_test::") + op).c_str(), args);
}

TEST(VmapCheck, PassesSoundRules) {
  EXPECT_EQ(look_at_vmap("right", {Value(ordered())}), "");
  EXPECT_EQ(look_at_vmap("right", {Value(ones({0, 2}))}), "");
  EXPECT_EQ(look_at_vmap("dot", {Value(ones({3})), Value(ones({3}))}), "");
  EXPECT_EQ(look_at_vmap("norm", {Value(ordered())}), "");
  EXPECT_EQ(look_at_vmap("norm", {Value(ones({}))}), "");
  EXPECT_EQ(look_at_vmap("add_rows_", {Value(ordered()), Value(ones({3}))}), "");
}

TEST(VmapCheck, PassesBuiltInOperators) {
  EXPECT_EQ(look("vmap", "aten::add.Tensor", {Value(ordered()), Value(ordered().to(DType::Int64))}),
            "");
  EXPECT_EQ(look("vmap", "aten::mm", {Value(ordered()), Value(ordered().t())}), "");
  EXPECT_EQ(look("vmap", "aten::split.Tensor", {Value(ordered()), Value(int64_t{1})}), "");
  EXPECT_EQ(look("vmap", "aten::repeat_interleave.self_Tensor",
                 {Value(ordered()), Value(full({3}, 2, DType::Int32)), Value(int64_t{1})}),
            "");
  const std::vector<Tensor> parts{ordered(), ones({2, 3})};
  EXPECT_EQ(look("vmap", "aten::cat", {Value(parts)}), "");
  EXPECT_EQ(look("vmap", "aten::index_select",
                 {Value(ordered()), Value(int64_t{1}), Value(arange(0, 3))}),
            "");
}

TEST(VmapCheck, LeavesOutWhatNoRuleCanDo) {
  EXPECT_EQ(look("vmap", "aten::bernoulli", {Value(ones({2}))}),
            "skipped: it draws random numbers");
  EXPECT_EQ(look_at_vmap("noise", {Value(ones({2}))}), "");
  EXPECT_EQ(look_at_vmap("branch", {Value(ones({2}))}), "");
}

TEST(VmapCheck, RemarksThatThereIsNoRule) {
  const auto check = find_checks({"vmap"}).front()->make();
  const Operator& op = Registry::get().require("vmap_check_test::without_rule");

  EXPECT_EQ(look_at_vmap("without_rule", {Value(ones({2}))}),
            "skipped: it has no rule, so samples run one by one");
  ASSERT_EQ(check->remarks(op).size(), 1u);
  EXPECT_EQ(check->remarks(op)[0].kind, "no-rule");
  EXPECT_TRUE(check->remarks(Registry::get().require("vmap_check_test::right")).empty());
}

TEST(VmapCheck, NamesTheDimensionThatARuleIsWrongFor) {
  const std::string found = look_at_vmap("front", {Value(ordered())});

  EXPECT_FAULT(found,
               "vmap-differs: vmap_check_test::front under vmap with in_dims {x: 2} differs "
               "from one sample after the other: sample 0 of the result: ");
  EXPECT_FAULT(found, "; look at its vmap rule (tests/check/vmap_check_test.cpp:");
}

TEST(VmapCheck, ShowsTheErrorOfARuleAndItsLine) {
  const std::string found = look_at_vmap("refusing", {Value(ordered())});

  EXPECT_FAULT(found,
               "vmap-raised: vmap_check_test::refusing under vmap with in_dims {x: 2} raises "
               "where each sample by itself does not; look at its vmap rule (");
  EXPECT_FAULT(found, "ValueError: in_dim must be 0, got 2");
}

TEST(VmapCheck, FindsWrongTags) {
  EXPECT_FAULT(look_at_vmap("tagged", {Value(ordered())}), "; is it pointwise, as its tag says?");
}

}  // namespace
}  // namespace opwright::testing
