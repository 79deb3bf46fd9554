// The order of a call, its results, and its errors.
//
// Covers: src/dispatch/arguments, src/dispatch/autograd_hooks, src/dispatch/call_error,
//   src/dispatch/mode, src/dispatch/owned_results, src/dispatch/replaced_arguments,
//   src/dispatch/row, src/dispatch/slot.
#include "opwright/dispatch/call.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_interpreters.h"
#include "dispatch/test_operators.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/mode.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright::testing {
namespace {

using Values = std::vector<float>;

class Call : public ::testing::Test {
 protected:
  Registration define(const char* schema, Tags tags = {}) {
    return Registry::get().define(schema, tags, {"ops.cpp", 7});
  }
  template <class F>
  Registration implement(const char* name, F function, Slot slot = Slot::Cpu) {
    return Registry::get().implement(name, slot, function, {"kernels.cpp", 3});
  }
  TestOperators operators;
  Tensor x = tensor({1, 2});
  Tensor y = tensor({10, 20});
};

TEST_F(Call, RunsTheKernelOfTheDeviceThatTheTensorsAreOn) {
  EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
}

TEST_F(Call, RunsACompositeBodyForEveryDeviceWithoutAKernel) {
  EXPECT_EQ(values_of(TestOperators::twice(x)), (Values{2, 4}));
}

TEST_F(Call, PassesEveryKindOfValueThroughOneConvention) {
  const auto defined = define(
      "test::kinds(Tensor x, Tensor? maybe, Tensor[] list, int i, float f, bool b, str s, int[] "
      "dims, float[]? weights, "
      "ScalarType dtype, Device device, Scalar number, Tensor?[] gaps) -> str");
  const auto kernel = implement(
      "test::kinds",
      +[](const Tensor& t, const std::optional<Tensor>& maybe, std::span<const Tensor> list,
          int64_t i, double f, bool b, std::string_view s, std::span<const int64_t> dims,
          const std::optional<std::vector<double>>& weights, DType dtype, Device device,
          const Scalar& number, const std::vector<std::optional<Tensor>>& gaps) {
        return concatenate(t, " ", maybe.has_value(), " ", list.size(), " ", i, " ", f, " ", b, " ",
                           s, " ", dims.size(), " ", weights ? weights->size() : 0, " ", dtype, " ",
                           device, " ", number, " ", gaps.size());
      });
  const std::vector<int64_t> dims{4, 5};
  const Tensor list[] = {x, y};
  const OpwValue gap_values[] = {OpwValue{}, ValueOf<Tensor>::lend(x)};
  OpwValue gaps{};
  gaps.tag = kOpwList;
  gaps.length = 2;
  gaps.as_values = gap_values;
  const Scalar number(Complex<double>(1, -2));
  const OpwValue args[] = {ValueOf<Tensor>::lend(x),
                           OpwValue{},
                           ValueOf<std::span<const Tensor>>::lend(list),
                           ValueOf<int64_t>::lend(7),
                           ValueOf<double>::lend(0.5),
                           ValueOf<bool>::lend(true),
                           ValueOf<std::string_view>::lend("word"),
                           ValueOf<std::vector<int64_t>>::lend(dims),
                           OpwValue{},
                           ValueOf<DType>::lend(DType::BFloat16),
                           ValueOf<Device>::lend(kCpu),
                           ValueOf<Scalar>::lend(number),
                           gaps};
  OpwValue result{};
  call(Registry::get().require("test::kinds"), args, std::span(&result, 1));
  EXPECT_EQ(ValueOf<std::string>::take(result),
            "float32[2] false 2 7 0.5 true word 2 0 bfloat16 cpu 1-2j 2");
}

TEST_F(Call, RaisesTheVersionOfAWrittenArgumentOnce) {
  const uint64_t before = version_of(x);
  TestOperators::increment_(x);
  EXPECT_EQ(version_of(x), before + 1);
}

TEST_F(Call, GivesAWrittenArgumentBackAsItselfWhateverTheKernelReturned) {
  const auto defined = define("test::zero_(Tensor(a!) x) -> Tensor(a!)");
  const auto kernel =
      implement("test::zero_", +[](Tensor& t) { return make_empty(t.sizes(), DType::Float32); });
  OperatorHandle<Tensor(Tensor&)> zero("test::zero_");
  EXPECT_EQ(zero(x).get(), x.get());
}

TEST_F(Call, RefusesAWrittenArgumentThatPartlyOverlapsAnother) {
  const auto defined = define("test::into(Tensor(a!) x, Tensor y) -> ()");
  const auto kernel = implement("test::into", +[](Tensor&, const Tensor&) {});
  OperatorHandle<void(Tensor&, const Tensor&)> into("test::into");
  const Tensor base = tensor({1, 2, 3});
  const int64_t size = 2;
  const int64_t stride = 1;
  Tensor head = make_view(base, std::span(&size, 1), std::span(&stride, 1), 0);
  const Tensor tail = make_view(base, std::span(&size, 1), std::span(&stride, 1), 1);
  EXPECT_ERROR(into(head, tail), "RuntimeError",
               "test::into: 'x' is written and shares part of its memory with 'y', so the result "
               "would depend on the order "
               "of the elements\n  Clone one of them first.");
  EXPECT_NO_THROW(into(head, head));
}

TEST_F(Call, RefusesAWrittenListThatPartlyOverlapsAnother) {
  const auto defined = define("test::lists(Tensor(a!)[] x, Tensor[] y) -> ()");
  const auto kernel =
      implement("test::lists", +[](std::span<const Tensor>, std::span<const Tensor>) {});
  OperatorHandle<void(std::span<const Tensor>, std::span<const Tensor>)> lists("test::lists");
  const Tensor base = tensor({1, 2, 3});
  const int64_t size = 2;
  const int64_t stride = 1;
  const Tensor head = make_view(base, std::span(&size, 1), std::span(&stride, 1), 0);
  const Tensor tail = make_view(base, std::span(&size, 1), std::span(&stride, 1), 1);
  const std::vector<Tensor> written{tensor({0}), head};
  const std::vector<Tensor> read{tensor({0}), tail};
  EXPECT_ERROR_CONTAINS(lists(written, read), "RuntimeError",
                        "'x' is written and shares part of its memory with 'y'");
  EXPECT_NO_THROW(lists(written, written));
  EXPECT_NO_THROW(lists(std::vector{head, tail}, std::vector{tensor({0})}));
}

TEST_F(Call, ReportsAnErrorOfAKernelWithItsKindAndTheCall) {
  const auto defined = define("test::fails(Tensor x, float limit=1.0) -> Tensor");
  const auto kernel = implement(
      "test::fails", +[](const Tensor&, double limit) -> Tensor {
        throw_error("ValueError", "limit must be positive, got ", limit);
      });
  OperatorHandle<Tensor(const Tensor&, double)> fails("test::fails");
  EXPECT_ERROR(fails(x, -1), "ValueError",
               "limit must be positive, got -1\n  in test::fails(x=float32[2], limit=-1.0)");
}

TEST_F(Call, TurnsAnyExceptionOfAKernelIntoAnError) {
  const auto defined = define("test::fails(Tensor x) -> Tensor");
  OperatorHandle<Tensor(const Tensor&)> fails("test::fails");
  {
    const auto kernel = implement(
        "test::fails", +[](const Tensor&) -> Tensor { throw std::out_of_range("beyond"); });
    EXPECT_ERROR_CONTAINS(fails(x), "RuntimeError", "beyond");
  }
  {
    const auto kernel =
        implement("test::fails", +[](const Tensor&) -> Tensor { throw std::bad_alloc(); });
    EXPECT_ERROR_CONTAINS(fails(x), "MemoryError", "out of memory");
  }
  {
    const auto kernel = implement("test::fails", +[](const Tensor&) -> Tensor { throw 42; });
    EXPECT_ERROR_CONTAINS(fails(x), "RuntimeError", "an exception that is not a std::exception");
  }
}

TEST_F(Call, NamesEveryOperatorThatAnErrorPassedThrough) {
  const auto inner = define("test::inner(Tensor x) -> Tensor");
  const auto inner_kernel = implement(
      "test::inner", +[](const Tensor&) -> Tensor { throw Error("IndexError", "beyond"); });
  const auto outer = define("test::outer(Tensor x) -> Tensor");
  const auto outer_kernel = implement(
      "test::outer", +[](const Tensor& t) {
        static OperatorHandle<Tensor(const Tensor&)> handle("test::inner");
        return handle(t);
      });
  OperatorHandle<Tensor(const Tensor&)> call_outer("test::outer");
  EXPECT_ERROR(call_outer(x), "IndexError",
               "beyond\n  in test::inner(x=float32[2])\n  in test::outer(x=float32[2])");
}

TEST_F(Call, KeepsTheExceptionObjectOfAHostThroughNestedCalls) {
  static int dropped = 0;
  static int object = 0;
  const auto defined = define("test::fails(Tensor x) -> Tensor");
  const auto kernel = implement(
      "test::fails", +[](const Tensor&) -> Tensor {
        throw Error("KeyError", "its own", &object, &object, [](void*) { ++dropped; });
      });
  OperatorHandle<Tensor(const Tensor&)> fails("test::fails");
  try {
    fails(x);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.get()->payload, &object);
    EXPECT_EQ(dropped, 0);
  }
  EXPECT_EQ(dropped, 1);
}

