// Reads the arguments and the metadata of a graph's text (node_text.h writes them).
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

// How deep lists, and graphs in graphs, may be nested in a text.
inline constexpr size_t kMostNested = 64;

class ArgumentParser {
 public:
  // Reads a sub-graph; the cursor is behind the word `graph`.
  class SubGraphs {
   public:
    virtual GraphPtr parse_sub_graph() = 0;

   protected:
    ~SubGraphs() = default;
  };

  ArgumentParser(TextCursor& cursor, SubGraphs& sub_graphs)
      : cursor_(cursor), sub_graphs_(sub_graphs) {}

  // The graph whose values `%name` means.
  void set_graph(const Graph* graph) noexcept { graph_ = graph; }

  NodeArgument parse_argument();
  Value parse_meta();
  // An int or an expression over the graph's symbols; `span` is that of the whole.
  SymInt parse_int(TextSpan span);
  int64_t parse_plain_int(TextSpan span);

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
