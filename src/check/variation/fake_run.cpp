#include "opwright/check/variation/fake_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "opwright/check/example/tensor_call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/schema/alias_info.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// Compares one fake run with one real run.
class FakeComparison {
 public:
  FakeComparison(const FakeRun& fake, const Outcome& real, SymbolValues values)
      : fake_(fake), real_(real), op_(real.after.op()), values_(std::move(values)) {}

  std::optional<FakeDifference> find() {
    for (size_t i = 0; i < real_.results.size(); ++i) {
      if (const auto found = compare_kinds(i)) return found;
    }
    for (size_t i = 0; i < real_.results.size(); ++i) {
      if (const auto found = bind_unknown_sizes(i)) return found;
    }
    if (const auto found = check_assertions()) return found;
    for (size_t i = 0; i < real_.results.size(); ++i) {
      if (const auto found = compare_result(i)) return found;
    }
    return compare_written();
  }

 private:
  using Found = std::optional<FakeDifference>;

  struct Pair {
    Tensor fake;
    Tensor real;
    std::string name;
  };
  // The tensors of one result.
  [[nodiscard]] std::vector<Pair> pairs(size_t index) const {
    const std::vector<Tensor> fakes = tensors_of(std::span(&fake_.results[index], 1));
    const std::vector<Tensor> reals = tensors_of(std::span(&real_.results[index], 1));
    const bool is_list = real_.results[index].tag() != kOpwTensor;
    std::vector<Pair> all;
    for (size_t i = 0; i < reals.size(); ++i) {
      std::string name = result_name(op_, index);
      if (is_list) name = concatenate("tensor ", i, " of ", name);
      all.push_back({fakes[i], reals[i], std::move(name)});
    }
    return all;
  }

  [[nodiscard]] Found compare_kinds(size_t index) const {
    const OpwValue& fake = fake_.results[index].get();
    const OpwValue& real = real_.results[index].get();
    const auto has_tensors = [](const OpwValue& value) {
      return value.tag == kOpwTensor || value.tag == kOpwTensorList || value.tag == kOpwList;
    };
    if (has_tensors(fake) != has_tensors(real) || (real.tag == kOpwNone) != (fake.tag == kOpwNone))
      return {
          {"fake-shape", concatenate("gives ", tag_name(fake.tag), " as ", result_name(op_, index),
                                     ", and the kernel gives ", tag_name(real.tag))}};
    const size_t num_fakes = tensors_of(std::span(&fake_.results[index], 1)).size();
    const size_t num_reals = tensors_of(std::span(&real_.results[index], 1)).size();
    if (num_fakes == num_reals) return std::nullopt;
    return {{"fake-shape", concatenate("gives ", num_fakes, " tensors as ", result_name(op_, index),
                                       ", and the kernel gives ", num_reals)}};
  }

