#include "opwright/check/checks/mutation_check.h"

#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_interpreters.h"
#include "dispatch/test_operators.h"
#include "opwright/dispatch/mode.h"
#include "opwright/functions.h"

namespace opwright::testing {
namespace {

using Values = std::vector<float>;

// Writes 7 to the second element of x.
Tensor write_secretly(const Tensor& x) {
  x.select(0, 1).fill_(7);
  return x.clone();
}

constexpr const char* kSecretText =
    "test::secret changed its argument 'x' (float32[3]), which its schema does not mark as "
    "written: element [1] was 2 and is 7\n"
    "  Declare it: mutates_args={'x'} in custom_op, or Tensor(a!) x in the schema.";

// Counts the calls that it sees and handles none.
class Counting : public Mode {
 public:
  bool process(const Operator& /*op*/, Arguments /*args*/, Results /*results*/) override {
    ++calls;
    return false;
  }
  int calls = 0;
};

class MutationCheck : public ::testing::Test {
 protected:
  MutationCheck() {
    auto& registry = Registry::get();
    kept.push_back(registry.define("test::secret(Tensor x) -> Tensor"));
    kept.push_back(registry.implement("test::secret", Slot::Cpu, &write_secretly));
    set_check_mutation(true);
  }
  ~MutationCheck() override { set_check_mutation(false); }

  static Tensor secret(const Tensor& x) {
    static OperatorHandle<Tensor(const Tensor&)> handle("test::secret");
    return handle(x);
  }

