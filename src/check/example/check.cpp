#include "opwright/check/example/check.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/suggest.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/error.h"

namespace opwright {
namespace {

std::vector<CheckEntry>& all_checks() {
  static std::vector<CheckEntry> checks;
  return checks;
}

// PyTorch's names, and our checks that cover the same.
struct Group {
  std::string_view name;
  std::vector<std::string_view> checks;
};
const std::vector<Group>& groups() {
  static const std::vector<Group> known = {
      {"test_schema", {"results", "schema"}},
      {"test_autograd_registration", {"autograd"}},
      {"test_faketensor", {"fake"}},
      {"test_aot_dispatch_static", {"trace", "functionalize"}},
      {"test_aot_dispatch_dynamic", {"trace", "functionalize"}},
  };
  return known;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const CheckEntry& entry : all_checks()) names.push_back(entry.name);
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  const auto near = closest(name, names);
  throw_error("ValueError", "opcheck: there is no check '", name, "'",
              near ? concatenate("; did you mean '", *near, "'?") : "", "\n  The checks are ", list,
              "; ALL means all except those on request.");
}

void add_by_name(std::string_view name, std::vector<std::string_view>& wanted) {
  const auto group = std::ranges::find(groups(), name, &Group::name);
  if (group != groups().end()) {
    wanted.insert(wanted.end(), group->checks.begin(), group->checks.end());
  } else if (std::ranges::find(all_checks(), name, &CheckEntry::name) != all_checks().end()) {
    wanted.push_back(name);
  } else {
    throw_unknown(name);
  }
}

}  // namespace

const Outcome& CheckInput::plain() const {
  if (!plain_) plain_ = run_example(example_.copy());
  return *plain_;
}

bool CheckInput::is_refused() const {
  const auto& error = plain().error;
  return error && !is_wrong_result(*error);
}

std::optional<Fault> look_at(Check& check, const CheckInput& input) {
  try {
    return check.look(input);
  } catch (const Error& error) {
    return Fault{"raised",
                 concatenate(input.op().name(), ": ", error.kind(), ": ", error.message())};
  }
}

void register_check(CheckEntry entry) {
  OPWRIGHT_CHECK_VALUE(
      std::ranges::find(all_checks(), entry.name, &CheckEntry::name) == all_checks().end(),
      "register_check: the check '", entry.name, "' already exists");
  all_checks().push_back(std::move(entry));
  std::ranges::sort(all_checks(), {}, [](const CheckEntry& each) {
    return std::pair<int, std::string_view>(each.place, each.name);
  });
}

const std::vector<CheckEntry>& registered_checks() { return all_checks(); }

std::vector<const CheckEntry*> find_checks(const std::vector<std::string>& names) {
  bool has_all = false;
  std::vector<std::string_view> wanted;
  for (const std::string& name : names) {
    if (name == "ALL") {
      has_all = true;
    } else {
      add_by_name(name, wanted);
    }
  }
  std::vector<const CheckEntry*> found;
  for (const CheckEntry& entry : all_checks()) {
    const bool is_named = std::ranges::find(wanted, entry.name) != wanted.end();
    if (is_named || (has_all && !entry.is_on_request)) found.push_back(&entry);
  }
  return found;
}

}  // namespace opwright
