// opwright onnx: converts a program to an ONNX model.
#include <cstdio>
#include <span>
#include <string>

#include "command/commands.h"
#include "command/options.h"
#include "opwright/runtime/onnx.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"

namespace opwright::command {
namespace {

constexpr const char* kOnnxCommandHelp =
    R"(usage: opwright onnx PROGRAM.opw [OPTION...]

Writes a program that export saved as an ONNX model. Nothing of it is run.

  --output FILE     the model; else PROGRAM.onnx. Large tensors go to FILE.data
  --opset NUMBER    of ONNX's own operators: 12 to 28, else 20
  --function NAME   an operator, as ns::name, that becomes a function of the model, made of what it
                    is made of; may be repeated. Other custom operators are nodes of their own
  --library FILE    an operator binary (.so) that the program needs; may be repeated
  --text            prints the model as text and writes nothing
  --help
)";

std::string path_of_model(const OnnxOptions& options) {
  if (!options.output.empty()) return options.output;
  const std::string& program = options.program;
  return (program.ends_with(".opw") ? program.substr(0, program.size() - 4) : program) + ".onnx";
}

}  // namespace

int onnx_command(std::span<const std::string> words) {
  const OnnxOptions options = parse_onnx_options(words);
  if (options.wants_help) return std::fputs(kOnnxCommandHelp, stdout), 0;
  for (const std::string& library : options.libraries) load_library(library);
  onnx::ModelOptions wanted;
  wanted.functions = options.functions;
  if (options.opset) wanted.opset = *options.opset;
  const onnx::Model model = onnx::to_model(load_program(options.program), wanted);
  if (options.wants_text) return std::fputs(model.text().c_str(), stdout), 0;
  const std::string path = path_of_model(options);
  model.save(path);
  std::printf("%s\n", path.c_str());
  return 0;
}

}  // namespace opwright::command
