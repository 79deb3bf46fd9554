#include "opwright/check/variation/size_ties.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/check/variation/fake_run.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright {
namespace {

// One size of one tensor.
struct TensorSize {
  size_t tensor;
  size_t dim;
  int64_t size;
  SymInt symbol = 0;  // a plain int if there is no fake kernel
  bool is_seen = false;
};

std::vector<TensorSize> list_sizes(const Example& example) {
  std::vector<TensorSize> all;
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto sizes = tensors[i].sizes();
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      all.push_back({.tensor = i, .dim = dim, .size = sizes[dim]});
    }
  }
  return all;
}

// A fake copy with a symbol for each size; tensors passed twice get separate sizes.
Example fake_twin(const Example& example, FakeMode& mode) {
  std::vector<Tensor> twins;
  for (const Tensor& tensor : example.tensors()) {
    const Tensor apart = make_view(tensor, geometry_of(tensor));
    twins.push_back(mode.from_tensor(apart, FakeMode::Sizes::Dynamic));
  }
  return example.with_tensors(twins);
}

void run_fake_twin(const Example& twin, FakeMode& mode, OwnedResults& results) {
  const NoGradScope no_grad;
  const InterpreterScope scope(&mode);
  call(twin.op(), twin.arguments(), results.get());
}

using Names = std::unordered_set<std::string>;

void add_symbols(const ShapeEnv& env, const SymInt& value, Names& names) {
  if (!value.is_symbolic()) return;
  for (std::string& name : env.free_symbols(value)) names.insert(std::move(name));
}

// The symbols in the guards and results of the fake kernel.
Names seen_symbols(const ShapeEnv& env, OwnedResults& results) {
  Names names;
  for (const Guard& guard : env.guards()) add_symbols(env, guard.condition, names);
  for (const RuntimeAssert& demand : env.runtime_asserts()) {
    add_symbols(env, demand.condition, names);
  }
  for (const OpwValue& result : results.get()) {
    visit_tensors(result, [&](OpwTensor* tensor) {
      const BorrowedTensor borrowed(tensor);
      const Tensor& given = borrowed;
      for (int64_t dim = 0; dim < given.dim(); ++dim) {
        add_symbols(env, given.sym_size(dim), names);
      }
    });
    if (result.tag == kOpwSymInt) add_symbols(env, SymInt::borrow(result.as_int), names);
  }
  return names;
}

// Replaces the sizes by symbols and marks those that the fake kernel uses; null if it rejects them.
ShapeEnvPtr ask_fake_kernel(const Example& example, std::vector<TensorSize>& sizes) {
  if (!example.op().record(Slot::Fake)) return nullptr;
  ShapeEnvPtr env = make_intrusive<ShapeEnv>(ShapeEnvOptions{.duck_shaping = false});
  FakeMode mode(env);
  const Example twin = fake_twin(example, mode);
  const std::vector<Tensor> tensors = twin.tensors();
  for (TensorSize& each : sizes) {
    each.symbol = tensors[each.tensor].sym_size(static_cast<int64_t>(each.dim));
  }
  OwnedResults results(example.op().num_results());
  try {
    run_fake_twin(twin, mode, results);
  } catch (const Error&) {
    return nullptr;
  }
  const Names seen = seen_symbols(*env, results);
  for (TensorSize& each : sizes) {
    if (!each.symbol.is_symbolic()) continue;
    each.is_seen = seen.contains(env->free_symbols(each.symbol).front());
  }
  return env;
}

bool are_tied(const TensorSize& a, const TensorSize& b, const ShapeEnv* env) {
  if (a.size != b.size || a.size < 2) return false;
  if (!env || !a.is_seen || !b.is_seen) return true;
  const SymInt difference = env->simplify(a.symbol - b.symbol);
  return !difference.is_symbolic() && difference.word() == 0;
}

uint32_t root_of(std::vector<uint32_t>& parents, uint32_t which) {
  while (parents[which] != which) which = parents[which] = parents[parents[which]];
  return which;
}

}  // namespace

std::vector<int64_t> SizeTies::sizes_in(const Example& example) const {
  std::vector<int64_t> found = sizes;
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < variables.size() && i < tensors.size(); ++i) {
    for (size_t dim = 0; dim < variables[i].size(); ++dim) {
      found[variables[i][dim]] = tensors[i].size(static_cast<int64_t>(dim));
    }
  }
  return found;
}

SizeTies find_size_ties(const Example& example) {
  std::vector<TensorSize> all = list_sizes(example);
  const ShapeEnvPtr env = ask_fake_kernel(example, all);
  std::vector<uint32_t> parents(all.size());
  std::iota(parents.begin(), parents.end(), 0u);
  for (uint32_t i = 0; i < all.size(); ++i) {
    for (uint32_t j = 0; j < i; ++j) {
      if (are_tied(all[i], all[j], env.get())) parents[root_of(parents, i)] = root_of(parents, j);
    }
  }
  SizeTies ties;
  ties.variables.resize(example.tensors().size());
  std::vector<uint32_t> variable_of(all.size(), UINT32_MAX);
  for (uint32_t i = 0; i < all.size(); ++i) {
    uint32_t& variable = variable_of[root_of(parents, i)];
    if (variable == UINT32_MAX) {
      variable = static_cast<uint32_t>(ties.sizes.size());
      ties.sizes.push_back(all[i].size);
    }
    ties.variables[all[i].tensor].push_back(variable);
  }
  return ties;
}

bool fake_takes(const Example& example) {
  return !example.op().record(Slot::Fake) || !run_on_fakes(example, FakeMode::Sizes::Static).error;
}

}  // namespace opwright
