// emit_nest <vector bytes>: converts texts of nests from standard input, separated by lines ----,
// to LLVM IR on standard output, separated the same way. The first line of each is the scratch
// bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compile/nest_text.h"
#include "opwright/compile/llvm/emit_llvm.h"

namespace {

void print(const std::string& text, const opwright::EmitTarget& target) {
  const opwright::EmittedNest emitted =
      opwright::emit_llvm(opwright::testing::parse_nest(text), target);
  std::printf("; scratch %lld\n%s", static_cast<long long>(emitted.scratch_bytes),
              emitted.ir.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  opwright::EmitTarget target;
  if (argc > 1) target.vector_bytes = static_cast<uint32_t>(std::atoi(argv[1]));
  std::string text;
  char line[1024];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    if (std::string(line) != "----\n") {
      text += line;
      continue;
    }
    print(text, target);
    std::printf("----\n");
    text.clear();
  }
  if (!text.empty()) print(text, target);
  return 0;
}
