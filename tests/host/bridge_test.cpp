// What a bridge learns about operators and binaries, as text.
//
// Covers: src/host/borrowed_memory, src/host/named_operator.
#include "opwright/runtime/bridge.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_operators.h"
#include "host/test_host.h"
#include "opwright/dispatch/library_block.h"
#include "opwright/dispatch/registry.h"
#include "opwright/value.h"

namespace opwright::testing {
namespace {

const char* kind_name(ValueKind kind) {
  static constexpr const char* kNames[] = {
      "Tensor", "Int",    "SymInt", "Float",        "Bool",      "Complex", "Scalar", "String",
      "DType",  "Device", "Layout", "MemoryFormat", "Generator", "Any",     "Other"};
  return kNames[static_cast<uint8_t>(kind)];
}

std::string text_of(const ValueType& type) {
  std::string text = kind_name(type.kind);
  if (type.has_optional_elements) text += "?";
  if (type.is_list) text += "[]";
  if (type.is_optional) text += "?";
  return text + " " + type.text;
}

// One line per argument and result.
std::string text_of(const OperatorDescription& op) {
  std::string text;
  for (const ArgumentDescription& each : op.arguments) {
    text += concatenate(each.name, ": ", text_of(each.type), each.is_written ? ", written" : "",
                        each.is_keyword_only ? ", keyword" : "",
                        each.default_value ? ", default" : "", "\n");
  }
  for (const ResultDescription& each : op.results) {
    text += concatenate("-> ", text_of(each.type), ", is ", each.written_argument, ", views ",
                        each.viewed_argument, "\n");
  }
  return text;
}

std::string describe_definition(const std::string& schema) {
  const Registration definition = Registry::get().define("bridged::" + schema);
  return text_of(describe_operator(std::string(definition.name())));
}

TEST(DescribeOperator, TellsTheNameInItsParts) {
  const OperatorDescription op = describe_operator("aten::add.out");
  EXPECT_EQ(op.name, "aten::add.out");
  EXPECT_EQ(op.name_space, "aten");
  EXPECT_EQ(op.base, "add");
  EXPECT_EQ(op.overload, "out");
  EXPECT_EQ(op.schema,
            "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
            "Tensor(a!)");
  EXPECT_EQ(op.library, "");
}

TEST(DescribeOperator, TellsTheKindOfEveryType) {
  EXPECT_EQ(describe_definition("kinds(Tensor a, int b, SymInt c, float d, bool e, complex f, "
                                "Scalar g, str h, ScalarType i, Device j, Layout k, "
                                "MemoryFormat l, Generator m) -> ()"),
            "a: Tensor Tensor\n"
            "b: Int int\n"
            "c: SymInt SymInt\n"
            "d: Float float\n"
            "e: Bool bool\n"
            "f: Complex complex\n"
            "g: Scalar Scalar\n"
            "h: String str\n"
            "i: DType ScalarType\n"
            "j: Device Device\n"
            "k: Layout Layout\n"
            "l: MemoryFormat MemoryFormat\n"
            "m: Generator Generator\n");
}

TEST(DescribeOperator, TellsListsAndOptionalsApart) {
  EXPECT_EQ(describe_definition("nested(Tensor? a, Tensor[] b, Tensor?[] c, int[2]? d, int[][] e) "
                                "-> Tensor[]"),
            "a: Tensor? Tensor?\n"
            "b: Tensor[] Tensor[]\n"
            "c: Tensor?[] Tensor?[]\n"
            "d: Int[]? int[2]?\n"
            "e: Other[] int[][]\n"
            "-> Tensor[] Tensor[], is -1, views -1\n");
}

TEST(DescribeOperator, TellsWhichArgumentAResultIsOrShows) {
  EXPECT_EQ(describe_definition("aliases(Tensor x, Tensor(a!) y, Tensor(b) z) -> "
                                "(Tensor(a!), Tensor(b), Tensor(b)[], Tensor)"),
            "x: Tensor Tensor\n"
            "y: Tensor Tensor, written\n"
            "z: Tensor Tensor\n"
            "-> Tensor Tensor, is 1, views -1\n"
            "-> Tensor Tensor, is -1, views 2\n"
            "-> Tensor[] Tensor[], is -1, views 2\n"
            "-> Tensor Tensor, is -1, views -1\n");
}

TEST(DescribeOperator, LendsTheDefaultsOfTheOperator) {
  const Registration definition = Registry::get().define(
      "bridged::defaults(Tensor x, float scale=2.5, *, int[]? dims=None) -> "
      "Tensor",
      {Tag::Pointwise});
  const OperatorDescription op = describe_operator("bridged::defaults");
  EXPECT_EQ(text_of(op),
            "x: Tensor Tensor\n"
            "scale: Float float, default\n"
            "dims: Int[]? int[]?, keyword, default\n"
            "-> Tensor Tensor, is -1, views -1\n");
  EXPECT_EQ(op.arguments[1].default_value->as_double, 2.5);
  EXPECT_EQ(op.arguments[2].default_value->tag, kOpwNone);
  EXPECT_TRUE(op.tags.has(Tag::Pointwise));
}

TEST(DescribeOperator, SuggestsANameForOneThatIsNotThere) {
  EXPECT_ERROR_CONTAINS((void)describe_operator("aten::sinn"), "AttributeError", "aten::sin");
}

TEST(DescribeOperator, NamesTheBinaryThatBroughtIt) {
  const LoadedFor library("soft_clip");
  const OperatorDescription op = describe_operator("audio::soft_clip");
  EXPECT_EQ(op.library, operator_binary("soft_clip"));
  EXPECT_TRUE(op.site.find("soft_clip.cpp:") != std::string::npos) << op.site;
}

std::string text_of(const BinaryContents& contents) {
  std::string text;
  for (const std::string& each : contents.operators) text += "defines " + each + "\n";
  for (const BinaryFunction& each : contents.functions)
    text += "implements " + each.name + " for " + each.slot + "\n";
  for (const BinaryImport& each : contents.imports)
    text += "imports " + each.name + each.signature + "\n";
  return text;
}

void drop(const BinaryContents& contents) {
  for (const BinaryFunction& each : contents.functions) {
    if (each.drop) each.drop(each.self);
  }
}

TEST(CollectLibrary, ListsOperatorsFunctionsAndImportsByIndex) {
  const LoadedFor library("mutation");
  const BinaryContents contents = collect_library(operator_binary("mutation"), core_host());
  EXPECT_EQ(
      contents.operators,
      (std::vector<std::string>{"mutation::accumulate", "mutation::halve_", "mutation::increment_",
                                "mutation::first_row", "mutation::last_row"}));
  const std::string text = text_of(contents);
  for (const char* line : {"implements mutation::first_row for Scatter\n",
                           "implements mutation::halve_ for CompositeExplicitAutograd\n",
                           "implements mutation::increment_ for Functional\n",
                           "imports aten::select.int(Tensor arg0, int arg1, SymInt arg2) -> "
                           "Tensor\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(contents.path, operator_binary("mutation"));
  drop(contents);
}

TEST(CollectLibrary, GivesFunctionsThatRunInRecordsOfTheCollector) {
  const LoadedFor library("soft_clip");
  const BinaryContents contents = collect_library(operator_binary("soft_clip"), core_host());
  const auto kernel = std::find_if(contents.functions.begin(), contents.functions.end(),
                                   [](const BinaryFunction& each) { return each.slot == "CPU"; });
  ASSERT_NE(kernel, contents.functions.end());
  EXPECT_TRUE(kernel->site.find("soft_clip.cpp:") != std::string::npos) << kernel->site;

  OpwHost host = core_host();  // imports are unresolved: the kernel fails before it needs one
  const OpwRecord record{sizeof(OpwRecord), kernel->function, kernel->self,
                         kernel->drop,      nullptr,          &host};
  const Tensor x = tensor({1});
  const OpwValue args[] = {ValueOf<Tensor>::lend(x), ValueOf<double>::lend(-1)};
  OpwValue result{};
  EXPECT_EQ(record.function(&record, args, 2, &result, 1), 1);
  OpwError* error = host.take_error(&host);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(Error::take(error).kind(), "ValueError");
  drop(contents);
}

TEST(CollectLibrary, RefusesWhatLoadLibraryRefuses) {
  EXPECT_ERROR_CONTAINS((void)collect_library("/no/such/file.so", core_host()), "OSError",
                        "there is no file /no/such/file.so");
  EXPECT_ERROR_CONTAINS(
      (void)collect_library(operator_binary("not_an_operator_binary"), core_host()), "ImportError",
      "it does not export opw_binary");
}

}  // namespace
}  // namespace opwright::testing
