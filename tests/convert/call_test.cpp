// What a rule reads from a call, and the errors for invalid reads.
//
// Covers: src/convert/call_arguments.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "convert/model_text.h"
#include "opwright/dtype.h"
#include "opwright/library.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {
namespace {

OPWRIGHT_LIBRARY(call_test, m) {
  m.def("one(Tensor x, SymInt n, float[] weights, bool on, str mode, ScalarType? dtype) -> Tensor");
  m.def("parts(Tensor x) -> Tensor[]");
  m.def("two(Tensor x) -> (Tensor, Tensor)");
}

constexpr const char* kOne =
    "graph(%x: float32[s0, 3]) -> (%one) {\n"
    "  symbol s0 in [2, inf], hint 4, from x.size(0)\n"
    "  %one: float32[s0, 3] = call_test::one(%x, s0, [0.5, 1.0], True, \"mean\", float64)"
    "  # net.py:3\n"
    "}\n";

// The model, or the error, with a rule registered.
std::string converted(const char* op, Rule rule, const char* text) {
  register_symbolic(op, 12, rule);
  std::string result = testing::convert_text(18, text);
  unregister_symbolic(op, 12);
  return result;
}
std::string with_rule(Rule rule) { return converted("call_test::one", rule, kOne); }

TEST(CallOfARule, GivesEveryKindOfArgument) {
  const std::string text = with_rule([](GraphBuilder& g, const Call& call) {
    return OnnxValues{g.op("v::One", {call.input(0)},
                           {{"name", call.op()},
                            {"weights", call.numbers(2)},
                            {"on", call.boolean(3)},
                            {"mode", call.text(4)},
                            {"is_double", call.dtype(5) == DType::Float64},
                            {"rank", static_cast<int64_t>(call.tensor(0).dim())},
                            {"results", static_cast<int64_t>(call.num_results())}})};
  });

  EXPECT_NE(text.find("v::One<name=\"call_test::one\", weights=[0.5, 1.0], on=1, mode=\"mean\", "
                      "is_double=1, rank=2, results=1>(x)"),
            std::string::npos)
      << text;
}

TEST(CallOfARule, GivesASizeThatChangesAsAValue) {
  const std::string text = with_rule([](GraphBuilder& g, const Call& call) {
    return OnnxValues{g.op("v::One", {call.input(0), g.size(call.sym_int(1))})};
  });

  EXPECT_NE(text.find("Gather<axis=0>"), std::string::npos) << text;
}

TEST(CallOfARule, RefusesASizeThatChangesWhereANumberIsNeeded) {
  const std::string error = with_rule([](GraphBuilder& g, const Call& call) {
    return OnnxValues{g.op("v::One", {call.input(0)}, {{"n", call.integer(1)}})};
  });

  EXPECT_EQ(
      error.substr(0, error.find('\n')),
      "NotImplementedError: call_test::one (net.py:3): argument 'n' is s0, which changes from "
      "run to run; ONNX takes only a number there");
}

TEST(CallOfARule, RefusesAnotherKindThanTheArgumentHas) {
  const auto first_line = [](Rule rule) {
    const std::string error = with_rule(rule);
    return error.substr(0, error.find('\n'));
  };

  EXPECT_EQ(first_line([](GraphBuilder&, const Call& call) {
              (void)call.number(4);
              return OnnxValues{};
            }),
            "TypeError: call_test::one (net.py:3): argument 'mode' must be a number, got \"mean\"");
  EXPECT_EQ(first_line([](GraphBuilder&, const Call& call) {
              (void)call.boolean(0);
              return OnnxValues{};
            }),
            "TypeError: call_test::one (net.py:3): argument 'x' must be a bool, got a tensor");
  EXPECT_EQ(first_line([](GraphBuilder&, const Call& call) {
              (void)call.integer(9);
              return OnnxValues{};
            }),
            "IndexError: call_test::one (net.py:3): it has 6 arguments, so none at 9");
}

TEST(CallOfARule, ThatIsRefusedNamesTheOperatorAndTheLine) {
  const std::string error = with_rule(
      [](GraphBuilder&, const Call& call) -> OnnxValues { call.refuse("it has no mode of ONNX"); });

  EXPECT_EQ(error.substr(0, error.find('\n')),
            "NotImplementedError: call_test::one (net.py:3): it has no mode of ONNX");
}

TEST(CallOfARule, MustGiveAsManyValuesAsThereAreResults) {
  const std::string error = converted(
      "call_test::two",
      [](GraphBuilder& g, const Call& call) { return OnnxValues{g.op("Relu", {call.input(0)})}; },
      "graph(%x: float32[2]) -> (%a) {\n"
      "  %a: float32[2], %b: float32[2] = call_test::two(%x)\n"
      "}\n");

  EXPECT_EQ(error.substr(0, error.find("\n  while")),
            "ValueError: call_test::two: its ONNX rule gave 1 value, but the call has 2\n"
            "  A symbolic returns one value for each result: g.op(..., outputs=2).\n");
}

TEST(CallOfARule, MayLeaveAwayAResultThatNobodyReads) {
  constexpr Rule kFirst = [](GraphBuilder& g, const Call& call) {
    return OnnxValues{g.op("Relu", {call.input(0)}), OnnxValue()};
  };
  const std::string text = converted("call_test::two", kFirst,
                                     "graph(%x: float32[2]) -> (%a) {\n"
                                     "  %a: float32[2], %b: float32[2] = call_test::two(%x)\n"
                                     "}\n");
  const std::string error = converted("call_test::two", kFirst,
                                      "graph(%x: float32[2]) -> (%b) {\n"
                                      "  %a: float32[2], %b: float32[2] = call_test::two(%x)\n"
                                      "}\n");

  EXPECT_NE(text.find("output_0 = Relu(x)"), std::string::npos) << text;
  EXPECT_NE(error.find("'output_0' is a result that its operator's rule does not return"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace opwright::onnx
