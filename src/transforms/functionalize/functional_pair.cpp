#include "opwright/transforms/functionalize/functional_pair.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/rule.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

bool is_plain_tensor(const Return& result) { return result.type.kind() == TypeKind::Tensor; }

// Whether the results are exactly the written arguments.
bool gives_written_tensors_only(const Operator& op) {
  const auto& returns = op.schema().returns;
  return std::ranges::all_of(
      returns, [](const Return& each) { return each.is_written() && is_plain_tensor(each); });
}

// "aten::add" for add_.Tensor and for add.out; empty: neither form.
std::string pair_packet(const Operator& op) {
  const Schema& schema = op.schema();
  if (op.written_args() == 1 && schema.name.base.ends_with('_')) {
    const std::string packet = schema.name.packet();
    return packet.substr(0, packet.size() - 1);
  }
  const bool is_out = std::ranges::all_of(schema.arguments, [](const Argument& each) {
    return !each.is_written() || each.is_keyword_only;
  });
  return is_out ? schema.name.packet() : "";
}

std::vector<const Argument*> compared_arguments(const Schema& schema, bool without_written) {
  std::vector<const Argument*> compared;
  for (const Argument& each : schema.arguments) {
    if (!without_written || !each.is_written()) compared.push_back(&each);
  }
  return compared;
}

bool computes_the_same(const Operator& op, const Operator& other) {
  if (other.writes_arguments() || is_view(other) ||
      other.num_results() != op.schema().returns.size() ||
      !std::ranges::all_of(other.schema().returns, is_plain_tensor))
    return false;
  const bool is_in_place = op.schema().name.base != other.schema().name.base;
  return std::ranges::equal(compared_arguments(op.schema(), !is_in_place),
                            compared_arguments(other.schema(), false),
                            [](const Argument* a, const Argument* b) {
                              return a->name == b->name && a->type == b->type;
                            });
}

const Operator* look_for_pair(const Operator& op) {
  if (!is_builtin(op) || !gives_written_tensors_only(op)) return nullptr;
  const std::string packet = pair_packet(op);
  if (packet.empty()) return nullptr;
  const Operator* found = nullptr;
  for (const Operator* other : Registry::get().overloads(packet)) {
    if (!computes_the_same(op, *other)) continue;
    if (found) return nullptr;
    found = other;
  }
  return found;
}

}  // namespace

const Operator* find_functional_pair(const Operator& op) {
  static std::mutex mutex;
  static auto* known = new std::unordered_map<const Operator*, const Operator*>;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known->try_emplace(&op, nullptr);
  if (is_new) place->second = look_for_pair(op);
  return place->second;
}

}  // namespace opwright
