#include "opwright/pt2/archive/call_tree.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"

// torch.utils._pytree.treespec_dumps, version 1: [1, {"type": "builtins.dict", "context":
// "[\"mask\"]", "children_spec": [...]}]. The context is JSON again, in a string.

namespace opwright::pt2 {
namespace {

// Every leaf has a path of its own, so that long keys far up could use much memory.
constexpr size_t kMostPathBytes = 1024;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result.push_back('\\');
    result.push_back(character);
  }
  return result.append("\"");
}

// The name of a parameter as text: bare if it is an identifier of ASCII. Only letters of other
// alphabets may be quoted, so that no name reads as a part of the structure, or of code.
std::string parameter_text(const std::string& name, const std::string& origin) {
  bool is_plain = true;
  bool is_identifier = !name.empty() && (name[0] < '0' || name[0] > '9');
  for (const char character : name) {
    const bool is_ascii = static_cast<unsigned char>(character) < 0x80;
    const bool fits = (character >= 'a' && character <= 'z') ||
                      (character >= 'A' && character <= 'Z') ||
                      (character >= '0' && character <= '9') || character == '_';
    is_plain &= is_ascii;
    is_identifier &= fits || !is_ascii;
  }
  OPWRIGHT_CHECK_VALUE(is_identifier, origin, ": the parameter '", name,
                       "' of the function has a name that is not an identifier");
  return is_plain ? name : quoted(name);
}

// A key of a dict as text: a string or an int.
std::string key_text(const JsonReader& key) {
  if (key.value().kind() == JsonKind::String) return quoted(key.as_string());
  if (key.value().kind() == JsonKind::Int) return concatenate(key.as_int());
  throw_error("NotImplementedError", key.path(),
              ": only strings and ints are supported as keys of a dict");
}

class TreeReader {
 public:
  TreeReader(const ArchiveProgram& program, std::span<const char> is_none,
             const std::string& origin)
      : program_(program), is_none_(is_none), origin_(origin) {}

  // The text of a tree; every leaf that is not None adds its path.
  std::string read_results(const JsonReader& tree) {
    std::string text = read(tree, "");
    check_leaves();
    return text;
  }

  // A tuple of a tuple and a dict; the tuple's entries have the names of the parameters.
  std::string read_arguments(const JsonReader& tree, const std::vector<std::string>& names) {
    const JsonReader parts = tree.member("children_spec");
    if (parts.size() != 2) tree.fail("the arguments of a call are a tuple and a dict");
    const JsonReader positional_tree = parts[0];
    const JsonReader keyword_tree = parts[1];
    const JsonReader positional = positional_tree.member("children_spec");
    std::string text = "((";
    for (size_t i = 0; i < positional.size(); ++i) {
      const std::string name = i < names.size() ? names[i] : unnamed_argument(i);
      text.append(i > 0 ? ", " : "").append(parameter_text(name, origin_)).append("=");
      text += read(positional[i], name);
    }
    text += positional.size() == 1 ? ",), {" : "), {";
    const JsonReader keywords = keyword_tree.member("children_spec");
    const JsonValue keys = context_of(keyword_tree);
    const JsonReader key_list(keys, origin_);
    check_count(keyword_tree, keywords.size(), key_list.size());
    for (size_t i = 0; i < keywords.size(); ++i) {
      const std::string name = key_list[i].as_string();
      text.append(i > 0 ? ", " : "").append(quoted(name)).append(": ");
      text += read(keywords[i], name);
    }
    check_leaves();
    return text + "})";
  }

  [[nodiscard]] std::vector<std::string> take_paths() { return std::move(paths_); }

