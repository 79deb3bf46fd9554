// The text of a graph's parts: metadata, constants, arguments, lines. parse.cpp parses them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/ir/graph/node.h"
#include "opwright/schema/schema.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// "float32[s0, 4] strides [1, s0] offset(3) on cuda:0 grad", "int(u0)", "None". Strides are shown
// only if the tensor is not contiguous.
void append_meta_text(std::string& out, const Value& meta);
[[nodiscard]] OPWRIGHT_EXPORT std::string meta_text(const Value& meta);

// 1, 2.0, [1, s0], float32, device("cuda:0"), "text", None, a sub-graph. Objects that cannot be
// restored from text are printed as object("Generator").
OPWRIGHT_EXPORT void append_constant_text(std::string& out, const OpwValue& value,
                                          size_t indent = 0);
// The same with values as %name.
void append_argument_text(std::string& out, const NodeArgument& argument, size_t indent = 0);
// Whether an argument equals the schema's default; the text omits such arguments.
[[nodiscard]] OPWRIGHT_EXPORT bool is_default(const NodeArgument& argument,
                                              const Argument& declared);
// Calls `visit(name, argument)` for each argument that the text of a call shows; the name is empty
// for positional arguments.
template <class Visit>
void visit_written_arguments(const Node& node, const Visit& visit) {
  const std::vector<Argument>& declared = node.op().schema().arguments;
  bool by_name = false;
  for (size_t i = 0; i < node.args().size(); ++i) {
    const bool is_declared = i < declared.size();
    if (is_declared && is_default(node.args()[i], declared[i])) {
      by_name = true;
      continue;
    }
    const bool has_name = is_declared && (by_name || declared[i].is_keyword_only);
    visit(has_name ? std::string_view(declared[i].name) : std::string_view(), node.args()[i]);
  }
}
// "aten::add.Tensor(%x, %y, alpha=2)": arguments equal to the schema's defaults are omitted.
void append_call_text(std::string& out, const Node& node, size_t indent = 0);

// "%mm = aten::mm(%x, %w)", "input %x", "return %mm": a node on one line, for messages.
[[nodiscard]] OPWRIGHT_EXPORT std::string node_text(const Node& node);

// "model.py:12"; a file name with characters unusual in paths is quoted.
void append_site_text(std::string& out, SourceSite site);
// Prints words of letters, digits and "_.()[]" as they are and quotes others.
void append_word_text(std::string& out, std::string_view word);

// Whether two metadata print the same. Symbols are compared by their text.
[[nodiscard]] bool equal_meta(const Value& a, const Value& b);

}  // namespace opwright
