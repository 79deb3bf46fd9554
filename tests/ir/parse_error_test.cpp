// Every parser error shows the line with the offending part underlined.
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

class GraphParseError : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

// One node in an otherwise valid graph.
std::string with_node(const std::string& node) {
  return "graph(%x: float32[2]) -> (%x) {\n" + node + "\n}";
}

TEST_F(GraphParseError, NamesAnOperatorThatIsNotThere) {
  EXPECT_ERROR_CONTAINS(parse_graph(with_node("%y: float32[2] = test::negativ(%x)")), "ValueError",
                        "at line 2, column 18\n"
                        "    %y: float32[2] = test::negativ(%x)\n"
                        "                     ^^^^^^^^^^^^^");
}

TEST_F(GraphParseError, NamesAValueThatIsNotThere) {
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::negative(%z)")), "ValueError",
               "graph: no input and no earlier node defines %z at line 2, column 33\n"
               "    %y: float32[2] = test::negative(%z)\n"
               "                                    ^^");
}

TEST_F(GraphParseError, NamesWhatItExpected) {
  EXPECT_ERROR(parse_graph("grph()"), "ValueError",
               "graph: expected 'graph', got 'grph' at column 1\n    grph()\n    ^^^^");
  EXPECT_ERROR(parse_graph(""), "ValueError",
               "graph: expected 'graph', but the text ends at column 1\n    \n    ^");
  EXPECT_ERROR(parse_graph("graph(%x: float32[2) -> () {}"), "ValueError",
               "graph: expected ']', got ')' at column 20\n"
               "    graph(%x: float32[2) -> () {}\n"
               "                       ^");
  EXPECT_ERROR(parse_graph("graph(%x: float32[2"), "ValueError",
               "graph: the bracket is not closed at column 6\n    graph(%x: float32[2\n         ^");
  EXPECT_ERROR(
      parse_graph(with_node("negative(%x)")), "ValueError",
      "graph: expected an operator such as aten::add.Tensor, or '}', got 'negative' at line "
      "2, column 1\n    negative(%x)\n    ^^^^^^^^");
  EXPECT_ERROR(parse_graph("graph() -> () {} x"), "ValueError",
               "graph: expected the end of the text, got 'x' at column 18\n"
               "    graph() -> () {} x\n"
               "                     ^");
}

TEST_F(GraphParseError, NamesWrongArguments) {
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::add(%x)")), "ValueError",
               "graph: test::add is missing its argument 'y' at line 2, column 18\n"
               "    %y: float32[2] = test::add(%x)\n"
               "                     ^^^^^^^^^");
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::add(%x, %x, 2.0)")), "ValueError",
               "graph: test::add takes 2 arguments by position at line 2, column 36\n"
               "    %y: float32[2] = test::add(%x, %x, 2.0)\n"
               "                                       ^^^");
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::add(%x, %x, alpah=2.0)")),
               "ValueError",
               "graph: test::add has no argument 'alpah' at line 2, column 36\n"
               "    %y: float32[2] = test::add(%x, %x, alpah=2.0)\n"
               "                                       ^^^^^\n"
               "  did you mean 'alpha'?");
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::add(%x, %x, y=%x)")), "ValueError",
               "graph: argument 'y' is given twice at line 2, column 38\n"
               "    %y: float32[2] = test::add(%x, %x, y=%x)\n"
               "                                         ^^");
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::add(%x, %x, alpha=\"a\")")),
               "ValueError",
               "graph: argument 'alpha' of test::add is float, got \"a\" at line 2, column 42\n"
               "    %y: float32[2] = test::add(%x, %x, alpha=\"a\")\n"
               "                                             ^^^");
}

TEST_F(GraphParseError, NamesWrongResults) {
  EXPECT_ERROR(parse_graph(with_node("test::negative(%x)")), "ValueError",
               "graph: test::negative gives 1 results, the text has 0 at line 2, column 1\n"
               "    test::negative(%x)\n"
               "    ^^^^^^^^^^^^^^");
  EXPECT_ERROR(parse_graph(with_node("%x: float32[2] = test::negative(%x)")), "ValueError",
               "graph: the name %x is taken at line 2, column 1\n"
               "    %x: float32[2] = test::negative(%x)\n"
               "    ^^");
  EXPECT_ERROR(parse_graph(with_node("%sum: float32[2] = test::negative(%x)")), "ValueError",
               "graph: 'sum' cannot name a value at line 2, column 1\n"
               "    %sum: float32[2] = test::negative(%x)\n"
               "    ^^^^\n"
               "  a name is a Python identifier that is not a keyword or builtin.");
}

