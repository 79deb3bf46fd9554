// run_pass NAME: reads a graph from standard input, runs the pass and prints the graph, or the
// error. The operators are those of graph_operators.h.
#include <iostream>
#include <iterator>
#include <string>

#include "ir/graph_passes.h"

int main(int argc, char** argv) {
  const opwright::testing::GraphOperators operators;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << opwright::testing::run_pass(argc > 1 ? argv[1] : "", text);
  return 0;
}
