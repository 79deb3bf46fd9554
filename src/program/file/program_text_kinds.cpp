// The names of input and output kinds.
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_text.h"

namespace opwright {
namespace {

constexpr std::array<std::pair<InputKind, std::string_view>, 5> kInputKinds = {{
    {InputKind::UserInput, "user"},
    {InputKind::Parameter, "parameter"},
    {InputKind::Buffer, "buffer"},
    {InputKind::ConstantTensor, "constant_tensor"},
    {InputKind::RandomState, "random_state"},
}};
constexpr std::array<std::pair<OutputKind, std::string_view>, 4> kOutputKinds = {{
    {OutputKind::UserOutput, "user"},
    {OutputKind::BufferMutation, "buffer_mutation"},
    {OutputKind::ParameterMutation, "parameter_mutation"},
    {OutputKind::UserInputMutation, "user_input_mutation"},
}};

template <class Table, class Kind>
std::string_view word_of(const Table& table, Kind kind) {
  for (const auto& [known, word] : table) {
    if (known == kind) return word;
  }
  return "";
}

template <class Kind, class Table>
std::optional<Kind> kind_of(const Table& table, std::string_view word) {
  for (const auto& [kind, known] : table) {
    if (known == word) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(InputKind kind) noexcept { return word_of(kInputKinds, kind); }
std::string_view to_text(OutputKind kind) noexcept { return word_of(kOutputKinds, kind); }

std::optional<InputKind> find_input_kind(std::string_view word) noexcept {
  return kind_of<InputKind>(kInputKinds, word);
}
std::optional<OutputKind> find_output_kind(std::string_view word) noexcept {
  return kind_of<OutputKind>(kOutputKinds, word);
}

}  // namespace opwright
