// Export of C++ functions: inputs, sizes, state, writes.
//
// Covers: src/program/export/*, src/program/program/*.
#include "opwright/program/export/export_session.h"

#include <regex>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"

namespace opwright {
namespace {

const Dim kBatch = Dim::named("batch");

template <class F>
std::string export_error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    const std::regex kernel_line("src/[a-z_/]+[.]cpp:[0-9]+");
    return std::regex_replace(concatenate(error.kind(), ": ", error.text()), kernel_line,
                              "(a line of the core)");
  }
  return "no error";
}

std::string text_of(const Tensor& tensor) { return to_text(tensor); }

const ExportedProgram& core(const Program& program) { return *program_of(program.value().get()); }

TEST(Export, AFunctionBecomesAProgramThatTakesOtherSizes) {
  const Tensor w = ones({3, 4});
  const Program program = export_program(
      [&](const Tensor& x) { return relu(mm(x, w)); },
      {.names = {"x"}, .dynamic = {{"x", 0, kBatch}}, .state = {{"weight", w}}}, ones({5, 3}));
  EXPECT_EQ(program.text(), R"(program
inputs
  parameter weight: %weight float32[3, 4]
  user x: %x float32[batch, 3]
outputs
  user: %relu
sizes
  symbol batch in [1, inf], hint 5, from x.size(0)
operators
  aten::mm(Tensor self, Tensor mat2) -> Tensor
  aten::relu(Tensor self) -> Tensor
graph(captured %weight: float32[3, 4], %x: float32[batch, 3]) -> (%relu) {
  symbol batch in [1, inf], hint 5, from x.size(0)
  %mm: float32[batch, 4] = aten::mm(%x, %weight)
  %relu: float32[batch, 4] = aten::relu(%mm)
}
)");
  for (const int64_t batch : {1, 2, 5, 9}) {
    const Tensor x = ones({batch, 3});
    EXPECT_EQ(text_of(program({x})[0]), text_of(relu(mm(x, w))));
  }
}

TEST(Export, SizesWithoutADimAreFixed) {
  const Program program =
      export_program([](const Tensor& x) { return x * 2.0; }, {.names = {"x"}}, ones({2, 3}));
  EXPECT_EQ(export_error_of([&] { (void)program({ones({4, 3})}); }),
            "ValueError: program: dimension 0 of the argument 'x' must be 2, got 4");
}

TEST(Export, ASizeOutOfItsBoundsIsRefusedByName) {
  const Program program = export_program(
      [](const Tensor& x) { return x * 2.0; },
      {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("batch", 2, 8)}}}, ones({5, 3}));
  EXPECT_EQ(
      export_error_of([&] { (void)program({ones({9, 3})}); }),
      "ValueError: program: it was exported for 2 <= batch <= 8, but is run with batch = 9 "
      "(dimension 0 of the argument 'x'); sizes outside of that range need a program of their own");
}

TEST(Export, OneTensorGivenTwiceStaysTwoInputs) {
  const Tensor x = ones({2});
  const Program program =
      export_program([](const Tensor& a, const Tensor& b) { return a - b; }, {}, x, x);
  EXPECT_EQ(text_of(program({ones({2}) * 3.0, ones({2})})[0]), "tensor([2., 2.])");
}

TEST(Export, AnExampleThatTheFunctionClosesOverIsAConstantOfTheProgram) {
  const Tensor x = ones({2});
  const Program program =
      export_program([&](const Tensor& a) { return a * 10.0 + x; }, {.names = {"a"}}, x);
  EXPECT_EQ(text_of(program({ones({2}) * 2.0})[0]), "tensor([21., 21.])");
}

