// The function table of the words that a ShapeEnv owns. A handle to any of its expressions holds a
// count on the environment.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "opwright/base/given_error.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_text.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/shape_env_state.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

ShapeEnv& environment_of(OpwSymWord word) { return *expression_of(word).environment; }

void retain(OpwSymNode* node) { static_cast<Expression*>(node)->environment->add_ref(); }
void release(OpwSymNode* node) { static_cast<Expression*>(node)->environment->release(); }

int apply_in_env(OpwSymOp op, OpwSymWord a, OpwSymWord b, OpwSymWord* result) {
  return status_of([&] {
    const bool is_first = is_symbolic(a) && sym_node(a)->table == &shape_env_table();
    *result = environment_of(is_first ? a : b).apply(op, a, b);
  });
}

int guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file, uint32_t line,
          int* result) {
  return status_of([&] {
    *result = environment_of(condition).guard(condition, if_unknown, file, line) ? 1 : 0;
  });
}

int check_in_env(OpwSymWord condition, const char* message, const char* file, uint32_t line) {
  return status_of([&] { environment_of(condition).check(condition, message, file, line); });
}

int specialise(OpwSymWord word, const char* file, uint32_t line, int64_t* result) {
  return status_of([&] { *result = environment_of(word).specialise(word, file, line); });
}

size_t text(OpwSymWord word, char* buffer, size_t capacity) {
  const std::string whole = expression_text(word);
  if (capacity > 0) {
    const size_t length = std::min(whole.size(), capacity - 1);
    std::memcpy(buffer, whole.data(), length);
    buffer[length] = '\0';
  }
  return whole.size();
}

constexpr OpwSymTable kTable = {sizeof(OpwSymTable), &retain,     &release, &apply_in_env, &guard,
                                &check_in_env,       &specialise, &text};

}  // namespace

const OpwSymTable& shape_env_table() noexcept { return kTable; }

}  // namespace opwright
