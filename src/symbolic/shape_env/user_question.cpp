#include "opwright/symbolic/shape_env/user_question.h"

#include <cstdint>
#include <string>

#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

// The line in the form that tables accept.
SourceSite asking_line() {
  const SourceSite line = current_user_line();
  return line.is_known() ? line : SourceSite{.file = "(unknown)", .line = 0};
}

}  // namespace

bool guard_for_user(const SymInt& condition, OpwIfUnknown if_unknown) {
  if (!condition.is_symbolic()) return condition.word() != 0;
  const SourceSite line = asking_line();
  int result = 0;
  require_ok(sym_node(condition.word())
                 ->table->guard(condition.word(), if_unknown, line.file, line.line, &result));
  return result != 0;
}

int64_t specialise_for_user(const SymInt& value) {
  if (!value.is_symbolic()) return value.word();
  const SourceSite line = asking_line();
  int64_t result = 0;
  require_ok(
      sym_node(value.word())->table->specialise(value.word(), line.file, line.line, &result));
  return result;
}

void check_for_user(const SymInt& condition, const std::string& message) {
  if (!condition.is_symbolic()) {
    if (condition.word() == 0) throw Error("ValueError", message);
    return;
  }
  const SourceSite line = asking_line();
  require_ok(sym_node(condition.word())
                 ->table->check(condition.word(), message.c_str(), line.file, line.line));
}

}  // namespace opwright
