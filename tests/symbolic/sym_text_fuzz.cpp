// Any bytes are an expression that reads back as the same word and survives facts, a program that
// prints back to itself, or a ValueError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symint.h"

namespace {

using opwright::ShapeEnv;
using opwright::SymInt;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Body>
void allow(std::initializer_list<const char*> kinds, const Body& body) {
  try {
    body();
  } catch (const opwright::Error& error) {
    bool is_allowed = false;
    for (const char* kind : kinds) is_allowed |= std::strcmp(error.kind(), kind) == 0;
    require(is_allowed);
  }
}

void read_expression(std::string_view text) {
  const auto env = opwright::make_intrusive<ShapeEnv>();
  const SymInt made[] = {env->make_size(6, "x"), env->make_size(8, "x"), env->make_unbacked()};
  allow({"ValueError"}, [&] {
    const SymInt value = env->parse(text);
    require(env->parse(opwright::concatenate(value)).word() == value.word());
    allow({"ValueError", "OverflowError", "ZeroDivisionError"}, [&] {
      static_cast<void>(env->simplify(value));
      env->learn(value);
      require(env->decide(value) == true);
      static_cast<void>(env->range(made[2]));
      static_cast<void>(env->solve());
    });
  });
}

void read_program(std::string_view text) {
  allow({"ValueError"}, [&] {
    const auto program = opwright::SymProgram::parse(text);
    require(opwright::SymProgram::parse(program.to_text()) == program);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_expression(text);
  read_program(text);
  return 0;
}
