#include "opwright/check/variation/size_variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr int64_t kFewest = 8;  // large sizes are not reduced below this, if possible

// ---- Ints that follow a size --------------------------------------------------------------------

bool holds_ints(const Type& type) {
  const Type& required = type.required();
  const Type& element = required.is_list() ? required.element().required() : required;
  return element.kind() == Type::Int || element.kind() == Type::SymInt;
}

bool is_int_tag(uint32_t tag) { return tag == kOpwInt || tag == kOpwSymInt; }
bool is_int_list_tag(uint32_t tag) { return tag == kOpwIntList || tag == kOpwSymIntList; }

// Maps numbers when sizes change.
class SizeChange {
 public:
  SizeChange(std::span<const int64_t> from, std::span<const int64_t> to) : from_(from), to_(to) {}

  [[nodiscard]] int64_t of(int64_t number) const {
    if (number < 2) return number;
    for (size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] == number && to_[i] != number) return to_[i];
    }
    return number;
  }

 private:
  std::span<const int64_t> from_;
  std::span<const int64_t> to_;
};

Value follow(const OpwValue& value, const SizeChange& change) {
  if (is_int_tag(value.tag)) return Value(change.of(value.as_int));
  std::vector<int64_t> list(value.as_ints, value.as_ints + value.length);
  for (int64_t& each : list) each = change.of(each);
  return Value(list);
}

bool is_followable(const Example& example, uint32_t argument) {
  const OpwValue& value = example.values()[argument].get();
  if (!holds_ints(example.op().schema().arguments[argument].type)) return false;
  return is_int_tag(value.tag) || is_int_list_tag(value.tag);
}

Draft with_ints_following(const Draft& draft, const SizeChange& change) {
  Draft next = draft;
  for (uint32_t i = 0; i < draft.example.values().size(); ++i) {
    if (!is_followable(draft.example, i)) continue;
    const Value& old = draft.example.values()[i];
    const Value value = follow(old.get(), change);
    if (value_text(value.get()) == value_text(old.get())) continue;
    const std::string& name = draft.example.op().schema().arguments[i].name;
    next = next.with(
        next.example.with_value(i, value),
        concatenate(name, ": ", value_text(old.get()), " became ", value_text(value.get())));
  }
  return next;
}

bool has_follower(const Example& example, int64_t size) {
  if (size < 2) return false;
  for (uint32_t i = 0; i < example.values().size(); ++i) {
    if (!is_followable(example, i)) continue;
    const OpwValue& value = example.values()[i].get();
    if (is_int_tag(value.tag) && value.as_int == size) return true;
    if (is_int_list_tag(value.tag) && std::ranges::find(value.as_ints, value.as_ints + value.length,
                                                        size) != value.as_ints + value.length)
      return true;
  }
  return false;
}

// ---- Ints that are indices ----------------------------------------------------------------------

constexpr int64_t kNoBound = INT64_MAX;

// The smallest size that shrinks and into which all values are valid indices.
int64_t find_index_bound(const ValueProfile& profile, std::span<const int64_t> from,
                         std::span<const int64_t> to) {
  int64_t bound = kNoBound;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool is_index = profile.greatest_int < from[i] && profile.least_int >= -from[i];
    if (is_index && to[i] < from[i]) bound = std::min(bound, to[i]);
  }
  return bound;
}

// Brings int64 values into [-bound, bound).
void bring_below(const Tensor& ints, int64_t bound) {
  const std::span numbers(ints.mutable_data<int64_t>(), static_cast<size_t>(ints.numel()));
  for (int64_t& number : numbers) number = std::clamp(number, -bound, bound - 1);
}

// ---- Tensors ------------------------------------------------------------------------------------

class Resizer {
 public:
  Resizer(const SizeTies& ties, const Resizing& resizing, std::span<const int64_t> from)
      : ties_(ties), resizing_(resizing), from_(from) {}

  // nullopt if an index would have no valid value.
  std::optional<Tensor> resized(const Tensor& tensor, size_t which) {
    for (const auto& [old, made] : done_) {
      if (are_same_memory(old, tensor)) return same_memory(made, made.requires_grad());
    }
    std::optional<Tensor> made = make(tensor, which);
    if (made) done_.emplace_back(tensor, *made);
    return made;
  }

 private:
  std::optional<Tensor> make(const Tensor& tensor, size_t which) {
    Sizes sizes;
    for (const uint32_t variable : ties_.variables[which]) {
      sizes.push_back(resizing_.sizes[variable]);
    }
    const bool has_ints = is_integral(tensor.dtype());
    const bool is_same = std::ranges::equal(sizes, tensor.sizes());
    if (is_same && !has_ints) return tensor;
    const ValueProfile profile = profile_of(tensor);
    const bool has_values = has_ints && !tensor.is_fake() && tensor.numel() > 0;
    const int64_t bound = has_values ? find_index_bound(profile, from_, resizing_.sizes) : kNoBound;
    if (is_same && profile.greatest_int < bound && profile.least_int >= -bound) return tensor;
    if (bound == 0 && product(sizes) > 0) return std::nullopt;
    Tensor values = resizing_.rng && !is_same ? fresh_values(profile, sizes, *resizing_.rng)
                                              : leading_values(tensor, sizes);
    if (bound != kNoBound) {
      const Tensor wide = converted_values(values, DType::Int64);
      bring_below(wide, bound);
      values = converted_values(wide, values.dtype());
    }
    return lay_out(values, fit_layout(layout_of(tensor), tensor.sizes(), sizes), tensor);
  }

