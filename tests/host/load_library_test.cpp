// Operator binaries in the core: loading, calling, failing, removing.
//
// Covers: src/base/first_sizes, src/host/binary, src/host/binary_host.
#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_interpreters.h"
#include "dispatch/test_operators.h"
#include "host/test_host.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/stack_view.h"
#include "symbolic/test_owner.h"

namespace opwright::testing {
namespace {

Tensor soft_clip(const Tensor& x, double limit) {
  static OperatorHandle<Tensor(const Tensor&, double)> handle("audio::soft_clip");
  return handle(x, limit);
}
Tensor fail(const Tensor& x, int64_t how) {
  static OperatorHandle<Tensor(const Tensor&, int64_t)> handle("failing::fail");
  return handle(x, how);
}

TEST(LoadLibrary, MakesTheOperatorsOfABinaryCallable) {
  const LoadedFor library("soft_clip");
  const Tensor y = soft_clip(tensor({0, 1, -4}), 2);
  EXPECT_FLOAT_EQ(values_of(y)[1], 2 * std::tanh(0.5F));
  EXPECT_FLOAT_EQ(values_of(y)[2], 2 * std::tanh(-2.0F));
}

TEST(LoadLibrary, KnowsWhichBinaryAnOperatorCameFrom) {
  const LoadedFor library("soft_clip");
  const Operator& op = Registry::get().require("audio::soft_clip");
  EXPECT_TRUE(std::string_view(op.origin()).ends_with("libsoft_clip.so"));
  EXPECT_TRUE(std::string_view(op.site().file).ends_with("examples/first_operator/soft_clip.cpp"));
  EXPECT_TRUE(op.tags().has(Tag::Pointwise));
}

TEST(LoadLibrary, IsHarmlessForTheSameFileTwice) {
  const LoadedFor library("soft_clip");
  EXPECT_NO_THROW(load_library(operator_binary("soft_clip")));
}

TEST(LoadLibrary, TakesASchemaFromTheTypeOfAFunction) {
  const LoadedFor library("dual_residual");
  EXPECT_EQ(to_text(Registry::get().require("cst::dual_residual").schema()),
            "cst::dual_residual(Tensor arg0, Tensor arg1, float arg2) -> (Tensor, Tensor)");
  OperatorHandle<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, double)> dual(
      "cst::dual_residual");
  const auto [first, second] = dual(tensor({1, 2}), tensor({3, 4}), 0.5);
  EXPECT_EQ(values_of(first), (std::vector<float>{-2.5, -3}));
  EXPECT_EQ(values_of(second), (std::vector<float>{0.5, 0}));
}

TEST(LoadLibrary, ForgetsEverythingWhenTheLibraryIsUnloadedAndTakesItBack) {
  {
    const LoadedFor library("soft_clip");
    EXPECT_NE(Registry::get().find("audio::soft_clip"), nullptr);
  }
  EXPECT_EQ(Registry::get().find("audio::soft_clip"), nullptr);
  const LoadedFor again("soft_clip");
  EXPECT_FLOAT_EQ(values_of(soft_clip(tensor({1}), 1))[0], std::tanh(1.0F));
}

TEST(LoadLibrary, RunsKernelsOfBinariesUnderEveryTestInterpreter) {
  const LoadedFor library("soft_clip");
  const TestOperators operators;
  const float expected = std::tanh(1.0F);
  auto pass = make_intrusive<PassThrough>(nullptr);
  auto mutating = make_intrusive<Mutating>(pass.get());
  auto wrapping = make_intrusive<Wrapping>(mutating.get());
  const InterpreterScope scope(wrapping.get());
  const Tensor y = soft_clip(wrapping->wrap(mutating->wrap(tensor({1}))), 1);
  EXPECT_FLOAT_EQ(values_of(Wrapping::unwrap(Wrapping::unwrap(y)))[0],
                  expected + 1);  // mutating adds one
}

TEST(LoadLibrary, ShowsACompositeBodyOfABinaryToTheInterpreter) {
  const LoadedFor library("dual_residual");
  OperatorHandle<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, double)> dual(
      "cst::dual_residual");
  auto level = make_intrusive<Wrapping>(nullptr);
  const InterpreterScope scope(level.get());
  (void)dual(level->wrap(tensor({1, 2})), tensor({3, 4}), 0.5);
  EXPECT_EQ(level->seen, (std::vector<std::string>{"aten::mul.Scalar", "aten::sub.Tensor",
                                                   "aten::mul.Scalar", "aten::sub.Tensor"}));
}

