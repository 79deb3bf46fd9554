// opwright show: prints the contents of a program file.
#include <cstdio>
#include <span>
#include <string>

#include "command/commands.h"
#include "command/options.h"
#include "opwright/program/file/program_file.h"

namespace opwright::command {
namespace {

constexpr const char* kShowCommandHelp =
    R"(usage: opwright show PROGRAM.opw

Prints what the file says: inputs, outputs and what they must be, operators with the libraries that
have them, the graph. Nothing is loaded or run, so the operators need not be there.
)";

}  // namespace

int show_command(std::span<const std::string> words) {
  const ShowOptions options = parse_show_options(words);
  const std::string text =
      options.wants_help ? kShowCommandHelp : describe_program_file(options.program);
  std::fputs(text.c_str(), stdout);
  if (!text.ends_with('\n')) std::fputc('\n', stdout);
  return 0;
}

}  // namespace opwright::command