TEST(Export, WritesToInputsAndBuffersReachTheCaller) {
  const Tensor count = zeros({1});
  const Program program = export_program(
      [&](const Tensor& x) {
        Tensor own = x;
        own.add_(1.0);
        Tensor(count).add_(2.0);
        return own * 2.0;
      },
      {.names = {"x"}, .state = {{"count", count, false}}}, ones({2}));
  EXPECT_EQ(text_of(count), "tensor([0.])");
  EXPECT_EQ(program.text(), R"(program
inputs
  buffer count: %count float32[1]
  user x: %x float32[2]
outputs
  user_input_mutation x: %add
  buffer_mutation count: %add_1
  user: %mul
operators
  aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
  aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
graph(captured %count: float32[1], %x: float32[2]) -> (%mul) {
  %add: float32[2] = aten::add.Scalar(%x, 1.0)
  %add_1: float32[1] = aten::add.Scalar(%count, 2.0)
  %mul: float32[2] = aten::mul.Scalar(%add, 2.0)
  %copy_: float32[2] = aten::copy_(%x, %add)
  %copy__1: float32[1] = aten::copy_(%count, %add_1)
}
)");
  const Tensor x = zeros({2});
  EXPECT_EQ(text_of(program({x})[0]), "tensor([2., 2.])");
  EXPECT_EQ(text_of(x), "tensor([1., 1.])");
  EXPECT_EQ(text_of(core(program).state()[0].tensor), "tensor([2.])");
  EXPECT_EQ(text_of(count), "tensor([0.])");  // the program has its own state
}

TEST(Export, AWrittenInputMustNotShareMemoryWithAnother) {
  const Program program = export_program(
      [&](const Tensor& x, const Tensor& y) {
        Tensor(x).add_(1.0);
        return y * 1.0;
      },
      {.names = {"x", "y"}}, ones({2}), ones({2}));
  const Tensor one = zeros({2});
  EXPECT_EQ(export_error_of([&] { (void)program({one, one}); }),
            "ValueError: program: the argument 'x' is written and shares memory with 'y'; give it "
            "memory of its own");
}

TEST(Export, ATensorThatTheFunctionWritesAndNobodyNamedIsABuffer) {
  const Tensor hidden = zeros({1});
  const Program program = export_program(
      [&](const Tensor& x) {
        Tensor(hidden).add_(1.0);
        return x + hidden;
      },
      {.names = {"x"}}, ones({1}));
  EXPECT_EQ(core(program).signature().inputs[0].kind, InputKind::Buffer);
  EXPECT_FALSE(core(program).signature().inputs[0].is_persistent);
  (void)program({ones({1})});
  EXPECT_EQ(text_of(program({ones({1})})[0]), "tensor([3.])");
}

TEST(Export, TiedParametersAreOneInputUnderTwoNames) {
  const Tensor w = ones({2});
  const Program program = export_program(
      [&](const Tensor& x) { return x * w; },
      {.names = {"x"}, .state = {{"encoder.weight", w}, {"decoder.weight", w}}}, ones({2}));
  const ExportedProgram& exported = core(program);
  EXPECT_EQ(exported.signature().inputs.size(), 2U);
  ASSERT_EQ(exported.state().size(), 2U);
  EXPECT_EQ(exported.state()[0].name, "encoder.weight");
  EXPECT_EQ(exported.state()[1].name, "decoder.weight");
  EXPECT_EQ(exported.state()[0].tensor.get(), exported.state()[1].tensor.get());
}

TEST(Export, ADerivedDimFollowsItsRoot) {
  const Program program =
      export_program([](const Tensor& x, const Tensor& y) { return cat(std::vector{x, y}, 0); },
                     {.names = {"x", "y"}, .dynamic = {{"x", 0, kBatch}, {"y", 0, 2 * kBatch + 1}}},
                     ones({3}), ones({7}));
  EXPECT_EQ(program({ones({2}), ones({5})})[0].size(0), 7);
  EXPECT_EQ(
      export_error_of([&] { (void)program({ones({2}), ones({4})}); }),
      "ValueError: program: dimension 0 of the argument 'y' must be 5 (2*batch + 1 with batch = 2 "
      "(dimension 0 of the argument 'x')), got 4");
}

TEST(Export, ADerivedDimBindsARootThatNoInputHas) {
  const Program program =
      export_program([](const Tensor& x) { return x.view({-1, 2}); },
                     {.names = {"x"}, .dynamic = {{"x", 0, 2 * Dim::named("half")}}}, ones({6}));
  EXPECT_EQ(program({ones({10})})[0].size(0), 5);
  EXPECT_EQ(export_error_of([&] { (void)program({ones({5})}); }),
            "ValueError: program: dimension 0 of the argument 'x' must be 2*half for an integer "
            "half, got 5");
}

