// Loads and runs the program that export_model.py saved; links Opwright, but not Python.
//
//   run_model classifier.opw
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "opwright/grad_mode.h"
#include "opwright/opwright.h"
#include "opwright/program.h"
#include "opwright/runtime.h"

namespace {

void show(const char* path) {
  const opwright::NoGradScope no_grad;
  const opwright::Program program = opwright::load_program(path);
  const opwright::Tensor x = opwright::ones({2, 4});
  for (int call = 0; call < 2; ++call) {
    const std::vector<opwright::Tensor> results = program({x});
    for (size_t i = 0; i < results.size(); ++i) {
      std::printf("%s\n%s\n", program.output_names()[i].c_str(),
                  opwright::to_text(results[i]).c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_model classifier.opw\n");
    return 2;
  }
  try {
    show(argv[1]);
  } catch (const opwright::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