  // A size or number that is a single unbacked symbol gets the real value.
  [[nodiscard]] Found bind(const SymInt& predicted, int64_t real, const std::string& what) {
    if (!predicted.is_symbolic()) return std::nullopt;
    const std::string name = concatenate(predicted);
    if (!name.starts_with("u") || values_.contains(name)) return std::nullopt;
    const auto symbols = fake_.env().symbols();
    const auto symbol = std::ranges::find(symbols, name, &Symbol::name);
    if (symbol == symbols.end()) return std::nullopt;
    const SymRange range = fake_.env().range(predicted);
    if (!contains(range, real)) {
      return {{"fake-range", concatenate("says that ", what, " lies in ", to_text(range),
                                         ", and the kernel gives ", real)}};
    }
    values_.insert_or_assign(name, real);
    return std::nullopt;
  }
  [[nodiscard]] Found bind_unknown_sizes(size_t index) {
    const OpwValue& number = fake_.results[index].get();
    if (number.tag == kOpwSymInt && real_.results[index].tag() == kOpwInt)
      return bind(SymInt::borrow(number.as_int), real_.results[index].get().as_int,
                  result_name(op_, index));
    for (const Pair& pair : pairs(index)) {
      const SymGeometry predicted = sym_geometry_of(pair.fake);
      if (predicted.sizes.size() != pair.real.sizes().size()) continue;
      for (size_t dim = 0; dim < predicted.sizes.size(); ++dim) {
        if (const auto found = bind(predicted.sizes[dim], pair.real.sizes()[dim],
                                    concatenate("dimension ", dim, " of ", pair.name)))
          return found;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] Found check_assertions() const {
    for (const RuntimeAssert& each : fake_.env().runtime_asserts()) {
      if (evaluate_size(fake_.env(), each.condition, values_) != 0) continue;
      return {{"fake-range", concatenate("demands ", each.condition, " (", each.message, "; ",
                                         each.user.is_known() ? each.user : each.asked,
                                         "), which does not hold when the kernel runs")}};
    }
    return std::nullopt;
  }

  [[nodiscard]] Found compare_result(size_t index) const {
    const OpwValue& fake = fake_.results[index].get();
    const OpwValue& real = real_.results[index].get();
    if (real.tag == kOpwInt || real.tag == kOpwFloat || real.tag == kOpwBool)
      return compare_number(index, fake, real);
    for (const Pair& pair : pairs(index)) {
      if (const auto found = compare_tensors(pair)) return found;
      if (const auto found = compare_alias(index, pair)) return found;
    }
    return std::nullopt;
  }
  [[nodiscard]] Found compare_number(size_t index, const OpwValue& fake,
                                     const OpwValue& real) const {
    const auto differs = [&](const auto& predicted, const auto& value) -> Found {
      return {{"fake-shape", concatenate("gives ", predicted, " as ", result_name(op_, index),
                                         ", and the kernel gives ", value)}};
    };
    if (real.tag == kOpwFloat) {
      if (fake.tag != kOpwFloat || fake.as_double == real.as_double) return std::nullopt;
      const bool are_nan = fake.as_double != fake.as_double && real.as_double != real.as_double;
      return are_nan ? std::nullopt : differs(fake.as_double, real.as_double);
    }
    if (fake.tag != kOpwInt && fake.tag != kOpwSymInt && fake.tag != kOpwBool) return std::nullopt;
    const SymInt predicted =
        fake.tag == kOpwSymInt ? SymInt::borrow(fake.as_int) : SymInt(fake.as_int);
    const std::optional<int64_t> value = evaluate_size(fake_.env(), predicted, values_);
    if (!value || *value == real.as_int) return std::nullopt;
    return differs(*value, real.as_int);
  }

  // nullopt if it contains a data-dependent size.
  [[nodiscard]] std::optional<Sizes> evaluate_all(const SymSizes& predicted) const {
    Sizes sizes;
    for (const SymInt& each : predicted) {
      const std::optional<int64_t> value = evaluate_size(fake_.env(), each, values_);
      if (!value) return std::nullopt;
      sizes.push_back(*value);
    }
    return sizes;
  }
  [[nodiscard]] static std::string predicted_text(const SymSizes& predicted, const Sizes& sizes) {
    const std::string symbols = to_text(predicted);
    const std::string plain = to_text(sizes);
    return symbols == plain ? plain : concatenate(plain, ", which is ", symbols, " here,");
  }
  [[nodiscard]] Found compare_tensors(const Pair& pair) const {
    const auto& [fake, real, name] = pair;
    if (fake.dtype() != real.dtype())
      return {{"fake-dtype", concatenate("gives ", name, " as ", fake.dtype(),
                                         ", and the kernel gives ", real.dtype())}};
    if (fake.device() != real.device())
      return {{"fake-device", concatenate("gives ", name, " on ", fake.device(),
                                          ", and the kernel gives it on ", real.device())}};
    const SymGeometry predicted = sym_geometry_of(fake);
    const std::optional<Sizes> sizes = evaluate_all(predicted.sizes);
    if (predicted.sizes.size() != real.sizes().size() ||
        (sizes && !std::ranges::equal(*sizes, real.sizes()))) {
      return {{"fake-shape", concatenate("gives ", name, " sizes ",
                                         sizes ? predicted_text(predicted.sizes, *sizes)
                                               : to_text(predicted.sizes),
                                         " and the kernel gives ", to_text(real.sizes()))}};
    }
    const std::optional<Sizes> strides = evaluate_all(predicted.strides);
    if (!strides || real.numel() == 0) return std::nullopt;
    for (size_t dim = 0; dim < strides->size(); ++dim) {
      if (real.sizes()[dim] <= 1 || (*strides)[dim] == real.strides()[dim]) continue;
      return {{"fake-strides",
               concatenate("gives ", name, " strides ", predicted_text(predicted.strides, *strides),
                           " and the kernel gives ", to_text(real.strides()))}};
    }
    return std::nullopt;
  }

  // The first argument that shares the tensor's storage.
  [[nodiscard]] static std::optional<size_t> find_base(const Tensor& tensor,
                                                       const std::vector<Tensor>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (&storage_of(tensor) == &storage_of(arguments[i])) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] Found compare_alias(size_t index, const Pair& pair) const {
    if (pair.real.numel() == 0) return std::nullopt;
    const std::optional<size_t> predicted = find_base(pair.fake, fake_.twins);
    const std::optional<size_t> base = find_base(pair.real, real_.after.tensors());
    const AliasInfo& declared = op_.schema().returns[index].alias;
    const bool is_declared = declared.is_marked() || !declared.elements.empty();
    if (base && !is_declared) return std::nullopt;  // reported by the schema check
    const auto text = [&](const std::optional<size_t>& place) {
      return place ? concatenate("a view of '", real_.after.tensor_name(*place), "'")
                   : std::string("a tensor with memory of its own");
    };
    if (predicted != base) {
      return {{"fake-alias", concatenate("gives ", pair.name, " as ", text(predicted),
                                         ", and the kernel gives ", text(base))}};
    }
    if (!base) return std::nullopt;
    const std::optional<int64_t> offset =
        evaluate_size(fake_.env(), sym_geometry_of(pair.fake).offset, values_);
    const int64_t real_offset = geometry_of(pair.real).offset;
    if (!offset || *offset == real_offset) return std::nullopt;
    return {{"fake-alias",
             concatenate("gives ", pair.name, " as a view from element ", *offset,
                         " of its storage on, and the kernel gives one from ", real_offset)}};
  }

  [[nodiscard]] Found compare_written() const {
    const std::vector<Tensor> after = real_.after.tensors();
    for (size_t i = 0; i < after.size(); ++i) {
      if (!real_.after.is_written(i)) continue;
      const std::string name =
          concatenate("the argument '", real_.after.tensor_name(i), "', which is written,");
      if (auto found = compare_tensors({fake_.twins[i], after[i], name})) return found;
    }
    return std::nullopt;
  }

  const FakeRun& fake_;
  const Outcome& real_;
  const Operator& op_;
  SymbolValues values_;
};

}  // namespace

FakeRun run_on_fakes(const Example& example, FakeMode::Sizes sizes) {
  FakeRun run;
  run.mode = make_intrusive<FakeMode>(make_intrusive<ShapeEnv>());
  const Example copied = example.copy();
  const std::vector<Tensor> tensors = copied.tensors();
  for (size_t i = 0; i < tensors.size(); ++i)
    run.twins.push_back(run.mode->from_tensor(tensors[i], sizes, copied.tensor_name(i)));
  run.forms = forms_of(run.twins);
  const ComparedRunScope compared;
  const InterpreterScope scope(run.mode.get());
  try {
    run.results = call_with(copied, run.twins);
  } catch (const Error& error) {
    run.error = error;
  }
  return run;
}

std::optional<FakeDifference> find_difference(const FakeRun& fake, const Outcome& real,
                                              SymbolValues values) {
  return FakeComparison(fake, real, std::move(values)).find();
}

}  // namespace opwright