TEST(Export, AFixedDimTellsTheLineAndTheFix) {
  EXPECT_EQ(
      export_error_of([] {
        (void)export_program([](const Tensor& x, const Tensor& y) { return x + y; },
                             {.names = {"x", "y"}, .dynamic = {{"x", 0, kBatch}}}, ones({5}),
                             ones({5}));
      }),
      "ValueError: export: the function does not accept all sizes that dynamic_shapes declares\n"
      "  dimension 0 of 'x' is batch, but the function fixes it to 5:\n"
      "    batch == 5, required at (a line of the core)\n"
      "Use instead:\n"
      "  batch = 5");
}

TEST(Export, TwoDimsThatMustBeEqualAreTold) {
  EXPECT_EQ(
      export_error_of([] {
        (void)export_program(
            [](const Tensor& x, const Tensor& y) { return x + y; },
            {.names = {"x", "y"}, .dynamic = {{"x", 0, kBatch}, {"y", 0, Dim::named("other")}}},
            ones({5}), ones({5}));
      }),
      "ValueError: export: the function does not accept all sizes that dynamic_shapes declares\n"
      "  dimension 0 of 'y' is other, but other must be batch:\n"
      "    batch == other, required at (a line of the core)\n"
      "Use instead:\n"
      "  other = batch");
}

TEST(Export, ADivisibilityBecomesADerivedDim) {
  EXPECT_EQ(
      export_error_of([] {
        (void)export_program([](const Tensor& x) { return x.view({-1, 4}); },
                             {.names = {"x"}, .dynamic = {{"x", 0, kBatch}}}, ones({8}));
      }),
      "ValueError: export: the function does not accept all sizes that dynamic_shapes declares\n"
      "  dimension 0 of 'x' is batch, but the function needs batch % 4 == 0:\n"
      "    batch % 4 == 0, required at (a line of the core)\n"
      "Use instead:\n"
      "  _batch = Dim(\"_batch\"); batch = 4*_batch");
}

TEST(Export, BoundsThatTheFunctionNarrowsAreTold) {
  EXPECT_EQ(
      export_error_of([] {
        (void)export_program([](const Tensor& x) { return narrow(x, 0, 0, 4); },
                             {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("batch", 1, 64)}}},
                             ones({8}));
      }),
      "ValueError: export: the function does not accept all sizes that dynamic_shapes declares\n"
      "  dimension 0 of 'x' is batch, but the function takes batch from 4 only:\n"
      "    batch >= 4, required at (a line of the core)\n"
      "Use instead:\n"
      "  batch = Dim(\"batch\", min=4, max=64)");
}

TEST(Export, AnExampleMustLieWithinItsBounds) {
  EXPECT_EQ(export_error_of([] {
              (void)export_program([](const Tensor& x) { return x * 2.0; },
                                   {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("b", 6, 9)}}},
                                   ones({5}));
            }),
            "ValueError: export: the example has 5 for b = Dim(\"b\", min=6, max=9) in dimension 0 "
            "of 'x'");
}

TEST(Export, OneNameWithTwoSizesIsRefused) {
  EXPECT_EQ(export_error_of([] {
              (void)export_program(
                  [](const Tensor& x, const Tensor& y) { return cat(std::vector{x, y}, 0); },
                  {.names = {"x", "y"}, .dynamic = {{"x", 0, kBatch}, {"y", 0, kBatch}}}, ones({5}),
                  ones({6}));
            }),
            "ValueError: export: the dimension 'batch' is 5 in dimension 0 of 'x' and 6 in "
            "dimension 0 of 'y'; give the two different names, or examples of one size");
}

TEST(Export, AutoTakesWhatTheFunctionAdmits) {
  const Program program = export_program(
      [](const Tensor& x, const Tensor& y) { return x + y; },
      {.names = {"x", "y"}, .dynamic = {{"x", 0, Dim::automatic()}, {"x", 1, Dim::automatic()}}},
      ones({4, 5}), ones({5}));
  EXPECT_EQ(program({ones({7, 5}), ones({5})})[0].size(0), 7);
  EXPECT_EQ(export_error_of([&] { (void)program({ones({7, 6}), ones({6})}); }),
            "ValueError: program: dimension 0 of the argument 'y' must be 5, got 6");
}