TEST_F(Call, ReportsAResultThatTheKernelLeftUnset) {
  const auto defined = define("test::forgets(Tensor x) -> Tensor");
  const auto kernel = Registry::get().implement(
      "test::forgets", Slot::Cpu,
      BoxedFunction{
          +[](const OpwRecord*, const OpwValue*, uint32_t, OpwValue*, uint32_t) { return 0; },
          nullptr, nullptr, nullptr});
  OperatorHandle<Tensor(const Tensor&)> forgets("test::forgets");
  EXPECT_ERROR(forgets(x), "RuntimeError",
               "test::forgets: result 1 must be Tensor, but the function left it unset\n  "
               "the schema is test::forgets(Tensor x) -> Tensor\n  in "
               "test::forgets(x=float32[2])");
}

TEST_F(Call, ReportsAnUndefinedTensorThatTheKernelReturned) {
  const auto defined = define("test::undefined(Tensor x) -> Tensor");
  const auto kernel = implement("test::undefined", +[](const Tensor&) { return Tensor(); });
  OperatorHandle<Tensor(const Tensor&)> undefined("test::undefined");
  EXPECT_ERROR_CONTAINS(
      undefined(x), "RuntimeError",
      "test::undefined: result 1 must be Tensor, but the function returned an undefined tensor");
}

