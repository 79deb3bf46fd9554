// Loads a program and runs it on a tensor of ones, from C++.
//
//   run_program_cpp net.opw [liboperators.so...]
#include <cstdio>
#include <string>
#include <vector>

#include "opwright/opwright.h"
#include "opwright/program.h"
#include "opwright/runtime.h"

using opwright::Error;
using opwright::Program;
using opwright::Tensor;

namespace {

void run(const std::string& path) {
  const Program program = opwright::load_program(path);
  const Tensor x = opwright::ones({4, 3});
  const std::vector<Tensor> results = program({x});
  for (size_t i = 0; i < results.size(); ++i) {
    std::printf("%s:\n%s\n", program.output_names()[i].c_str(),
                opwright::to_text(results[i]).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_program_cpp net.opw [liboperators.so...]\n");
    return 2;
  }
  try {
    for (int i = 2; i < argc; ++i) opwright::load_library(argv[i]);
    run(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