 private:
  void check_leaves() const {
    OPWRIGHT_CHECK_VALUE(leaves_ == is_none_.size(), origin_, ": the structure of the call has ",
                         leaves_, " leaves, but the graph has ", is_none_.size());
  }
  static void check_count(const JsonReader& tree, size_t children, size_t names) {
    if (children != names)
      tree.fail(concatenate("there are ", children, " children and ", names, " names"));
  }
  [[nodiscard]] JsonValue context_of(const JsonReader& tree) const {
    return parse_json(tree.member("context").as_string(), tree.path());
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON text may be nested
  std::string read(const JsonReader& tree, const std::string& path) {
    if (!tree.has("type")) return read_leaf(path);
    const std::string type = tree.member("type").as_string();
    const JsonReader children = tree.member("children_spec");
    if (type == "builtins.tuple" || type == "torch.Size")
      return read_sequence(children, path, "(", children.size() == 1 ? ",)" : ")");
    if (type == "builtins.list" || type == "collections.deque")
      return read_sequence(children, path, "[", "]");
    const std::vector<std::string> keys = keys_of(tree, type, children.size());
    const bool is_dict = type == "builtins.dict" || type == "collections.OrderedDict" ||
                         type == "collections.defaultdict";
    if (keys.size() != children.size() || (keys.empty() && !is_dict))
      return read_sequence(children, path, "(", children.size() == 1 ? ",)" : ")");
    std::string text = type == "collections.OrderedDict" ? "OrderedDict({" : "{";
    for (size_t i = 0; i < keys.size(); ++i) {
      text.append(i > 0 ? ", " : "").append(keys[i]).append(": ");
      text += read(children[i], path + "[" + keys[i] + "]");
    }
    return text + (type == "collections.OrderedDict" ? "})" : "}");
  }

  std::string read_leaf(const std::string& path) {
    const size_t leaf = leaves_++;
    OPWRIGHT_CHECK_VALUE(leaf < is_none_.size(), origin_, ": the structure of the call has more ",
                         "leaves than the graph's ", is_none_.size());
    if (is_none_[leaf] != 0) return "None";
    OPWRIGHT_CHECK_VALUE(path.size() <= kMostPathBytes, origin_, ": the path of leaf ", leaf,
                         " has ", path.size(), " characters, at most ", kMostPathBytes,
                         " are supported; it begins with ", path.substr(0, 40));
    paths_.push_back(path);
    return "*";
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  std::string read_sequence(const JsonReader& children, const std::string& path,
                            std::string_view opening, std::string_view closing) {
    std::string text(opening);
    for (size_t i = 0; i < children.size(); ++i) {
      if (i > 0) text += ", ";
      text += read(children[i], concatenate(path, "[", i, "]"));
    }
    return text.append(closing);
  }

  // The keys of a dict or the fields of a class, as text; of another number if it states none.
  std::vector<std::string> keys_of(const JsonReader& tree, const std::string& type,
                                   size_t count) const {
    if (type == "collections.namedtuple") return namedtuple_fields(tree, count);
    const JsonValue context = context_of(tree);
    const JsonReader reader(context, origin_);
    if (type == "builtins.dict" || type == "collections.OrderedDict") {
      std::vector<std::string> keys = reader.list(key_text);
      check_count(tree, count, keys.size());
      return keys;
    }
    if (type == "collections.defaultdict") {
      const JsonReader listed = reader.member("dict_context");
      std::vector<std::string> keys = listed.list(key_text);
      check_count(tree, count, keys.size());
      return keys;
    }
    return fields_of(context, count);
  }

  // Its context is the name of its class, whose fields the archive lists apart.
  std::vector<std::string> namedtuple_fields(const JsonReader& tree, size_t count) const {
    const auto fields = program_.namedtuple_fields.find(tree.member("context").as_string());
    std::vector<std::string> keys;
    if (fields == program_.namedtuple_fields.end() || fields->second.size() != count) return keys;
    for (const std::string& field : fields->second) keys.push_back(quoted(field));
    return keys;
  }

  // The first list of as many strings as there are children: a class states its fields so
  // (`[["key", "value"], []]` of a dataclass, `["key", "value"]` of others).
  // NOLINTNEXTLINE(misc-no-recursion)
  static std::vector<std::string> fields_of(const JsonValue& context, size_t count) {
    if (context.kind() != JsonKind::Array) return {};
    std::vector<std::string> fields;
    for (const JsonValue& element : context.elements()) {
      if (element.kind() == JsonKind::String) fields.push_back(quoted(element.as_string()));
    }
    if (fields.size() == count && fields.size() == context.elements().size()) return fields;
    for (const JsonValue& element : context.elements()) {
      fields = fields_of(element, count);
      if (fields.size() == count) return fields;
    }
    return {};
  }

  const ArchiveProgram& program_;
  std::span<const char> is_none_;
  const std::string& origin_;
  size_t leaves_ = 0;
  std::vector<std::string> paths_;
};

// The tree of a stored text: [version, tree].
JsonValue parse_tree(const std::string& text, const std::string& origin) {
  JsonValue json = parse_json(text, origin);
  const JsonReader reader(json, origin);
  if (reader.size() != 2) reader.fail("a tree is a list of its version and its root");
  const int64_t version = reader[0].as_int();
  OPWRIGHT_CHECK_KIND("NotImplementedError", version == kTreeVersion, origin,
                      ": the structure of the call has version ", version, ", supported is ",
                      kTreeVersion);
  return json;
}

}  // namespace

CallTrees read_call_trees(const ArchiveProgram& program, std::span<const char> is_none_input,
                          std::span<const char> is_none_output, const std::string& origin) {
  CallTrees trees;
  const std::string where = origin + ", in_spec";
  const JsonValue arguments = parse_tree(program.arguments, where);
  const JsonReader argument_pair(arguments, where);
  TreeReader inputs(program, is_none_input, where);
  trees.structure.arguments = inputs.read_arguments(argument_pair[1], program.argument_names);
  trees.input_paths = inputs.take_paths();
  const std::string results_where = origin + ", out_spec";
  const JsonValue results = parse_tree(program.results, results_where);
  const JsonReader result_pair(results, results_where);
  TreeReader outputs(program, is_none_output, results_where);
  trees.structure.results = outputs.read_results(result_pair[1]);
  return trees;
}

}  // namespace opwright::pt2
