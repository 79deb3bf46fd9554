// convert_graph TARGET: reads a graph from standard input and prints its conversion, or the error.
// TARGET is an opset, for the ONNX model of that opset, "ge", for the graph of the engine GE, or
// "ge-bytes", for its serialized form.
#include <iostream>
#include <iterator>
#include <string>

#include "convert/ge_text.h"
#include "convert/model_text.h"

int main(int argc, char** argv) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const std::string target = argc > 1 ? argv[1] : "20";
  if (target == "ge") {
    std::cout << opwright::graph_engine::testing::convert_text(text);
  } else if (target == "ge-bytes") {
    using namespace opwright::graph_engine;  // NOLINT(google-build-using-namespace)
    std::cout << to_bytes(*convert_graph(opwright::parse_graph(text), {.name = "g"}));
  } else {
    std::cout << opwright::onnx::testing::convert_text(std::stoll(target), text);
  }
  return 0;
}