TEST_F(GraphParseError, NamesWrongMetadata) {
  EXPECT_ERROR(parse_graph("graph(%x: flaot32[2]) -> () {}"), "ValueError",
               "graph: unknown dtype 'flaot32' at column 11\n"
               "    graph(%x: flaot32[2]) -> () {}\n"
               "              ^^^^^^^\n"
               "  did you mean 'float32'?");
  EXPECT_ERROR(parse_graph("graph(%x: float32[s0]) -> () {}"), "ValueError",
               "graph: 's0' is neither a constant nor a symbol of the graph at column 19\n"
               "    graph(%x: float32[s0]) -> () {}\n"
               "                      ^^");
  EXPECT_ERROR_CONTAINS(parse_graph("graph(%x: float32[-2]) -> () {}"), "ValueError",
                        "graph(%x: float32[-2]) -> () {}\n              ^^^^^^^^^^^");
  EXPECT_ERROR_CONTAINS(parse_graph("graph(%x: float32[2] on cdua) -> () {}"), "ValueError",
                        "              ^^^^^^^^^^^^^^^^^^");
}

TEST_F(GraphParseError, NamesWrongSymbols) {
  EXPECT_ERROR(parse_graph("graph() -> () {\nsymbol s0 in [3, 2]\n}"), "ValueError",
               "graph: symbol s0: the range [3, 2] is empty at line 2, column 8\n"
               "    symbol s0 in [3, 2]\n"
               "           ^^");
  EXPECT_ERROR(parse_graph("graph() -> () {\nsymbol s0 in [2, 9], hint x\n}"), "ValueError",
               "graph: 'x' is not an int at line 2, column 27\n"
               "    symbol s0 in [2, 9], hint x\n"
               "                              ^");
  EXPECT_ERROR(parse_graph("graph() -> () {\nsymbol s0 in [2, 9]\nguard s0 < s1\n}"), "ValueError",
               "graph: symbolic int: there is no symbol 's1' at column 6 at line 3, column 7\n"
               "    guard s0 < s1\n"
               "          ^^^^^^^");
  EXPECT_ERROR_CONTAINS(parse_graph("graph() -> () {\nsymbol s0 in [2, 9]\nguard s0 > 20\n}"),
                        "ValueError",
                        "contradicts what is known of its symbols at line 3, column 7");
}

TEST_F(GraphParseError, NamesWrongStrings) {
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::everything(%x, s=\"a)")), "ValueError",
               "graph: the string has no closing \" at line 2, column 41\n"
               "    %y: float32[2] = test::everything(%x, s=\"a)\n"
               "                                            ^^^");
  EXPECT_ERROR(parse_graph(with_node("%y: float32[2] = test::everything(%x, s=\"\\q\")")),
               "ValueError",
               "graph: unknown escape '\\q' in a string at line 2, column 42\n"
               "    %y: float32[2] = test::everything(%x, s=\"\\q\")\n"
               "                                             ^^");
}

TEST_F(GraphParseError, RefusesTextThatIsNestedDeeplyInsteadOfCrashing) {
  const std::string lists(100'000, '[');
  EXPECT_ERROR_CONTAINS(parse_graph("graph() -> (" + lists + std::string(100'000, ']') + ") {}"),
                        "ValueError", "graph: lists are nested deeper than 64");
  std::string graphs = "graph() -> () {\n";
  for (int i = 0; i < 10'000; ++i) graphs += "test::any(graph() -> () {\n";
  const Registration any = Registry::get().define("test::any(Graph value) -> ()");
  EXPECT_ERROR_CONTAINS(parse_graph(graphs), "ValueError",
                        "graph: graphs are nested deeper than 64");
}

TEST_F(GraphParseError, VerifiesWhatItRead) {
  EXPECT_ERROR(parse_graph("graph(%x: float32[2]) {}"), "ValueError",
               "graph: it has no outputs; call set_outputs");
  EXPECT_ERROR(parse_graph("graph(%n: int(3)) -> (%y) { %y: float32[2] = test::negative(%n) }"),
               "ValueError",
               "graph: '%y = test::negative(%n)' is given %n, int(3), for 'x', which is Tensor");
}

}  // namespace
}  // namespace opwright
