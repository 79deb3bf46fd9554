// The scatter rules of view operators: scatter(base, value, ...) is the base after
// view(...).copy_(value).
//
// Covers: src/ops/engine/move/*.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/rule.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;

Value int_values(std::vector<int64_t> values) { return Value(values); }
Value number(int64_t value) { return Value(value); }

struct ViewCall {
  const char* op;
  std::vector<int64_t> sizes;
  std::vector<Value> args;  // after the first
};

const std::vector<ViewCall>& view_calls() {
  static const auto* calls = new std::vector<ViewCall>{
      {"aten::view", {2, 6}, {int_values({3, 4})}},
      {"aten::view", {4, 3}, {int_values({-1})}},
      {"aten::transpose.int", {2, 3, 4}, {number(0), number(-1)}},
      {"aten::t", {2, 3}, {}},
      {"aten::t", {3}, {}},
      {"aten::expand", {2, 3}, {int_values({1, 2, 3}), Value(false)}},
      {"aten::expand", {2, 3}, {int_values({-1, 3}), Value(false)}},
      {"aten::select.int", {2, 3}, {number(1), number(-1)}},
      {"aten::slice.Tensor", {5, 2}, {number(0), number(1), Value(), number(2)}},
      {"aten::slice.Tensor", {5, 2}, {number(-1), Value(), number(-1), number(1)}},
      {"aten::permute", {2, 3, 4}, {int_values({2, 0, 1})}},
      {"aten::permute", {2, 3, 4}, {int_values({-1, -3, -2})}},
      {"aten::squeeze", {1, 3, 1, 2}, {}},
      {"aten::squeeze.dim", {1, 3, 1}, {number(-1)}},
      {"aten::squeeze.dim", {2, 3}, {number(0)}},
      {"aten::squeeze.dims", {1, 3, 1}, {int_values({0, 1, 2})}},
      {"aten::squeeze.dims", {1, 3}, {int_values({})}},
      {"aten::unsqueeze", {2, 3}, {number(1)}},
      {"aten::unsqueeze", {2, 3}, {number(-1)}},
      {"aten::as_strided", {4, 3}, {int_values({2, 2}), int_values({5, 2}), number(1)}},
      {"aten::as_strided", {4, 3}, {int_values({3}), int_values({4}), Value()}},
      {"aten::alias", {2, 3}, {}},
      {"aten::detach", {2, 3}, {}},
      {"aten::diagonal", {3, 4}, {number(1), number(0), number(1)}},
      {"aten::diagonal", {2, 3, 4}, {number(-1), number(-1), number(0)}},
      {"aten::unfold", {6, 2}, {number(0), number(2), number(3)}},
      {"aten::unfold", {2, 5}, {number(-1), number(2), number(2)}},
      {"aten::split_with_sizes", {5, 2}, {int_values({1, 0, 4}), number(0)}},
      {"aten::split.Tensor", {2, 5}, {number(2), number(-1)}},
      {"aten::unbind.int", {2, 3}, {number(1)}},
  };
  return *calls;
}

// Views of another dtype, which have no floats to compare.
const std::vector<ViewCall>& dtype_view_calls() {
  static const auto* calls = new std::vector<ViewCall>{
      {"aten::view.dtype", {3, 2}, {Value(DType::Int32)}},
      {"aten::view.dtype", {3, 2}, {Value(DType::Int16)}},
      {"aten::view_as_complex", {3, 2}, {}},
      {"aten::view_as_real", {3, 2}, {}},
  };
  return *calls;
}

OpwValue lent(const Tensor& tensor) { return ValueOf<Tensor>::lend(tensor); }

// The view, or all views of the list.
std::vector<Tensor> views_of(const ViewCall& given, const Tensor& base) {
  std::vector<OpwValue> args{lent(base)};
  for (const Value& each : given.args) args.push_back(each.get());
  OpwValue result{};
  call(Registry::get().require(given.op), args, {&result, 1});
  if (result.tag == kOpwTensorList) return ValueOf<std::vector<Tensor>>::take(result);
  return {Tensor::take(result.as_tensor)};
}

bool gives_list(const ViewCall& given) {
  return Registry::get().require(given.op).schema().returns[0].type.is_list();
}

Tensor scattered(const ViewCall& given, const Tensor& base, const Tensor& value, size_t place) {
  std::vector<OpwValue> args{lent(base), lent(value)};
  for (const Value& each : given.args) args.push_back(each.get());
  if (gives_list(given)) args.push_back(ValueOf<int64_t>::lend(static_cast<int64_t>(place)));
  OpwValue result{};
  run_rule(Registry::get().require(given.op), Slot::Scatter, args, {&result, 1});
  return Tensor::take(result.as_tensor);
}

TEST(Scatter, EveryViewOperatorHasARule) {
  for (const Operator* op : Registry::get().list("aten")) {
    if (!is_view(*op) || op->writes_arguments() || op->record(Slot::ImplicitComposite)) continue;
    EXPECT_TRUE(op->record(Slot::Scatter)) << op->name();
    const auto is_call = [&](const ViewCall& each) { return op->name() == each.op; };
    const bool is_tried = std::ranges::any_of(view_calls(), is_call) ||
                          std::ranges::any_of(dtype_view_calls(), is_call);
    EXPECT_TRUE(is_tried) << op->name() << " has no call in this file";
  }
}

