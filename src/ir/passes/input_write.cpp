#include "opwright/ir/passes/input_write.h"

#include "opwright/dispatch/registry.h"

namespace opwright {

bool is_copy_write(const Node& node) {
  static const Operator* copy = Registry::get().find("aten::copy_");
  return copy && node.kind() == NodeKind::Call && &node.op() == copy;
}

bool writes_input(const Node& node) {
  return is_copy_write(node) && node.args()[0].kind() == NodeArgument::Kind::Value &&
         node.args()[0].value().node().kind() == NodeKind::Input;
}

}  // namespace opwright
