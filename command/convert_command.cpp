// opwright convert: writes a program in another format.
#include <cstdio>
#include <span>
#include <string>

#include "command/commands.h"
#include "command/options.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"

namespace opwright::command {
namespace {

constexpr const char* kConvertCommandHelp =
    R"(usage: opwright convert PROGRAM.opw FILE [OPTION...]

Writes a program that export saved, of Opwright (.opw) or of PyTorch (.pt2), to another file. If
its name ends in .pt2, torch.export.load reads it; otherwise it becomes an .opw file.

  --library FILE    an operator binary (.so) that the program needs; may be repeated
  --help
)";

}  // namespace

int convert_command(std::span<const std::string> words) {
  const ConvertOptions options = parse_convert_options(words);
  if (options.wants_help) return std::fputs(kConvertCommandHelp, stdout), 0;
  for (const std::string& library : options.libraries) load_library(library);
  load_program(options.program).save(options.output);
  std::printf("%s\n", options.output.c_str());
  return 0;
}

}  // namespace opwright::command
