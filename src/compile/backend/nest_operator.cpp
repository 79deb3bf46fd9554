// opwright::nest and opwright::nest_: the operators that run nests.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "opwright/base/counted_object.h"
#include "opwright/compile/backend/nest_call.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {
namespace {

struct NestTraits {
  using Held = const NestCall;
  static constexpr const char* kTypeName = "Nest";
  static bool are_equal(const NestCall& a, const NestCall& b) { return a.ir() == b.ir(); }
  static uint64_t hash(const NestCall& call) { return call.ir().size(); }
  static std::string text(const NestCall& call) { return "\n" + to_text(call.nest()); }
};
using NestObject = CountedObject<NestTraits>;

std::span<const Tensor> tensor_list(const OpwValue& value) {
  return ValueOf<std::span<const Tensor>>::read(value);
}

template <bool kWrites>
int run_nest(const OpwRecord* record, const OpwValue* args, uint32_t /*num_args*/,
             OpwValue* results, uint32_t num_results) noexcept {
  try {
    const NestCall* nest = find_nest(args[0]);
    OPWRIGHT_CHECK_TYPE(nest, "opwright::nest: expected a Nest, got ", tag_name(args[0].tag));
    const OpwValue& numbers = args[kWrites ? 3 : 2];
    const std::span<const int64_t> words(numbers.as_ints, numbers.length);
    if constexpr (kWrites) {
      const BorrowedTensor written(args[2].as_tensor);
      nest->run(tensor_list(args[1]), &static_cast<const Tensor&>(written), words,
                {results, num_results});
    } else {
      nest->run(tensor_list(args[1]), nullptr, words, {results, num_results});
    }
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}

std::string operator_name(size_t num_results, bool writes) {
  return concatenate("opwright::nest", writes ? "_" : "", ".out", num_results);
}

const Operator& define_operator(size_t num_results, bool writes) {
  Registry& registry = Registry::get();
  static const bool is_known = (registry.add_opaque_type(NestTraits::kTypeName), true);
  static_cast<void>(is_known);
  const std::string name = operator_name(num_results, writes);
  std::string results = writes ? "Tensor(a!)" : "Tensor";
  for (size_t i = 1; i < num_results; ++i) results += ", Tensor";
  if (num_results != 1) results = "(" + results + ")";
  registry
      .define(concatenate(name, "(Nest nest, Tensor[] inputs, ",
                          writes ? "Tensor(a!) written, " : "", "SymInt[] numbers) -> ", results),
              with_properties({}, {Property::Internal}))
      .keep();
  registry
      .implement(
          name, Slot::Cpu,
          BoxedFunction{writes ? &run_nest<true> : &run_nest<false>, nullptr, nullptr, nullptr})
      .keep();
  return registry.require(name);
}

}  // namespace

Value nest_value(NestCallPtr call) { return NestObject::make(std::move(call)); }

const NestCall* find_nest(const OpwValue& value) noexcept {
  const NestObject* found = NestObject::find(value);
  return found ? found->held().get() : nullptr;
}

const Operator& nest_operator(size_t num_results, bool writes) {
  OPWRIGHT_ASSERT(num_results >= 1 && num_results <= kMostNestResults);
  // Defined at the first use: most programs need few of them, or none.
  static std::mutex mutex;
  static std::array<const Operator*, 2 * (kMostNestResults + 1)> defined{};
  const std::lock_guard lock(mutex);
  const Operator*& op = defined[2 * num_results + (writes ? 1 : 0)];
  if (!op) op = &define_operator(num_results, writes);
  return *op;
}

}  // namespace opwright
