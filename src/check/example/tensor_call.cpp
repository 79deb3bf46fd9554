#include "opwright/check/example/tensor_call.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tag.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

Generator seeded_generator() {
  Generator made = make_generator(kCpu);
  random_state(made).set_seed(0);
  return made;
}

}  // namespace

ComparedRunScope::ComparedRunScope()
    : generator_(seeded_generator()), random_(random_state(generator_)) {}

std::vector<Value> call_with(const Example& example, const std::vector<Tensor>& tensors) {
  const Example given = example.with_tensors(tensors);
  const std::vector<OpwValue> args = given.arguments();
  OwnedResults results(given.op().num_results());
  call(given.op(), args, results.get());
  std::vector<Value> values;
  for (OpwValue& result : results.get())
    values.push_back(Value::take(std::exchange(result, OpwValue{})));
  return values;
}

Outcome run_compared(const Example& example) {
  const ComparedRunScope scope;
  Outcome outcome{.after = example.copy(), .results = {}, .error = std::nullopt};
  try {
    outcome.results = call_with(outcome.after, outcome.after.tensors());
  } catch (const Error& error) {
    outcome.error = error;
  }
  return outcome;
}

std::vector<Value> replace_tensors(std::span<const Value> values, std::span<const Tensor> tensors) {
  std::vector<Value> replaced;
  size_t next = 0;
  for (const Value& value : values) {
    replaced.push_back(
        map_tensors(value.get(), [&](OpwTensor* /*tensor*/) { return tensors[next++]; }));
  }
  return replaced;
}

DistinctTensors::DistinctTensors(const Example& example) {
  const std::vector<Tensor> all = example.tensors();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto found = std::ranges::find(tensors_, all[i].get(), &Tensor::get);
    const auto place = static_cast<size_t>(found - tensors_.begin());
    places_.push_back(place);
    if (found == tensors_.end()) {
      tensors_.push_back(all[i]);
      names_.push_back(example.tensor_name(i));
      is_written_.push_back(example.is_written(i));
    } else if (example.is_written(i)) {
      is_written_[place] = true;
    }
  }
}

std::vector<Tensor> DistinctTensors::spread(std::span<const Tensor> others) const {
  std::vector<Tensor> all;
  for (const size_t place : places_) all.push_back(others[place]);
  return all;
}

bool DistinctTensors::share_memory() const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (&storage_of(tensors_[i]) == &storage_of(tensors_[j])) return true;
    }
  }
  return false;
}

std::optional<Example> widen(const Example& example) {
  const DistinctTensors distinct(example);
  std::vector<Tensor> wide;
  bool is_wider = false;
  for (const Tensor& tensor : distinct.get()) {
    const DType dtype = tensor.dtype();
    const DType wanted = is_complex(dtype)    ? DType::Complex128
                         : is_floating(dtype) ? DType::Float64
                                              : dtype;
    is_wider |= wanted != dtype;
    wide.push_back(wanted == dtype ? tensor : tensor.detach().to(wanted));
  }
  if (!is_wider) return std::nullopt;
  return example.with_tensors(distinct.spread(wide));
}

ComparisonOptions any_values() { return {.tolerance = Tolerance{.rtol = 0, .atol = 1e300}}; }

SourceSite find_site(const Operator& op, Slot slot) {
  for (const auto& [each, site] : Registry::get().implementations(op)) {
    if (each == slot) return site;
  }
  return {};
}

std::string site_text(const Operator& op, Slot slot) {
  const SourceSite site = find_site(op, slot);
  return site.is_known() ? concatenate(" (", site, ")") : "";
}

bool is_data_dependent(const Error& error) {
  return std::string_view(error.kind()) == "DataDependentError";
}

bool depends_on_strides(const Operator& op) {
  return op.tags().has(Tag::NeedsExactStrides) || has_property(op, Property::StrideDependent);
}

bool holds_objects(const Example& example) {
  return std::ranges::any_of(example.values(),
                             [](const Value& value) { return value.tag() == kOpwObject; });
}

}  // namespace opwright
