// The rules of a binary, called through their records as the engines will.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_operators.h"
#include "host/test_host.h"
#include "opwright/autograd.h"
#include "opwright/dispatch/registry.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/autocast.h"

namespace opwright::testing {
namespace {

// A context as an engine would keep it.
struct TestContext : OpwContext {
  TestContext() : OpwContext{&kObjectTable, &kContextTable} {}

  std::vector<Tensor> saved;
  std::map<std::string, Value> attributes;
  std::vector<bool> needs{true, true};

  OpwValue value() {
    OpwValue object{};
    object.tag = kOpwObject;
    object.as_object = reinterpret_cast<OpwObject*>(this);
    return object;
  }

 private:
  static TestContext& of(OpwContext* context) { return static_cast<TestContext&>(*context); }
  static int save(OpwContext* context, OpwTensor* const* tensors, uint32_t count) {
    of(context).saved.clear();
    for (uint32_t i = 0; i < count; ++i) of(context).saved.push_back(Tensor::borrow(tensors[i]));
    return 0;
  }
  static int get_saved(OpwContext* context, uint32_t index, OpwTensor** tensor) {
    *tensor = Tensor(of(context).saved.at(index)).give();
    return 0;
  }
  static int attribute(OpwContext* context, const char* name, const OpwValue** value) {
    *value = &of(context).attributes.at(name).get();
    return 0;
  }
  static int set_attribute(OpwContext* context, const char* name, const OpwValue* value) {
    of(context).attributes[name] = Value::copy_of(*value);
    return 0;
  }
  static int needs_gradient(OpwContext* context, uint32_t index, int* result) {
    *result = of(context).needs.at(index) ? 1 : 0;
    return 0;
  }
  static constexpr OpwObjectTable kObjectTable{.struct_size = sizeof(OpwObjectTable),
                                               .type_name = "AutogradContext",
                                               .retain = [](OpwObject*) {},
                                               .release = [](OpwObject*) {},
                                               .equal = nullptr,
                                               .hash = nullptr,
                                               .text = nullptr};
  static constexpr OpwContextTable kContextTable{.struct_size = sizeof(OpwContextTable),
                                                 .save = &save,
                                                 .saved = &get_saved,
                                                 .attribute = &attribute,
                                                 .set_attribute = &set_attribute,
                                                 .needs_gradient = &needs_gradient,
                                                 .set_materialize = nullptr,
                                                 .mark_non_differentiable = nullptr,
                                                 .argument = nullptr};
};

std::vector<OpwValue> run_rule(const char* name, Slot slot, const std::vector<OpwValue>& args,
                               uint32_t num_results) {
  const OpwRecord* record = Registry::get().require(name).record(slot);
  std::vector<OpwValue> results(num_results);
  require_ok(record->function(record, args.data(), static_cast<uint32_t>(args.size()),
                              results.data(), num_results));
  return results;
}

class Rules : public ::testing::Test {
 protected:
  LoadedFor library{"rules"};
  TestContext context;
  Tensor x = tensor({1, 2});
  Tensor y = tensor({3, 4});
  OpwValue x_value = ValueOf<Tensor>::lend(x);
  OpwValue y_value = ValueOf<Tensor>::lend(y);
  OpwValue scale = ValueOf<double>::lend(10);
};

TEST_F(Rules, SaveAfterTheForwardAndGiveOneGradientForEachTensorArgument) {
  run_rule("rules::sum_and_product", Slot::SetupContext,
           {context.value(), x_value, y_value, scale, x_value, y_value}, 0);
  EXPECT_EQ(context.saved.size(), 2U);

  const Tensor ones = tensor({1, 1});
  const OpwValue one = ValueOf<Tensor>::lend(ones);
  const auto gradients =
      run_rule("rules::sum_and_product", Slot::Autograd, {context.value(), one, one}, 2);

  EXPECT_EQ(values_of(ValueOf<Tensor>::take(gradients[0])), (std::vector<float>{13, 14}));
  EXPECT_EQ(values_of(ValueOf<Tensor>::take(gradients[1])), (std::vector<float>{11, 12}));
}

TEST_F(Rules, LeaveAGradientOutThatNobodyNeeds) {
  context.needs = {true, false};
  run_rule("rules::sum_and_product", Slot::SetupContext,
           {context.value(), x_value, y_value, scale, x_value, y_value}, 0);
  auto gradients =
      run_rule("rules::sum_and_product", Slot::Autograd, {context.value(), x_value, x_value}, 2);
  EXPECT_EQ(gradients[0].tag, kOpwTensor);
  EXPECT_EQ(gradients[1].tag, kOpwNone);
  release_value(gradients[0]);
}

TEST_F(Rules, NameBothNumbersWhenAFormulaGivesTheWrongNumberOfGradients) {
  EXPECT_ERROR_CONTAINS(
      run_rule("rules::one", Slot::Autograd, {context.value(), x_value}, 1), "RuntimeError",
      "the backward formula returned 2 gradients, but the operator has 1 tensor arguments");
  EXPECT_ERROR_CONTAINS(
      run_rule("rules::one", Slot::Autograd, {context.value(), x_value, x_value}, 1), "TypeError",
      "the backward formula takes 1 gradients, but the operator has 2 results");
}

TEST_F(Rules, RefuseAnObjectThatIsNoContext) {
  EXPECT_ERROR_CONTAINS(run_rule("rules::one", Slot::Autograd, {x_value, x_value}, 1), "TypeError",
                        "expected AutogradContext, got Tensor");
}

TEST_F(Rules, CastTheTensorsOfACallUnderAutocast) {
  OperatorHandle<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, double)> op(
      "rules::sum_and_product");
  const AutocastScope autocast;
  const auto [sum, product] = op(x, y, 10);
  EXPECT_EQ(sum.dtype(), DType::Float16);
  EXPECT_EQ(product.dtype(), DType::Float16);
}

TEST_F(Rules, LeaveTheCallsOfOtherDevicesAsTheyAre) {
  const auto results =
      run_rule("rules::sum_and_product", Slot::Autocast,
               {ValueOf<DType>::lend(DType::Float16), ValueOf<Device>::lend(Device(kOpwDeviceCuda)),
                x_value, y_value, scale},
               3);
  EXPECT_EQ(results[0].tag, kOpwNone);
}

TEST_F(Rules, TellAVmapRuleTheBatchAndTakeItsOutDims) {
  const OpwValue dims[] = {ValueOf<int64_t>::lend(0), OpwValue{}, OpwValue{}};
  OpwValue in_dims{};
  in_dims.tag = kOpwList;
  in_dims.length = 3;
  in_dims.as_values = dims;
  auto results = run_rule("rules::sum_and_product", Slot::Vmap,
                          {ValueOf<int64_t>::lend(2), ValueOf<std::string_view>::lend("error"),
                           in_dims, x_value, y_value, scale},
                          3);
  EXPECT_EQ(values_of(ValueOf<Tensor>::take(results[1])), (std::vector<float>{3, 8}));
  const auto out_dims = ValueOf<std::vector<std::optional<int64_t>>>::take(results[2]);
  EXPECT_EQ(out_dims, (std::vector<std::optional<int64_t>>{0, 0}));
  release_value(results[0]);
}

}  // namespace
}  // namespace opwright::testing
