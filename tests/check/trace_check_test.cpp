#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/generator.h"
#include "opwright/library.h"
#include "opwright/tensor/random_state.h"

namespace opwright::testing {
namespace {

Tensor centre(const Tensor& x) { return x.sub(x.mean()); }
// Reads data in a body.
Tensor trace_branch(const Tensor& x) {
  return x.sum().item().to<double>() > 0 ? x.neg() : x.clone();
}

Tensor scale(const Tensor& x) { return x.mul(2); }
FakeTensor scale_fake(const FakeTensor& x) { return empty_like(x); }
Tensor wrong_parts(const Tensor& x) { return x.add(x).add(1); }
// Correct for three rows.
Tensor parts_of_three_rows(const Tensor& x) {
  return x.add(x.slice(0, 0, 3).sum().sub(x.sum()).add(x));
}
Tensor draw(const Tensor& x, const std::optional<Generator>& generator) {
  return x.mul(0.5).bernoulli(generator);
}
Tensor& trace_increment_(Tensor& x) { return x.add_(1); }

OPWRIGHT_LIBRARY(trace_check_test, m) {
  m.def("centre(Tensor x) -> Tensor", &centre);
  m.def("branch(Tensor x) -> Tensor", &trace_branch);
  for (const char* name : {"scale", "wrong_parts", "three_rows"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor");
    m.register_fake(name, &scale_fake);
  }
  m.def("increment_(Tensor(a!) x) -> Tensor(a!)");
  m.def("draw(Tensor x, Generator? generator=None) -> Tensor", &draw);
  m.def("missing_fake(Tensor x) -> Tensor");
}
OPWRIGHT_LIBRARY_IMPL(trace_check_test, CPU, m) {
  m.impl("scale", &scale);
  m.impl("wrong_parts", &scale);
  m.impl("three_rows", &scale);
  m.impl("increment_", &trace_increment_);
  m.impl("missing_fake", &scale);
}
OPWRIGHT_LIBRARY_IMPL(trace_check_test, Decompose, m) {
  m.impl("wrong_parts", &wrong_parts);
  m.impl("three_rows", &parts_of_three_rows);
}

std::string look_at_trace(const char* op, std::initializer_list<Value> args) {
  return look("trace", (std::string("trace_check_test::") + op).c_str(), args);
}
std::string look_at_trace(const char* op, const Tensor& x) { return look_at_trace(op, {Value(x)}); }

TEST(TraceCheck, PassesSoundOperators) {
  EXPECT_EQ(look_at_trace("centre", ones({3, 4})), "");
  EXPECT_EQ(look_at_trace("scale", ones({3, 4})), "");
  EXPECT_EQ(look_at_trace("increment_", ones({3, 4})), "");
  EXPECT_EQ(look_at_trace("increment_", ones({4, 3}).t().slice(0, 1, 3)), "");
}

TEST(TraceCheck, PassesBuiltInOperators) {
  EXPECT_EQ(look("trace", "aten::sin", {Value(ones({3, 4}))}), "");
  EXPECT_EQ(look("trace", "aten::add_.Tensor", {Value(ones({3, 4})), Value(ones({4}))}), "");
  EXPECT_EQ(look("trace", "aten::split.Tensor", {Value(ones({5, 4})), Value(int64_t{2})}), "");
  EXPECT_EQ(look("trace", "aten::nonzero", {Value(ones({3, 4}))}), "");
  const std::vector<Tensor> parts{ones({3}), ones({3})};
  EXPECT_EQ(look("trace", "aten::stack", {Value(parts)}), "");
}

TEST(TraceCheck, ComparesRandomNumbersOfOneSeed) {
  EXPECT_EQ(look("trace", "aten::bernoulli", {Value(ones({3, 4}).mul(0.5))}), "");
  EXPECT_EQ(look("trace", "aten::dropout", {Value(ones({3, 4})), Value(0.5), Value(true)}), "");
}

TEST(TraceCheck, LeavesOutWhatAGraphHoldsAsItIs) {
  const Generator generator = make_generator(kCpu);
  EXPECT_EQ(look_at_trace("draw", {Value(ones({3})), Value(generator)}), "");
}

TEST(TraceCheck, LeavesWhatTheFakeKernelLacksToItsCheck) {
  EXPECT_EQ(look_at_trace("missing_fake", ones({3, 4})), "");
}

TEST(TraceCheck, SkipsNumbersOfTheData) {
  EXPECT_EQ(look("trace", "aten::item", {Value(ones({}))}),
            "skipped: its results are numbers read from data");
}

TEST(TraceCheck, TellsThatABodyReadsData) {
  EXPECT_FAULT(look_at_trace("branch", ones({3, 4})),
               "trace-raised: trace_check_test::branch traced with tracing_mode=\"fake\": its body "
               "(");
  EXPECT_FAULT(look_at_trace("branch", ones({3, 4})),
               "reads data of a tensor, which no trace has: item");
}

TEST(TraceCheck, FindsWrongDecompositions) {
  const std::string found = look_at_trace("wrong_parts", ones({3, 4}, DType::Float32));

  EXPECT_FAULT(found,
               "trace-differs: the graph of trace_check_test::wrong_parts traced with "
               "tracing_mode=\"symbolic\" and the operator decomposed (");
  EXPECT_FAULT(found,
               "differs from the call: the result: element [0, 0] is 3 and "
               "should be 2 (12 of 12 elements differ)");
}

TEST(TraceCheck, FindsWhatIsWrongAtOtherSizesAlone) {
  EXPECT_FAULT(look_at_trace("three_rows", ones({3, 4})),
               "trace-differs-at-other-size: the graph of trace_check_test::three_rows");
}

}  // namespace
}  // namespace opwright::testing
