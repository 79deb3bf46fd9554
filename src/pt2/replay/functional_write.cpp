#include "opwright/pt2/replay/functional_write.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/schema/schema.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

// The call of the operator that writes, made of the arguments of its functional form.
class WritingCall {
 public:
  WritingCall(const ArchiveNode& node, const GraphValues& values) : node_(node), values_(values) {
    const auto* name = node.inputs.empty() || node.inputs[0].elements.size() != 1
                           ? nullptr
                           : std::get_if<pt2::OperatorName>(&node.inputs[0].elements[0]);
    OPWRIGHT_CHECK_VALUE(name, "the name of an operator is expected as the first argument");
    schema_ = &find_operator(name->name).schema();
    call_.target = name->name;
    call_.name = node.name;
    call_.stack_trace = node.stack_trace;
  }

  [[nodiscard]] const Schema& schema() const noexcept { return *schema_; }
  [[nodiscard]] size_t num_arguments() const noexcept { return node_.inputs.size(); }

  // The argument of the functional form; null if it has none of that name.
  [[nodiscard]] const WrittenArgument* find(std::string_view name) const {
    const auto found = std::ranges::find(node_.inputs, name, &WrittenArgument::name);
    return found == node_.inputs.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::vector<Value> list(const WrittenArgument& argument) const {
    std::vector<Value> list;
    for (const Element& element : argument.elements) list.push_back(value_of(element, values_));
    return list;
  }

  // How many arguments are views of each base.
  [[nodiscard]] std::vector<size_t> count_uses(size_t num_bases) const {
    std::vector<size_t> uses(num_bases);
    for (const WrittenArgument& argument : node_.inputs) {
      if (!argument.name.ends_with("_base_index") || argument.elements.size() != 1) continue;
      const auto* place = std::get_if<int64_t>(&argument.elements[0]);
      if (place && *place >= 0 && static_cast<size_t>(*place) < num_bases)
        ++uses[static_cast<size_t>(*place)];
    }
    return uses;
  }

  // Passes an argument on.
  void pass(const WrittenArgument& argument) {
    for (const Element& element : argument.elements) {
      if (const auto* name = std::get_if<ValueName>(&element))
        own_.insert_or_assign(name->name, value_of(element, values_));
    }
    call_.inputs.push_back(argument);
  }
  // Passes new values as an argument.
  void pass(const std::string& name, const std::vector<Value>& values, bool is_list) {
    WrittenArgument argument{.name = name, .is_list = is_list, .elements = {}};
    for (const Value& value : values) {
      if (value.is_none()) {
        argument.elements.emplace_back(std::monostate());
        continue;
      }
      // No value of an archive has this name, because it is used only in this call.
      std::string own = concatenate(name, " ", own_.size());
      argument.elements.emplace_back(ValueName{own});
      own_.insert_or_assign(std::move(own), value);
    }
    call_.inputs.push_back(std::move(argument));
  }

  // The results of the call, None if there are none.
  std::vector<Value> run() {
    const size_t num_results = schema_->returns.size();
    OPWRIGHT_CHECK_VALUE(num_results <= node_.outputs.size(), "the archive has ",
                         node_.outputs.size(), " outputs for the ", num_results, " results of ",
                         schema_->full_name());
    call_.outputs.assign(node_.outputs.begin(),
                         node_.outputs.begin() + static_cast<ptrdiff_t>(num_results));
    ArchiveGraph graph;
    graph.nodes.push_back(std::move(call_));
    replay(graph, own_);
    std::vector<Value> results;
    for (const WrittenArgument& output : graph.nodes[0].outputs) {
      for (const Element& element : output.elements) results.push_back(value_of(element, own_));
    }
    if (num_results == 0) results.emplace_back();
    return results;
  }

 private:
  const ArchiveNode& node_;
  const GraphValues& values_;
  const Schema* schema_;
  ArchiveNode call_;
  GraphValues own_;
};

Value clone_of(const Value& value) {
  if (value.is_none()) return {};
  OPWRIGHT_CHECK_TYPE(value.tag() == kOpwTensor,
                      "an argument that is written must be a tensor, got ", tag_name(value.tag()));
  return Value(Tensor::borrow(value.get().as_tensor).clone());
}

std::vector<Value> clones_of(const std::vector<Value>& values) {
  std::vector<Value> clones;
  for (const Value& value : values) clones.push_back(clone_of(value));
  return clones;
}

bool has_strides_of(const Tensor& copy, const Tensor& original) {
  for (int64_t i = 0; i < copy.dim(); ++i) {
    if (!guard_or_false(copy.sym_stride(i) == original.sym_stride(i))) return false;
  }
  return true;
}

// The bases, their copies, and how arguments are made of the copies.
class Bases {
 public:
  explicit Bases(const WritingCall& call) : call_(call) {
    const WrittenArgument* bases = call.find("_all_bases");
    OPWRIGHT_CHECK_VALUE(bases, "the argument '_all_bases' is missing");
    given_ = call.list(*bases);
    clones_ = clones_of(given_);
    uses_ = call.count_uses(clones_.size());
  }

  // After the call.
  [[nodiscard]] std::vector<Value> take_written() {
    for (const Part& part : parts_) {
      Value& clone = clones_[part.base];
      clone = Value(as_strided_scatter(Tensor::borrow(clone.get().as_tensor), part.tensor,
                                       part.sizes, part.strides, part.offset));
    }
    return std::move(clones_);
  }

