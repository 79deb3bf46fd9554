#include "opwright/program/call_errors.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/program/signature.h"

namespace opwright {
namespace {

// `from` in the graph's messages (ir/input_check.cpp) and what a program calls it.
struct Wording {
  std::string_view from;
  std::string_view to;
};
constexpr Wording kWordings[] = {
    {.from = "graph: ", .to = "program: "},
    {.from = "traced", .to = "exported"},
    {.from = "the graph is run", .to = "the program is run"},
    {.from = "need a graph of their own", .to = "need a program of their own"},
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// What an input is to the caller.
std::string name_for_caller(const InputSpec& spec) {
  const char* kind = spec.kind == InputKind::UserInput ? "the argument '" : "'";
  return concatenate(kind, spec.target, "'");
}

}  // namespace

Error in_terms_of_call(const Error& error, const GraphSignature& signature) {
  std::string text = error.text();
  const bool is_of_graph = text.starts_with("graph: ") || text.find(", but the graph is run") != std::string::npos;
  if (!is_of_graph || error.get()->payload) return error;
  for (const Wording& wording : kWordings) replace_all(text, wording.from, wording.to);
  for (const InputSpec& spec : signature.inputs) {
    if (spec.value.empty()) continue;
    replace_all(text, concatenate("input '", spec.value, "'"), name_for_caller(spec));
  }
  return Error(error.kind(), text);
}

}  // namespace opwright
