// The commands. Each takes the words after its name and returns the exit code.
#pragma once

#include <span>
#include <string>

namespace opwright::command {

[[nodiscard]] int run_command(std::span<const std::string> words);
[[nodiscard]] int convert_command(std::span<const std::string> words);
[[nodiscard]] int onnx_command(std::span<const std::string> words);
[[nodiscard]] int show_command(std::span<const std::string> words);

}  // namespace opwright::command