  // The view that `_<name>_base_index` and its kin describe.
  [[nodiscard]] Value view(const std::string& name) {
    const Value index = number("_" + name + "_base_index");
    if (index.is_none()) return {};
    const int64_t place = ValueOf<int64_t>::read(index.get());
    OPWRIGHT_CHECK_VALUE(place >= 0 && static_cast<size_t>(place) < clones_.size() &&
                             !clones_[static_cast<size_t>(place)].is_none(),
                         "'", name, "' is a view of base ", place, ", but there are ",
                         clones_.size());
    const Tensor clone = Tensor::borrow(clones_[static_cast<size_t>(place)].get().as_tensor);
    if (call_.find("_" + name + "_slice_dim")) {
      const Value dim = number("_" + name + "_slice_dim");
      return Value(clone.slice(ValueOf<int64_t>::read(dim.get()), size(name, "_slice_start"),
                               size(name, "_slice_end")));
    }
    if (!call_.find("_" + name + "_storage_offset")) return Value(clone);
    const Tensor base = Tensor::borrow(given_[static_cast<size_t>(place)].get().as_tensor);
    OPWRIGHT_CHECK_KIND("NotImplementedError", has_strides_of(clone, base), "'", name,
                        "' is written and is a view by strides of a tensor with gaps, which is not "
                        "supported; make its base contiguous in the model");
    const SymInt offset = size(name, "_storage_offset") - sym_geometry_of(base).offset;
    const std::vector<SymInt> sizes = this->sizes(name, "_size");
    const std::vector<SymInt> strides = this->sizes(name, "_stride");
    const Tensor view = clone.as_strided(sizes, strides, offset);
    if (uses_[static_cast<size_t>(place)] > 1) return Value(view);
    // A trace follows writes to a copy that is put back, but not to such a view.
    parts_.push_back({.base = static_cast<size_t>(place),
                      .tensor = view.clone(),
                      .sizes = sizes,
                      .strides = strides,
                      .offset = offset});
    return Value(parts_.back().tensor);
  }
  // How many elements the list argument has; none if the argument is None.
  [[nodiscard]] std::optional<int64_t> length(const std::string& name) const {
    const Value length = number("_" + name + "_length");
    if (length.is_none()) return std::nullopt;
    const int64_t count = ValueOf<int64_t>::read(length.get());
    OPWRIGHT_CHECK_VALUE(count >= 0 && static_cast<size_t>(count) <= call_.num_arguments(),
                         "the list '", name, "' has ", count, " elements");
    return count;
  }

 private:
  [[nodiscard]] Value number(const std::string& name) const {
    const WrittenArgument* argument = call_.find(name);
    OPWRIGHT_CHECK_VALUE(argument && argument->elements.size() == 1 && !argument->is_list,
                         "the argument '", name, "' is missing");
    return call_.list(*argument).front();
  }
  [[nodiscard]] SymInt size(const std::string& name, std::string_view suffix) const {
    const Value value = number(concatenate("_", name, suffix));
    return ValueOf<SymInt>::read(value.get());
  }
  [[nodiscard]] std::vector<SymInt> sizes(const std::string& name, std::string_view suffix) const {
    const std::string full_name = concatenate("_", name, suffix);
    const WrittenArgument* argument = call_.find(full_name);
    OPWRIGHT_CHECK_VALUE(argument, "the argument '", full_name, "' is missing");
    std::vector<SymInt> sizes;
    for (const Value& value : call_.list(*argument))
      sizes.push_back(ValueOf<SymInt>::read(value.get()));
    return sizes;
  }

  // The copy of a part of a base.
  struct Part {
    size_t base;
    Tensor tensor;
    std::vector<SymInt> sizes;
    std::vector<SymInt> strides;
    SymInt offset;
  };

  const WritingCall& call_;
  std::vector<Value> given_;
  std::vector<Value> clones_;
  std::vector<size_t> uses_;  // of each base
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Value> call_with_cloned_arguments(const ArchiveNode& node, const GraphValues& values) {
  WritingCall call(node, values);
  std::vector<Value> written;
  for (const Argument& argument : call.schema().arguments) {
    const WrittenArgument* given = call.find(argument.name);
    if (!given) continue;
    if (!argument.is_written()) {
      call.pass(*given);
      continue;
    }
    const std::vector<Value> clones = clones_of(call.list(*given));
    call.pass(argument.name, clones, given->is_list);
    written.insert(written.end(), clones.begin(), clones.end());
  }
  std::vector<Value> results = call.run();
  std::ranges::move(written, std::back_inserter(results));
  return results;
}

std::vector<Value> call_with_cloned_bases(const ArchiveNode& node, const GraphValues& values) {
  WritingCall call(node, values);
  Bases bases(call);
  for (const Argument& argument : call.schema().arguments) {
    if (!argument.is_written()) {
      if (const WrittenArgument* given = call.find(argument.name)) call.pass(*given);
      continue;
    }
    if (!call.find("_" + argument.name + "_length")) {
      call.pass(argument.name, {bases.view(argument.name)}, false);
      continue;
    }
    const std::optional<int64_t> length = bases.length(argument.name);
    std::vector<Value> elements;
    for (int64_t i = 0; i < length.value_or(0); ++i)
      elements.push_back(bases.view(concatenate(argument.name, "_", i)));
    if (length) call.pass(argument.name, elements, true);
  }
  std::vector<Value> results = call.run();
  std::ranges::move(bases.take_written(), std::back_inserter(results));
  return results;
}

}  // namespace opwright::pt2
