// Exports a function with a custom operator to ONNX; links Opwright, but not Python.
//
//   export_onnx libsoft_clip.so limiter.onnx
//
// The operator becomes a node in the domain "vendor", as the vendor's engine expects. ONNX Runtime
// runs the model with the same libsoft_clip.so.
#include <cstdio>
#include <string>

#include "opwright/onnx.h"
#include "opwright/opwright.h"
#include "opwright/program.h"
#include "opwright/runtime.h"

namespace {

using opwright::Dim;
using opwright::Tensor;
using opwright::onnx::Call;
using opwright::onnx::GraphBuilder;
using opwright::onnx::OnnxValues;

Tensor limiter(const Tensor& x) {
  static opwright::OperatorHandle<Tensor(const Tensor&, double)> soft_clip("audio::soft_clip");
  return opwright::relu(soft_clip(x * 4.0, 2.0));
}

// For opset 12 and later; `limit` becomes the attribute `threshold`.
OnnxValues soft_clip_node(GraphBuilder& g, const Call& call) {
  return {g.op("vendor::SoftClip", {call.input(0)}, {{"threshold", call.number(1)}})};
}

void write_model(const std::string& path) {
  opwright::onnx::register_symbolic("audio::soft_clip", 12, &soft_clip_node);
  const opwright::Program program = opwright::export_program(
      limiter, {.names = {"x"}, .dynamic = {{"x", 0, Dim::named("samples")}}}, opwright::ones({4}));
  const opwright::onnx::Model model =
      opwright::onnx::to_model(program, {.opset = 17, .output_names = {"y"}});
  model.save(path);
  std::printf("%s", model.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: export_onnx libsoft_clip.so limiter.onnx\n");
    return 2;
  }
  try {
    opwright::load_library(argv[1]);
    write_model(argv[2]);
  } catch (const opwright::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind(), error.what());
    return 1;
  }
  return 0;
}
