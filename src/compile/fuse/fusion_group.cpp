#include "opwright/compile/fuse/fusion_group.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/known_geometry.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

size_t at(int32_t dim) { return static_cast<size_t>(dim); }

// Bit i: dimension i of the domain is included.
uint64_t mask_of(const DimMap& dims) {
  uint64_t mask = 0;
  for (const int32_t dim : dims) {
    if (dim != kNoDim) mask |= uint64_t{1} << dim;
  }
  return mask;
}

// ---- Joining: maps dimensions of the first domain to dimensions of the second ----

class Correspondence {
 public:
  Correspondence(const FusionGroup& first, const FusionGroup& second)
      : first_(first),
        second_(second),
        to_second_(first.sizes.size(), kNoDim),
        to_first_(second.sizes.size(), kNoDim) {}

  // Adds two maps of one value; false if they contradict each other.
  bool add(const DimMap& in_first, const DimMap& in_second) {
    const auto to_second = to_second_;
    const auto to_first = to_first_;
    for (size_t i = 0; i < in_first.size(); ++i) {
      if (in_first[i] == kNoDim || in_second[i] == kNoDim) continue;
      if (pair(in_first[i], in_second[i])) continue;
      to_second_ = to_second;
      to_first_ = to_first;
      return false;
    }
    return true;
  }

  // Pairs the remaining dimensions by size, in order.
  void pair_rest() {
    for (size_t i = 0; i < to_second_.size(); ++i) {
      if (to_second_[i] != kNoDim) continue;
      for (size_t j = 0; j < to_first_.size(); ++j) {
        if (to_first_[j] == kNoDim && can_pair(i, j)) {
          pair(static_cast<int32_t>(i), static_cast<int32_t>(j));
          break;
        }
      }
    }
  }

  [[nodiscard]] bool covers_first() const { return std::ranges::count(to_second_, kNoDim) == 0; }
  [[nodiscard]] bool covers_second() const { return std::ranges::count(to_first_, kNoDim) == 0; }
  [[nodiscard]] const DimMap& to_second() const { return to_second_; }
  [[nodiscard]] const DimMap& to_first() const { return to_first_; }

 private:
  [[nodiscard]] bool can_pair(size_t i, size_t j) const {
    return is_same(first_.sizes[i], second_.sizes[j]) &&
           (!first_.has_folds || !second_.has_folds || first_.is_folded[i] == second_.is_folded[j]);
  }
  bool pair(int32_t i, int32_t j) {
    if (to_second_[at(i)] == j && to_first_[at(j)] == i) return true;
    if (to_second_[at(i)] != kNoDim || to_first_[at(j)] != kNoDim || !can_pair(at(i), at(j)))
      return false;
    to_second_[at(i)] = j;
    to_first_[at(j)] = i;
    return true;
  }

  const FusionGroup& first_;
  const FusionGroup& second_;
  DimMap to_second_;
  DimMap to_first_;
};

void append(std::vector<FusionGroup::Member>& to, const std::vector<FusionGroup::Member>& from,
            const DimMap& map) {
  for (FusionGroup::Member member : from) {
    for (int32_t& dim : member.dims) {
      if (dim != kNoDim) dim = map[at(dim)];
    }
    if (std::ranges::find(to, member) == to.end()) to.push_back(std::move(member));
  }
}

// Maps `small` onto the domain of `large`.
FusionGroup lay_over(const FusionGroup& large, const FusionGroup& small, const DimMap& to_large) {
  FusionGroup joined = large;
  append(joined.computed, small.computed, to_large);
  append(joined.read, small.read, to_large);
  joined.nodes.insert(joined.nodes.end(), small.nodes.begin(), small.nodes.end());
  if (small.has_folds) {
    for (size_t i = 0; i < small.is_folded.size(); ++i)
      joined.is_folded[at(to_large[i])] = small.is_folded[i];
  }
  joined.has_folds |= small.has_folds;
  joined.is_costly |= small.is_costly;
  std::erase_if(joined.read, [&](const FusionGroup::Member& member) {
    return joined.find_computed(*member.value) != nullptr;
  });
  return joined;
}

}  // namespace