  TestOperators operators;
  std::vector<Registration> kept;
  Tensor x = tensor({1, 2, 3});
};

TEST_F(MutationCheck, NamesTheOperatorTheArgumentTheElementAndWhatToDeclare) {
  EXPECT_ERROR(secret(x), "RuntimeError", kSecretText);
}

TEST_F(MutationCheck, LetsCallsThatWriteNothingPass) {
  EXPECT_EQ(testing::values_of(add(x, x)), (Values{2, 4, 6}));
  EXPECT_EQ(testing::values_of(zeros({2})), (Values{0, 0}));
  EXPECT_EQ(testing::values_of(x.slice(0, 1).contiguous()), (Values{2, 3}));
}

TEST_F(MutationCheck, LetsDeclaredWritesPass) {
  TestOperators::increment_(x);
  x.add_(tensor({1, 1, 1}));

  EXPECT_EQ(testing::values_of(x), (Values{3, 4, 5}));
}

TEST_F(MutationCheck, LeavesOutWhatSharesMemoryWithAWrittenArgument) {
  const Tensor again =
      make_from_memory(x.mutable_data(), x.sizes(), x.strides(), x.dtype(), kCpu, nullptr, nullptr);

  x.add_(x);
  x.add_(again);

  EXPECT_EQ(testing::values_of(x), (Values{4, 8, 12}));
}

TEST_F(MutationCheck, ChecksWhatSharesOnlyTheStorageWithAWrittenArgument) {
  kept.push_back(Registry::get().define("test::spill_(Tensor(a!) x, Tensor y) -> ()"));
  kept.push_back(Registry::get().implement(
      "test::spill_", Slot::Cpu, +[](Tensor& /*x*/, const Tensor& y) { y.select(0, 0).fill_(9); }));
  OperatorHandle<void(Tensor&, const Tensor&)> spill("test::spill_");
  Tensor head = x.slice(0, 0, 1);

  EXPECT_ERROR(spill(head, x.slice(0, 1)), "RuntimeError",
               "test::spill_ changed its argument 'y' (float32[2]), which its schema does not mark "
               "as written: element [0] was 2 and is 9\n"
               "  Declare it: mutates_args={'y'} in custom_op, or Tensor(b!) y in the schema.");
}

TEST_F(MutationCheck, NamesTheTensorOfAList) {
  kept.push_back(Registry::get().define("test::mix(Tensor[] tracks) -> ()"));
  kept.push_back(Registry::get().implement(
      "test::mix", Slot::Cpu,
      +[](std::span<const Tensor> tracks) { tracks[1].select(0, 0).fill_(0.5); }));
  OperatorHandle<void(std::span<const Tensor>)> mix("test::mix");
  const std::vector<Tensor> tracks{x, tensor({0.1F})};

  EXPECT_ERROR(mix(tracks), "RuntimeError",
               "test::mix changed its argument 'tracks[1]' (float32[1]), which its schema does not "
               "mark as written: element [0] was 0.1 and is 0.5\n"
               "  Declare it: mutates_args={'tracks'} in custom_op, or Tensor(a!)[] tracks in the "
               "schema.");
}

TEST_F(MutationCheck, CountsElementsInTheOrderOfTheTensor) {
  const Tensor columns = full({2, 3}, 5).t();
  kept.push_back(Registry::get().define("test::corner(Tensor x) -> ()"));
  kept.push_back(Registry::get().implement(
      "test::corner", Slot::Cpu,
      +[](const Tensor& matrix) { matrix.select(0, 2).select(0, 1).fill_(-1); }));
  OperatorHandle<void(const Tensor&)> corner("test::corner");

  EXPECT_ERROR_CONTAINS(corner(columns), "RuntimeError",
                        "'x' (int64[3, 2]), which its schema does not mark as written: element "
                        "[2, 1] was 5 and is -1");
}

TEST_F(MutationCheck, ComparesBytesSoThatNotANumberIsTheSame) {
  const Tensor nans = tensor({std::nanf(""), std::nanf("")});

  EXPECT_TRUE(std::isnan(testing::values_of(add(nans, nans))[0]));
}

TEST_F(MutationCheck, TakesWhatAKernelCallsAsPartOfTheCall) {
  kept.push_back(Registry::get().define("test::wraps_secret(Tensor y) -> Tensor"));
  kept.push_back(Registry::get().implement(
      "test::wraps_secret", Slot::Cpu, +[](const Tensor& y) {
        const Tensor own = y.clone();
        return secret(own);
      }));
  OperatorHandle<Tensor(const Tensor&)> wraps_secret("test::wraps_secret");

  EXPECT_EQ(testing::values_of(wraps_secret(x)), (Values{1, 7, 3}));
  EXPECT_EQ(testing::values_of(x), (Values{1, 2, 3}));
}

TEST_F(MutationCheck, PassesTheErrorOfTheCallOn) {
  EXPECT_ERROR_CONTAINS(x.add(tensor({1, 2})), "ValueError", "do not broadcast");
}

TEST_F(MutationCheck, LooksBelowATransform) {
  auto level = make_intrusive<Wrapping>(nullptr);
  const InterpreterScope scope(level.get());

  EXPECT_ERROR(secret(level->wrap(x)), "RuntimeError", kSecretText);
}

TEST_F(MutationCheck, LeavesFakeTensorsAlone) {
  EXPECT_TRUE(x.to(std::nullopt, std::nullopt, Device(kOpwDeviceMeta)).transpose(0, 0).is_fake());
}

TEST_F(MutationCheck, GivesItsPreviousValue) {
  EXPECT_TRUE(set_check_mutation(true));
  EXPECT_TRUE(set_check_mutation(false));
  EXPECT_FALSE(set_check_mutation(false));
  EXPECT_FALSE(set_check_mutation(true));
}

TEST_F(MutationCheck, IsOffWhenItWasSwitchedOff) {
  set_check_mutation(false);

  EXPECT_EQ(testing::values_of(secret(x)), (Values{1, 7, 3}));
  EXPECT_FALSE(thread_state().needs_attention());
}

TEST_F(MutationCheck, IsOfItsThreadAlone) {
  Values result;

  std::thread([&] { result = testing::values_of(secret(x)); }).join();

  EXPECT_EQ(result, (Values{1, 7, 3}));
}

TEST_F(MutationCheck, EndsWithItsThread) {
  std::thread([] { set_check_mutation(true); }).join();

  EXPECT_ERROR(secret(x), "RuntimeError", kSecretText);
}

TEST_F(MutationCheck, SwitchedOffInAScopeStaysOffWhenTheScopeEnds) {
  Counting mode;
  {
    const ModeScope scope(mode);
    EXPECT_THROW(secret(x), Error);
    set_check_mutation(false);
    EXPECT_NO_THROW(secret(x));
  }

  EXPECT_NO_THROW(secret(x));
  EXPECT_EQ(thread_state().modes, nullptr);
}

TEST_F(MutationCheck, SwitchedOnInScopesStaysOnWhenTheyEnd) {
  set_check_mutation(false);
  Counting outer;
  Counting inner;
  {
    const ModeScope outer_scope(outer);
    {
      const ModeScope inner_scope(inner);
      set_check_mutation(true);
      EXPECT_ERROR(secret(tensor({1, 2, 3})), "RuntimeError", kSecretText);
    }
    EXPECT_ERROR(secret(tensor({1, 2, 3})), "RuntimeError", kSecretText);
  }

  EXPECT_ERROR(secret(x), "RuntimeError", kSecretText);
  EXPECT_EQ(inner.calls, 1);
  EXPECT_EQ(outer.calls, 2);
}

TEST_F(MutationCheck, SwitchedOnAndOffInOneScopeLeavesTheScopeAsItWas) {
  set_check_mutation(false);
  Counting mode;
  const ModeScope scope(mode);

  set_check_mutation(true);
  set_check_mutation(false);

  EXPECT_EQ(thread_state().modes, &mode);
  EXPECT_EQ(mode.outer(), nullptr);
}

}  // namespace
}  // namespace opwright::testing