TEST_F(Call, AcceptsNoneForAnOptionalResult) {
  const auto defined = define("test::maybe(Tensor x) -> Tensor?");
  const auto kernel = implement(
      "test::maybe", +[](const Tensor&) -> std::optional<Tensor> { return std::nullopt; });
  OperatorHandle<std::optional<Tensor>(const Tensor&)> maybe("test::maybe");
  EXPECT_EQ(maybe(x), std::nullopt);
}

TEST_F(Call, RefusesAnUndefinedArgument) {
  EXPECT_ERROR(
      TestOperators::add(x, Tensor()), "TypeError",
      "test::add: argument 'y' (position 2) must be Tensor, got an undefined tensor (None)\n"
      "  schema: test::add(Tensor x, Tensor y) -> Tensor");
}

TEST_F(Call, RefusesAWrongNumberOfArguments) {
  const OpwValue arg = ValueOf<Tensor>::lend(x);
  OpwValue result{};
  EXPECT_ERROR(
      call(Registry::get().require("test::add"), std::span(&arg, 1), std::span(&result, 1)),
      "TypeError",
      "test::add takes 2 arguments, got 1\n  schema: test::add(Tensor x, Tensor y) -> Tensor");
}

TEST_F(Call, NamesTheArgumentThatHasAWrongType) {
  const auto defined = define("test::scaled(Tensor x, float factor) -> Tensor");
  const auto kernel = implement("test::scaled", +[](const Tensor& t, double) { return t; });
  const OpwValue args[] = {ValueOf<Tensor>::lend(x), ValueOf<std::string_view>::lend("two")};
  OpwValue result{};
  EXPECT_ERROR(call(Registry::get().require("test::scaled"), args, std::span(&result, 1)),
               "TypeError",
               "expected float, got str\n  argument 'factor' (position 2) must be float, got str\n"
               "  in test::scaled(x=float32[2], factor=\"two\")");
}