const FusionGroup::Member* FusionGroup::find_computed(const GraphValue& value) const {
  const auto found = std::ranges::find(computed, &value, &Member::value);
  return found == computed.end() ? nullptr : &*found;
}

bool FusionGroup::is_of_points(const DimMap& dims) const {
  return static_cast<size_t>(std::popcount(mask_of(dims))) == sizes.size();
}

bool FusionGroup::is_of_rows(const DimMap& dims) const {
  const uint64_t mask = mask_of(dims);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if ((mask >> i & 1) == (is_folded[i] ? 1 : 0)) return false;
  }
  return true;
}

std::optional<FusionGroup> make_group(Node& node, const PointNode& point) {
  GraphValue& result = node.values()[0];
  const GraphValue& over = point.fold ? *point.inputs[0] : result;
  const Tensor shape = over.tensor();
  if (shape.dim() > 16) return std::nullopt;
  FusionGroup group;
  group.nodes = {&node};
  group.is_costly = point.is_costly;
  group.has_folds = point.fold.has_value();
  // Dimensions of size 1 are not part of the domain.
  DimMap places(static_cast<size_t>(shape.dim()), kNoDim);
  for (int64_t i = 0; i < shape.dim(); ++i) {
    if (is_same(shape.sym_size(i), 1)) continue;
    places[static_cast<size_t>(i)] = static_cast<int32_t>(group.sizes.size());
    group.sizes.push_back(shape.sym_size(i));
    group.is_folded.push_back(point.fold && point.fold->dims[static_cast<size_t>(i)]);
  }
  // A reduction over only sizes of 1 is a copy, which a call does.
  if (point.fold && std::ranges::count(group.is_folded, true) == 0) return std::nullopt;
  DimMap own = places;
  if (point.fold) {
    const bool keeps = result.tensor().dim() == shape.dim();
    own.clear();
    for (size_t i = 0; i < places.size(); ++i) {
      if (!point.fold->dims[i]) own.push_back(places[i]);
      if (point.fold->dims[i] && keeps) own.push_back(kNoDim);
    }
  }
  group.computed.push_back({.value = &result, .dims = std::move(own)});
  for (GraphValue* input : point.inputs) {
    const IndexView view = look_through(*input);
    const int64_t ndim = input->tensor().dim();
    const auto lead = static_cast<size_t>(shape.dim() - ndim);
    if (shape.dim() < ndim) return std::nullopt;
    FusionGroup::Member member{
        .value = view.root, .dims = DimMap(static_cast<size_t>(view.root->tensor().dim()), kNoDim)};
    for (size_t i = 0; i < static_cast<size_t>(ndim); ++i) {
      if (view.dims[i] == kNoDim) continue;
      const bool broadcasts = !is_same(input->tensor().sym_size(static_cast<int64_t>(i)),
                                       shape.sym_size(static_cast<int64_t>(i + lead)));
      // Whether a size is 1 is decided at run time.
      if (broadcasts) return std::nullopt;
      member.dims[at(view.dims[i])] = places[i + lead];
    }
    if (std::ranges::find(group.read, member) == group.read.end())
      group.read.push_back(std::move(member));
  }
  return group;
}

std::optional<FusionGroup> join_groups(const FusionGroup& first, const FusionGroup& second) {
  Correspondence dims(first, second);
  for (const FusionGroup::Member& member : second.read) {
    if (const FusionGroup::Member* given = first.find_computed(*member.value)) {
      if (!dims.add(given->dims, member.dims)) return std::nullopt;
    }
  }
  for (const FusionGroup::Member& member : second.read) {
    for (const FusionGroup::Member& other : first.read) {
      if (other.value == member.value) dims.add(other.dims, member.dims);
    }
  }
  dims.pair_rest();
  const bool takes_all_of_first = dims.covers_first();
  const bool takes_all_of_second = dims.covers_second();
  if (takes_all_of_first && takes_all_of_second) return lay_over(second, first, dims.to_second());
  // A smaller group is computed at every point, so it must have no reductions and nothing costly.
  if (takes_all_of_first && !first.has_folds && !first.is_costly)
    return lay_over(second, first, dims.to_second());
  if (takes_all_of_second && !second.has_folds) return lay_over(first, second, dims.to_first());
  return std::nullopt;
}

}  // namespace opwright
