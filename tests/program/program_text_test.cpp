// The text of program files: its contents are read back.
#include "opwright/program/file/program_text.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/complex.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/memory_format.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/utf8.h"
#include "opwright/schema/constant.h"
#include "program/program_files.h"

namespace opwright {
namespace {

using testing::error_of;

ProgramText parse(std::string_view text) {
  return parse_program_text(text, current_program_format());
}

ProgramText text_of_constant(Value constant) {
  ProgramText text;
  text.writer = "test";
  text.signature.inputs.push_back({.kind = InputKind::UserInput,
                                   .value = "",
                                   .target = "mode",
                                   .constant = std::move(constant)});
  text.graph = "graph() -> () {\n}\n";
  return text;
}

TEST(ProgramText, ConstantsComeBack) {
  const std::vector<Value> constants = [] {
    std::vector<Value> values;
    values.emplace_back();
    values.emplace_back(true);
    values.emplace_back(int64_t{-3});
    values.emplace_back(INT64_MIN);
    values.emplace_back(0.1);
    values.emplace_back(-0.0);
    values.emplace_back(std::numeric_limits<double>::infinity());
    values.emplace_back(std::numeric_limits<double>::quiet_NaN());
    values.emplace_back(Complex<double>(1.5, -2));
    values.emplace_back(std::string("# \"quoted\"\n\t\\ %x é"));
    values.emplace_back(std::string("constant"));
    values.emplace_back(std::string());
    values.emplace_back(DType::BFloat16);
    values.emplace_back(Device(kOpwDeviceCuda, 1));
    values.emplace_back(MemoryFormat::ChannelsLast);
    values.emplace_back(std::vector<int64_t>{1, 2, 3});
    values.emplace_back(std::vector<double>{1, 2.5});
    const bool flags[] = {true, false};
    values.emplace_back(std::span<const bool>(flags));
    values.emplace_back(std::vector<std::string>{"a", "b"});
    return values;
  }();
  for (const Value& constant : constants) {
    const std::string text = to_text(text_of_constant(constant));
    const ProgramText read = parse(text);
    EXPECT_TRUE(read.signature.inputs[0].constant == constant) << text;
    EXPECT_EQ(to_text(read), text);
  }
}

TEST(ProgramText, ObjectsCannotBeConstants) {
  const Value graph = graph_value(make_intrusive<Graph>());
  EXPECT_EQ(error_of([&] { (void)to_text(text_of_constant(graph)); }),
            "ValueError: save: the input 'mode' is Graph, which a program file cannot hold; give "
            "it as a tensor, a number or a string, or keep it out of the exported function");
}

TEST(ProgramText, StringsMustBeUtf8) {
  EXPECT_EQ(error_of([&] { (void)to_text(text_of_constant(Value(std::string("a\xff")))); }),
            "ValueError: save: a name or string of the program is not UTF-8: input user \"mode\" "
            "constant \"a...");
}

TEST(ProgramText, EveryLineComesBack) {
  const std::string text = R"text(# An Opwright program. `python -m opwright show` explains it.
writer "opwright 1.2.3"
operator "aten::relu" "aten::relu(Tensor self) -> Tensor"
operator "cst::f" "cst::f() -> ()" library "libcst.so"
input parameter %weight "layer.weight"
input buffer %mean "mean"
input buffer %cache "cache" not_persistent
input constant_tensor %c0 "c0"
input user %x "batch[\"mask\"]"
input user "mode" constant "mean"
input random_state %state
output buffer_mutation %add "mean"
output parameter_mutation %sub "layer.weight"
output user_input_mutation %mul "x"
output user %y
output user sizes "2*batch"
output user sizes "batch"
output user constant None
arguments "(*, {\"x\": *})"
results "[*]"
state "layer.weight" tensor 0
state "tied" tensor 0
constant "c0" tensor 1
example tensor 1
example constant 2.5
block 0 offset 0 bytes 24 checksum 0000abcd
block 1 offset 64 bytes 8 checksum 12345678
tensor 0 block 0 float32[2, 3] strides [1, 2] grad
tensor 1 block 1 int64[1] on cuda:0
graph() -> () {
}
)text";
  EXPECT_EQ(to_text(parse(text)), text);
}

TEST(ProgramText, ATextWithoutAGraphIsRefused) {
  EXPECT_EQ(error_of([] { (void)parse("writer \"x\"\n"); }),
            "ValueError: program: expected a keyword such as 'operator', 'input' or 'graph', but "
            "the text ends at line 2, column 1\n    \n    ^");
}

TEST(Checksum, IsTheUsualCrc32) {
  EXPECT_EQ(checksum(""), 0u);
  EXPECT_EQ(checksum("123456789"), 0xcbf43926u);
  EXPECT_EQ(checksum("The quick brown fox jumps over the lazy dog"), 0x414fa339u);
}

TEST(Utf8, OnlyWholeCharactersAreTaken) {
  for (const std::string_view good : {"", "plain ascii text", "é", "€ and 𝄞", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const std::string_view bad :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
        "12345678\xe2\x82", "\xf0\x80\x80\x80", "a\xc3z"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_EQ(find_non_utf8("12345678ab\xff"), 10u);
}

}  // namespace
}  // namespace opwright
