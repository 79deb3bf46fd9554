// Fake mode: calls without tensors, rejection of real ones, counterparts, environments, custom
// operators.
#include "opwright/transforms/trace/fake.h"

#include <array>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dynamic_size.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using Op = OperatorHandle<Tensor(const Tensor&)>;

class Fakes : public ::testing::Test {
 protected:
  IntrusivePtr<FakeMode> mode =
      IntrusivePtr<FakeMode>::take(new FakeMode(ShapeEnvPtr::take(new ShapeEnv())));
  std::vector<Registration> kept;

  template <class Function>
  void define(const std::string& name, Slot slot, Function* function) {
    kept.push_back(Registry::get().define("fakes::" + name + "(Tensor x) -> Tensor"));
    kept.push_back(Registry::get().implement("fakes::" + name, slot, function));
  }
  [[nodiscard]] std::vector<std::string> guards() const {
    std::vector<std::string> texts;
    for (const Guard& guard : mode->shape_env().guards())
      texts.push_back(concatenate(guard.condition));
    return texts;
  }
};

std::string shape_of(const Tensor& tensor) {
  std::string text;
  append_shape(text, tensor);
  return text;
}

TEST_F(Fakes, GiveFactoriesNoMemory) {
  const InterpreterScope scope(mode.get());

  const Tensor made = zeros({2, 3}, DType::Float64, std::nullopt, Device(kOpwDeviceCuda));

  EXPECT_TRUE(made.is_fake());
  EXPECT_EQ(concatenate(made), "float64[2, 3] on cuda:0");
}

TEST_F(Fakes, StartANewRoot) {
  auto outer = IntrusivePtr<FakeMode>::take(new FakeMode(ShapeEnvPtr::take(new ShapeEnv())));
  const InterpreterScope outside(outer.get());
  const InterpreterScope scope(mode.get());

  EXPECT_EQ(mode->parent(), nullptr);
  EXPECT_TRUE(empty({2}).is_fake());
}

TEST_F(Fakes, RefuseARealTensorByItsArgument) {
  const Tensor real = zeros({2});
  const InterpreterScope scope(mode.get());
  const UserLineScope line({"model.cpp", 7});

  EXPECT_ERROR(
      neg(real), "InputValueError",
      "aten::neg: argument 'self' is a real tensor (float32[2]), but FakeTensorMode is "
      "active at model.cpp:7\n"
      "  Please convert all Tensors to FakeTensors first: mode.from_tensor(self); tensors made "
      "inside the mode are fake already.");
}

TEST_F(Fakes, AreMadeOfRealTensorsWhereTheModeConvertsThem) {
  const auto converting = IntrusivePtr<FakeMode>::take(
      new FakeMode(ShapeEnvPtr::take(new ShapeEnv()), FakeMode::RealInputs::Converted));
  const Tensor real = zeros({2});
  const InterpreterScope scope(converting.get());

  const Tensor joined = cat(std::vector<Tensor>{real, neg(real)});

  EXPECT_TRUE(joined.is_fake());
  EXPECT_EQ(concatenate(joined), "float32[4]");
}

TEST_F(Fakes, DoNotMixWithRealTensorsOutsideOfTheMode) {
  const Tensor real = zeros({2});

  EXPECT_ERROR(add(mode->from_tensor(zeros({2})), real), "RuntimeError",
               "aten::add.Tensor: argument 'other' is a real tensor (float32[2]), but others are "
               "fake\n  Make it fake first: mode.from_tensor(other) of the FakeTensorMode.");
}

TEST_F(Fakes, AreTwinsOfTensorsInAllButMemory) {
  const Tensor base = zeros({4, 6}, DType::Float64);
  const Tensor real = slice(base, 1, SymInt(1), SymInt(6), SymInt(2));

  const Tensor fake = mode->from_tensor(real);

  const Geometry geometry = geometry_of(fake);
  EXPECT_EQ(geometry.sizes, (Sizes{4, 3}));
  EXPECT_EQ(geometry.strides, (Sizes{6, 2}));
  EXPECT_EQ(geometry.offset, 1);
  EXPECT_EQ(fake.dtype(), DType::Float64);
  EXPECT_EQ(version_of(fake), version_of(real));
  EXPECT_EQ(mode->from_tensor(real).get(), fake.get());
  EXPECT_EQ(&storage_of(mode->from_tensor(base)), &storage_of(fake));
  EXPECT_NE(&storage_of(mode->from_tensor(zeros({2}))), &storage_of(fake));
}

TEST_F(Fakes, HaveSymbolsWhereSizesAreDynamic) {
  const Tensor real = permute(zeros({5, 6, 7}), {2, 0, 1});

  const Tensor fake = mode->from_tensor(real, FakeMode::Sizes::Dynamic, "x");

  EXPECT_EQ(shape_of(fake), "[s0, s1, s2]");
  EXPECT_EQ(to_text(sym_geometry_of(fake).strides), "[1, s0*s2, s0]");
  EXPECT_EQ(mode->shape_env().symbols()[2].source, "x.size(2)");
}

TEST_F(Fakes, KeepStridesThatAreNoProductsPlain) {
  const Tensor real = slice(zeros({4, 16}), 1, SymInt(0), SymInt(10));

  const Tensor fake = mode->from_tensor(real, FakeMode::Sizes::Dynamic, "x");

  EXPECT_EQ(to_text(sym_geometry_of(fake).strides), "[16, 1]");
}

TEST_F(Fakes, MakeListedDimensionsDynamic) {
  const std::array<int64_t, 2> dims{0, -1};

  const Tensor fake = mode->from_tensor(zeros({5, 6, 7}), dims, "x");

  EXPECT_EQ(shape_of(fake), "[s0, 6, s1]");
}

