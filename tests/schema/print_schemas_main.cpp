// Prints the canonical text of schemas.
//
//   print_schemas           one schema per input line; on an error, "ERROR: " and its first line
//   print_schemas --whole   the input is one schema; on an error, its kind and entire text
#include <iostream>
#include <iterator>
#include <string>

#include "opwright/error.h"
#include "opwright/schema/parser.h"

namespace {

void print_line(const std::string& line) {
  try {
    std::cout << opwright::to_text(opwright::parse_schema(line)) << '\n';
  } catch (const opwright::Error& error) {
    const std::string text = error.text();
    std::cout << "ERROR: " << text.substr(0, text.find('\n')) << '\n';
  }
}

void print_whole(const std::string& input) {
  try {
    std::cout << opwright::to_text(opwright::parse_schema(input)) << '\n';
  } catch (const opwright::Error& error) {
    std::cout << error.kind() << ": " << error.text() << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--whole") {
    print_whole(std::string(std::istreambuf_iterator<char>(std::cin), {}));
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);) print_line(line);
  return 0;
}
