// The process's table of interned strings.
#include "opwright/base/intern.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "opwright/base/hash.h"

namespace opwright {
namespace {

struct InternTable {
  std::mutex mutex;
  std::unordered_set<std::string, StringHash, std::equal_to<>> strings;
};

// Never destroyed: the strings outlive every static object that points to them.
InternTable& intern_table() {
  static auto* table = new InternTable;
  return *table;
}

}  // namespace

const char* intern(std::string_view text) {
  InternTable& table = intern_table();
  const std::lock_guard lock(table.mutex);
  auto found = table.strings.find(text);
  if (found == table.strings.end()) found = table.strings.emplace(text).first;
  return found->c_str();
}

}  // namespace opwright
