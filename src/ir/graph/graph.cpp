#include "opwright/ir/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/input_plan.h"  // for a member
#include "opwright/ir/graph/input_words.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/graph/text_check.h"
#include "opwright/ir/graph/value_name.h"
#include "opwright/schema/constant.h"

namespace opwright {
namespace {

bool is_value_tag(uint32_t tag) { return tag == kOpwTensor || tag == kOpwSymInt; }

// Whether the elements of a list result become values.
bool holds_values(const OpwValue& list) {
  if (list.tag == kOpwTensorList) return true;
  if (list.tag == kOpwSymIntList) {
    return std::any_of(list.as_ints, list.as_ints + list.length,
                       [](OpwSymWord word) { return is_symbolic(word); });
  }
  if (list.tag != kOpwList) return false;
  for (uint32_t i = 0; i < list.length; ++i) {
    const uint32_t tag = list_element(list, i).tag;
    if (!is_value_tag(tag) && tag != kOpwNone) return false;
  }
  return list.length != 0;
}

uint32_t count_values(const OpwValue& result) {
  if (is_value_tag(result.tag)) return 1;
  return holds_values(result) ? result.length : 0;
}

// Ints are kept as SymInts.
Value as_meta(Value value) {
  if (value.tag() != kOpwInt) return value;
  return Value(SymInt(value.get().as_int));
}

void check_meta(std::string_view name, const Value& meta) {
  const uint32_t tag = meta.tag();
  OPWRIGHT_CHECK_TYPE(tag == kOpwTensor || tag == kOpwInt || tag == kOpwSymInt, "graph: %", name,
                      " must be a tensor or an int, got ", tag_name(tag));
  OPWRIGHT_CHECK_VALUE(tag != kOpwTensor || meta.get().as_tensor, "graph: %", name,
                       " is an undefined tensor");
}

}  // namespace

Tensor GraphValue::tensor() const {
  return meta_.tag() == kOpwTensor ? Tensor::borrow(meta_.get().as_tensor) : Tensor();
}

Graph::Graph(ShapeEnvPtr shape_env) : shape_env_(std::move(shape_env)) {}

Graph::~Graph() {
  check_graph_text(*this);
  for (Node* list : {first_, erased_}) {
    while (list) {
      Node* next = list->next_;
      delete list;
      list = next;
    }
  }
}

// ---- Reading ----

std::vector<GraphValue*> Graph::inputs() const {
  std::vector<GraphValue*> inputs;
  for (Node* node = first_; node && node->kind_ == NodeKind::Input; node = node->next_) {
    inputs.push_back(node->values_.data());
  }
  return inputs;
}

std::span<const NodeArgument> Graph::outputs() const noexcept {
  return output_ ? output_->args() : std::span<const NodeArgument>();
}

GraphValue* Graph::find(std::string_view name) const noexcept {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

// ---- Names ----

void Graph::name_value(GraphValue& value, std::string_view wanted) {
  // Most names are those of operators seen before.
  auto counted = numbers_.find(wanted);
  NumberedName name;
  if (counted == numbers_.end()) {
    name = split_name(wanted);
    counted = numbers_.try_emplace(name.base, 0).first;
    value.name_ = name.number == 0 ? name.base : concatenate(name.base, "_", name.number);
    if (!is_reserved_name(value.name_) && names_.try_emplace(value.name_, &value).second) {
      counted->second = std::max(counted->second, name.number);
      return;
    }
  }
  do {
    value.name_.assign(counted->first).append("_");
    append_text(value.name_, ++counted->second);
  } while (!names_.try_emplace(value.name_, &value).second);
}

void Graph::rename(GraphValue& value, std::string_view name) {
  check_member(value.node());
  if (value.name_ == name) return;
  OPWRIGHT_CHECK_VALUE(is_value_name(name), "graph: '", name,
                       "' cannot name a value; a name is a Python identifier that is not a keyword "
                       "or builtin");
  OPWRIGHT_CHECK_VALUE(!names_.contains(name), "graph: the name %", name, " is taken");
  names_.erase(value.name_);
  value.name_ = name;
  names_.emplace(value.name_, &value);
}

// ---- The list ----

void Graph::link_before(Node& node, Node* before) {
  node.next_ = before;
  node.previous_ = before ? before->previous_ : last_;
  (node.previous_ ? node.previous_->next_ : first_) = &node;
  (before ? before->previous_ : last_) = &node;
  ++num_nodes_;
}

void Graph::unlink(Node& node) noexcept {
  (node.previous_ ? node.previous_->next_ : first_) = node.next_;
  (node.next_ ? node.next_->previous_ : last_) = node.previous_;
  if (last_input_ == &node) last_input_ = node.previous_;
  if (node.kind_ == NodeKind::Input) ++input_changes_;
  if (insertion_point_ == &node) insertion_point_ = node.next_;
  node.next_ = node.previous_ = nullptr;
  --num_nodes_;
}

void Graph::add_uses(Node& node) {
  for (const NodeArgument& argument : node.args_) {
    argument.visit_values([&](GraphValue& value) { value.users_.push_back(&node); });
  }
}

// Searches from the back: passes that erase many nodes go backwards.
void Graph::drop_uses(Node& node) {
  for (const NodeArgument& argument : node.args_) {
    argument.visit_values([&](GraphValue& value) {
      const auto last = std::find(value.users_.rbegin(), value.users_.rend(), &node);
      value.users_.erase(std::next(last).base());
    });
  }
}

void Graph::check_member(const Node& node) const {
  OPWRIGHT_CHECK_VALUE(node.graph_ == this, "graph: '", node_text(node), "' is of another graph");
  OPWRIGHT_CHECK_VALUE(!node.is_erased_, "graph: the node was erased from its graph");
}

void Graph::check_arguments(std::span<const NodeArgument> args) const {
  for (const NodeArgument& argument : args) {
    argument.visit_values([&](const GraphValue& value) {
      OPWRIGHT_CHECK_VALUE(value.node_->graph_ == this, "graph: %", value.name_,
                           " is a value of another graph");
      OPWRIGHT_CHECK_VALUE(!value.node_->is_erased_, "graph: %", value.name_,
                           " was erased from the graph");
    });
  }
}

void Graph::check_place(const Node* before) const {
  if (!before) return;
  check_member(*before);
  OPWRIGHT_CHECK_VALUE(before->kind_ != NodeKind::Input,
                       "graph: nothing can be inserted before the input %",
                       before->values_[0].name_, "; inputs come first");
}

// ---- Changing ----

GraphValue& Graph::add_value(Node& node, uint32_t index, Value meta, std::string_view name) {
  GraphValue& value = node.values_[index];
  value.node_ = &node;
  value.index_ = index;
  value.number_ = num_value_numbers_++;
  value.meta_ = std::move(meta);
  name_value(value, name);
  return value;
}

GraphValue& Graph::add_input(std::string_view name, Value meta, InputRole role, Tensor bound,
                             SourceSite site) {
  check_meta(name, meta);
  auto* node = new Node;
  node->graph_ = this;
  node->kind_ = NodeKind::Input;
  node->role_ = role;
  node->bound_ = std::move(bound);
  node->site_ = site;
  node->values_.resize(1);
  node->results_.push_back({0, 1, false});
  link_before(*node, last_input_ ? last_input_->next_ : first_);
  last_input_ = node;
  ++input_changes_;
  return add_value(*node, 0, as_meta(std::move(meta)), name);
}

void Graph::add_results(Node& node, CallDescription& call) {
  uint32_t count = 0;
  node.results_.reserve(call.results.size());
  for (const Value& result : call.results) {
    const uint32_t values = count_values(result.get());
    const bool is_list = is_list_tag(result.tag()) && holds_values(result.get());
    node.results_.push_back({count, values, is_list});
    count += values;
  }
  node.values_.resize(count);
  const std::string& base = call.op->schema().name.base;
  for (size_t i = 0; i < node.results_.size(); ++i) {
    const NodeResult& result = node.results_[i];
    for (uint32_t j = 0; j < result.count; ++j) {
      const uint32_t index = result.first + j;
      Value meta = result.is_list ? Value::copy_of(list_element(call.results[i].get(), j))
                                  : std::move(call.results[i]);
      add_value(node, index, std::move(meta),
                index < call.names.size() ? std::string_view(call.names[index]) : base);
    }
  }
}

Node& Graph::insert_call(CallDescription call, Node* before) {
  OPWRIGHT_CHECK_VALUE(call.op, "graph: a call needs an operator");
  OPWRIGHT_CHECK_VALUE(call.results.size() == call.op->num_results(), "graph: ", call.op->name(),
                       " has ", call.op->num_results(), " results, the call was given ",
                       call.results.size());
  check_arguments(call.args);
  check_place(before);
  if (!before) before = insertion_point_;
  auto* node = new Node;
  node->graph_ = this;
  node->op_ = call.op;
  node->args_ = std::move(call.args);
  node->site_ = call.site;
  node->module_path_ = std::move(call.module_path);
  node->grad_mode_ = call.grad_mode;
  link_before(*node, before ? before : output_);
  add_uses(*node);
  add_results(*node, call);
  return *node;
}

void Graph::set_insertion_point(Node* before) {
  check_place(before);
  insertion_point_ = before;
}

void Graph::set_outputs(std::vector<NodeArgument> outputs) {
  check_arguments(outputs);
  if (output_) return set_arguments(*output_, std::move(outputs));
  auto* node = new Node;
  node->graph_ = this;
  node->kind_ = NodeKind::Output;
  node->args_ = std::move(outputs);
  link_before(*node, nullptr);
  output_ = node;
  add_uses(*node);
}

void Graph::set_arguments(Node& node, std::vector<NodeArgument> args) {
  check_member(node);
  check_arguments(args);
  OPWRIGHT_CHECK_VALUE(node.kind_ != NodeKind::Input, "graph: the input %", node.values_[0].name_,
                       " has no arguments");
  drop_uses(node);
  node.args_ = std::move(args);
  add_uses(node);
}

void Graph::set_meta(GraphValue& value, Value meta) {
  check_member(value.node());
  if (!meta.is_none()) check_meta(value.name_, meta);
  value.meta_ = as_meta(std::move(meta));
  if (value.node_->kind_ == NodeKind::Input) ++input_changes_;
}

void Graph::set_module_path(Node& node, std::string path) {
  check_member(node);
  node.module_path_ = std::move(path);
}

void Graph::erase(Node& node) {
  check_member(node);
  for (const GraphValue& value : node.values_) {
    OPWRIGHT_CHECK_VALUE(value.users_.empty(), "graph: '", node_text(node),
                         "' cannot be erased while '", node_text(*value.users_.front()), "' uses %",
                         value.name_, "; replace its uses first");
  }
  drop_uses(node);
  unlink(node);
  if (output_ == &node) output_ = nullptr;
  for (GraphValue& value : node.values_) {
    names_.erase(value.name_);
    value.meta_ = Value();
  }
  node.args_.clear();
  node.bound_ = Tensor();
  node.is_erased_ = true;
  node.next_ = std::exchange(erased_, &node);
}

void Graph::replace_uses(GraphValue& from, GraphValue& to) {
  check_member(from.node());
  check_member(to.node());
  if (&from == &to) return;
  for (Node* user : from.users_) {  // a repeated user is handled the first time
    for (NodeArgument& argument : user->args_) argument.replace(from, to);
  }
  to.users_.insert(to.users_.end(), from.users_.begin(), from.users_.end());
  from.users_.clear();
}

void Graph::move_before(Node& node, Node& before) {
  check_member(node);
  check_place(&before);
  OPWRIGHT_CHECK_VALUE(node.kind_ == NodeKind::Call, "graph: only calls can be moved, not '",
                       node_text(node), "'");
  if (&node == &before) return;
  unlink(node);
  link_before(node, &before);
}

void Graph::make_argument(GraphValue& input) {
  Node& node = *input.node_;
  check_member(node);
  OPWRIGHT_CHECK_VALUE(node.kind_ == NodeKind::Input, "graph: %", input.name(), " is not an input");
  node.role_ = InputRole::Argument;
  node.bound_ = Tensor();
}

void Graph::make_constant(GraphValue& input) {
  Node& node = *input.node_;
  check_member(node);
  if (node.kind_ == NodeKind::Input && node.role_ == InputRole::Captured) {
    node.role_ = InputRole::Constant;
  }
}

void Graph::order_inputs(std::span<GraphValue* const> inputs) {
  for (GraphValue* input : inputs) {
    check_member(*input->node_);
    OPWRIGHT_ASSERT(input->node_->kind_ == NodeKind::Input);
  }
  OPWRIGHT_CHECK_VALUE(inputs.size() == this->inputs().size(), "graph: it has ",
                       this->inputs().size(), " inputs, but ", inputs.size(), " were given");
  for (GraphValue* input : inputs) unlink(*input->node_);
  Node* after = first_;
  for (GraphValue* input : inputs) {
    link_before(*input->node_, after);
    last_input_ = input->node_;
  }
}

void Graph::bind_input(GraphValue& input, Tensor tensor) {
  check_member(input.node());
  OPWRIGHT_CHECK_VALUE(input.node().kind() == NodeKind::Input, "graph: %", input.name_,
                       " is not an input, so no tensor can be bound to it");
  input.node().bound_ = std::move(tensor);
}

const InputWords& Graph::input_words() const {
  static const InputWordsPtr plain = InputWordsPtr::take(new InputWords);
  return input_words_ ? *input_words_ : *plain;
}

void Graph::set_input_words(InputWordsPtr words) { input_words_ = std::move(words); }

}  // namespace opwright
