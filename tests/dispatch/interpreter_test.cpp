// The chain of interpreters: order, nesting, lifting, composites, and tensors that escape.
#include "opwright/dispatch/interpreter.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_interpreters.h"
#include "dispatch/test_operators.h"
#include "opwright/tensor/wrapper.h"

namespace opwright::testing {
namespace {

using Values = std::vector<float>;

Values values_under_wrappers(Tensor value) {
  while (value.get()->flags & kOpwFlagWrapped) value = Wrapping::unwrap(value);
  return values_of(value);
}

class InterpreterChain : public ::testing::Test {
 protected:
  TestOperators operators;
  Tensor x = tensor({1, 2});
  Tensor y = tensor({10, 20});
};

TEST_F(InterpreterChain, GivesEveryCallToTheCurrentInterpreterOnce) {
  auto level = make_intrusive<PassThrough>(nullptr);
  {
    const InterpreterScope scope(level.get());
    EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
    EXPECT_EQ(values_of(TestOperators::add(x, x)), (Values{2, 4}));
  }
  TestOperators::add(x, y);
  EXPECT_EQ(level->calls, 2);
}

TEST_F(InterpreterChain, PassesACallFromEachInterpreterToItsParent) {
  auto outer = make_intrusive<PassThrough>(nullptr);
  auto middle = make_intrusive<PassThrough>(outer.get());
  auto inner = make_intrusive<PassThrough>(middle.get());
  const InterpreterScope scope(inner.get());
  EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
  EXPECT_EQ(outer->calls + middle->calls + inner->calls, 3);
}

TEST_F(InterpreterChain, NestsThreeDifferentTransformsInTheOrderTheyWereEntered) {
  auto outer = make_intrusive<PassThrough>(nullptr);
  auto middle = make_intrusive<Mutating>(outer.get());
  auto inner = make_intrusive<Wrapping>(middle.get());
  const InterpreterScope scope(inner.get());
  const Tensor wrapped = inner->wrap(middle->wrap(x));

  const Tensor result = TestOperators::add(wrapped, y);

  EXPECT_EQ(values_of(Wrapping::unwrap(Wrapping::unwrap(result))),
            (Values{12, 23}));  // mutating adds one
  EXPECT_EQ(inner->seen, (std::vector<std::string>{"test::add"}));
  EXPECT_EQ(middle->seen, (std::vector<std::string>{"test::add"}));
  EXPECT_EQ(outer->calls, 2);  // the addition, and the write of the mutating level
}

TEST_F(InterpreterChain, RunsEveryOrderOfThreeTransformsToTheSameValues) {
  for (int order = 0; order < 6; ++order) {
    static constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    std::vector<IntrusivePtr<Interpreter>> chain;
    Tensor value = x;
    for (const int kind : kOrders[order]) {
      Interpreter* parent = chain.empty() ? nullptr : chain.back().get();
      if (kind == 0) {
        chain.push_back(make_intrusive<PassThrough>(parent));
      } else {
        IntrusivePtr<Wrapping> level = make_intrusive<Wrapping>(parent);
        if (kind == 2) level = make_intrusive<Mutating>(parent);
        value = level->wrap(value);
        chain.push_back(level);
      }
    }
    const InterpreterScope scope(chain.back().get());
    EXPECT_EQ(values_under_wrappers(TestOperators::add(value, y)), (Values{12, 23}))
        << "order " << order;
  }
}

TEST_F(InterpreterChain, ShowsAWriteOfAnyLevelToAllLevels) {
  auto outer = make_intrusive<Wrapping>(nullptr);
  auto inner = make_intrusive<Wrapping>(outer.get());
  const InterpreterScope scope(inner.get());
  Tensor wrapped = inner->wrap(outer->wrap(x));
  const uint64_t before = version_of(x);

  TestOperators::increment_(wrapped);

  EXPECT_EQ(values_of(x), (Values{2, 3}));
  EXPECT_EQ(version_of(x), before + 1);
  EXPECT_EQ(version_of(wrapped), before + 1);
}

TEST_F(InterpreterChain, GivesAWrittenArgumentBackAsTheCallersOwnHandleAtEveryLevel) {
  auto level = make_intrusive<Wrapping>(nullptr);
  const InterpreterScope scope(level.get());
  Tensor wrapped = level->wrap(x);
  EXPECT_EQ(TestOperators::increment_(wrapped).get(), wrapped.get());
  EXPECT_EQ(TestOperators::increment_(x).get(), x.get());
}

TEST_F(InterpreterChain, LiftsForeignArgumentsBeforeTheCall) {
  auto level = make_intrusive<Lifting>(nullptr);
  const InterpreterScope scope(level.get());
  const Tensor result = TestOperators::add(x, y);
  EXPECT_EQ(level->lifted.size(), 2U);
  EXPECT_TRUE(level->owns(result.get()));
  EXPECT_EQ(values_of(Wrapping::unwrap(result)), (Values{11, 22}));
  level->lifted.clear();  // wrappers hold their level: a memo of them would never be freed
}

TEST_F(InterpreterChain, SeesThroughAnImplicitCompositeUnlessItKeepsItWhole) {
  class KeepsWhole : public Wrapping {
   public:
    using Wrapping::Wrapping;
    bool keeps_whole(const Operator&) const override { return true; }
  };
  auto through = make_intrusive<Wrapping>(nullptr);
  auto whole = make_intrusive<KeepsWhole>(nullptr);
  {
    const InterpreterScope scope(through.get());
    TestOperators::twice(through->wrap(x));
  }
  {
    const InterpreterScope scope(whole.get());
    EXPECT_EQ(values_of(Wrapping::unwrap(TestOperators::twice(whole->wrap(x)))), (Values{2, 4}));
  }
  EXPECT_EQ(through->seen, (std::vector<std::string>{"test::add"}));
  EXPECT_EQ(whole->seen, (std::vector<std::string>{"test::twice"}));
}

TEST_F(InterpreterChain, CatchesATensorThatEscapedAfterItsTransformEnded) {
  Tensor escaped;
  {
    auto level = make_intrusive<Wrapping>(nullptr);
    const InterpreterScope scope(level.get());
    escaped = level->wrap(x);
  }
  EXPECT_ERROR(TestOperators::add(escaped, y), "RuntimeError",
               "a tensor made inside wrapping was used after it ended (float32[2], argument 'x' of "
               "test::add)\n"
               "  Return it from the transformed function instead of storing it.");
}

TEST_F(InterpreterChain, CatchesATensorThatEscapedIntoAnotherTransform) {
  auto ended = make_intrusive<Wrapping>(nullptr);
  const Tensor escaped = ended->wrap(x);
  auto level = make_intrusive<Wrapping>(nullptr);
  const InterpreterScope scope(level.get());
  EXPECT_ERROR_CONTAINS(TestOperators::add(level->wrap(y), escaped), "RuntimeError",
                        "a tensor made inside wrapping was used after it ended (float32[2], "
                        "argument 'y' of test::add)");
}

TEST_F(InterpreterChain, RestoresTheCurrentInterpreterWhenACallThrows) {
  const Registration failing = Registry::get().define("test::failing(Tensor x) -> Tensor");
  const Registration kernel = Registry::get().implement(
      "test::failing", Slot::Cpu,
      +[](const Tensor&) -> Tensor { throw Error("ValueError", "no"); });
  OperatorHandle<Tensor(const Tensor&)> call_failing("test::failing");
  auto outer = make_intrusive<PassThrough>(nullptr);
  auto inner = make_intrusive<PassThrough>(outer.get());
  const InterpreterScope scope(inner.get());
  EXPECT_THROW(call_failing(x), Error);
  EXPECT_EQ(current_interpreter(), inner.get());
}

TEST_F(InterpreterChain, TakesBackTheGradModeThatALevelSwitchedOn) {
  thread_state().set_grad_enabled(false);
  auto level = make_intrusive<PassThrough>(
      nullptr, InterpreterTraits{.restores_grad_mode = true});  // entered with grad mode off
  thread_state().set_grad_enabled(true);
  {
    const ParentScope below(*level);
    EXPECT_FALSE(thread_state().grad_is_enabled());
  }
  EXPECT_TRUE(thread_state().grad_is_enabled());
}

}  // namespace
}  // namespace opwright::testing