TEST_F(Call, ReportsADeviceWithoutAKernelWithWhatThereIsAndHowToAddOne) {
  const auto defined = define("test::clip(Tensor x) -> Tensor");
  const auto kernel =
      implement("test::clip", +[](const Tensor& t) { return t; }, device_slot(kOpwDeviceCuda));
  OperatorHandle<Tensor(const Tensor&)> clip("test::clip");
  EXPECT_ERROR(clip(x), "NotImplementedError",
               "test::clip has no kernel for CPU (x is float32[2] on cpu); it has: CUDA.\n"
               "  Register one with OPWRIGHT_LIBRARY_IMPL(test, CPU, m) or "
               "opwright.library.register_kernel(\"test::clip\", \"cpu\").");
}

TEST_F(Call, ReportsAMissingFakeKernelWithTheLineOfTheDefinition) {
  const auto defined = define("test::clip(Tensor x) -> Tensor");
  const auto kernel = implement("test::clip", +[](const Tensor& t) { return t; });
  OperatorHandle<Tensor(const Tensor&)> clip("test::clip");
  const int64_t size = 3;
  const Tensor fake = make_fake(std::span(&size, 1), DType::Float32, kCpu);
  EXPECT_ERROR(
      clip(fake), "NotImplementedError",
      "test::clip has no fake kernel (x is float32[3] on cpu); it was defined at ops.cpp:7\n"
      "  Register one with m.register_fake(\"clip\", ...) or "
      "opwright.library.register_fake(\"test::clip\").");
}

TEST_F(Call, RunsTheFakeKernelOnAFakeTensorAndTheBodyOfACompositeOnFakes) {
  const auto fake_add =
      implement("test::add", +[](const Tensor& a, const Tensor&) { return a; }, Slot::Fake);
  const int64_t size = 3;
  const Tensor fake = make_fake(std::span(&size, 1), DType::Float32, kCpu);
  EXPECT_EQ(TestOperators::add(fake, fake).get(), fake.get());
  EXPECT_EQ(TestOperators::twice(fake).get(), fake.get());
}

// Tensors without memory replace those of a device that is not available.
Tensor on_cuda(int32_t index, std::vector<int64_t> sizes) {
  return make_fake(std::span<const int64_t>(sizes), DType::Float32, Device(kOpwDeviceCuda, index));
}

TEST_F(Call, RefusesTensorsOnTwoDevicesAndNamesBoth) {
  EXPECT_ERROR(TestOperators::add(x, on_cuda(0, {2})), "RuntimeError",
               "test::add: the tensors are on two devices: x is float32[2] on cpu, y is float32[2] "
               "on cuda:0\n"
               "  Move one of them with to().");
  EXPECT_ERROR_CONTAINS(TestOperators::add(on_cuda(0, {2}), on_cuda(1, {2})), "RuntimeError",
                        "x is float32[2] on cuda:0, y is float32[2] on cuda:1");
}

TEST_F(Call, TakesAScalarOnCpuBesideAnotherDeviceInAPointwiseOperator) {
  const auto defined = define("test::plus(Tensor x, Tensor y) -> Tensor", {Tag::Pointwise});
  const auto fake =
      implement("test::plus", +[](const Tensor& a, const Tensor&) { return a; }, Slot::Fake);
  OperatorHandle<Tensor(const Tensor&, const Tensor&)> plus("test::plus");
  const Tensor scalar = make_fake(std::span<const int64_t>(), DType::Float32, kCpu);
  EXPECT_NO_THROW(plus(on_cuda(0, {2}), scalar));
  EXPECT_THROW(plus(on_cuda(0, {2}), x), Error);
}

TEST_F(Call, ChoosesTheKernelOfAFactoryByItsDeviceArgument) {
  const auto defined = define("test::make(int n, *, Device? device=None) -> str");
  const auto cpu =
      implement("test::make", +[](int64_t, std::optional<Device>) { return std::string("cpu"); });
  const auto cuda = implement(
      "test::make", +[](int64_t, std::optional<Device>) { return std::string("cuda"); },
      device_slot(kOpwDeviceCuda));
  OperatorHandle<std::string(int64_t, std::optional<Device>)> make("test::make");
  EXPECT_EQ(make(3, std::nullopt), "cpu");
  EXPECT_EQ(make(3, Device(kOpwDeviceCuda, 0)), "cuda");
}

