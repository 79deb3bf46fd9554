// Covers: src/convert/spaced_scanner, src/base/text_scanner.
#include "opwright/convert/onnx/model/node_form.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "convert/model_text.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {
namespace {

OPWRIGHT_LIBRARY(node_form_test, m) {
  m.def("dual(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.def("scale.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  m.def(
      "mix(Tensor[] tracks, Tensor? gain, int[] order, str mode='sum', bool loud=True) -> Tensor");
  m.def("turn(Tensor x, complex by) -> Tensor");
  m.def("named(Tensor x, float alpha) -> Tensor");
  m.register_converter("named", "onnx", "vendor::Named(x, strength=alpha)");
  m.def("misnamed(Tensor x) -> Tensor");
  m.register_converter("misnamed", "onnx", "vendor::Misnamed(z)");
}

const Operator& op_of(const char* name) {
  return Registry::get().require(std::string("node_form_test::") + name);
}
// The text of the form parsed from a text.
std::string read(const char* text, const char* op = "dual") {
  return to_text(parse_node_form(text, op_of(op)), op_of(op));
}

TEST(DefaultForm, HasTensorsAsInputsAndTheRestAsAttributesOfTheirNames) {
  EXPECT_EQ(to_text(default_form(op_of("dual")), op_of("dual")),
            "node_form_test::dual(x, y, alpha=alpha)");
  EXPECT_EQ(to_text(default_form(op_of("mix")), op_of("mix")),
            "node_form_test::mix(tracks, gain, order=order, mode=mode, loud=loud)");
}

TEST(DefaultForm, OfAnOverloadHasItsNameBehindTheOperators) {
  EXPECT_EQ(default_form(op_of("scale.out")).name, "scale_out");
}

TEST(NodeFormText, ParsesBack) {
  for (const char* text : {"rknn_cst::cstDualResidual(x, y, alpha=alpha)", "a.b::C(y, x)",
                           "a::B(x, y, k=alpha, m=alpha)", "a::B()"}) {
    EXPECT_EQ(read(text), text);
  }
}

TEST(NodeFormText, WithoutArgumentsHasThoseOfTheSchema) {
  EXPECT_EQ(read("vendor::Dual"), "vendor::Dual(x, y, alpha=alpha)");
}

TEST(NodeFormText, MayHaveBlanks) {
  EXPECT_EQ(read(" vendor::Dual ( x ,y, k = alpha ) "), "vendor::Dual(x, y, k=alpha)");
}

constexpr const char* kAdvice =
    "\n  Write it as 'domain::Name(input, ..., attribute=argument, ...)'.";

struct WrongForm {
  const char* text;
  const char* problem;
};
class WrongNodeForm : public ::testing::TestWithParam<WrongForm> {};

TEST_P(WrongNodeForm, IsRefusedWithWhatIsWrong) {
  EXPECT_ERROR(read(GetParam().text), "ValueError",
               concatenate("node_form_test::dual: its node '", GetParam().text,
                           "' cannot be read: ", GetParam().problem, kAdvice));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, WrongNodeForm,
    ::testing::Values(WrongForm{"", "expected a domain"},
                      WrongForm{"::Dual(x)", "expected a domain"},
                      WrongForm{"Dual(x)",
                                "'::' must separate the domain and the name of the node"},
                      WrongForm{"v::(x)", "expected the name of the node"},
                      WrongForm{"v::Dual(x y)", "expected ',' or ')'"},
                      WrongForm{"v::Dual(x, ", "expected an argument"},
                      WrongForm{"v::Dual(x", "expected ',' or ')'"},
                      WrongForm{"v::Dual(x) y", "expected the end"},
                      WrongForm{"v::Dual(z)", "node_form_test::dual has no argument 'z'"},
                      WrongForm{"v::Dual(x, k=z)", "node_form_test::dual has no argument 'z'"},
                      WrongForm{"v::Dual(x, k=)", "expected an argument"},
                      WrongForm{"v::Dual(x, k=y)",
                                "'y' is a tensor: it is an input of the node, not an attribute"}));

TEST(NodeForms, AreThatOfTheBinaryThenThatOfTheSchema) {
  const std::vector<NodeForm> forms = node_forms("node_form_test::named");

  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(to_text(forms[0], "node_form_test::named"), "vendor::Named(x, strength=alpha)");
  EXPECT_EQ(to_text(forms[1], "node_form_test::named"), "node_form_test::named(x, alpha=alpha)");
}

TEST(NodeForms, OfASymbolicAreFoundByTryingIt) {
  register_symbolic("node_form_test::dual", 12, [](GraphBuilder& g, const Call& call) {
    return g.op("rknn::Dual", {call.input(1), call.input(0)}, {{"k", call.number(2)}, {"one", 1}},
                2);
  });
  const std::vector<NodeForm> forms = node_forms("node_form_test::dual");
  unregister_symbolic("node_form_test::dual", 12);

  EXPECT_EQ(to_text(forms[0], "node_form_test::dual"), "rknn::Dual(y, x, k=alpha)");
}

TEST(RegisteredSymbolic, ThatIsNotThereCannotBeTakenAway) {
  EXPECT_ERROR(unregister_symbolic("node_form_test::dual", 15), "ValueError",
               "ONNX: no symbolic of node_form_test::dual was registered for opset 15");
}

// ---- Nodes of calls ----

TEST(NodeOfACall, HoldsListsOptionalsAndConstants) {
  EXPECT_EQ(testing::convert_text(
                20,
                "graph(%a: float32[2], %b: float32[2]) -> (%mix) {\n"
                "  %mix: float32[2] = node_form_test::mix([%a, %b], None, [1, 0], loud=False)\n"
                "}\n"),
            "model onnx=20 node_form_test=1 {\n"
            "  input a: float32[2]\n"
            "  input b: float32[2]\n"
            "  output_0 = node_form_test::mix<tracks_count=2, order=[1, 0], mode=\"sum\", "
            "loud=0>(a, b)\n"
            "  output output_0: float32[2]\n"
            "}\n");
}

TEST(NodeOfACall, IsThatOfTheBinarysText) {
  EXPECT_EQ(testing::convert_text(18,
                                  "graph(%x: float32[2]) -> (%named) {\n"
                                  "  %named: float32[2] = node_form_test::named(%x, 0.5)\n"
                                  "}\n"),
            "model onnx=18 vendor=1 {\n"
            "  input x: float32[2]\n"
            "  output_0 = vendor::Named<strength=0.5>(x)\n"
            "  output output_0: float32[2]\n"
            "}\n");
}

TEST(NodeOfACall, ThatNoAttributeCanHoldIsRefusedWithWhatToDo) {
  const std::string error =
      testing::convert_text(20,
                            "graph(%x: float32[2]) -> (%turn) {\n"
                            "  %turn: float32[2] = node_form_test::turn(%x, 1.0+2.0j)\n"
                            "}\n");

  EXPECT_NE(error.find("TypeError: node_form_test::turn: argument 'by' (complex) cannot be an "
                       "attribute of an ONNX node\n  Give the operator a symbolic that passes it "
                       "on: opwright.onnx.register_custom_op_symbolic(\"node_form_test::turn\""),
            std::string::npos)
      << error;
}

TEST(NodeOfACall, WhoseTextIsWrongNamesIt) {
  const std::string error =
      testing::convert_text(20,
                            "graph(%x: float32[2]) -> (%y) {\n"
                            "  %y: float32[2] = node_form_test::misnamed(%x)\n"
                            "}\n");

  EXPECT_NE(error.find("node_form_test::misnamed has no argument 'z'"), std::string::npos) << error;
}

}  // namespace
}  // namespace opwright::onnx
