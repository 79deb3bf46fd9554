#include "bindings/interpreter/owned_walk.h"

#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/tensor/wrapper.h"

namespace opwright::python {

int64_t num_owned_objects = 0;

namespace {

class OwnedWalk final : public OwnedTensorVisitor {
 public:
  OwnedWalk(visitproc visitor, void* arg) : visitor_(visitor), arg_(arg) {}

  // Iterative, since histories are long.
  int run() {
    while (!nodes_.empty() && result_ == 0) {
      const TapeNode* node = nodes_.back();
      nodes_.pop_back();
      add_contents(*node);
    }
    return result_;
  }

  void add_contents(const TapeNode& node) {
    for (const Edge& edge : node.edges()) add(edge.node.get());
    node.visit_owned(*this);
  }

  void add_contents(const TensorImpl& tensor) {
    if (tensor.is_wrapper()) visit(static_cast<const WrapperImpl&>(tensor).inner);
    const auto* history = static_cast<const History*>(tensor.autograd);
    if (!history) return;
    add(history->node.get());
    add(history->accumulator.get());
    if (history->kept && history->kept->is_owned_once()) visit(history->kept->gradient);
    visit(history->root);
  }

  void visit(const Tensor& tensor) override {
    if (!tensor.is_defined()) return;
    const auto& self = static_cast<const TensorImpl&>(*tensor.get());
    const uint32_t word = __atomic_load_n(&self.count, __ATOMIC_ACQUIRE);
    if (word == 1) {
      add_contents(self);
    } else if (word == (kOpwCountHostBit | 1)) {
      show(self.mirror);
    }
  }

 private:
  void add(const TapeNode* node) {
    if (!node) return;
    const uint32_t word = node->count_word().load(std::memory_order_acquire);
    if (word == 1) {
      nodes_.push_back(node);
    } else if (word == (kOpwCountHostBit | 1)) {
      show(node->mirror());
    }
  }

  void show(void* object) {
    if (result_ == 0) result_ = visitor_(static_cast<PyObject*>(object), arg_);
  }

  visitproc visitor_;
  void* arg_;
  int result_ = 0;
  std::vector<const TapeNode*> nodes_;
};

template <class Owner>
int walk_owned(const Owner& owner, visitproc visit, void* arg) {
  if (num_owned_objects == 0) [[likely]]
    return 0;
  OwnedWalk walk(visit, arg);
  walk.add_contents(owner);
  return walk.run();
}

}  // namespace

int visit_owned_by(const TensorImpl& tensor, visitproc visit, void* arg) {
  return walk_owned(tensor, visit, arg);
}

int visit_owned_by(const TapeNode& node, visitproc visit, void* arg) {
  return walk_owned(node, visit, arg);
}

}  // namespace opwright::python