TEST(Scatter, IsTheBaseAfterAWriteToTheView) {
  for (const ViewCall& given : view_calls()) {
    const Tensor base = range(given.sizes);
    const std::vector<Tensor> views = views_of(given, base);
    for (size_t place = 0; place < views.size(); ++place) {
      const Tensor value = views[place].mul(-1).add(-100);
      const Tensor expected = base.clone();
      views_of(given, expected)[place].copy_(value);

      const Tensor actual = scattered(given, base, value, place);

      EXPECT_EQ(floats(actual), floats(expected)) << given.op;
      EXPECT_EQ(testing::sizes(actual), testing::sizes(base)) << given.op;
      EXPECT_EQ(floats(views_of(given, actual)[place]), floats(value)) << given.op;
    }
  }
}

TEST(Scatter, IsTheBaseAfterAWriteToAViewOfAnotherDtype) {
  for (const ViewCall& given : dtype_view_calls()) {
    const bool takes_complex = given.op == std::string_view("aten::view_as_real");
    const Tensor numbers = range(given.sizes);
    const Tensor base = takes_complex ? view_as_complex(numbers) : numbers;
    const Tensor value = views_of(given, base)[0].mul(-1);
    const Tensor expected = base.clone();
    views_of(given, expected)[0].copy_(value);

    EXPECT_TRUE(equal(scattered(given, base, value, 0), expected)) << given.op;
  }
}

TEST(Scatter, TakesABaseAndAValueOfAnyStrides) {
  for (const ViewCall& given : view_calls()) {
    if (given.op == std::string_view("aten::view")) continue;  // not for all strides
    std::vector<int64_t> wide = given.sizes;
    wide.back() *= 2;
    const Tensor base = range(wide).slice(-1, 1, std::nullopt, 2);
    if (given.op == std::string_view("aten::as_strided")) continue;
    const std::vector<Tensor> views = views_of(given, base);
    for (size_t place = 0; place < views.size(); ++place) {
      std::vector<int64_t> order;
      for (int64_t i = views[place].dim(); i-- > 0;) order.push_back(i);
      const Tensor value =
          views[place].neg().permute(order).clone(MemoryFormat::Contiguous).permute(order);
      const Tensor expected = base.clone();
      views_of(given, expected)[place].copy_(value);

      EXPECT_EQ(floats(scattered(given, base, value, place)), floats(expected)) << given.op;
    }
  }
}

TEST(Scatter, HasTheSizesOfTheBaseForFakeTensors) {
  for (const ViewCall& given : view_calls()) {
    const Tensor base = make_fake(given.sizes, DType::Float32, kCpu);
    const std::vector<Tensor> views = views_of(given, base);
    for (size_t place = 0; place < views.size(); ++place) {
      const Tensor actual = scattered(given, base, empty_like(views[place]), place);

      EXPECT_TRUE(actual.is_fake()) << given.op;
      EXPECT_EQ(testing::sizes(actual), testing::sizes(base)) << given.op;
    }
  }
}

// The sizes of a base with a symbolic first dimension.
std::string symbolic_sizes(const char* op, std::vector<Value> args) {
  testing::TestOwner owner;
  const SymInt sizes[] = {owner.backed("s0", 6), 4};
  const Tensor base = make_fake(sizes, DType::Float32, kCpu);
  const ViewCall given{op, {}, std::move(args)};
  const Tensor view = views_of(given, base).front();
  const Tensor actual = scattered(given, base, view.clone(), 0);
  EXPECT_TRUE(owner.specialisations.empty()) << op;
  std::string text;
  append_shape(text, actual);
  return text;
}

TEST(Scatter, LeavesSymbolicSizesSymbolic) {
  EXPECT_EQ(symbolic_sizes("aten::view", {int_values({-1})}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::transpose.int", {number(0), number(1)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::t", {}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::select.int", {number(0), number(1)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::slice.Tensor", {number(0), number(1), Value(), number(1)}),
            "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::permute", {int_values({1, 0})}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::unsqueeze", {number(0)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::diagonal", {number(0), number(0), number(1)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::unfold", {number(0), number(2), number(2)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::unbind.int", {number(1)}), "[s0, 4]");
  EXPECT_EQ(symbolic_sizes("aten::split.Tensor", {number(2), number(1)}), "[s0, 4]");
}

TEST(Scatter, OfExpandRefusesElementsThatAreTheSameMemory) {
  const Tensor base = range({1, 3});
  const ViewCall given{"aten::expand", {}, {int_values({2, 3}), Value(false)}};

  EXPECT_ERROR_CONTAINS(
      scattered(given, base, range({2, 3}), 0), "RuntimeError",
      "expand: elements of a view of sizes [2, 3] are the same memory of a tensor "
      "of [1, 3], so it cannot be written; clone it first");
}

TEST(AsStridedScatter, CountsItsOffsetInTheStorageOfSelf) {
  const Tensor x = range({6}).slice(0, 2);

  const Tensor actual = as_strided_scatter(x, range({2}).sub(10), {2}, {2}, SymInt(3));

  EXPECT_EQ(floats(actual), (std::vector<float>{2, -10, 4, -9}));
}

TEST(AsStridedScatter, RefusesASourceOfOtherSizes) {
  EXPECT_ERROR_CONTAINS(as_strided_scatter(range({6}), range({3}), {2}, {2}), "ValueError",
                        "as_strided_scatter: src of sizes [3] must have the sizes [2] of the part "
                        "that it replaces");
}

TEST(Zero, GivesNewZeros) { EXPECT_EQ(floats(zero(range({2}))), (std::vector<float>{0, 0})); }

}  // namespace
}  // namespace opwright