TEST(LoadLibrary, PromotesAStackViewThatAKernelKeepsOrReturns) {
  const LoadedFor library("failing");
  OperatorHandle<Tensor(const Tensor&)> remember("failing::remember");
  OperatorHandle<void(const Tensor&)> forget("failing::forget");
  const Tensor x = tensor({5});
  {
    StackView view(x);
    const Tensor returned =
        remember(BorrowedTensor(view.get()));  // kept and returned: both are promoted
    EXPECT_EQ(returned.get(), x.get());
  }
  EXPECT_EQ(remember(tensor({6})).get(), x.get());
  forget(x);
}

TEST(LoadLibrary, KeepsTheKindOfEveryErrorInAKernelAndItsWorkers) {
  const LoadedFor library("failing");
  const Tensor x = tensor({1, 2, 3, 4});
  EXPECT_ERROR(fail(x, 0), "KeyError", "no such key\n  in failing::fail(x=float32[4], how=0)");
  EXPECT_ERROR_CONTAINS(fail(x, 1), "RuntimeError", "beyond the end");
  EXPECT_ERROR_CONTAINS(fail(x, 2), "MemoryError", "out of memory");
  EXPECT_ERROR_CONTAINS(fail(x, 3), "RuntimeError", "an exception that is not a std::exception");
  EXPECT_ERROR_CONTAINS(fail(x, 4), "IndexError", "a worker failed at ");
  EXPECT_ERROR_CONTAINS(fail(x, 5), "RuntimeError", "returned an undefined tensor");
  EXPECT_EQ(values_of(fail(x, 6)), (std::vector<float>{1, 4, 9, 16}));
}

TEST(LoadLibrary, NamesTheKindOfMissingDataForBinariesWithOlderHeaders) {
  const LoadedFor library("failing");
  const Tensor x = tensor({1});
  EXPECT_ERROR_CONTAINS(fail(x, 7), "DataDependentError", "the data of a fake tensor was read");
  EXPECT_ERROR_CONTAINS(fail(x, 8), "DataDependentError",
                        "the data of a tensor inside a transform was read");
}

TEST(LoadLibrary, LeaksNothingWhenEveryStepFails) {
  const LoadedFor library("failing");
  const Tensor x = tensor({1, 2, 3, 4});
  for (int64_t how = 0; how < 6; ++how) EXPECT_THROW(fail(x, how), Error);
  const LiveCounts before = live_counts();
  for (int round = 0; round < 100; ++round) {
    for (int64_t how = 0; how < 6; ++how) EXPECT_THROW(fail(x, how), Error);
    (void)fail(x, 6);
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(LoadLibrary, LetsAFakeKernelBranchThroughAGuard) {
  const LoadedFor library("shapes");
  OperatorHandle<Tensor(const Tensor&)> halves("shapes::halves");
  TestOwner owner;
  {
    const SymInt even = owner.backed("s0", 6);
    const Tensor result = halves(make_fake(std::span(&even, 1), DType::Float32, kCpu));
    EXPECT_EQ(concatenate(result), "float32[s0//2, 2]");
  }
  ASSERT_FALSE(owner.guards.empty());
  EXPECT_EQ(owner.guards[0].text, "s0 % 2 == 0");
  EXPECT_TRUE(owner.guards[0].file.ends_with("tests/operators/shapes.cpp"));
  EXPECT_EQ(owner.live_nodes(), 0);
}

TEST(LoadLibrary, TurnsACheckOfAFakeKernelIntoAnAssertionForASizeKnownAtRunTimeOnly) {
  const LoadedFor library("shapes");
  OperatorHandle<Tensor(const Tensor&, const Tensor&)> same_size("shapes::same_size");
  TestOwner owner;
  const SymInt unknown = owner.unbacked("u0");
  const SymInt three = 3;
  (void)same_size(make_fake(std::span(&unknown, 1), DType::Float32, kCpu),
                  make_fake(std::span(&three, 1), DType::Float32, kCpu));
  ASSERT_EQ(owner.assertions.size(), 1U);
  EXPECT_EQ(owner.assertions[0].message, "same_size: x and y must have one size");
}

TEST(LoadLibrary, RecordsTheLineThatFreezesASizeInAMetaKernelOverTensor) {
  const LoadedFor library("shapes");
  OperatorHandle<Tensor(const Tensor&)> frozen("shapes::frozen");
  TestOwner owner;
  const SymInt size = owner.backed("s0", 6);
  EXPECT_EQ(concatenate(frozen(make_fake(std::span(&size, 1), DType::Float32, kCpu))),
            "float32[6]");
  ASSERT_EQ(owner.specialisations.size(), 1U);
  EXPECT_TRUE(owner.specialisations[0].file.ends_with("tests/operators/shapes.cpp"));
}

TEST(LoadLibrary, RefusesAFakeKernelThatReadsData) {
  const LoadedFor library("shapes");
  OperatorHandle<Tensor(const Tensor&)> reads("shapes::reads_data");
  const int64_t size = 3;
  EXPECT_ERROR_CONTAINS(reads(make_fake(std::span(&size, 1), DType::Float32, kCpu)),
                        "DataDependentError", "the data of a fake tensor was read");
}

TEST(LoadLibrary, NamesADtypeThatAKernelDoesNotTake) {
  const LoadedFor library("soft_clip");
  const int64_t size = 2;
  EXPECT_ERROR(soft_clip(make_empty(std::span(&size, 1), DType::Int64), 1), "TypeError",
               "soft_clip: dtype int64 is not supported; it takes floating dtypes\n"
               "  in audio::soft_clip(x=int64[2], limit=1.0)");
}

TEST(LoadLibrary, RefusesAnotherBinaryThatDefinesAKnownOperator) {
  const LoadedFor library("soft_clip");
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("soft_clip_again")), "ValueError",
                        "audio::soft_clip is defined twice: at ");
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("soft_clip_again")), "ValueError",
                        "libsoft_clip.so) and at ");
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("soft_clip_again")), "ValueError",
                        "libsoft_clip_again.so)");
}

