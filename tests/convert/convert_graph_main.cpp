// convert_graph OPSET: reads a graph from the standard input and prints the ONNX model of it, or
// the error.
#include <iostream>
#include <iterator>
#include <string>

#include "convert/model_text.h"

int main(int argc, char** argv) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << opwright::onnx::testing::convert_text(argc > 1 ? std::stoll(argv[1]) : 20, text);
  return 0;
}
