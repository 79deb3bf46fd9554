// The graphs that a call has as arguments: calls in another grad mode, for which PyTorch has a
// graph of their own, and control flow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node.h"
#include "opwright/memory_format.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/graph_writer.h"
#include "opwright/pt2/archive/size_nodes.h"
#include "opwright/schema/alias_info.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

constexpr size_t kCarried = 2;  // among the arguments of while_loop

std::vector<const Node*> in_order(const Node& first, const Node& last) {
  std::vector<const Node*> nodes = {&first};
  while (nodes.back() != &last) nodes.push_back(nodes.back()->next());
  return nodes;
}

bool is_marked(const AliasInfo& alias) {
  return alias.is_marked() || std::ranges::any_of(alias.elements, is_marked);
}

// Whether the value may have the memory of an input of its graph.
// NOLINTNEXTLINE(misc-no-recursion): as deep as a chain of views
bool may_share_input(const GraphValue& value) {
  const Node& node = value.node();
  if (node.kind() != NodeKind::Call) return node.kind() == NodeKind::Input;
  const Schema& schema = node.op().schema();
  const auto result = std::ranges::find_if(node.results(), [&](const NodeResult& each) {
    return value.index() - each.first < each.count;
  });
  const auto place = static_cast<size_t>(result - node.results().begin());
  if (!is_marked(schema.returns.at(place).alias)) return false;
  bool shares = false;
  for (size_t i = 0; i < node.args().size(); ++i) {
    if (!is_marked(schema.arguments[i].alias)) continue;
    node.args()[i].visit_values(
        [&](const GraphValue& argument) { shares |= may_share_input(argument); });
  }
  return shares;
}

bool has_contiguous_strides(const Tensor& tensor) {
  SymGeometry geometry = sym_geometry_of(tensor);
  geometry.strides = contiguous_strides(geometry.sizes);
  return has_strides(tensor, geometry);
}

}  // namespace

// ---- Another grad mode ----

// Writes the calls from `first` to the next one in the mode of the graph; returns the last of them.
const Node* GraphWriter::write_region(const Node& first) {
  auto inner = std::make_shared<ArchiveGraph>();
  inner->name = names_.make("submod");
  const SizeNodes::Known outer = sizes_.known();
  std::set<const Node*> members;
  const Node* last = &first;
  for (const Node* node = &first; node; node = node->next()) {
    if (node->kind() != NodeKind::Call || node->grad_mode() == grad_mode_ ||
        skipped_.contains(node))
      break;
    write_node(*node, *inner);
    members.insert(node);
    last = node;
  }
  sizes_.restore(outer);

  ArchiveNode call{.target = concatenate(kHigherOrder, "wrap_with_set_grad_enabled"),
                   .name = names_.make("wrap_with_set_grad_enabled"),
                   .inputs = {single_argument(!grad_mode_)},
                   .outputs = {},
                   .stack_trace = {}};
  std::vector<WrittenArgument> given = take_outer_values(*inner);
  for (const Node* node : in_order(first, *last)) {
    for (const GraphValue& each : node->values()) {
      if (!is_used_outside(each, members)) continue;
      inner->outputs.push_back(single_argument(element_of(each)));
      call.outputs.push_back(single_argument(element_of(each)));
      declare(each, result_);
    }
  }
  inner->inputs = given;
  call.inputs.push_back(single_argument(SubGraph(std::move(inner))));
  std::ranges::move(given, std::back_inserter(call.inputs));
  if (!call.outputs.empty()) result_.nodes.push_back(std::move(call));
  return last;
}

// Also if it shows the value of a symbol, which any later call may need.
bool GraphWriter::is_used_outside(const GraphValue& value,
                                  const std::set<const Node*>& members) const {
  return sizes_.binds(value) || std::ranges::any_of(value.users(), [&](const Node* user) {
           return !members.contains(user);
         });
}

// The values of a sub-graph that its nodes do not compute; the sub-graph gets their metadata.
std::vector<WrittenArgument> GraphWriter::take_outer_values(ArchiveGraph& inner) const {
  std::set<std::string> computed;
  std::vector<WrittenArgument> found;
  for (const ArchiveNode& node : inner.nodes) {
    for (const WrittenArgument& input : node.inputs) {
      for (const Element& element : input.elements) {
        const auto* name = std::get_if<ValueName>(&element);
        if (!name || !computed.insert(name->name).second) continue;
        const bool is_int = result_.ints.contains(name->name);
        found.push_back(single_argument(
            ValueName{.name = name->name, .kind = is_int ? NamedKind::Int : name->kind}));
        copy_metadata(name->name, inner);
      }
    }
    for (const WrittenArgument& output : node.outputs) {
      for (const Element& element : output.elements) {
        if (const auto* name = std::get_if<ValueName>(&element)) computed.insert(name->name);
      }
    }
  }
  return found;
}

void GraphWriter::copy_metadata(const std::string& name, ArchiveGraph& inner) const {
  if (const auto found = result_.tensors.find(name); found != result_.tensors.end())
    inner.tensors.insert(*found);
  if (const auto found = result_.ints.find(name); found != result_.ints.end())
    inner.ints.insert(*found);
  if (const auto found = result_.bools.find(name); found != result_.bools.end())
    inner.bools.insert(*found);
}