TEST_F(Fakes, AreTheirOwnTwins) {
  const Tensor fake = mode->from_tensor(zeros({2}));

  EXPECT_EQ(mode->from_tensor(fake).get(), fake.get());
}

TEST_F(Fakes, RunTheFakeKernelOfAnAuthorWithItsEnvironment) {
  define(
      "rows", Slot::Fake,
      +[](const FakeTensor& x) { return x.new_empty({new_dynamic_size(2, 9), x.size(0)}); });
  const InterpreterScope scope(mode.get());
  Op rows("fakes::rows");

  EXPECT_EQ(shape_of(rows(empty({3}))), "[u0, 3]");
  EXPECT_EQ(mode->shape_env().range(mode->shape_env().symbol("u0")), (SymRange{2, 9}));
  EXPECT_EQ(current_shape_env(), nullptr);
}

TEST_F(Fakes, HaveNoDynamicSizesOutsideOfAnEnvironment) {
  EXPECT_ERROR_CONTAINS(new_dynamic_size(), "RuntimeError",
                        "new_dynamic_size: no symbols can be made here");
}

TEST_F(Fakes, RecordTheBranchesOfAFakeKernelAsGuards) {
  define(
      "halves", Slot::Fake, +[](const FakeTensor& x) {
        return x.size(0) % 2 == 0 ? x.new_empty({x.size(0) / 2}) : empty_like(x);
      });
  Op halves("fakes::halves");

  const Tensor result = halves(mode->from_tensor(zeros({8}), FakeMode::Sizes::Dynamic, "x"));

  EXPECT_EQ(shape_of(result), "[s0//2]");
  EXPECT_EQ(guards(), (std::vector<std::string>{"s0 % 2 == 0"}));
}

TEST_F(Fakes, NameTheFakeKernelThatReadData) {
  define(
      "reads", Slot::Fake, +[](const Tensor& x) {
        (void)x.data();
        return x;
      });
  const InterpreterScope scope(mode.get());
  const UserLineScope line({"model.cpp", 7});
  Op reads("fakes::reads");

  EXPECT_ERROR_CONTAINS(reads(empty({3})), "DataDependentError",
                        "the data of a fake tensor was read");
  EXPECT_ERROR_CONTAINS(reads(empty({3})), "DataDependentError",
                        "in the fake kernel of fakes::reads, registered at ");
  EXPECT_ERROR_CONTAINS(reads(empty({3})), "DataDependentError", ", called at model.cpp:7");
}

TEST_F(Fakes, RefuseARealResultOfAFakeKernel) {
  define("escape", Slot::Fake, +[](const Tensor&) { return make_empty({}, DType::Float32); });
  const InterpreterScope scope(mode.get());
  Op escape("fakes::escape");

  EXPECT_ERROR_CONTAINS(
      escape(empty({3})), "RuntimeError",
      "fakes::escape: the fake kernel returned a real tensor as result 1 (float32[])\n"
      "  Create it from a fake argument, e.g. x.new_empty(sizes).");
}

TEST_F(Fakes, NameTheOperatorWithoutAFakeKernel) {
  define("bare", Slot::Cpu, +[](const Tensor& x) { return x; });
  const InterpreterScope scope(mode.get());
  Op bare("fakes::bare");

  EXPECT_ERROR_CONTAINS(bare(empty({3})), "NotImplementedError",
                        "fakes::bare has no fake kernel (x is float32[3] on cpu)");
}

TEST_F(Fakes, RunTheBodyOfAComposite) {
  define("twice", Slot::ImplicitComposite, +[](const Tensor& x) { return add(x, x); });
  const InterpreterScope scope(mode.get());
  Op twice("fakes::twice");

  EXPECT_TRUE(twice(empty({3})).is_fake());
}

TEST_F(Fakes, RefuseASizeThatIsNegativeInThisRun) {
  const Tensor x = mode->from_tensor(zeros({8}), FakeMode::Sizes::Dynamic, "x");

  EXPECT_ERROR_CONTAINS(x.new_empty({x.sym_size(0) - 9}), "ValueError",
                        "fake tensor: the size s0 - 9 is negative in [s0 - 9]");
}

TEST_F(Fakes, HaveTheSameUnknownSizeAfterTheSameCallOnTheSameData) {
  const InterpreterScope scope(mode.get());
  Tensor x = empty({4});

  const SymInt first = nonzero(x).sym_size(0);
  const SymInt second = nonzero(x).sym_size(0);
  x.add_(1);
  const SymInt third = nonzero(x).sym_size(0);

  EXPECT_EQ(mode->shape_env().decide((first == second).value()), true);
  EXPECT_EQ(mode->shape_env().decide((first == third).value()), std::nullopt);
}

TEST_F(Fakes, CheckASizeThatMayBeNegativeAtRunTime) {
  const SymInt unknown = mode->shape_env().make_unbacked();
  const InterpreterScope scope(mode.get());

  EXPECT_TRUE(empty({unknown - 9}).is_fake());
  ASSERT_EQ(mode->shape_env().runtime_asserts().size(), 1u);
  EXPECT_EQ(concatenate(mode->shape_env().runtime_asserts()[0].condition), "u0 >= 9");
}

TEST_F(Fakes, AreMadeOfDataInAFakeKernelAndUnderTheModeOnly) {
  EXPECT_FALSE(is_making_fakes());
  const InterpreterScope scope(mode.get());
  EXPECT_TRUE(is_making_fakes());
}

TEST_F(Fakes, CopyTheShapeOfDataWithAStorageOfItsOwn) {
  const Tensor real = zeros({2, 3});

  const Tensor fake = fake_copy_of(real);

  EXPECT_EQ(concatenate(fake), concatenate(real));
  EXPECT_TRUE(fake.is_fake());
}

}  // namespace
}  // namespace opwright
