// Operators written for PyTorch, loaded and called: tests/operators/compat/compat_*.cpp.
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "host/test_host.h"
#include "opwright/dispatch/registry.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/schema/schema.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"

namespace opwright::testing {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

Tensor floats(const Ints& sizes, const Floats& values) { return tensor_of(sizes, values); }
template <class T = float>
std::vector<T> values(const Tensor& tensor) {
  EXPECT_TRUE(tensor.is_contiguous());
  return {tensor.data<T>(), tensor.data<T>() + tensor.numel()};
}
Ints sizes(const Tensor& tensor) { return values_of(tensor.sizes()); }
std::string schema_of(const char* name) { return to_text(Registry::get().require(name).schema()); }

// Defines an operator for the duration of one call.
template <class R, class... Args>
R call(const char* name, Args... args) {
  OperatorHandle<R(Args...)> handle(name);
  return handle(args...);
}

TEST(CompatSoftShrink, RunsTheBodyOfItsDtype) {
  const LoadedFor library("compat_soft_shrink");
  EXPECT_EQ(values(call<Tensor, Tensor, double>("compat_shrink::soft_shrink",
                                                floats({3}, {-2, 0.25F, 1}), 0.5)),
            (Floats{-1.5, 0, 0.5}));
  const Tensor doubles = tensor_of<double>({2}, {3, -3});
  EXPECT_EQ(
      values<double>(call<Tensor, Tensor, double>("compat_shrink::soft_shrink", doubles, 1.0)),
      (std::vector<double>{2, -2}));
  const Tensor halves = tensor_of<Half>({2}, {Half(3), Half(1)});
  EXPECT_EQ((call<double, Tensor>("compat_shrink::mean_square", halves)), 5.0);
}

TEST(CompatSoftShrink, GivesTheKindAndTextOfItsChecks) {
  const LoadedFor library("compat_soft_shrink");
  EXPECT_ERROR_CONTAINS(
      (call<Tensor, Tensor, double>("compat_shrink::soft_shrink", range({2, 3}), -1.0)),
      "ValueError", "soft_shrink: lambda must not be negative, got -1 for sizes [2, 3]");
  const Tensor ints = tensor_of<int64_t>({1}, {1});
  EXPECT_ERROR_CONTAINS((call<Tensor, Tensor, double>("compat_shrink::soft_shrink", ints, 1.0)),
                        "NotImplementedError", "\"soft_shrink\" not implemented for 'Long'");
  EXPECT_ERROR_CONTAINS((call<double, Tensor>("compat_shrink::mean_square", range({0}))),
                        "RuntimeError", "expected input.numel() > 0 to be true");
}

TEST(CompatPairwiseDistance, ReadsThroughAccessors) {
  const LoadedFor library("compat_pairwise_distance");
  const Tensor a = floats({1, 2}, {0, 0});
  const Tensor b = floats({2, 2}, {3, 4, 0, 1});
  const Tensor out = call<Tensor, Tensor, Tensor>("compat_distance::pairwise", a, b);
  EXPECT_EQ(sizes(out), (Ints{1, 2}));
  EXPECT_EQ(values(out), (Floats{5, 1}));
  EXPECT_EQ(
      values(call<Tensor, Tensor>("compat_distance::row_max", floats({2, 2}, {1, 7, -1, -2}))),
      (Floats{7, -1}));
}

TEST(CompatCrop, TakesListsOptionalsAndStrings) {
  const LoadedFor library("compat_crop");
  const Tensor image = range({3, 3});
  const Tensor part =
      call<Tensor, Tensor, Ints, Ints, std::optional<Tensor>, std::optional<double>>(
          "compat_crop::crop", image, {1, 1}, {2, 2}, std::nullopt, 2.0);
  EXPECT_EQ(values(part), (Floats{8, 10, 14, 16}));
  const Tensor masked =
      call<Tensor, Tensor, Ints, Ints, std::optional<Tensor>, std::optional<double>>(
          "compat_crop::crop", image, {0, 0}, {1, 2}, floats({1, 2}, {0, 1}), std::nullopt);
  EXPECT_EQ(values(masked), (Floats{0, 1}));
  const Tensor blended = call<Tensor, std::vector<Tensor>, std::vector<double>, std::string, bool>(
      "compat_crop::blend", {floats({1}, {1}), floats({1}, {3})}, {1.0, 2.0}, "mean", true);
  EXPECT_EQ(values(blended), (Floats{3.5}));
  EXPECT_EQ(schema_of("compat_crop::describe"),
            "compat_crop::describe(Tensor arg0, str arg1, float[] arg2) -> str");
  EXPECT_EQ((call<std::string, Tensor, std::string, std::vector<double>>("compat_crop::describe",
                                                                         image, "x", {1.0})),
            "x: [3, 3] with 1 marks");
}

TEST(CompatCrop, ConvertsDtypesAndShapes) {
  const LoadedFor library("compat_crop");
  const Tensor out = call<Tensor, Tensor, std::optional<DType>, std::optional<Ints>, Scalar>(
      "compat_crop::convert", range({2, 2}), DType::Int64, Ints{4}, 3);
  EXPECT_EQ(values<int64_t>(out), (Ints{0, 3, 6, 9}));
}

TEST(CompatInPlace, WritesTheArgumentItself) {
  const LoadedFor library("compat_in_place");
  Tensor x = floats({2}, {1, 2});
  OperatorHandle<Tensor&(Tensor&, double)> scale("compat_in_place::scale_");
  EXPECT_EQ(&scale(x, 3), &x);
  EXPECT_EQ(values(x), (Floats{3, 6}));
  OperatorHandle<void(Tensor&, const Tensor&, double)> accumulate("compat_in_place::accumulate");
  accumulate(x, floats({2}, {1, 1}), 0.5);
  EXPECT_EQ(values(x), (Floats{3.5, 6.5}));
  Tensor rows = range({2, 2});
  OperatorHandle<void(Tensor&, int64_t, double, const Tensor&)> set_rows(
      "compat_in_place::set_rows");
  set_rows(rows, 0, 7, floats({2}, {8, 9}));
  EXPECT_EQ(values(rows), (Floats{7, 7, 8, 9}));
  Tensor out = floats({2}, {0, 0});
  OperatorHandle<Tensor&(const Tensor&, double, Tensor&)> fill(
      "compat_in_place::fill_where_negative.out");
  EXPECT_EQ(&fill(floats({2}, {-1, 4}), 9, out), &out);
  EXPECT_EQ(values(out), (Floats{9, 4}));
}

TEST(CompatRegisterOperators, TakesSchemasAndNames) {
  const LoadedFor library("compat_register_operators");
  EXPECT_EQ(schema_of("compat_registry::axpy"),
            "compat_registry::axpy(Tensor x, Tensor y, float a=2.0) -> Tensor");
  EXPECT_EQ(schema_of("compat_registry::reverse"),
            "compat_registry::reverse(Tensor[] arg0) -> Tensor[]");
  EXPECT_EQ(values(call<Tensor, Tensor, Tensor, double>("compat_registry::axpy", range({2}),
                                                        range({2}), 2.0)),
            (Floats{0, 3}));
  const auto reversed = call<std::vector<Tensor>, std::vector<Tensor>>("compat_registry::reverse",
                                                                       {range({1}), range({2})});
  EXPECT_EQ(sizes(reversed[0]), (Ints{2}));
  EXPECT_EQ((call<int64_t, Ints>("compat_registry::total", {1, 2, 3})), 6);
  EXPECT_EQ((call<int64_t, Tensor, double>("compat_registry::count_above", range({4}), 1.5)), 2);
}

TEST(CompatGatedUnit, MakesOperatorsOfAnExtensionModule) {
  const LoadedFor library("compat_gated_unit");
  EXPECT_EQ(schema_of("compat_gated_unit::backward"),
            "compat_gated_unit::backward(Tensor grad, Tensor state, Tensor gate, Tensor candidate, "
            "Tensor gates, "
            "float leak=1.0) -> Tensor[]");
  EXPECT_EQ(schema_of("compat_gated_unit::count_gates"),
            "compat_gated_unit::count_gates(int[] widths, bool bidirectional=False) -> int");
  EXPECT_EQ((call<int64_t, Ints, bool>("compat_gated_unit::count_gates", {3, 4}, true)), 28);
  EXPECT_ERROR_CONTAINS(
      (call<int64_t, Ints, bool>("compat_gated_unit::count_gates", {int64_t{1} << 40}, true)),
      "OverflowError", "does not fit");
  const auto out = call<std::vector<Tensor>, Tensor, Tensor, Tensor, Tensor, double>(
      "compat_gated_unit::forward", floats({1, 1}, {0}), floats({2, 1}, {1, 1}),
      floats({2}, {0, 0}), floats({1, 1}, {4}), 0.5);
  ASSERT_EQ(out.size(), 4U);
  EXPECT_FLOAT_EQ(values(out[0])[0], 1.0F);  // (1 - 1/2) * 4 * 1/2 + 1/2 * tanh(0)
}

TEST(CompatRowNorms, RunsOnTheThreadsOfTheHost) {
  const LoadedFor library("compat_row_norms");
  const Tensor norms = call<Tensor, Tensor>("compat_rows::row_norms", floats({2, 2}, {3, 4, 0, 2}));
  EXPECT_EQ(values(norms), (Floats{5, 2}));
  EXPECT_EQ((call<double, Tensor>("compat_rows::total", range({100, 100}))), 49995000.0);
  EXPECT_ERROR_CONTAINS(
      (call<void, Tensor, int64_t>("compat_rows::fail_in_row", range({500}), 377)), "IndexError",
      "row 377 is bad");
}

TEST(CompatNms, GivesAsManyRowsAsAreKept) {
  const LoadedFor library("compat_nms");
  EXPECT_TRUE(Registry::get().require("compat_vision::nms").tags().has(Tag::DynamicOutputShape));
  const Tensor boxes = floats({3, 4}, {0, 0, 2, 2, 0, 0, 2, 1.9F, 5, 5, 6, 6});
  const Tensor scores = floats({3}, {0.5, 0.9F, 0.1F});
  const Tensor kept =
      call<Tensor, Tensor, Tensor, double>("compat_vision::nms", boxes, scores, 0.5);
  EXPECT_EQ(values<int64_t>(kept), (Ints{1, 2}));
}

TEST(CompatStatistics, GivesTuplesAndLists) {
  const LoadedFor library("compat_statistics");
  const auto [mean, variance, rows] = call<std::tuple<Tensor, Tensor, int64_t>, Tensor>(
      "compat_statistics::mean_and_variance", floats({2, 1}, {1, 3}));
  EXPECT_EQ(values(mean), (Floats{2}));
  EXPECT_EQ(values(variance), (Floats{2}));
  EXPECT_EQ(rows, 2);
  const auto parts =
      call<std::vector<Tensor>, Tensor, int64_t>("compat_statistics::split_rows", range({3, 2}), 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(values(parts[1]), (Floats{4, 5}));
  const Tensor counts = call<Tensor, Tensor, int64_t>("compat_statistics::histogram",
                                                      tensor_of<int32_t>({2, 2}, {0, 2, 2, 1}), 3);
  EXPECT_EQ(values<int64_t>(counts), (Ints{1, 1, 2}));
  EXPECT_EQ(schema_of("compat_statistics::rows_and_flat"),
            "compat_statistics::rows_and_flat(Tensor arg0) -> (Tensor[], Tensor)");
}

TEST(CompatMetaKernel, GivesShapesOnFakeTensors) {
  const LoadedFor library("compat_meta_kernel");
  const Tensor out = call<Tensor, Tensor, int64_t>("compat_meta::im2row", range({4}), 3);
  EXPECT_EQ(values(out), (Floats{0, 1, 2, 1, 2, 3}));
  const Tensor fake = make_fake(Ints{5}, DType::Float64, kCpu);
  const Tensor shape = call<Tensor, Tensor, int64_t>("compat_meta::im2row", fake, 2);
  EXPECT_TRUE(shape.is_fake());
  EXPECT_EQ(sizes(shape), (Ints{4, 2}));
  EXPECT_EQ(shape.dtype(), DType::Float64);
}

TEST(CompatMetaKernel, KeepsSymbolsThatItReadsAsSymbolsAndReportsTheOthers) {
  const LoadedFor library("compat_meta_kernel");
  TestOwner owner;
  {
    const std::vector<SymInt> symbolic = {owner.backed("s0", 6), 2};
    const Tensor fake = make_fake(symbolic, DType::Float32, kCpu);
    EXPECT_EQ(concatenate(call<Tensor, Tensor>("compat_meta::like_twice", fake)),
              "float32[s0*2, 2]");
    EXPECT_TRUE(owner.specialisations.empty());
    const std::vector<SymInt> vector = {owner.backed("s1", 9)};
    (void)call<Tensor, Tensor, int64_t>("compat_meta::im2row",
                                        make_fake(vector, DType::Float32, kCpu), 2);
    ASSERT_EQ(owner.specialisations.size(), 1U);
    EXPECT_TRUE(owner.specialisations[0].file.ends_with("compat_meta_kernel.cpp"));
  }
}

TEST(CompatSymbolicSizes, ComputesWithSymInts) {
  const LoadedFor library("compat_symbolic_sizes");
  const Tensor padded =
      call<Tensor, Tensor, SymInt>("compat_symbolic::pad_rows", floats({1, 2}, {1, 2}), 2);
  EXPECT_EQ(values(padded), (Floats{1, 2, 0, 0}));
  const Tensor reshaped = call<Tensor, Tensor, std::vector<SymInt>>("compat_symbolic::reshape_to",
                                                                    range({2, 3}), {3, 2});
  EXPECT_EQ(sizes(reshaped), (Ints{3, 2}));
  EXPECT_ERROR_CONTAINS((call<Tensor, Tensor, std::vector<SymInt>>("compat_symbolic::reshape_to",
                                                                   range({2, 3}), {4})),
                        "ValueError", "reshape_to: [2, 3] has other elements");
  EXPECT_EQ(sizes(call<Tensor, Tensor>("compat_symbolic::merge_first", range({2, 3, 4}))),
            (Ints{6, 4}));
}

TEST(CompatManyHeaders, CoversTheConveniences) {
  const LoadedFor library("compat_many_headers");
  EXPECT_EQ((call<int64_t, Tensor>("compat_many::bits_of", range({1}))), 32);
  EXPECT_EQ((call<int64_t, Tensor>("compat_many::bits_of", tensor_of<int64_t>({1}, {1}))), 64);
  EXPECT_EQ((call<int64_t, Tensor>("compat_many::bits_of", tensor_of<int8_t>({1}, {1}))), 8);
  const Tensor table =
      call<Tensor, Ints, std::optional<Device>>("compat_many::make_table", {2, 1}, std::nullopt);
  EXPECT_EQ(values(table), (Floats{1.5, 1.5}));
  const Tensor clamped =
      call<Tensor, Tensor, Scalar, Scalar>("compat_many::clamp", floats({3}, {-5, 0.5, 5}), -1, 1);
  EXPECT_EQ(values(clamped), (Floats{-1, 0.5, 1}));
  EXPECT_EQ((call<double, Tensor>("compat_many::first_item", tensor_of<int32_t>({1, 2}, {7, 8}))),
            7.0);
  EXPECT_EQ(values(call<Tensor, int64_t>("compat_many::weights", 2)),
            (Floats{0, 0, 0.5, 0.5, 0, 0}));
  EXPECT_ERROR_CONTAINS((call<std::tuple<Tensor, Tensor>, Tensor, Tensor>(
                            "compat_many::outer_pair", range({1, 1}), range({1}))),
                        "ValueError", "outer_pair: not a vector");
}

TEST(Compat, LeaksNothing) {
  const LoadedFor statistics("compat_statistics");
  const LoadedFor crop("compat_crop");
  const auto round = [] {
    (void)call<std::vector<Tensor>, Tensor, int64_t>("compat_statistics::split_rows", range({3, 2}),
                                                     2);
    (void)call<Tensor, std::vector<Tensor>, std::vector<double>, std::string, bool>(
        "compat_crop::blend", {range({2}), range({2})}, {1.0, 2.0}, "sum", true);
    EXPECT_THROW((call<Tensor, std::vector<Tensor>, std::vector<double>, std::string, bool>(
                     "compat_crop::blend", {range({2})}, {1.0, 2.0}, "sum", true)),
                 Error);
  };
  round();
  const LiveCounts before = live_counts();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(live_counts(), before);
}

}  // namespace
}  // namespace opwright::testing
