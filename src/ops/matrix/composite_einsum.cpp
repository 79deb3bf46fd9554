// einsum as a composite: operands are contracted two at a time, along a path.
//
// Each operand is permuted so that its dimensions have the same labels in the same order, with size
// 1 for labels that it does not have. Then a contraction of two is one batched matrix product.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr int kNumLetters = 52;
constexpr int kEllipsis = -1;

// 0 to 51; -1 for another character.
int letter_of(char character) {
  if (character >= 'A' && character <= 'Z') return character - 'A';
  if (character >= 'a' && character <= 'z') return character - 'a' + 26;
  return -1;
}

// The letters of one term; an ellipsis is kEllipsis.
std::vector<int> parse_term(std::string_view term) {
  std::vector<int> labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term[i] == '.') {
      OPWRIGHT_CHECK(term.substr(i, 3) == "..." && std::ranges::count(labels, kEllipsis) == 0,
                     "einsum: '.' must be part of one '...' in a term, got '", term, "'");
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    const int letter = letter_of(term[i]);
    OPWRIGHT_CHECK(letter >= 0, "einsum: subscripts must be letters, got '", term.substr(i, 1),
                   "' in '", term, "'");
    labels.push_back(letter);
  }
  return labels;
}

struct Equation {
  std::vector<std::vector<int>> inputs;
  std::optional<std::vector<int>> output;
};

Equation parse_equation(std::string_view text) {
  Equation equation;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  if (arrow != std::string_view::npos) equation.output = parse_term(text.substr(arrow + 2));
  while (true) {
    const size_t comma = left.find(',');
    equation.inputs.push_back(parse_term(left.substr(0, comma)));
    if (comma == std::string_view::npos) return equation;
    left = left.substr(comma + 1);
  }
}

// The labels of all operands as places of one common list: those of the output first.
struct Labels {
  std::array<int64_t, kNumLetters> place{};  // -1: not used
  int64_t first_of_ellipsis = 0;
  int64_t num_ellipsis = 0;
  int64_t num_output = 0;
  int64_t count = 0;
};

int64_t ellipsis_dims(const std::vector<int>& term, const Tensor& operand) {
  const bool has_ellipsis = std::ranges::count(term, kEllipsis) != 0;
  const auto named = static_cast<int64_t>(term.size()) - (has_ellipsis ? 1 : 0);
  OPWRIGHT_CHECK(has_ellipsis ? named <= operand.dim() : named == operand.dim(),
                 "einsum: the number of subscripts, ", named,
                 has_ellipsis ? ", must be at most" : ", must be",
                 " the number of dimensions of its operand, ", operand);
  return operand.dim() - named;
}

// Without an explicit output: the dimensions of the ellipsis, then letters that appear once.
std::vector<int> implied_output(const Equation& equation) {
  std::array<int, kNumLetters> times{};
  for (const auto& term : equation.inputs) {
    for (const int label : term) {
      if (label != kEllipsis) ++times[static_cast<size_t>(label)];
    }
  }
  std::vector<int> output{kEllipsis};
  for (int letter = 0; letter < kNumLetters; ++letter) {
    if (times[static_cast<size_t>(letter)] == 1) output.push_back(letter);
  }
  return output;
}

Labels place_labels(const Equation& equation, std::span<const Tensor> operands) {
  Labels labels;
  labels.place.fill(-1);
  std::array<bool, kNumLetters> is_known{};
  for (size_t i = 0; i < operands.size(); ++i) {
    labels.num_ellipsis =
        std::max(labels.num_ellipsis, ellipsis_dims(equation.inputs[i], operands[i]));
    for (const int label : equation.inputs[i])
      if (label != kEllipsis) is_known[static_cast<size_t>(label)] = true;
  }
  bool has_ellipsis = false;
  for (const int label : equation.output ? *equation.output : implied_output(equation)) {
    if (label == kEllipsis) {
      has_ellipsis = true;
      labels.first_of_ellipsis = labels.count;
      labels.count += labels.num_ellipsis;
      continue;
    }
    auto& place = labels.place[static_cast<size_t>(label)];
    OPWRIGHT_CHECK(is_known[static_cast<size_t>(label)] && place < 0,
                   "einsum: each subscript of the output must appear in an operand, and once in "
                   "the output");
    place = labels.count++;
  }
  labels.num_output = labels.count;
  if (!has_ellipsis) {  // summed
    labels.first_of_ellipsis = labels.count;
    labels.count += labels.num_ellipsis;
  }
  for (size_t letter = 0; letter < kNumLetters; ++letter) {
    if (is_known[letter] && labels.place[letter] < 0) labels.place[letter] = labels.count++;
  }
  return labels;
}

