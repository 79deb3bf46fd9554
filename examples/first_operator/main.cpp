// Loads the operator binary given on the command line and calls audio::soft_clip from it.
#include <cstdio>

#include "opwright/opwright.h"
#include "opwright/runtime.h"

using opwright::Device;
using opwright::DType;
using opwright::Error;
using opwright::OperatorHandle;
using opwright::Tensor;

namespace {

void print(const char* what, const std::string& text) {
  std::printf("%s\n  %s\n", what, text.c_str());
}

// -4, -2, 0, 2, 4
Tensor make_input() {
  Tensor x = opwright::empty({5});
  float* elements = x.mutable_data<float>();
  for (int i = 0; i < 5; ++i) elements[i] = static_cast<float>(2 * i - 4);
  return x;
}

void show(const char* binary) {
  opwright::load_library(binary);
  print("the operator:", opwright::describe_library(binary).definitions.at(0).schema);

  OperatorHandle<Tensor(const Tensor&, double)> soft_clip("audio::soft_clip");
  const Tensor x = make_input();
  print("x:", opwright::to_text(x));
  print("soft_clip(x, 2):", opwright::to_text(soft_clip(x, 2.0)));

  try {
    soft_clip(x, -1.0);
  } catch (const Error& error) {
    print("soft_clip(x, -1):", std::string(error.kind()) + ": " + error.what());
  }

  // On `meta` a tensor is a shape without memory, and a call runs the fake kernel.
  const Tensor shape = opwright::empty({512, 256}, DType::Float16, {}, Device(kOpwDeviceMeta));
  print("soft_clip of a shape:", opwright::to_text(soft_clip(shape, 1.0)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: first_operator libsoft_clip.so\n");
    return 2;
  }
  try {
    show(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
