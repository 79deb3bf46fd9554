// functionalize: the functionalized call returns what the call does, also when it writes through
// a view.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/overlap.h"
#include "opwright/transforms/functionalize/functionalize.h"

namespace opwright {
namespace {

// The tensors that a call starts from: some of the example's are views of larger ones.
struct Bases {
  std::vector<Tensor> tensors;  // one per distinct tensor of the example
  std::vector<bool> is_larger;
};

constexpr int64_t kMargin = 1;

// A view of a larger tensor: its dimensions in the opposite order, without the outermost elements.
Tensor inner_view(const Tensor& base) {
  std::vector<int64_t> reversed;
  for (int64_t dim = base.dim(); dim-- > 0;) reversed.push_back(dim);
  Tensor view = base.permute(std::span<const int64_t>(reversed));
  for (int64_t dim = 0; dim < view.dim(); ++dim)
    view = view.slice(dim, kMargin, view.size(dim) - kMargin);
  return view;
}

Tensor larger_base(const Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (int64_t dim = tensor.dim(); dim-- > 0;) sizes.push_back(tensor.size(dim) + 2 * kMargin);
  Tensor base = ones(std::span<const int64_t>(sizes), tensor.dtype());
  inner_view(base).copy_(tensor);
  return base;
}

std::vector<Tensor> given_tensors(const Bases& bases, std::span<const Tensor> own) {
  std::vector<Tensor> given;
  for (size_t i = 0; i < own.size(); ++i)
    given.push_back(bases.is_larger[i] ? inner_view(own[i]) : own[i]);
  return given;
}

struct RewrittenRun {
  std::vector<Value> results;
  std::vector<Tensor> bases;
  std::optional<Error> error;
};

enum class WriteWay : uint8_t {
  Plain,
  ThroughViews,  // the written tensor is a part of a larger one
  WriteResult,   // the result, a view, is written after the call
};

// Writes the first writable view.
void write_view(const std::vector<Tensor>& results) {
  for (const Tensor& result : results) {
    if (result.numel() == 0 || result.dtype() == DType::Bool) continue;
    Tensor view = result;
    view.add_(1);
    return;
  }
}

RewrittenRun run(const Example& example, WriteWay way, bool is_functional) {
  const ComparedRunScope compared;
  const Example copied = example.copy();
  const DistinctTensors distinct(copied);
  Bases bases;
  for (size_t i = 0; i < distinct.get().size(); ++i) {
    const bool is_larger = way == WriteWay::ThroughViews && distinct.is_written(i);
    bases.is_larger.push_back(is_larger);
    bases.tensors.push_back(is_larger ? larger_base(distinct.get()[i]) : distinct.get()[i]);
  }
  RewrittenRun made;
  const auto call_on = [&](const std::vector<Tensor>& own) {
    made.results = call_with(copied, distinct.spread(given_tensors(bases, own)));
    const std::vector<Tensor> results = tensors_of(made.results);
    if (way == WriteWay::WriteResult) write_view(results);
    return results;
  };
  try {
    if (is_functional) {
      const std::vector<Tensor> outputs = run_functionalized(call_on, bases.tensors);
      made.results = replace_tensors(made.results, outputs);
    } else {
      (void)call_on(bases.tensors);
    }
  } catch (const Error& error) {
    made.error = error;
    made.results.clear();
  }
  made.bases = std::move(bases.tensors);
  return made;
}

class FunctionalizeCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondeterministic)) return "two calls of it differ";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const DistinctTensors distinct(input.example());
    if (input.op().writes_arguments() && distinct.share_memory()) return std::nullopt;
    if (auto found = look(input, distinct, WriteWay::Plain)) return found;
    if (input.settings().is_harmful) return std::nullopt;
    const bool can_write = std::ranges::none_of(
        distinct.get(), [](const Tensor& tensor) { return has_internal_overlap(tensor); });
    if (input.op().record(Slot::Scatter) && can_write && !distinct.share_memory() &&
        !depends_on_strides(input.op())) {
      return look(input, distinct, WriteWay::WriteResult);
    }
    for (size_t i = 0; i < distinct.get().size(); ++i) {
      if (distinct.is_written(i) && distinct.get()[i].dim() > 0 && distinct.get()[i].numel() > 0)
        return look(input, distinct, WriteWay::ThroughViews);
    }
    return std::nullopt;
  }

 private:
  static std::string describe(const Operator& op, WriteWay way) {
    std::string text = concatenate(op.name(), " under functionalize");
    if (way == WriteWay::ThroughViews)
      text += ", written through a transposed slice of a larger tensor,";
    if (way == WriteWay::WriteResult) text += ", with a write to its result,";
    return text;
  }

  static std::optional<Fault> look(const CheckInput& input, const DistinctTensors& distinct,
                                   WriteWay way) {
    const Operator& op = input.op();
    const RewrittenRun plain = run(input.example(), way, false);
    if (plain.error) return std::nullopt;
    const RewrittenRun functional = run(input.example(), way, true);
    const std::string who = describe(op, way);
    if (functional.error) {
      return Fault{"functionalize-raised",
                   concatenate(who, " raises where the call does not: ", functional.error->kind(),
                               ": ", functional.error->message())};
    }
    const auto fault = [&](const std::string& what, const std::string& difference) {
      const bool is_scattered = way == WriteWay::WriteResult;
      const std::string sibling =
          is_scattered ? concatenate("; look at its scatter rule", site_text(op, Slot::Scatter))
          : find_site(op, Slot::Functional).is_known()
              ? concatenate("; look at its functional form", site_text(op, Slot::Functional))
          : op.writes_arguments() ? "; mark all that it writes in its schema"
                                  : "";
      return Fault{"functionalize-differs",
                   concatenate(who, " differs from the call: ", what, ": ", difference, sibling)};
    };
    for (size_t i = 0; i < plain.results.size(); ++i) {
      if (auto difference = find_difference(functional.results[i].get(), plain.results[i].get(),
                                            input.comparison()))
        return fault(result_name(op, i), *difference);
    }
    for (size_t i = 0; i < plain.bases.size(); ++i) {
      if (!distinct.is_written(i) && way != WriteWay::WriteResult) continue;
      if (auto difference =
              find_difference(functional.bases[i], plain.bases[i], input.comparison()))
        return fault(
            concatenate(way == WriteWay::ThroughViews ? "the tensor that '" : "'", distinct.name(i),
                        way == WriteWay::ThroughViews ? "' is a part of" : "'", " after the call"),
            *difference);
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsFunctionalizeCheckRegistered =
    (register_check({.name = "functionalize",
                     .about = "the functionalized call returns what the call does",
                     .make = [] { return std::unique_ptr<Check>(new FunctionalizeCheck()); },
                     .place = 70}),
     true);

}  // namespace
}  // namespace opwright
