// Covers: src/check/example/*.
#include "opwright/check/example/example.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dispatch/test_operators.h"
#include "opwright/autograd/history.h"
#include "opwright/check/example/outcome.h"
#include "opwright/functions.h"
#include "opwright/generator.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/wrapper.h"

namespace opwright::testing {
namespace {

class ExampleTest : public ::testing::Test {
 protected:
  ExampleTest() {
    auto& registry = Registry::get();
    kept.push_back(registry.define(
        "test::mix(Tensor x, Tensor[] rest, Tensor? last=None, Generator? generator=None) -> "
        "Tensor"));
  }
  Example make(const std::vector<Value>& values) const {
    return {Registry::get().require("test::mix"), values};
  }

  std::vector<Registration> kept;
};

TEST_F(ExampleTest, NamesItsTensorsAsErrorsDo) {
  const Tensor x = tensor({1, 2});
  const Example example = make({Value(x), Value(std::vector<Tensor>{x, x}), Value(), Value()});

  ASSERT_EQ(example.tensors().size(), 3u);
  EXPECT_EQ(example.tensor_name(0), "x");
  EXPECT_EQ(example.tensor_name(2), "rest[1]");
}

TEST_F(ExampleTest, ACopyHasTheSameStridesOffsetAndFlagsInMemoryOfItsOwn) {
  const Tensor base = arange(12).to(DType::Float32).reshape({3, 4});
  const Tensor view = base.t().slice(0, 1);
  set_requires_grad(view, true);
  const Example example = make({Value(view), Value(std::vector<Tensor>{}), Value(), Value()});

  const Tensor copy = example.copy().tensors()[0];

  EXPECT_TRUE(std::ranges::equal(copy.strides(), view.strides()));
  EXPECT_EQ(impl(copy).storage_offset, impl(view).storage_offset);
  EXPECT_EQ(storage_of(copy).nbytes, storage_of(view).nbytes);
  EXPECT_NE(&storage_of(copy), &storage_of(view));
  EXPECT_TRUE(copy.requires_grad());
  EXPECT_TRUE(copy.detach().equal(view.detach()));
}

TEST_F(ExampleTest, TensorsThatShareMemoryShareItInACopy) {
  const Tensor base = tensor({1, 2, 3, 4});
  const Example example = make({Value(base.slice(0, 0, 2)),
                                Value(std::vector<Tensor>{base.slice(0, 1, 3)}), Value(), Value()});

  const std::vector<Tensor> copies = example.copy().tensors();
  copies[0].select(0, 1).fill_(9);

  EXPECT_EQ(testing::values_of(copies[1]), (std::vector<float>{9, 3}));
  EXPECT_EQ(testing::values_of(base), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExampleTest, ACopyHasAGeneratorWithTheSameState) {
  const Generator generator = make_generator(kCpu);
  random_state(generator).set_seed(3);
  const Example example =
      make({Value(tensor({1})), Value(std::vector<Tensor>{}), Value(), Value(generator)});

  const Example copy = example.copy();
  const CounterRange first = random_state(generator).reserve(1);

  EXPECT_EQ(random_state(Generator::borrow(copy.values()[3].get().as_object)).reserve(1).first,
            first.first);
}

TEST_F(ExampleTest, TellsWhatWasChanged) {
  const Example example =
      make({Value(tensor({1})), Value(std::vector<Tensor>{}), Value(), Value()});

  EXPECT_EQ(example.change(), "");
  EXPECT_EQ(example.changed_by("x: transposed").changed_by("x: float64").change(),
            "x: transposed; x: float64");
}

TEST(RunExample, GivesRandomOperatorsTheSameNumbersEveryTime) {
  const Operator& op = Registry::get().require("aten::rand");
  const Example example(op, {Value(std::vector<int64_t>{3}), Value(), Value(), Value(), Value()});

  const Outcome first = run_example(example);
  const Outcome second = run_example(example);

  EXPECT_TRUE(first.result_tensors()[0].equal(second.result_tensors()[0]));
}

TEST(RunExample, GivesTheErrorOfACallThatIsRefused) {
  const Operator& op = Registry::get().require("aten::mm");
  const Outcome outcome = run_example(Example(op, {Value(tensor({1, 2})), Value(tensor({1, 2}))}));

  ASSERT_TRUE(outcome.is_refused());
  EXPECT_STREQ(outcome.error->kind(), "RuntimeError");
}

}  // namespace
}  // namespace opwright::testing
