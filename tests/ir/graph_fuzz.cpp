// libFuzzer: any input either parses to a graph that prints back to itself, or raises ValueError.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "ir/graph_operators.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Null after a ValueError.
opwright::GraphPtr try_parse(std::string_view text) {
  try {
    return opwright::parse_graph(text);
  } catch (const opwright::Error& error) {
    require(std::strcmp(error.kind(), "ValueError") == 0);
    return nullptr;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const opwright::testing::GraphOperators operators;
  const auto graph = try_parse({reinterpret_cast<const char*>(data), size});
  if (!graph) return 0;
  const std::string text = to_text(*graph);
  const auto again = try_parse(text);
  require(again && is_equal(*again, *graph) && to_text(*again) == text);
  require(is_equal(*graph->copy(), *graph));
  return 0;
}
