// Any bytes are a schema that prints back to itself, or a ValueError.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "opwright/error.h"
#include "opwright/schema/parser.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// nullopt for a ValueError.
template <class Parse>
std::optional<opwright::Schema> try_parse(std::string_view text, Parse parse) {
  try {
    return parse(text);
  } catch (const opwright::Error& error) {
    require(std::strcmp(error.kind(), "ValueError") == 0);
    return std::nullopt;
  }
}

template <class Parse>
void parse_and_print(std::string_view text, Parse parse) {
  const auto schema = try_parse(text, parse);
  if (schema) require(try_parse(to_text(*schema), parse) == schema);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parse_and_print(text, [](std::string_view one) { return opwright::parse_schema(one); });
  parse_and_print(text, [](std::string_view one) { return opwright::parse_definition(one); });
  return 0;
}
