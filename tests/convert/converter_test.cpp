// Covers: src/convert/trace_choice.
#include "opwright/convert/converter.h"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

Tensor same(const Tensor& x) { return x.clone(); }

OPWRIGHT_LIBRARY(converter_test, m) {
  for (const char* name : {"bare", "ruled", "texted", "late", "backwards"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor", &same);
  }
  m.register_converter("texted", "sketch", "old::Node(x)", 5);
  m.register_converter("texted", "sketch", "new::Node(x)", 8);
  m.register_converter("backwards", "sketch", "new::Node(x)", 8);
  m.register_converter("backwards", "sketch", "old::Node(x)", 5);
  m.register_converter("late", "sketch", "late::Node(x)", 7);
}

// A test engine with one rule of its own.
class SketchRule : public Converter {
 public:
  SketchRule(std::string name, int64_t since, bool is_builtin = false)
      : Converter("sketch", since, is_builtin), name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

int num_times_registered = 0;
void register_own_rules() {
  ++num_times_registered;
  register_converter("aten::sin", make_intrusive<SketchRule>("own sine", 3, true)).keep();
}

class ConverterOfAnEngine : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { add_engine({"sketch", &register_own_rules}); }
};

// The name of the rule, the text of the node, or "nothing".
std::string found(const char* op, int64_t version) {
  const FoundConverter converter = find_converter(Registry::get().require(op), "sketch", version);
  if (converter.rule) return static_cast<const SketchRule&>(*converter.rule).name();
  return converter.node_text.value_or("nothing");
}

Registration add(const char* op, const char* name, int64_t since) {
  return register_converter(op, make_intrusive<SketchRule>(name, since));
}

TEST_F(ConverterOfAnEngine, AnOperatorWithoutARuleHasNone) {
  EXPECT_EQ(found("converter_test::bare", 9), "nothing");
}

TEST_F(ConverterOfAnEngine, TheHighestVersionThatIsNotAboveIsChosen) {
  const Registration first = add("converter_test::ruled", "from 3", 3);
  const Registration second = add("converter_test::ruled", "from 6", 6);

  EXPECT_EQ(found("converter_test::ruled", 2), "nothing");
  EXPECT_EQ(found("converter_test::ruled", 3), "from 3");
  EXPECT_EQ(found("converter_test::ruled", 5), "from 3");
  EXPECT_EQ(found("converter_test::ruled", 6), "from 6");
  EXPECT_EQ(found("converter_test::ruled", 99), "from 6");
}

TEST_F(ConverterOfAnEngine, OrderOfRegistrationDoesNotMatterBetweenVersions) {
  const Registration second = add("converter_test::ruled", "from 6", 6);
  const Registration first = add("converter_test::ruled", "from 3", 3);

  EXPECT_EQ(found("converter_test::ruled", 7), "from 6");
}

TEST_F(ConverterOfAnEngine, OfOneVersionTheNewestIsChosenAndTheOldOneComesBack) {
  const Registration old = add("converter_test::ruled", "old", 3);
  {
    const Registration replacement = add("converter_test::ruled", "new", 3);
    EXPECT_EQ(found("converter_test::ruled", 3), "new");
  }

  EXPECT_EQ(found("converter_test::ruled", 3), "old");
}

TEST_F(ConverterOfAnEngine, ARemovedRuleIsGone) {
  Registration rule = add("converter_test::ruled", "gone", 3);
  rule.remove();

  EXPECT_EQ(found("converter_test::ruled", 3), "nothing");
}

TEST_F(ConverterOfAnEngine, ItsOwnRulesAreRegisteredOnce) {
  EXPECT_EQ(found("aten::sin", 3), "own sine");
  EXPECT_EQ(found("aten::sin", 9), "own sine");
  EXPECT_EQ(num_times_registered, 1);
}

TEST_F(ConverterOfAnEngine, ItsOwnRulesGiveWayToAnyOtherAlsoToAnOlderVersion) {
  const Registration mine = add("aten::sin", "mine", 1);

  EXPECT_EQ(found("aten::sin", 2), "mine");
  EXPECT_EQ(found("aten::sin", 3), "mine");
}

TEST_F(ConverterOfAnEngine, BinariesGiveTheTextOfANode) {
  EXPECT_EQ(found("converter_test::texted", 4), "nothing");
  EXPECT_EQ(found("converter_test::texted", 7), "old::Node(x)");
  EXPECT_EQ(found("converter_test::texted", 8), "new::Node(x)");
}

TEST_F(ConverterOfAnEngine, TextsOfAHigherVersionCountInWhateverOrderTheyStand) {
  EXPECT_EQ(found("converter_test::backwards", 7), "old::Node(x)");
  EXPECT_EQ(found("converter_test::backwards", 8), "new::Node(x)");
}

TEST_F(ConverterOfAnEngine, ATextOfAHigherVersionGoesBeforeARuleOfALowerOne) {
  const Registration mine = add("converter_test::texted", "mine", 6);

  EXPECT_EQ(found("converter_test::texted", 7), "mine");
  EXPECT_EQ(found("converter_test::texted", 8), "new::Node(x)");
}

TEST_F(ConverterOfAnEngine, ARuleOfTheProcessReplacesTheTextOfABinary) {
  const Registration mine = add("converter_test::texted", "mine", 8);

  EXPECT_EQ(found("converter_test::texted", 8), "mine");
}

TEST_F(ConverterOfAnEngine, RulesOfAnotherEngineAreNotSeen) {
  const Operator& op = Registry::get().require("converter_test::texted");

  EXPECT_FALSE(find_converter(op, "onnx", 20).is_there());
}

TEST_F(ConverterOfAnEngine, ALaterVersionThatHasARuleIsFound) {
  const Operator& late = Registry::get().require("converter_test::late");
  const Operator& bare = Registry::get().require("converter_test::bare");

  EXPECT_EQ(find_later_version(late, "sketch", 4, 20), 7);
  EXPECT_EQ(find_later_version(late, "sketch", 4, 6), std::nullopt);
  EXPECT_EQ(find_later_version(bare, "sketch", 4, 20), std::nullopt);
}

TEST_F(ConverterOfAnEngine, ARuleForAnOperatorThatComesLaterIsKept) {
  const Registration rule = add("converter_test::to_come", "early", 1);
  const Registration definition =
      Registry::get().define("converter_test::to_come(Tensor x) -> Tensor");

  EXPECT_EQ(found("converter_test::to_come", 1), "early");
}

TEST_F(ConverterOfAnEngine, AnEngineThatNobodyAddedIsRefused) {
  class Stray : public Converter {
   public:
    Stray() : Converter("skech", 1) {}
  };

  EXPECT_ERROR_CONTAINS((void)register_converter("aten::sin", make_intrusive<Stray>()),
                        "ValueError", "skech");
}

}  // namespace
}  // namespace opwright::testing
