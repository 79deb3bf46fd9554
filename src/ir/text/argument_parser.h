// Parses the arguments and the metadata in a graph's text (node_text.h writes them).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/symint.h"
#include "opwright/value.h"

namespace opwright {

// The deepest nesting of lists, and of graphs in graphs, that a text may have.
inline constexpr size_t kMostNested = 64;

class ArgumentParser {
 public:
  // Parses a sub-graph; the cursor is just after the word `graph`.
  class SubGraphs {
   public:
    virtual GraphPtr parse_sub_graph() = 0;

   protected:
    ~SubGraphs() = default;
  };

  ArgumentParser(TextCursor& cursor, SubGraphs& sub_graphs)
      : cursor_(cursor), sub_graphs_(sub_graphs) {}

  // Sets the graph in which `%name` is looked up.
  void set_graph(const Graph* graph) noexcept { graph_ = graph; }

  NodeArgument parse_argument();
  Value parse_meta();
  // Parses an int or an expression over the graph's symbols; `span` covers all of it.
  SymInt parse_int(TextSpan span);

 private:
  NodeArgument parse_value();
  NodeArgument parse_list();
  Value parse_constant();
  Value parse_device();
  Value parse_written(TextSpan span);
  std::optional<Value> parse_number(std::string_view text, TextSpan span) const;
  Value parse_tensor(TextSpan dtype);
  std::vector<SymInt> parse_int_list();
  [[noreturn]] void fail_object();

  TextCursor& cursor_;
  SubGraphs& sub_graphs_;
  const Graph* graph_ = nullptr;
  size_t depth_ = 0;
};

}  // namespace opwright