TEST(LoadLibrary, RefusesASignatureThatDiffersFromTheSchemaAndKeepsNothing) {
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("bad_signature")), "TypeError",
                        "argument 'factor' (position 2) is float in the schema and int in C++");
  EXPECT_EQ(Registry::get().find("bad_signature::scale"), nullptr);
}

TEST(LoadLibrary, NamesAnImportThatTheHostLacksAndTheBinary) {
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("missing_import")), "AttributeError",
                        "there is no operator aten::warp_drive");
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("missing_import")), "AttributeError",
                        "imported by ");
  EXPECT_EQ(Registry::get().find("missing_import::use"), nullptr);
}

TEST(LoadLibrary, KeepsNothingOfABlockThatFails) {
  EXPECT_ERROR_CONTAINS(load_library(operator_binary("throwing_block")), "RuntimeError",
                        "the block gave up\n  in the library block of throwing_block at ");
  EXPECT_EQ(Registry::get().find("throwing_block::first"), nullptr);
}

TEST(LoadLibrary, RefusesABinaryOfAnotherAbiWithBothVersions) {
  EXPECT_ERROR_CONTAINS(
      load_library(operator_binary("other_abi")), "ImportError",
      concatenate("was built for ABI ", OPW_ABI_MAJOR + 1, ".0 of Opwright, this is ABI ",
                  OPW_ABI_MAJOR, ".", OPW_ABI_MINOR));
}

TEST(LoadLibrary, TakesABinaryOfALaterMinorVersionWhoseStructsGrew) {
  const LoadedFor library("later_minor");
  EXPECT_NE(Registry::get().find("later_minor::one"), nullptr);
}

TEST(LoadLibrary, RefusesASharedLibraryThatIsNoOperatorBinary) {
  EXPECT_ERROR_CONTAINS(
      load_library(operator_binary("not_an_operator_binary")), "ImportError",
      "is a shared library, but not an operator binary: it does not export opw_binary");
}

TEST(LoadLibrary, RefusesAFileThatIsNotThereOrIsNoLibrary) {
  EXPECT_ERROR_CONTAINS(load_library("nowhere/libnothing.so"), "OSError",
                        "there is no file nowhere/libnothing.so");
  EXPECT_ERROR_CONTAINS(load_library("/proc/version"), "OSError",
                        "/proc/version cannot be loaded: ");
  EXPECT_ERROR(unload_library("nowhere/libnothing.so"), "ValueError",
               "nowhere/libnothing.so is not loaded");
}

TEST(LoadLibrary, WorksFromManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] { load_library(operator_binary("soft_clip")); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FLOAT_EQ(values_of(soft_clip(tensor({1}), 1))[0], std::tanh(1.0F));
  unload_library(operator_binary("soft_clip"));
}

TEST(DescribeLibrary, ListsWhatABinaryWouldRegisterWithoutRegisteringIt) {
  const LibraryDescription description = describe_library(operator_binary("soft_clip"));
  ASSERT_EQ(description.definitions.size(), 1U);
  EXPECT_EQ(description.definitions[0].schema,
            "audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
  std::vector<std::string> slots;
  for (const auto& each : description.functions) slots.push_back(each.slot);
  EXPECT_EQ(slots, (std::vector<std::string>{"Fake", "SetupContext", "Autograd", "CPU"}));
  EXPECT_NE(to_text(description).find("imports aten::empty_like"), std::string::npos);
  EXPECT_EQ(Registry::get().find("audio::soft_clip"), nullptr);
}

}  // namespace
}  // namespace opwright::testing
