// Calls operators on fake tensors, for bridges that need dtypes and sizes before there is data.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/runtime/bridge.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Sizes that satisfy most requirements of kernels: each has many divisors, and no two are equal.
constexpr int64_t kFirstHint = 5040;

}  // namespace

struct FakeCall::State {
  IntrusivePtr<FakeMode> mode = make_intrusive<FakeMode>(make_intrusive<ShapeEnv>());
  std::map<std::string, SymInt> sizes;
};

FakeCall::FakeCall() : state_(std::make_unique<State>()) {}
FakeCall::~FakeCall() = default;

SymInt FakeCall::size(const std::string& name) {
  const auto found = state_->sizes.find(name);
  if (found != state_->sizes.end()) return found->second;
  const int64_t hint = kFirstHint * static_cast<int64_t>(state_->sizes.size() + 1);
  SymInt made = state_->mode->shape_env().declare({.name = name,
                                                   .hint = hint,
                                                   .range = {.least = 0, .greatest = INT64_MAX},
                                                   .source = name,
                                                   .made_at = {},
                                                   .equals = {}});
  return state_->sizes.emplace(name, std::move(made)).first->second;
}

Tensor FakeCall::tensor(DType dtype, std::span<const SymInt> sizes) {
  return make_fake(sizes, dtype, kCpu);
}

std::vector<Value> FakeCall::run(const std::string& op, std::span<const OpwValue> args) {
  const Operator& found = Registry::get().require(op);
  std::vector<OpwValue> results(found.schema().returns.size());
  const InterpreterScope scope(state_->mode.get());
  opwright::call(found, {args.data(), args.size()}, {results.data(), results.size()});
  std::vector<Value> owned;
  for (const OpwValue& each : results) owned.push_back(Value::take(each));
  return owned;
}

bool FakeCall::has_decided() const { return !state_->mode->shape_env().guards().empty(); }

bool FakeCall::is_predicted(const SymInt& size) const {
  if (!size.is_symbolic()) return true;
  const std::vector<std::string> names = state_->mode->shape_env().free_symbols(size);
  return std::ranges::all_of(names,
                             [&](const std::string& name) { return state_->sizes.contains(name); });
}

}  // namespace opwright