TEST_F(Call, GivesEachModeTheCallFromTheInnermostOutwards) {
  class Recording : public Mode {
   public:
    Recording(std::string name, std::vector<std::string>& log)
        : name_(std::move(name)), log_(log) {}
    bool process(const Operator& op, Arguments args, Results results) override {
      log_.push_back(name_ + " " + op.name());
      call(op, args, results);  // seen only by outer modes
      return true;
    }

   private:
    std::string name_;
    std::vector<std::string>& log_;
  };
  std::vector<std::string> log;
  Recording outer("outer", log);
  Recording inner("inner", log);
  const ModeScope outer_scope(outer);
  const ModeScope inner_scope(inner);
  EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
  EXPECT_EQ(log, (std::vector<std::string>{"inner test::add", "outer test::add"}));
}

TEST_F(Call, LetsAModeLeaveTheCallToTheNext) {
  class Declining : public Mode {
   public:
    bool process(const Operator&, Arguments, Results) override { return false; }
  };
  Declining declining;
  const ModeScope scope(declining);
  EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
}

std::vector<std::string> recorded;
constexpr AutogradHooks kRecording{
    .record =
        [](const Operator& op, Arguments args, Results results) {
          recorded.push_back(op.name());
          call_below_autograd(op, args, results);
        },
    .is_tracked = [](OpwTensor* view,
                     bool /*is_written*/) { return (view->flags & kOpwFlagRequiresGrad) != 0; },
    .note_views = [](const Operator& /*op*/, Arguments /*args*/, Results /*results*/) {}};

class AutogradStepOf : public Call {
 protected:
  AutogradStepOf() {
    recorded.clear();
    set_autograd_hooks(&kRecording);
    x.get()->flags |= kOpwFlagRequiresGrad;
  }
  ~AutogradStepOf() override { set_autograd_hooks(nullptr); }
};

TEST_F(AutogradStepOf, GetsTheCallsWithAnArgumentThatRequiresGrad) {
  EXPECT_EQ(values_of(TestOperators::add(x, y)), (Values{11, 22}));
  TestOperators::add(y, y);
  EXPECT_EQ(recorded, (std::vector<std::string>{"test::add"}));
}

TEST_F(AutogradStepOf, GoesThroughTheBodyOfAnImplicitComposite) {
  TestOperators::twice(x);
  EXPECT_EQ(recorded, (std::vector<std::string>{"test::add"}));
}

TEST_F(AutogradStepOf, IsLeftOutWithGradModeOffAndInInferenceMode) {
  const bool grad = thread_state().set_grad_enabled(false);
  TestOperators::add(x, y);
  thread_state().set_grad_enabled(grad);
  const bool inference = thread_state().set_inference(true);
  TestOperators::add(x, y);
  thread_state().set_inference(inference);
  EXPECT_TRUE(recorded.empty());
}

TEST_F(AutogradStepOf, DoesNotSeeTheCallsOfAKernel) {
  const auto defined = define("test::opaque(Tensor x) -> Tensor");
  const auto kernel =
      implement("test::opaque", +[](const Tensor& t) { return TestOperators::add(t, t); });
  OperatorHandle<Tensor(const Tensor&)> opaque("test::opaque");
  opaque(x);
  EXPECT_EQ(recorded, (std::vector<std::string>{"test::opaque"}));
}

TEST_F(AutogradStepOf, RecordsOnlyTheValuesOfTheCurrentLevel) {
  auto level = make_intrusive<PassThrough>(nullptr);
  const InterpreterScope scope(level.get());
  TestOperators::add(x, y);  // x is plain: recorded below the interpreter, at its own level
  EXPECT_EQ(recorded, (std::vector<std::string>{"test::add"}));
  EXPECT_EQ(level->calls, 1);
}

TEST_F(AutogradStepOf, IsLeftOutWhenThereIsNoEngine) {
  set_autograd_hooks(nullptr);
  EXPECT_FALSE(TestOperators::add(x, y).requires_grad());
  EXPECT_TRUE(recorded.empty());
}

}  // namespace
}  // namespace opwright::testing
