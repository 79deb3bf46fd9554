#include "opwright/compile/lower/split_products.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/point_node.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool is_one(const NodeArgument& argument) {
  if (argument.kind() != NodeArgument::Kind::Constant) return false;
  const OpwValue& value = argument.constant().get();
  if (value.tag == kOpwInt) return value.as_int == 1;
  return value.tag == kOpwFloat && ValueOf<Scalar>::read(value).to<double>() == 1;
}

bool is_call_of(const Node& node, const Operator& op) {
  return node.kind() == NodeKind::Call && &node.op() == &op;
}

// The only user, if it is a reshape that keeps the last dimension.
Node* only_reshape(const GraphValue& value) {
  static const Operator& view = Registry::get().require("aten::view");
  if (value.users().size() != 1) return nullptr;
  Node& user = *value.users()[0];
  if (!is_call_of(user, view)) return nullptr;
  const Tensor shown = user.values()[0].tensor();
  const Tensor own = value.tensor();
  const bool keeps_last = shown.dim() > 0 && shown.sym_size(-1).word() == own.sym_size(-1).word();
  return keeps_last ? &user : nullptr;
}

class Splitter {
 public:
  Splitter(Graph& graph, const FusionTarget& target) : graph_(graph), target_(target) {}

  // Returns false if it is left unchanged.
  bool split(Node& node) {
    const NodeArgument& added = node.args()[0];
    if (!is_one(node.args()[3]) || !is_one(node.args()[4]) || added.value().tensor().dim() != 1 ||
        added.value().tensor().dtype() != node.values()[0].tensor().dtype())
      return false;
    Node* reshape = only_reshape(node.values()[0]);
    GraphValue& last = reshape ? reshape->values()[0] : node.values()[0];
    const bool is_taken = std::ranges::any_of(
        last.users(), [&](const Node* user) { return describe_point(*user, target_).has_value(); });
    if (!is_taken) return false;
    GraphValue& product =
        insert(node, "aten::mm", {node.args()[1], node.args()[2]}, node.values()[0]);
    GraphValue* shown = &product;
    Node* place = &node;
    if (reshape) {
      shown =
          &insert(*reshape, "aten::view", {NodeArgument::of(product), reshape->args()[1]}, last);
      place = reshape;
    }
    GraphValue& sum = insert(
        *place, "aten::add.Tensor",
        {NodeArgument::of(*shown), added, NodeArgument::constant(Value(Scalar(int64_t{1})))}, last);
    graph_.replace_uses(last, sum);
    return true;
  }

 private:
  // Inserts a call before a node; its value has the metadata of `like`.
  GraphValue& insert(Node& before, const char* name, std::vector<NodeArgument> args,
                     const GraphValue& like) {
    CallDescription call = describe_call_at(before, Registry::get().require(name), std::move(args));
    call.results.push_back(like.meta());
    return graph_.insert_call(std::move(call), &before).values()[0];
  }

  Graph& graph_;
  const FusionTarget& target_;
};

}  // namespace

size_t split_products(Graph& graph, const FusionTarget& target) {
  static const Operator& addmm = Registry::get().require("aten::addmm");
  std::vector<Node*> found;
  for (Node* node = graph.first(); node; node = node->next()) {
    if (is_call_of(*node, addmm)) found.push_back(node);
  }
  Splitter splitter(graph, target);
  return static_cast<size_t>(
      std::ranges::count_if(found, [&](Node* node) { return splitter.split(*node); }));
}

}  // namespace opwright
