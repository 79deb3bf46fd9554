// Covers: src/check/checks/results_check, src/check/checks/schema_check, src/check/opcheck/*.
#include "opwright/runtime/opcheck.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_operators.h"
#include "opwright/check/example/check.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

Tensor write_first(const Tensor& x) {
  if (x.numel() > 0) x.flatten().select(0, 0).fill_(7);
  return x.clone();
}
Tensor give_back(const Tensor& x) { return x; }
Tensor copy_of(const Tensor& x) { return x.clone(); }
std::tuple<Tensor, Tensor> give_twice(const Tensor& x) {
  const Tensor result = x.clone();
  return {result, result};
}
void write_nothing(Tensor& /*x*/) {}
Tensor opcheck_twice(const Tensor& x) { return x * 2.0; }

OPWRIGHT_LIBRARY(opcheck_test, m) {
  m.def("write_first(Tensor x) -> Tensor");
  m.def("give_back(Tensor x) -> Tensor");
  m.def("copied_view(Tensor(a) x) -> Tensor(a)");
  m.def("give_twice(Tensor x) -> (Tensor, Tensor)");
  m.def("write_nothing(Tensor(a!) x) -> ()");
  m.def("twice(Tensor x) -> Tensor");
  m.def("no_kernel(Tensor x) -> Tensor");
}
OPWRIGHT_LIBRARY_IMPL(opcheck_test, CPU, m) {
  m.impl("write_first", &write_first);
  m.impl("give_back", &give_back);
  m.impl("copied_view", &copy_of);
  m.impl("give_twice", &give_twice);
  m.impl("write_nothing", &write_nothing);
  m.impl("twice", &opcheck_twice);
}

CheckReport check_schema(const char* name) {
  return opcheck(name, {Value(tensor({1, 2, 3}))}, {.checks = {"schema"}, .examples = 0});
}
std::string first_message(const CheckReport& report) {
  return report.findings.empty() ? "nothing" : report.findings[0].message;
}

TEST(Opcheck, FindsAnUndeclaredWrite) {
  const CheckReport report = check_schema("opcheck_test::write_first");

  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "undeclared-write");
  EXPECT_NE(first_message(report).find("opcheck_test::write_first changed its argument 'x'"),
            std::string::npos);
}

TEST(Opcheck, FindsAnUndeclaredAlias) {
  EXPECT_EQ(first_message(check_schema("opcheck_test::give_back")),
            "opcheck_test::give_back: the result shares memory with the argument 'x', which its "
            "schema does not declare\n  Return a clone, or declare a view: Tensor(a) x and -> "
            "Tensor(a).");
}

TEST(Opcheck, FindsAViewThatIsACopy) {
  const CheckReport report = check_schema("opcheck_test::copied_view");

  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "view-is-copy");
}

TEST(Opcheck, FindsResultsThatShareMemory) {
  EXPECT_EQ(first_message(check_schema("opcheck_test::give_twice")),
            "opcheck_test::give_twice: result 1 and result 2 share memory, which its schema does "
            "not declare\n  Return a clone of one of them.");
}

TEST(Opcheck, RemarksADeclaredWriteThatNeverHappens) {
  const CheckReport report = check_schema("opcheck_test::write_nothing");

  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].kind, "never-written");
}

TEST(Opcheck, RefusesAnExampleThatTheOperatorRefuses) {
  EXPECT_ERROR_CONTAINS(opcheck("aten::mm", {Value(tensor({1})), Value(tensor({1}))}), "ValueError",
                        "opcheck of aten::mm: the operator rejects the example: RuntimeError: mm: "
                        "self must have 2 dimensions, got sizes [1]");
  EXPECT_ERROR_CONTAINS(opcheck("opcheck_test::no_kernel", {Value(tensor({1}))}), "ValueError",
                        "the operator rejects the example: NotImplementedError");
}

TEST(Opcheck, NamesTheChecksThereAreForOneThatIsNot) {
  EXPECT_ERROR_CONTAINS(
      opcheck("opcheck_test::twice", {Value(tensor({1}))}, {.checks = {"shema"}}), "ValueError",
      "opcheck: there is no check 'shema'; did you mean 'schema'?\n  The checks are results, "
      "schema, ");
}

TEST(Opcheck, ReadsPyTorchsNamesOfChecks) {
  const CheckReport report = opcheck("opcheck_test::twice", {Value(tensor({1}))},
                                     {.checks = {"test_schema"}, .examples = 0});

  ASSERT_EQ(report.lines.size(), 2u);
  EXPECT_EQ(report.lines[0].check, "results");
  EXPECT_EQ(report.lines[1].check, "schema");
}

TEST(Opcheck, SkipsAnExampleOnADeviceThatIsNotThere) {
  const CheckReport report =
      opcheck("aten::zeros",
              {Value(std::vector<int64_t>{2}), Value(), Value(), Value(Device{kOpwDeviceCuda, 0})},
              {.checks = {"schema"}});

  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(report.lines[0].text, "there is no cuda:0 here");
}

TEST(Opcheck, TellsEachLineAsSoonAsItIsKnown) {
  std::vector<std::string> told;
  OpcheckOptions options{.checks = {"schema", "results"}, .examples = 0};
  options.progress = [](void* context, const CheckLine& line) {
    static_cast<std::vector<std::string>*>(context)->push_back(line.check);
  };
  options.progress_context = &told;

  static_cast<void>(opcheck("opcheck_test::twice", {Value(tensor({1}))}, options));

  EXPECT_EQ(told, (std::vector<std::string>{"results", "schema"}));
}

TEST(CheckReport, PrintsALineForEachCheckAndThenTheFindings) {
  CheckReport report;
  report.op = "audio::gain";
  report.num_given = 1;
  report.lines = {{"results", CheckLine::State::Ok, 1, 0.0015, ""},
                  {"schema", CheckLine::State::Failed, 1, 0, "audio::gain wrote"},
                  {"vmap", CheckLine::State::Skipped, 0, 0, "it has no rule"}};
  report.findings = {{"schema", "undeclared-write", "audio::gain wrote\n  Declare it.",
                      "x = ow.ones(2)\n", "x: transposed"}};

  EXPECT_EQ(report.table(),
            "opcheck of audio::gain: 1 input given, 0 generated (seed 0)\n"
            "  results  ok       1 input     1.5 ms\n"
            "  schema   FAILED   audio::gain wrote\n"
            "  vmap     skipped  it has no rule\n"
            "\n"
            "schema/undeclared-write: audio::gain wrote\n"
            "  Declare it.\n"
            "  found after: x: transposed\n"
            "  smallest input:\n"
            "    x = ow.ones(2)\n");
  EXPECT_ERROR(report.raise_if_failed(), "OpCheckError",
               "opcheck of audio::gain: 1 fault\n\nschema/undeclared-write: audio::gain wrote\n"
               "  Declare it.\n  found after: x: transposed\n  smallest input:\n"
               "    x = ow.ones(2)\n");
}

TEST(RegisterCheck, RefusesANameThatThereIs) {
  EXPECT_ERROR(register_check({.name = "schema", .about = "", .make = nullptr}), "ValueError",
               "register_check: the check 'schema' already exists");
}

}  // namespace
}  // namespace opwright::testing
