// fake: the fake kernel predicts the kernel's results, at the given sizes and at others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/check/variation/fake_run.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tag.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright {
namespace {

constexpr int kMostFakeSizes = 3;

bool has_own_fake(const Operator& op) { return find_site(op, Slot::Fake).is_known(); }

// "audio::gain: the fake kernel (gain.cpp:12)"
std::string fake_kernel_text(const Operator& op) {
  if (has_own_fake(op))
    return concatenate(op.name(), ": the fake kernel", site_text(op, Slot::Fake));
  return concatenate(op.name(), ": its own function, run on fake tensors,");
}

Fault fault_of(const Operator& op, const FakeDifference& difference) {
  return {difference.kind, concatenate(fake_kernel_text(op), " ", difference.text)};
}

// Whether a line is in the source file of the fake kernel.
bool is_beside_fake(const Operator& op, const SourceSite& site) {
  const SourceSite fake = find_site(op, Slot::Fake);
  return site.is_known() && fake.is_known() && std::string_view(site.file) == fake.file;
}
SourceSite author_line(const Operator& op, const Guard& guard) {
  if (is_beside_fake(op, guard.asked)) return guard.asked;
  if (is_beside_fake(op, guard.user)) return guard.user;
  return guard.user.is_known() ? guard.user : guard.asked;
}

bool has_number(const Example& example, int64_t number) {
  return std::ranges::any_of(example.values(), [&](const Value& each) {
    const OpwValue& value = each.get();
    if (value.tag == kOpwInt || value.tag == kOpwSymInt) return value.as_int == number;
    if (value.tag != kOpwIntList && value.tag != kOpwSymIntList) return false;
    const std::span<const int64_t> all(value.as_ints, value.length);
    return std::ranges::find(all, number) != all.end();
  });
}

class FakeCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (input.plain().is_refused()) return std::nullopt;
    const FakeRun fake = run_on_fakes(input.example(), FakeMode::Sizes::Static);
    if (fake.error) return refusal(input.op(), *fake.error, "");
    if (auto found = find_difference(fake, input.plain(), {})) return fault_of(input.op(), *found);
    return look_at_symbols(input);
  }

 private:
  static std::optional<Fault> refusal(const Operator& op, const Error& error,
                                      const std::string& when) {
    const bool is_missing = std::string_view(error.kind()) == "NotImplementedError";
    const bool may_be_missing = !op.record(Slot::Fake) && !op.record(Slot::ImplicitComposite);
    if (is_missing && may_be_missing) return Fault{"missing-fake", error.message()};
    if (!has_own_fake(op) && is_data_dependent(error)) return std::nullopt;
    return Fault{"fake-refuses",
                 concatenate(fake_kernel_text(op), " rejects", when,
                             " what the kernel accepts: ", error.kind(), ": ", error.message())};
  }

  static std::optional<Fault> look_at_symbols(const CheckInput& input) {
    const FakeRun fake = run_on_fakes(input.example(), FakeMode::Sizes::Dynamic);
    const std::vector<SizeSymbol> symbols = size_symbols(input.example(), fake.forms);
    if (symbols.empty()) return std::nullopt;
    if (fake.error) return refusal(input.op(), *fake.error, " with symbols for sizes");
    if (auto found = find_difference(fake, input.plain(), values_of(symbols)))
      return fault_of(input.op(), *found);
    if (input.settings().is_harmful) return std::nullopt;
    if (!has_property(input.op(), Property::FixesSizes)) {
      if (auto found = find_fixed_size(input, fake, symbols)) return found;
    }
    return look_at_other_sizes(input, fake);
  }

  // Finds a symbol that was fixed to one value, although the operator accepts another. A size that
  // is compared with a number (an argument; 1, when strides are computed) may be a special case:
  // then the fake kernel itself must have made the comparison, or have fixed the other one as well.
  static std::optional<Fault> find_fixed_size(const CheckInput& input, const FakeRun& fake,
                                              const std::vector<SizeSymbol>& symbols) {
    for (const SizeSymbol& symbol : symbols) {
      if (!is_fixed(fake.env(), symbol.name)) continue;
      for (const int64_t other : {symbol.value + 1, symbol.value * 2}) {
        if (!takes_as_well(input, fake, symbols, symbol, other)) continue;
        return specialisation(input.op(), fake.env(), symbols, symbol, other);
      }
    }
    return std::nullopt;
  }
  static bool is_fixed(const ShapeEnv& env, const std::string& symbol) {
    return !env.simplify(env.symbol(symbol)).is_symbolic();
  }
  static SymbolValues with(const std::vector<SizeSymbol>& symbols, const SizeSymbol& symbol,
                           int64_t other) {
    SymbolValues values = values_of(symbols);
    values.insert_or_assign(symbol.name, other);
    return values;
  }
  static bool takes_as_well(const CheckInput& input, const FakeRun& fake,
                            const std::vector<SizeSymbol>& symbols, const SizeSymbol& symbol,
                            int64_t other) {
    const std::optional<Example> resized =
        resize(input.example(), fake.env(), fake.forms, with(symbols, symbol, other));
    if (!resized) return false;
    const Outcome real = run_compared(*resized);
    const size_t num_results = input.plain().result_tensors().size();
    if (real.is_refused() || real.result_tensors().size() != num_results) return false;
    const FakeRun again = run_on_fakes(*resized, FakeMode::Sizes::Dynamic);
    if (again.error) return true;
    for (const SizeSymbol& each : size_symbols(*resized, again.forms)) {
      if (each.source == symbol.source && is_fixed(again.env(), each.name)) return true;
    }
    const Guard* guard = find_broken_guard(fake.env(), with(symbols, symbol, other));
    return guard && is_beside_fake(input.op(), guard->asked) &&
           !has_number(input.example(), symbol.value);
  }
  static Fault specialisation(const Operator& op, const ShapeEnv& env,
                              const std::vector<SizeSymbol>& symbols, const SizeSymbol& symbol,
                              int64_t other) {
    const Guard* guard = find_broken_guard(env, with(symbols, symbol, other));
    const std::string asked =
        guard ? concatenate(" (", guard->condition, " at ", author_line(op, *guard), ")") : "";
    return {"fake-specialises",
            concatenate(fake_kernel_text(op), " fixes ", symbol.source, " to ", symbol.value, asked,
                        ", but the kernel also accepts ", other,
                        "; keep sizes symbolic: no int(size), no condition that holds for one size "
                        "only")};
  }

  static std::optional<Fault> look_at_other_sizes(const CheckInput& input, const FakeRun& fake) {
    const auto found = find_fault_at_other_sizes(
        {input.example(), fake.env(), fake.forms}, input.settings().seed, kMostFakeSizes,
        [&](const Example& resized, const SymbolValues& values) -> std::optional<std::string> {
          const Outcome real = run_compared(resized);
          if (real.is_refused()) return std::nullopt;
          const auto difference = find_difference(fake, real, values);
          return difference ? difference->text : "";
        });
    if (!found) return std::nullopt;
    return Fault{"fake-other-size",
                 concatenate(fake_kernel_text(input.op()), " is right for the sizes given, but",
                             found->where, " it ", found->what)};
  }
};

[[maybe_unused]] const bool kIsFakeCheckRegistered =
    (register_check({.name = "fake",
                     .about = "the fake kernel predicts the results of the kernel",
                     .make = [] { return std::unique_ptr<Check>(new FakeCheck()); },
                     .place = 30}),
     true);

}  // namespace
}  // namespace opwright
