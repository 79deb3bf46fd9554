#include "opwright/compile/capture/capture.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/whole_copies.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// Sizes are equal only if the function requires it: a second call may have others.
TraceSessionOptions capture_options() {
  TraceSessionOptions options;
  options.mode = TracingMode::Fake;
  options.trace.may_end_early = true;
  options.shape_env = make_intrusive<ShapeEnv>(ShapeEnvOptions{.duck_shaping = false});
  return options;
}

// "x[0].bias": x_0_bias
std::string value_name(const std::string& path) {
  std::string name;
  for (const char character : path) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(character)) != 0;
    if (is_letter || character == '_') {
      name += character;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "argument" : name;
}

// Gives a fake tensor symbolic sizes, and the strides that follow from them.
void make_dynamic(const Tensor& fake, const Tensor& given, const std::string& name,
                  TensorGuards::DynamicDims dynamic, ShapeEnv& env) {
  std::vector<SymInt> sizes(given.sizes().begin(), given.sizes().end());
  for (size_t dim = 0; dim < sizes.size() && dim < 64; ++dim) {
    if ((dynamic >> dim & 1) == 0) continue;
    sizes[dim] = env.make_backed(given.sizes()[dim], {.least = 1, .greatest = INT64_MAX},
                                 concatenate(name, ".size(", dim, ")"));
  }
  TensorImpl& twin = impl(fake);
  const std::vector<SymInt> strides = StrideOrder(given).strides_of(sizes);
  set_symbolic_shape(twin, sizes, strides, impl(given).storage_offset);
  twin.storage->nbytes = kUnknownBytes;
}

// Whether two different tensors among the inputs share a storage.
bool share_memory(const Graph& graph, std::span<const Tensor> arguments) {
  std::vector<const Storage*> storages;
  for (const Tensor& argument : arguments) storages.push_back(impl(argument).storage);
  for (const GraphValue* input : graph.inputs()) {
    const Tensor& bound = input->node().bound();
    if (bound.is_defined()) storages.push_back(impl(bound).storage);
  }
  std::ranges::sort(storages);
  return std::ranges::adjacent_find(storages) != storages.end();
}

}  // namespace

Capture::Capture() : session_(capture_options()) {}

void Capture::add_tensor(const Tensor& given, const std::string& path,
                         TensorGuards::DynamicDims dynamic) {
  const std::string name = value_name(path);
  FakeMode& fake = *session_.trace().fake();
  if (dynamic != 0) make_dynamic(fake.from_tensor(given), given, name, dynamic, fake.shape_env());
  own_.push_back(session_.add_tensor(given, name));
}

void Capture::name_tensor(const Tensor& tensor, const std::string& path) {
  session_.trace().name_tensor(tensor, value_name(path));
}

GraphPtr Capture::finish(std::span<const OpwValue> outputs) { return session_.finish(outputs); }

bool writes_shared_memory(const Graph& graph, std::span<const Tensor> arguments) {
  return !written_inputs(graph).empty() && share_memory(graph, arguments);
}

GraphPtr make_functional(const Graph& graph) {
  GraphPtr functional = functionalize(graph);
  remove_whole_copies(*functional);
  remove_dead_code(*functional);
  return functional;
}

std::vector<uint32_t> written_inputs(const Graph& graph) {
  const std::vector<GraphValue*> inputs = graph.inputs();
  std::vector<uint32_t> written;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call || !node->op().writes_arguments()) continue;
    for (const NodeArgument& argument : node->args()) {
      if (argument.kind() != NodeArgument::Kind::Value) continue;
      const auto found = std::ranges::find(inputs, &argument.value());
      if (found == inputs.end()) continue;
      const auto place = static_cast<uint32_t>(found - inputs.begin());
      if (std::ranges::find(written, place) == written.end()) written.push_back(place);
    }
  }
  return written;
}

}  // namespace opwright
