// The capture driver, with a call that is written down here instead of in a host language.
#include "opwright/compile/capture/capture_driver.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

CaptureOptions driver_options(bool fullgraph) {
  return {.fullgraph = fullgraph, .dynamic = false, .backend = find_backend("plan")};
}

// A call of x + x that writes down what the driver does with it.
class NotedCall final : public CapturedCall {
 public:
  explicit NotedCall(std::string unfit = "", std::string break_cause = "")
      : unfit_(std::move(unfit)), break_cause_(std::move(break_cause)) {}

  std::string function_name() const override { return "twice"; }
  std::vector<Given> tensors() const override { return {{input_, "x"}}; }
  std::optional<std::string> find_difference() const override { return difference; }
  std::string find_unfit() const override { return unfit_; }
  void run(Capture& capture, BreakScope& breaks) override {
    steps += "run ";
    const InterpreterScope scope(capture.level());
    result_ = capture.own_arguments()[0] + capture.own_arguments()[0];
    if (!break_cause_.empty()) (void)breaks.end_trace({.text = break_cause_});
  }
  std::vector<OpwValue> outputs() override { return {ValueOf<Tensor>::lend(result_)}; }
  void drop_results() override { result_ = Tensor(); }
  void insert_compiled(std::unique_ptr<CompiledEntry> compiled) override {
    steps += concatenate("compiled with ", compiled->num_results(), " result");
  }
  bool insert_eager(const std::string& reason, std::span<const CapturedArgument>) override {
    steps += "eager: " + reason;
    return is_reported;
  }
  void run_eagerly() override { steps += ", run eagerly"; }

  std::optional<std::string> difference;
  std::string steps;
  bool is_reported = true;

 private:
  Tensor input_ = opwright::ones(std::vector<SymInt>{2});
  Tensor result_;
  std::string unfit_;
  std::string break_cause_;
};

TEST(CaptureDriver, RunsTheFunctionAndInsertsAnEntry) {
  CaptureDriver driver(driver_options(true));
  NotedCall call;

  EXPECT_TRUE(driver.capture(call));

  EXPECT_EQ(call.steps, "run compiled with 1 result");
  EXPECT_EQ(driver.num_compiles(), 1);
  EXPECT_TRUE(driver.reasons().empty());
}

TEST(CaptureDriver, KeepsTheReasonOfALaterCapture) {
  CaptureDriver driver(driver_options(true));
  NotedCall call;
  call.difference = "x is another tensor";

  EXPECT_TRUE(driver.capture(call));

  EXPECT_EQ(driver.reasons(), std::vector<std::string>{"x is another tensor"});
}

TEST(CaptureDriver, InsertsAnEagerEntryAfterABreakAndReportsItOnce) {
  CaptureDriver driver(driver_options(false));

  for (int i = 0; i < 2; ++i) {
    NotedCall call("", "it reads a clock");
    EXPECT_FALSE(driver.capture(call));
    EXPECT_EQ(call.steps, "run eager: it reads a clock");
  }

  EXPECT_EQ(driver.breaks(), std::vector<std::string>{"it reads a clock"});
  EXPECT_EQ(driver.num_compiles(), 0);
}

TEST(CaptureDriver, DoesNotReportABreakThatMayNotComeAgain) {
  CaptureDriver driver(driver_options(false));
  NotedCall call("", "it changes a counter");
  call.is_reported = false;

  EXPECT_FALSE(driver.capture(call));

  EXPECT_EQ(call.steps, "run eager: it changes a counter");
  EXPECT_TRUE(driver.breaks().empty());
}

TEST(CaptureDriver, RunsACallWithUnfitArgumentsEagerlyOrRefusesIt) {
  CaptureDriver lenient(driver_options(false));
  NotedCall call("x is an array");
  EXPECT_FALSE(lenient.capture(call));
  EXPECT_EQ(call.steps, "eager: x is an array, run eagerly");

  CaptureDriver strict(driver_options(true));
  NotedCall refused("x is an array");
  EXPECT_ERROR_CONTAINS(
      (void)strict.capture(refused), "GraphBreakError",
      "compile: with fullgraph=True the function must be one graph, but x is an array");
}

}  // namespace
}  // namespace opwright
