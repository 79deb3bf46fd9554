// is_equal: whether two graphs print the same.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

// Symbols of two environments are equal if they have the same text.
bool equal_symbolic(const SymInt& a, const SymInt& b) {
  if (!a.is_symbolic() || !b.is_symbolic()) return a.word() == b.word();
  return a.word() == b.word() || concatenate(a) == concatenate(b);
}

bool is_int(const OpwValue& value) { return value.tag == kOpwInt || value.tag == kOpwSymInt; }

// Plain ints compare equal to SymInts; the storage form of a list does not matter.
bool equal_constants(const OpwValue& a, const OpwValue& b) {
  if (is_list_tag(a.tag) && is_list_tag(b.tag)) {
    if (a.length != b.length) return false;
    for (uint32_t i = 0; i < a.length; ++i) {
      if (!equal_constants(list_element(a, i), list_element(b, i))) return false;
    }
    return true;
  }
  if (is_int(a) && is_int(b)) {
    if (a.tag == kOpwInt && b.tag == kOpwInt) return a.as_int == b.as_int;
    return equal_symbolic(SymInt::borrow(a.as_int), SymInt::borrow(b.as_int));
  }
  if (is_graph(a) && is_graph(b)) return is_equal(*graph_of(a), *graph_of(b));
  return equal_values(a, b);
}

bool equal_arguments(std::span<const NodeArgument> a, std::span<const NodeArgument> b);

bool equal_argument(const NodeArgument& a, const NodeArgument& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case NodeArgument::Kind::Constant:
      return equal_constants(a.constant().get(), b.constant().get());
    case NodeArgument::Kind::Value:
      return a.value().name() == b.value().name();
    case NodeArgument::Kind::List:
      return equal_arguments(a.elements(), b.elements());
  }
  return false;
}

bool equal_arguments(std::span<const NodeArgument> a, std::span<const NodeArgument> b) {
  return std::ranges::equal(a, b, equal_argument);
}

bool equal_sites(SourceSite a, SourceSite b) {
  if (!a.is_known() || !b.is_known()) return a.is_known() == b.is_known();
  return a.line == b.line && std::string_view(a.file) == b.file;
}

bool equal_nodes(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || !equal_sites(a.site(), b.site())) return false;
  if (a.kind() == NodeKind::Call && &a.op() != &b.op()) return false;
  if (a.kind() == NodeKind::Input && a.role() != b.role()) return false;
  if (a.grad_mode() != b.grad_mode() || a.module_path() != b.module_path()) return false;
  const auto equal_values = [](const GraphValue& x, const GraphValue& y) {
    return x.name() == y.name() && equal_meta(x.meta(), y.meta());
  };
  return std::ranges::equal(a.results(), b.results()) &&
         std::ranges::equal(a.values(), b.values(), equal_values) &&
         equal_arguments(a.args(), b.args());
}

bool equal_symbols(const Symbol& a, const Symbol& b) {
  if (a.equals.has_value() != b.equals.has_value()) return false;
  return a.name == b.name && a.hint == b.hint && a.range == b.range && a.source == b.source &&
         equal_sites(a.made_at, b.made_at) && (!a.equals || equal_symbolic(*a.equals, *b.equals));
}

bool equal_guards(const Guard& a, const Guard& b) {
  return equal_symbolic(a.condition, b.condition) && equal_sites(a.user, b.user) &&
         equal_sites(a.asked, b.asked);
}

bool equal_assertions(const RuntimeAssert& a, const RuntimeAssert& b) {
  return equal_symbolic(a.condition, b.condition) && a.message == b.message &&
         equal_sites(a.user, b.user) && equal_sites(a.asked, b.asked);
}

bool is_without_symbols(const ShapeEnv* env) {
  return !env ||
         (env->symbols().empty() && env->guards().empty() && env->runtime_asserts().empty());
}

bool equal_environments(const ShapeEnv* a, const ShapeEnv* b) {
  if (a == b) return true;
  if (!a || !b) return is_without_symbols(a ? a : b);
  return std::ranges::equal(a->symbols(), b->symbols(), equal_symbols) &&
         std::ranges::equal(a->guards(), b->guards(), equal_guards) &&
         std::ranges::equal(a->runtime_asserts(), b->runtime_asserts(), equal_assertions);
}

}  // namespace

bool is_equal(const Graph& a, const Graph& b) {
  if (a.num_nodes() != b.num_nodes()) return false;
  if (!equal_environments(a.shape_env().get(), b.shape_env().get())) return false;
  const Node* y = b.first();
  for (const Node* x = a.first(); x; x = x->next(), y = y->next()) {
    if (!equal_nodes(*x, *y)) return false;
  }
  return true;
}

}  // namespace opwright
