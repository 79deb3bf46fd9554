#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/runtime/compile.h"
#include "opwright/runtime/func.h"

namespace opwright {
namespace {

Tensor ones_of(std::vector<SymInt> sizes) { return opwright::ones(sizes); }

float first(const Tensor& tensor) { return tensor.contiguous().data<float>()[0]; }

CompileOptions plan_options(std::optional<bool> dynamic = std::nullopt) {
  return {.fullgraph = true, .dynamic = dynamic, .backend = "plan"};
}

TEST(CompiledFunction, IsCapturedOnceForTensorsOfOneKind) {
  int num_calls = 0;
  auto f = compile(
      [&](const Tensor& x, const Tensor& y) {
        ++num_calls;
        return x * 2 + y;
      },
      plan_options());

  EXPECT_EQ(first(f(ones_of({3}), ones_of({3}))), 3);
  EXPECT_EQ(first(f(ones_of({3}) * 5, ones_of({3}))), 11);
  EXPECT_EQ(num_calls, 1);
  EXPECT_EQ(f.compiled().num_compiles(), 1);
}

TEST(CompiledFunction, CompilesTwiceForAnyNumberOfBatchSizes) {
  auto f = compile([](const Tensor& x) { return (x * 2).sum(); }, plan_options());

  for (int64_t size = 1; size <= 50; ++size)
    EXPECT_EQ(first(f(ones_of({size, 4}))), static_cast<float>(8 * size));

  EXPECT_EQ(f.compiled().num_compiles(), 2);
  EXPECT_EQ(f.compiled().recompile_reasons(),
            (std::vector<std::string>{"input0.size(0) is 2, it was 1"}));
}

TEST(CompiledFunction, MakesSymbolsAtOnceOrNeverAsItIsTold) {
  const auto twice = [](const Tensor& x) { return x + x; };
  auto always = compile(twice, plan_options(true));
  auto never = compile(twice, plan_options(false));
  for (int64_t size = 2; size < 6; ++size) {
    EXPECT_EQ(first(always(ones_of({size}))), 2);
    EXPECT_EQ(first(never(ones_of({size}))), 2);
  }

  EXPECT_EQ(always.compiled().num_compiles(), 1);
  EXPECT_EQ(never.compiled().num_compiles(), 4);
}

TEST(CompiledFunction, SpecialisesOnSizesThatTheFunctionAsksFor) {
  auto f =
      compile([](const Tensor& x) { return x.sym_size(0) > 4 ? x * 2 : x; }, plan_options(true));

  EXPECT_EQ(first(f(ones_of({8}))), 2);
  EXPECT_EQ(first(f(ones_of({3}))), 1);
  EXPECT_EQ(first(f(ones_of({5}))), 2);
  EXPECT_EQ(f.compiled().num_compiles(), 2);
}

TEST(CompiledFunction, KeepsAsManyGuardSetsAsItsBound) {
  auto f = compile([](const Tensor& x) { return x + 1; }, plan_options(false));
  for (int64_t size = 1; size <= 65; ++size) (void)f(ones_of({size}));
  (void)f(ones_of({65}));
  EXPECT_EQ(f.compiled().num_compiles(), 65);

  (void)f(ones_of({1}));  // dropped when the 65th was added

  EXPECT_EQ(f.compiled().num_compiles(), 66);
}

TEST(CompiledFunction, GivesTheCallersOwnTensorAndWritesIt) {
  auto f = compile(
      [](const Tensor& x) {
        Tensor(x).add_(1);
        return x;
      },
      plan_options());
  const Tensor x = ones_of({2});

  EXPECT_EQ(f(x).get(), x.get());
  EXPECT_EQ(first(x), 2);
}

TEST(CompiledFunction, ReadsTensorsThatItClosesOverAnew) {
  const Tensor weight = ones_of({2});
  auto f = compile([&](const Tensor& x) { return x * weight; }, plan_options());
  (void)f(ones_of({2}));

  Tensor(weight).fill_(3);

  EXPECT_EQ(first(f(ones_of({2}))), 3);
  EXPECT_EQ(f.compiled().num_compiles(), 1);
}

TEST(CompiledFunction, RecordsGradientsWhereAnInputRequiresThem) {
  auto f = compile([](const Tensor& x) { return (x * x).sum(); }, plan_options());
  const Tensor x = ones_of({3}) * 4;
  set_requires_grad(x, true);

  const Tensor loss = f(x);
  backward({&loss, 1}, {}, {});

  EXPECT_EQ(first(gradient_of(x)), 8);
}

TEST(CompiledFunction, IsTheFunctionItselfUnderATransform) {
  auto f = compile([](const Tensor& x) { return x * x; }, plan_options());

  const Tensor gradient = grad([&](const Tensor& x) { return f(x).sum(); })(ones_of({2}))[0];

  EXPECT_EQ(first(gradient), 2);
  EXPECT_EQ(f.compiled().num_compiles(), 0);
}

TEST(CompiledFunction, GoesOnEagerlyWhereItReadsData) {
  auto f = compile([](const Tensor& x) { return x.item().to<double>() > 0 ? x * 2 : x; },
                   {.backend = "plan"});

  EXPECT_EQ(first(f(ones_of({1}))), 2);
  EXPECT_EQ(first(f(ones_of({1}) * -1)), -1);
  EXPECT_EQ(f.compiled().num_compiles(), 0);
  ASSERT_EQ(f.compiled().breaks().size(), 1);
}

TEST(CompiledFunction, RefusesABackendThatIsNotThere) {
  EXPECT_ERROR((void)compile([](const Tensor& x) { return x; }, {.backend = "nothing"}),
               "ValueError",
               "compile: there is no backend 'nothing', only eager, llvm, plan, trace; "
               "register_backend adds one");
}

}  // namespace
}  // namespace opwright