TEST(Export, DynamicIsRefusedWhereTheFunctionFixesIt) {
  EXPECT_EQ(
      export_error_of([] {
        (void)export_program([](const Tensor& x, const Tensor& y) { return x + y; },
                             {.names = {"x", "y"}, .dynamic = {{"x", 0, Dim::dynamic()}}},
                             ones({5}), ones({5}));
      }),
      "ValueError: export: the function does not accept all sizes that dynamic_shapes declares\n"
      "  dimension 0 of 'x' is Dim.DYNAMIC, but the function fixes it to 5:\n"
      "    s0 == 5, required at (a line of the core)\n"
      "Use instead:\n"
      "  dynamic_shapes[\"x\"][0] = 5");
}

TEST(Export, ANameThatTheTextOfSizesUsesIsFine) {
  for (const char* name : {"max", "s0", "inf", "hint", "size", "u0"}) {
    const Program program =
        export_program([](const Tensor& x) { return x.view({-1}); },
                       {.dynamic = {{"x0", 0, Dim::named(name)}}}, ones({5, 2}));
    EXPECT_EQ(to_text(*parse_graph(to_text(core(program).graph()))), to_text(core(program).graph()))
        << name;
  }
}

Tensor tracked(Tensor tensor) {
  set_requires_grad(tensor, true);
  return tensor;
}

TEST(Export, ARunIsRecordedWhereAnInputRequiresGrad) {
  const Tensor w = tracked(ones({2}));
  const Program program = export_program([&](const Tensor& x) { return x * w; },
                                         {.names = {"x"}, .state = {{"w", w}}}, ones({2}));
  EXPECT_FALSE(program({ones({2})})[0].requires_grad());
  EXPECT_TRUE(program({tracked(ones({2}))})[0].requires_grad());
}

TEST(Export, RandomNumbersGoOnWithTheGenerator) {
  const Program program = export_program([](const Tensor& x) { return rand_like(x) + x; },
                                         {.dynamic = {{"x0", 0, kBatch}}}, ones({5}));
  const Tensor a = program({zeros({3})})[0];
  const Tensor b = program({zeros({3})})[0];
  EXPECT_NE(text_of(a), text_of(b));
}

TEST(Export, ASizeThatDependsOnDataIsKnownWhenItRuns) {
  const Program program =
      export_program([](const Tensor& x) { return nonzero(x) * 2; },
                     {.names = {"x"}, .dynamic = {{"x", 0, kBatch}}}, ones({5}));
  EXPECT_EQ(program({zeros({3})})[0].size(0), 0);
  EXPECT_EQ(program({ones({4})})[0].size(0), 4);
}

TEST(Export, DecomposingKeepsWritesAndOperatorsThatHaveNoDecomposition) {
  const Tensor count = zeros({1});
  const Program program = export_program(
      [&](const Tensor& x) {
        Tensor(count).add_(1.0);
        return mm(x, x);
      },
      {.names = {"x"}, .state = {{"count", count, false}}}, ones({4, 4}));
  const Operator* product = &Registry::get().require("aten::mm");
  const ExportedProgramPtr decomposed = core(program).decompose(std::span(&product, 1));
  EXPECT_EQ(to_text(*decomposed), R"(program
inputs
  buffer count: %count float32[1]
  user x: %x float32[4, 4]
outputs
  buffer_mutation count: %add
  user: %mm
operators
  aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
  aten::mm(Tensor self, Tensor mat2) -> Tensor
graph(captured %count: float32[1], %x: float32[4, 4]) -> (%mm) {
  %add: float32[1] = aten::add.Scalar(%count, 1.0)
  %mm: float32[4, 4] = aten::mm(%x, %x)
  %copy_: float32[1] = aten::copy_(%count, %add)
}
)");
  EXPECT_EQ(text_of(Program(program_value(decomposed))({ones({4, 4})})[0].select(0, 0)),
            "tensor([4., 4., 4., 4.])");
  EXPECT_EQ(text_of(decomposed->state()[0].tensor), "tensor([1.])");
}

}  // namespace
}  // namespace opwright