// ---- Control flow ----

// PyTorch's operators have the names of ours and the same arguments, except that sizes are among
// the tensors of the last list; as there, all elements of that list are named as tensors are.
ArchiveNode GraphWriter::make_control_flow(const Node& node, ArchiveGraph& graph) {
  const Schema& schema = node.op().schema();
  ArchiveNode call{.target = concatenate(kHigherOrder, schema.name.base),
                   .name = names_.make(schema.name.base),
                   .inputs = {},
                   .outputs = {},
                   .stack_trace = {}};
  for (size_t i = 0; i + 1 < node.args().size(); ++i)
    call.inputs.push_back(write_control_argument(node, i, graph));
  WrittenArgument sizes = write_argument(node, schema.arguments.back(), node.args().back(), graph);
  for (Element& size : sizes.elements) {
    auto* name = std::get_if<ValueName>(&size);
    if (!name) continue;  // a number by now; the graphs have it too
    name->kind = NamedKind::Tensor;
    call.inputs.back().elements.push_back(std::move(size));
  }
  for (const GraphValue& result : node.values())
    call.outputs.push_back(single_argument(element_of(result)));
  return call;
}

WrittenArgument GraphWriter::write_control_argument(const Node& node, size_t index,
                                                    ArchiveGraph& graph) {
  static const Operator& loop = Registry::get().require("opwright::while_loop");
  const Argument& declared = node.op().schema().arguments[index];
  const NodeArgument& given = node.args()[index];
  const bool is_loop = &node.op() == &loop;
  if (given.kind() == NodeArgument::Kind::Constant && is_graph(given.constant().get())) {
    const std::string name = names_.make(declared.name + "_0");
    return single_argument(write_sub_graph(*graph_of(given.constant().get()), name,
                                           node.grad_mode(), is_loop && index == 0));
  }
  WrittenArgument argument = write_argument(node, declared, given, graph);
  if (!is_loop || index != kCarried) return argument;
  // A loop that does not run returns what it carries.
  for (size_t i = 0; i < given.elements().size(); ++i) {
    const GraphValue& value = given.elements()[i].value();
    if (!has_contiguous_strides(value.tensor()))
      argument.elements[i] = add_contiguous_clone(value, graph);
  }
  return argument;
}

GraphWriter::SubGraph GraphWriter::write_sub_graph(const Graph& graph, const std::string& name,
                                                   bool grad_mode, bool is_condition) {
  GraphWriter writer(graph, state_, this, grad_mode);
  ArchiveGraph& written = writer.result_;
  written.name = name;
  written.returns_tuple = !is_condition;
  for (const GraphValue* input : graph.inputs()) {
    OPWRIGHT_CHECK_KIND("NotImplementedError", input->node().role() == InputRole::Argument,
                        "save: a branch or a loop draws random numbers, which archives of PyTorch "
                        "cannot hold\n  Draw them before it, or save the program as .opw.");
    const bool is_number =
        !input->tensor().is_defined() &&
        sizes_.stated_number(ValueOf<SymInt>::read(input->meta().get())).has_value();
    if (is_number) continue;
    writer.bind_input(*input);
    written.inputs.push_back(single_argument(writer.element_of(*input)));
  }
  writer.write_calls();
  for (const NodeArgument& output : graph.outputs()) {
    const GraphValue& value = output.value();
    written.outputs.push_back(single_argument(is_condition ? writer.condition_element(value)
                                                           : writer.fresh_element(value)));
  }
  return std::make_shared<const ArchiveGraph>(std::move(written));
}

// Ours give new tensors with the strides of new ones, PyTorch's what the graph returns.
Element GraphWriter::fresh_element(const GraphValue& value) {
  if (has_contiguous_strides(value.tensor()) && !may_share_input(value)) return element_of(value);
  return add_contiguous_clone(value, result_);
}

Element GraphWriter::add_contiguous_clone(const GraphValue& value, ArchiveGraph& graph) {
  WrittenTensor meta = describe(value.tensor());
  meta.strides.clear();
  for (const SymInt& stride : contiguous_strides(sym_geometry_of(value.tensor()).sizes))
    meta.strides.push_back(sizes_.written(stride));
  WrittenArgument format = single_argument(MemoryFormat::Contiguous, "memory_format");
  format.is_keyword = true;
  return add_call("torch.ops.aten.clone.default",
                  {single_argument(element_of(value), "self"), std::move(format)}, value.name(),
                  std::move(meta), graph);
}

// A loop of PyTorch requires a bool without dimensions.
Element GraphWriter::condition_element(const GraphValue& value) {
  Element element = element_of(value);
  WrittenTensor meta = describe(value.tensor());
  if (meta.dtype != DType::Bool) {
    meta.dtype = DType::Bool;
    element = add_call(
        "torch.ops.aten.ne.Scalar",
        {single_argument(std::move(element), "self"), single_argument(int64_t{0}, "other")},
        value.name(), meta);
  }
  if (meta.sizes.empty()) return element;
  meta.sizes.clear();
  meta.strides.clear();
  return add_call("torch.ops.aten.reshape.default",
                  {single_argument(std::move(element), "self"),
                   {.name = "shape", .is_list = true, .elements = {}}},
                  value.name(), meta);
}

}  // namespace opwright::pt2
