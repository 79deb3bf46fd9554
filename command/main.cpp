// opwright: runs, shows and converts exported programs, without Python.
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/options.h"
#include "opwright/error.h"
#include "opwright/runtime/program_api.h"

namespace {

using opwright::command::UsageError;

constexpr const char* kCommandHelp =
    R"(usage: opwright COMMAND ...

  opwright run PROGRAM.opw [OPTION...]   runs a program on NumPy files; times, profiles
  opwright show PROGRAM.opw              prints inputs, outputs, constraints and graph of a program
  opwright onnx PROGRAM.opw [OPTION...]  writes a program as an ONNX model
  opwright convert PROGRAM.opw FILE.pt2  writes a program for PyTorch, or one of PyTorch as .opw
  opwright --version

See `opwright COMMAND --help`. Exit codes: 0, 1 for an error, 2 for a wrong command line.
)";

int call_command(const std::string& name, std::span<const std::string> words) {
  if (name == "run") return opwright::command::run_command(words);
  if (name == "show") return opwright::command::show_command(words);
  if (name == "onnx") return opwright::command::onnx_command(words);
  if (name == "convert") return opwright::command::convert_command(words);
  if (name == "--version") return std::printf("opwright %s\n", opw_version()), 0;
  if (name == "--help" || name == "-h" || name == "help")
    return std::fputs(kCommandHelp, stdout), 0;
  throw UsageError(opwright::concatenate("unknown command '", name,
                                         "'; the commands are run, show, onnx and convert"));
}

// A full disk or a closed pipe fails the command.
int finish_output(int code) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return is_written ? code : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return std::fputs(kCommandHelp, stderr), 2;
  const std::string& name = words.front();
  const bool is_command = name == "run" || name == "show" || name == "onnx" || name == "convert";
  const std::string who = is_command ? "opwright " + name : "opwright";
  try {
    return finish_output(call_command(name, std::span(words).subspan(1)));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s; see %s --help\n", who.c_str(), error.what(), who.c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", who.c_str(), error.what());
    return 1;
  }
}