  const SizeTies& ties_;
  const Resizing& resizing_;
  std::span<const int64_t> from_;
  std::vector<std::pair<Tensor, Tensor>> done_;
};

std::string sizes_text(const Tensor& before, const Tensor& after) {
  if (std::ranges::equal(before.sizes(), after.sizes())) return "smaller indices";
  return concatenate("sizes ", to_text(before.sizes()), " became ", to_text(after.sizes()));
}

}  // namespace

std::optional<Draft> resize(const Draft& draft, const SizeTies& ties, const Resizing& resizing) {
  const std::vector<Tensor> tensors = draft.example.tensors();
  if (tensors.size() != ties.variables.size()) return std::nullopt;
  const std::vector<int64_t> from = ties.sizes_in(draft.example);
  Resizer resizer(ties, resizing, from);
  Draft next = draft;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (static_cast<size_t>(tensors[i].dim()) != ties.variables[i].size()) return std::nullopt;
    const std::optional<Tensor> made = resizer.resized(tensors[i], i);
    if (!made) return std::nullopt;
    if (made->get() == tensors[i].get()) continue;
    next = next.with_tensor(i, *made, sizes_text(tensors[i], *made));
  }
  if (!resizing.ints_follow) return next;
  return with_ints_following(next, SizeChange(from, resizing.sizes));
}

int64_t count_elements(const SizeTies& ties, std::span<const int64_t> sizes) {
  int64_t total = 0;
  for (const std::vector<uint32_t>& tensor : ties.variables) {
    int64_t count = 1;
    for (const uint32_t variable : tensor) count *= sizes[variable];
    total += count;
  }
  return total;
}

Draft reduce(const Draft& given, const SizeTies& ties, int64_t most, RandomSource& rng) {
  Resizing resizing{.sizes = ties.sizes, .rng = &rng};
  while (count_elements(ties, resizing.sizes) > most) {
    const auto largest = std::ranges::max_element(resizing.sizes);
    if (*largest < 2) break;
    *largest = std::max(*largest / 2, std::min(*largest - 1, kFewest));
  }
  if (resizing.sizes == ties.sizes) return given;
  const std::optional<Draft> smaller = resize(given, ties, resizing);
  return smaller && fake_takes(smaller->example) ? *smaller : given;
}

namespace {

VariationStep one_size_step(const SizeTies& ties, uint32_t variable, int64_t size, bool follows) {
  return [&ties, variable, size, follows](const Draft& draft, RandomSource& rng) {
    Resizing resizing{.sizes = ties.sizes_in(draft.example), .ints_follow = follows, .rng = &rng};
    resizing.sizes[variable] = size;
    return resize(draft, ties, resizing);
  };
}

// Without duplicates.
std::vector<int64_t> other_sizes(int64_t size) {
  std::vector<int64_t> others;
  const std::vector<int64_t> wanted =
      size < 2 ? std::vector<int64_t>{2, 3}
               : std::vector<int64_t>{size + 1, size - 1, 3, 2, 2 * size, 17, 33};
  for (const int64_t other : wanted) {
    const bool is_new = std::ranges::find(others, other) == others.end();
    if (other > 1 && other != size && is_new) others.push_back(other);
  }
  return others;
}

}  // namespace

SizeSteps size_steps(const Example& example, const SizeTies& ties) {
  SizeSteps steps;
  const int64_t most = std::max(kMostVariedElements, count_elements(ties, ties.sizes));
  const auto add = [&](VariationSteps& to, uint32_t variable, int64_t size) {
    std::vector<int64_t> sizes = ties.sizes;
    if (std::exchange(sizes[variable], size) == size || count_elements(ties, sizes) > most) return;
    to.push_back(one_size_step(ties, variable, size, true));
    if (!has_follower(example, ties.sizes[variable])) return;
    to.push_back(one_size_step(ties, variable, size, false));
  };
  const auto count = static_cast<uint32_t>(ties.sizes.size());
  for (const bool is_small : {false, true}) {  // sizes that may be there for broadcasting come last
    for (uint32_t i = 0; i < count; ++i) {
      if ((ties.sizes[i] < 2) != is_small) continue;
      add(steps.zeros, i, 0);
      add(steps.ones, i, 1);
    }
    for (size_t place = 0; place < 7; ++place) {
      for (uint32_t i = 0; i < count; ++i) {
        const std::vector<int64_t> others = other_sizes(ties.sizes[i]);
        if ((ties.sizes[i] < 2) != is_small || place >= others.size()) continue;
        add(steps.others, i, others[place]);
      }
    }
  }
  return steps;
}

VariationStep random_size_step(const Example& example, const SizeTies& ties) {
  const int64_t most = std::max(kMostVariedElements, count_elements(ties, ties.sizes_in(example)));
  return [&ties, most](const Draft& draft, RandomSource& rng) -> std::optional<Draft> {
    if (ties.sizes.empty()) return std::nullopt;
    Resizing resizing{
        .sizes = ties.sizes_in(draft.example), .ints_follow = rng.one_in(2), .rng = &rng};
    const std::vector<int64_t> old = resizing.sizes;
    const uint64_t share = 1 + rng.below(3);
    for (int64_t& size : resizing.sizes) {
      if ((size < 2 && !rng.one_in(6)) || !rng.one_in(share)) continue;
      size = rng.one_in(5) ? rng.between(0, 1) : rng.between(1, std::max<int64_t>(size, 2) * 2);
    }
    if (resizing.sizes == old || count_elements(ties, resizing.sizes) > most) return std::nullopt;
    return resize(draft, ties, resizing);
  };
}

}  // namespace opwright