// The operand with a dimension for each label, of size 1 where it has none. A repeated subscript
// takes the diagonal.
Tensor align(const Tensor& operand, const std::vector<int>& term, const Labels& labels) {
  Tensor result = operand;
  std::vector<int64_t> places;  // of the dimensions of `result`
  int64_t dim = 0;
  const auto add = [&](int64_t place) {
    const auto earlier = std::ranges::find(places, place);
    if (earlier == places.end()) {
      places.push_back(place);
      ++dim;
      return;
    }
    const int64_t first = earlier - places.begin();
    OPWRIGHT_DEMAND(result.sym_size(first) == result.sym_size(dim),
                    "einsum: a repeated subscript must have equal sizes, got ",
                    result.sym_size(first), " and ", result.sym_size(dim));
    result = result.diagonal(0, first, dim).movedim(-1, first);
  };
  const auto named = static_cast<int64_t>(term.size());
  for (const int label : term) {
    if (label != kEllipsis) {
      add(labels.place[static_cast<size_t>(label)]);
      continue;
    }
    const int64_t covered = operand.dim() - (named - 1);
    for (int64_t i = labels.num_ellipsis - covered; i < labels.num_ellipsis; ++i)
      add(labels.first_of_ellipsis + i);
  }
  for (int64_t place = 0; place < labels.count; ++place) {
    if (std::ranges::count(places, place) != 0) continue;
    places.push_back(place);
    result = result.unsqueeze(-1);
  }
  Sizes order(places.size(), 0);
  for (size_t i = 0; i < places.size(); ++i)
    order[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  return result.permute(order);
}

bool has_size_one(const Tensor& tensor, int64_t dim) {
  return guard_or_false(tensor.sym_size(dim) == 1);
}

// The product of two aligned operands, summed over `summed`.
Tensor contract(const Tensor& left_operand, const Tensor& right_operand,
                const std::vector<int64_t>& summed) {
  Tensor left = left_operand;
  Tensor right = right_operand;
  // What only one of them has is summed before the product.
  Sizes common;
  for (const int64_t dim : summed) {
    const bool in_left = !has_size_one(left, dim);
    const bool in_right = !has_size_one(right, dim);
    if (in_left && in_right) common.push_back(dim);
    if (in_left && !in_right) left = left.sum({dim}, true);
    if (in_right && !in_left) right = right.sum({dim}, true);
  }
  if (common.empty()) return left.mul(right);
  Sizes batch;
  Sizes of_left;
  Sizes of_right;
  for (int64_t dim = 0; dim < left.dim(); ++dim) {
    if (std::ranges::count(common, dim) != 0) continue;
    const bool in_left = !has_size_one(left, dim);
    const bool in_right = !has_size_one(right, dim);
    (in_left && in_right ? batch : in_right ? of_right : of_left).push_back(dim);
  }
  const auto ordered = [](std::initializer_list<const Sizes*> parts) {
    Sizes order;
    for (const Sizes* part : parts) {
      for (const int64_t dim : *part) order.push_back(dim);
    }
    return order;
  };
  SymSizes sizes;  // of the result, in the order batch, left, right, common
  const auto size_of = [&](const Tensor& tensor, const Sizes& dims) {
    SymInt size = 1;
    for (const int64_t dim : dims) {
      sizes.push_back(tensor.sym_size(dim));
      size = size * tensor.sym_size(dim);
    }
    return size;
  };
  for (const int64_t dim : ordered({&common, &batch})) {
    OPWRIGHT_DEMAND(left.sym_size(dim) == right.sym_size(dim),
                    "einsum: operands must have equal sizes for one subscript, got ",
                    left.sym_size(dim), " and ", right.sym_size(dim));
  }
  const SymInt num_batch = size_of(left, batch);
  const SymInt rows = size_of(left, of_left);
  const SymInt columns = size_of(right, of_right);
  SymInt inner_size = 1;
  for (const int64_t dim : common) {
    inner_size = inner_size * left.sym_size(dim);
    sizes.push_back(1);
  }
  const Tensor matrices_of_left = left.permute(ordered({&batch, &of_left, &common, &of_right}))
                                      .reshape({num_batch, rows, inner_size});
  const Tensor matrices_of_right = right.permute(ordered({&batch, &common, &of_right, &of_left}))
                                       .reshape({num_batch, inner_size, columns});
  const Tensor product = bmm(matrices_of_left, matrices_of_right).reshape(sizes);
  const Sizes order = ordered({&batch, &of_left, &of_right, &common});
  Sizes back(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return product.permute(back);
}

// The operands that are contracted next.
using Pair = std::pair<size_t, size_t>;

std::vector<Pair> read_path(const std::optional<std::span<const int64_t>>& path, size_t count) {
  std::vector<Pair> pairs;
  if (!path) {  // from left to right: the newest product is the last operand
    for (size_t left = count; left > 1; --left) pairs.emplace_back(0, left == count ? 1 : left - 1);
    return pairs;
  }
  OPWRIGHT_CHECK(path->size() == (count == 0 ? 0 : 2 * (count - 1)),
                 "einsum: path must have two numbers for each of the ", count - 1,
                 " contractions, got ", path->size());
  for (size_t i = 0; i < path->size(); i += 2) {
    const auto left = static_cast<int64_t>(count - i / 2);
    const int64_t a = (*path)[i];
    const int64_t b = (*path)[i + 1];
    OPWRIGHT_CHECK(a >= 0 && b >= 0 && a < left && b < left && a != b, "einsum: the operands ", a,
                   " and ", b, " of path must be two of the ", left, " that are left");
    pairs.emplace_back(static_cast<size_t>(std::min(a, b)), static_cast<size_t>(std::max(a, b)));
  }
  return pairs;
}

// The summed dimensions that no operand besides those of the pair has.
std::vector<int64_t> find_summed(const std::vector<Tensor>& operands, Pair pair,
                                 const Labels& labels) {
  std::vector<int64_t> summed;
  for (int64_t dim = labels.num_output; dim < labels.count; ++dim) {
    bool is_last = true;
    for (size_t i = 0; i < operands.size(); ++i)
      is_last = is_last && (i == pair.first || i == pair.second || has_size_one(operands[i], dim));
    if (is_last) summed.push_back(dim);
  }
  return summed;
}

}  // namespace

Tensor einsum_composite(std::string_view equation, std::span<const Tensor> tensors,
                        std::optional<std::span<const int64_t>> path) {
  OPWRIGHT_CHECK(!tensors.empty(), "einsum: tensors must not be empty");
  const Equation parsed = parse_equation(equation);
  OPWRIGHT_CHECK(parsed.inputs.size() == tensors.size(), "einsum: the equation has ",
                 parsed.inputs.size(), " operands, but there are ", tensors.size(), " tensors");
  const Labels labels = place_labels(parsed, tensors);
  std::vector<Tensor> operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back(align(tensors[i], parsed.inputs[i], labels));
  for (const Pair& pair : read_path(path, tensors.size())) {
    const auto summed = find_summed(operands, pair, labels);
    Tensor product = contract(operands[pair.first], operands[pair.second], summed);
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(pair.second));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(pair.first));
    operands.push_back(std::move(product));
  }
  Sizes rest;
  for (int64_t dim = labels.num_output; dim < labels.count; ++dim) rest.push_back(dim);
  const Tensor result = rest.empty() ? operands[0] : operands[0].sum(rest);
  return result.get() == tensors[0].get() ? alias(result) : result;
}

}  // namespace opwright
