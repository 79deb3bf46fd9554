#include "opwright/pt2/archive/call_tree_writer.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "opwright/base/text_scanner.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/pt2/archive/call_tree.h"
#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {
namespace {

JsonValue tree_node(std::string_view type, const JsonValue& context,
                    std::vector<JsonValue> children) {
  std::vector<JsonValue> parts;
  parts.emplace_back(std::string("type"));
  parts.emplace_back(std::string(type));
  parts.emplace_back(std::string("context"));
  parts.emplace_back(to_text(context));
  parts.emplace_back(std::string("children_spec"));
  parts.push_back(JsonValue::array(std::move(children)));
  return JsonValue::object(std::move(parts));
}

JsonValue tree_leaf() {
  std::vector<JsonValue> parts;
  parts.emplace_back(std::string("type"));
  parts.emplace_back();
  parts.emplace_back(std::string("context"));
  parts.emplace_back();
  parts.emplace_back(std::string("children_spec"));
  parts.push_back(JsonValue::array({}));
  return JsonValue::object(std::move(parts));
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Reads the text that python/bindings/pytree/tree_text.h describes.
class StructureParser : TextScanner {
 public:
  explicit StructureParser(std::string_view text) : TextScanner(text) {}

  // The structure of arguments: the children of the root's two children may have names.
  WrittenTree parse_call(std::vector<std::string>& names) {
    expect("((");
    std::vector<JsonValue> positional;
    while (!skip(")")) {
      names.push_back(read_parameter());
      positional.push_back(read(0));
      if (!skip(", ")) skip(",");
    }
    expect(", {");
    std::vector<JsonValue> keys;
    std::vector<JsonValue> keywords;
    while (!skip("}")) {
      std::string name = read_parameter();
      if (name.empty()) {
        name = read_quoted();
        expect(": ");
      }
      names.push_back(name);
      keys.emplace_back(std::move(name));
      keywords.push_back(read(0));
      skip(", ");
    }
    expect(")");
    std::vector<JsonValue> parts;
    parts.push_back(tree_node("builtins.tuple", JsonValue(), std::move(positional)));
    parts.push_back(
        tree_node("builtins.dict", JsonValue::array(std::move(keys)), std::move(keywords)));
    return finish(tree_node("builtins.tuple", JsonValue(), std::move(parts)));
  }
  WrittenTree parse_tree() { return finish(read(0)); }

 private:
  static constexpr size_t kMaxDepth = kMaxJsonDepth / 4;

  [[noreturn]] void fail() const {
    throw_error("ValueError", "save: the structure of the call is not valid at character ", at_ + 1,
                ": ", text_);
  }
  void expect(std::string_view token) {
    if (!skip(token)) fail();
  }
  WrittenTree finish(JsonValue root) {
    if (!is_at_end()) fail();
    std::vector<JsonValue> versioned;
    versioned.emplace_back(kTreeVersion);
    versioned.push_back(std::move(root));
    return {.json = to_text(JsonValue::array(std::move(versioned))),
            .is_none = std::move(is_none_)};
  }

  // "x=", or an empty name.
  std::string read_parameter() {
    const size_t begin = at_;
    std::string name(take_while(is_word));
    if (name.empty() && peek() == '"') name = read_quoted();
    if (!name.empty() && skip("=")) return name;
    at_ = begin;
    return {};
  }
  std::string read_quoted() {
    expect("\"");
    std::string content;
    while (!skip("\"")) {
      if (is_at_end() || starts_with("\\x")) fail();  // names and keys are UTF-8
      skip("\\");
      content.push_back(next());
    }
    return content;
  }

  // NOLINTNEXTLINE(misc-no-recursion): at most kMaxDepth levels
  JsonValue read(size_t depth) {
    if (depth > kMaxDepth) fail();
    const bool is_none = skip("None");
    if (is_none || skip("*")) {
      is_none_.push_back(is_none ? 1 : 0);
      return tree_leaf();
    }
    if (skip("(")) return read_sequence("builtins.tuple", ")", depth);
    if (skip("[")) return read_sequence("builtins.list", "]", depth);
    if (skip("{")) return read_dict("builtins.dict", "}", depth);
    if (skip("OrderedDict({")) return read_dict("collections.OrderedDict", "})", depth);
    refuse();
  }
  [[noreturn]] void refuse() {
    const size_t begin = at_;
    const std::string_view kind = take_while(is_word);
    skip(" ");
    const std::string name = peek() == '"' ? read_quoted() : std::string(kind);
    if (name.empty()) at_ = begin, fail();
    throw_error("NotImplementedError", "save: the call of the program has the class '", name,
                "', which PyTorch could not load without its definition; a PyTorch archive may "
                "have tuples, lists, dicts and OrderedDicts");
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  JsonValue read_sequence(std::string_view type, std::string_view closing, size_t depth) {
    std::vector<JsonValue> children;
    while (!skip(closing)) {
      children.push_back(read(depth + 1));
      if (!skip(", ") && !skip(",") && !starts_with(closing)) fail();
    }
    return tree_node(type, JsonValue(), std::move(children));
  }
  // NOLINTNEXTLINE(misc-no-recursion)
  JsonValue read_dict(std::string_view type, std::string_view closing, size_t depth) {
    std::vector<JsonValue> keys;
    std::vector<JsonValue> children;
    while (!skip(closing)) {
      keys.push_back(read_key());
      expect(": ");
      children.push_back(read(depth + 1));
      if (!skip(", ") && !starts_with(closing)) fail();
    }
    return tree_node(type, JsonValue::array(std::move(keys)), std::move(children));
  }
  JsonValue read_key() {
    if (peek() == '"') return JsonValue(read_quoted());
    const std::string_view digits =
        take_while([](char c) { return (c >= '0' && c <= '9') || c == '-'; });
    int64_t key = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), key);
    OPWRIGHT_CHECK_KIND("NotImplementedError",
                        error == std::errc() && end == digits.end() && !digits.empty(),
                        "save: only strings and ints are supported as keys of a dict in the "
                        "structure of the call: ",
                        text_);
    return JsonValue(key);
  }

  std::vector<char> is_none_;
};

std::string flat_arguments(const std::vector<std::string>& targets) {
  std::string text = "((";
  for (const std::string& target : targets) {
    text.append(target).append(targets.size() == 1 ? "=*," : "=*, ");
  }
  return text + "), {})";
}

std::string flat_results(size_t count) {
  if (count == 1) return "*";
  std::string text = "(";
  for (size_t i = 0; i < count; ++i) text += "*, ";
  return text + ")";
}

}  // namespace

WrittenCall write_call_trees(const CallStructure& structure,
                             const std::vector<std::string>& input_targets, size_t num_results) {
  WrittenCall call;
  const std::string arguments =
      structure.arguments.empty() ? flat_arguments(input_targets) : structure.arguments;
  call.arguments = StructureParser(arguments).parse_call(call.argument_names);
  // A parameter without a name has one in the archive, since all have a place there.
  for (size_t i = 0; i < call.argument_names.size(); ++i) {
    if (call.argument_names[i].empty()) call.argument_names[i] = unnamed_argument(i);
  }
  const std::string results =
      structure.results.empty() ? flat_results(num_results) : structure.results;
  call.results = StructureParser(results).parse_tree();
  return call;
}

}  // namespace opwright::pt2
