#include "opwright/check/gradient/gradcheck.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/tape.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/example/checked_function.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/error.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

using Problem = std::optional<std::string>;

enum class DerivativeMode : uint8_t { Forward, Backward };

constexpr uint64_t kOfOutputs = 1000;  // so that outputs get other random directions than inputs

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double sum_of_sizes(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += std::abs(number);
  return sum;
}

class GradientCheck {
 public:
  GradientCheck(const FunctionBody& function, std::span<const Tensor> inputs,
                const GradcheckOptions& options)
      : f_(function, inputs, options.eps, options.allows_coarse_dtypes), options_(options) {}

  [[nodiscard]] Problem run() const {
    if (f_.differentiable().empty()) return check_constant();
    Problem problem;
    if (options_.check_backward_ad) problem = check_deterministic();
    if (!problem && options_.check_backward_ad) problem = check_backward();
    if (!problem && options_.check_forward_ad) problem = check_forward();
    if (!problem && options_.check_forward_ad && options_.check_undefined_grad)
      problem = check_missing_tangents();
    if (!problem && options_.check_batched_forward_grad) problem = check_batched_forward();
    if (problem || !options_.check_backward_ad) return problem;
    if (options_.check_batched_grad) problem = check_batched();
    if (!problem && options_.check_undefined_grad) problem = check_undefined();
    return problem;
  }

 private:
  [[nodiscard]] bool agrees(double found, double wanted, double scale = 1) const {
    return std::abs(found - wanted) <= options_.atol * scale + options_.rtol * std::abs(wanted);
  }
  [[nodiscard]] std::string input_text(size_t which, size_t number) const {
    return concatenate("input ", f_.input_place(which), " ", place_text(f_.input(which), number));
  }
  [[nodiscard]] std::string output_text(size_t out, size_t number) const {
    return concatenate("output ", out, " ", place_text(f_.output(out), number));
  }
  [[nodiscard]] static std::string values_text(double analytic, double numeric) {
    return concatenate(" is ", analytic, " by the formula, but ", numeric, " by differences");
  }

  // What PyTorch says of the same problem, so that its text is found.
  [[nodiscard]] std::string mismatch_text(DerivativeMode mode, size_t out, size_t row,
                                          size_t which) const {
    const bool is_imaginary = is_complex(f_.output(out).dtype()) && row % 2 == 1;
    return concatenate(
        " (", is_imaginary ? "While considering the imaginary part of complex outputs only, " : "",
        mode == DerivativeMode::Forward ? "Jacobian computed with forward mode mismatch"
                                        : "Jacobian mismatch",
        " for output ", out, " with respect to input ", f_.input_place(which), ")");
  }
  // The numbers of an output; the imaginary parts first.
  [[nodiscard]] std::vector<size_t> rows_of(size_t out) const {
    std::vector<size_t> rows;
    const size_t count = count_numbers(f_.output(out));
    if (!is_complex(f_.output(out).dtype())) {
      for (size_t row = 0; row < count; ++row) rows.push_back(row);
      return rows;
    }
    for (size_t row = 1; row < count; row += 2) rows.push_back(row);
    for (size_t row = 0; row < count; row += 2) rows.push_back(row);
    return rows;
  }

  // ---- All elements ----

  // Compares `analytic(out, row, which, column)` with differences.
  template <class Analytic>
  [[nodiscard]] Problem compare_all(DerivativeMode mode, const Analytic& analytic) const {
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const size_t count = f_.numbers(which).size();
      for (size_t column = 0; column < count; ++column) {
        const std::vector<Numbers> slopes = f_.difference(which, unit_direction(count, column));
        for (const size_t out : f_.differentiable()) {
          for (const size_t row : rows_of(out)) {
            const double found = analytic(out, row, which, column);
            if (agrees(found, slopes[out][row])) continue;
            return concatenate(
                "gradcheck: the ", mode == DerivativeMode::Forward ? "forward" : "backward",
                " derivative of ", output_text(out, row), " by ", input_text(which, column),
                values_text(found, slopes[out][row]), mismatch_text(mode, out, row, which));
          }
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_rows() const {
    std::vector<std::vector<std::vector<Numbers>>> rows(f_.num_outputs());
    for (const size_t out : f_.differentiable()) {
      const size_t count = count_numbers(f_.output(out));
      for (size_t row = 0; row < count; ++row)
        rows[out].push_back(f_.pull(out, unit_direction(count, row)));
    }
    return compare_all(DerivativeMode::Backward,
                       [&](size_t out, size_t row, size_t which, size_t column) {
                         return rows[out][row][which][column];
                       });
  }

  [[nodiscard]] Problem check_columns() const {
    std::vector<std::vector<std::vector<Numbers>>> columns(f_.num_inputs());
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const size_t count = f_.numbers(which).size();
      for (size_t column = 0; column < count; ++column)
        columns[which].push_back(f_.push(which, unit_direction(count, column)));
    }
    return compare_all(DerivativeMode::Forward,
                       [&](size_t out, size_t row, size_t which, size_t column) {
                         return columns[which][column][out][row];
                       });
  }

  // ---- Random directions; a difference is then located among all elements ----

  [[nodiscard]] Problem check_backward() const {
    if (!options_.fast_mode) return check_rows();
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const Numbers v = random_direction(f_.numbers(which).size(), which);
      const std::vector<Numbers> slopes = f_.difference(which, v);
      for (const size_t out : f_.differentiable()) {
        const Numbers u = random_direction(slopes[out].size(), out + kOfOutputs);
        const double numeric = dot(u, slopes[out]);
        const double analytic = dot(f_.pull(out, u)[which], v);
        if (agrees(analytic, numeric, sum_of_sizes(u) * sum_of_sizes(v))) continue;
        if (Problem problem = check_rows()) return problem;
        return concatenate("gradcheck: the backward derivative of output ", out, " by input ",
                           f_.input_place(which), " along random directions",
                           values_text(analytic, numeric),
                           mismatch_text(DerivativeMode::Backward, out, 0, which));
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_forward() const {
    if (!options_.fast_mode) return check_columns();
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const Numbers v = random_direction(f_.numbers(which).size(), which);
      const std::vector<Numbers> slopes = f_.difference(which, v);
      const std::vector<Numbers> tangents = f_.push(which, v);
      for (const size_t out : f_.differentiable()) {
        for (size_t row = 0; row < slopes[out].size(); ++row) {
          if (agrees(tangents[out][row], slopes[out][row], sum_of_sizes(v))) continue;
          return concatenate("gradcheck: the forward derivative of ", output_text(out, row),
                             " by input ", f_.input_place(which), " along a random direction",
                             values_text(tangents[out][row], slopes[out][row]),
                             mismatch_text(DerivativeMode::Forward, out, row, which));
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_constant() const {
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const Numbers v = random_direction(f_.numbers(which).size(), which);
      const std::vector<Numbers> slopes = f_.difference(which, v);
      for (size_t out = 0; out < slopes.size(); ++out) {
        for (size_t row = 0; row < slopes[out].size(); ++row) {
          if (agrees(0, slopes[out][row])) continue;
          return concatenate("gradcheck: no output requires grad, but output ", out,
                             " changes with input ", f_.input_place(which), ": by ",
                             slopes[out][row], " along a random direction, at ",
                             place_text(f_.output(out), row),
                             " (Numerical gradient for function expected to be zero)");
        }
      }
    }
    return std::nullopt;
  }

  // ---- The backward itself ----

  // The first problem that `describe(input, number, found, wanted)` returns.
  template <class Describe>
  [[nodiscard]] static Problem compare_pulls(const std::vector<Numbers>& found,
                                             const std::vector<Numbers>& wanted,
                                             const Describe& describe) {
    for (size_t which = 0; which < found.size(); ++which) {
      for (size_t k = 0; k < found[which].size(); ++k) {
        if (std::isnan(found[which][k]) && std::isnan(wanted[which][k])) continue;
        if (Problem problem = describe(which, k, found[which][k], wanted[which][k])) return problem;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_deterministic() const {
    for (const size_t out : f_.differentiable()) {
      const Numbers u = random_direction(count_numbers(f_.output(out)), out + kOfOutputs);
      Problem problem =
          compare_pulls(f_.pull(out, u), f_.pull(out, u),
                        [&](size_t which, size_t k, double first, double second) -> Problem {
                          if (std::abs(first - second) <= options_.nondet_tol) return std::nullopt;
                          return concatenate("gradcheck: the backward of output ", out,
                                             " is not deterministic: two runs gave ", first,
                                             " and ", second, " for ", input_text(which, k),
                                             "; pass nondet_tol if that is intended");
                        });
      if (problem) return problem;
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_batched() const {
    for (const size_t out : f_.differentiable()) {
      std::vector<Numbers> cotangents;
      for (uint64_t i = 0; i < 3; ++i)
        cotangents.push_back(random_direction(count_numbers(f_.output(out)), 7 * i + out));
      const std::vector<std::vector<Numbers>> batched = f_.pull_batch(out, cotangents);
      for (size_t i = 0; i < cotangents.size(); ++i) {
        Problem problem =
            compare_pulls(batched[i], f_.pull(out, cotangents[i]),
                          [&](size_t which, size_t k, double found, double wanted) -> Problem {
                            if (agrees(found, wanted)) return std::nullopt;
                            return concatenate("gradcheck: under vmap the gradient of output ", out,
                                               " by ", input_text(which, k), " is ", found,
                                               ", but ", wanted, " without it");
                          });
        if (problem) return problem;
      }
    }
    return std::nullopt;
  }

  // Several tangents at once, by vmap, against one after the other.
  [[nodiscard]] Problem check_batched_forward() const {
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      std::vector<Numbers> tangents;
      for (uint64_t i = 0; i < 2; ++i)
        tangents.push_back(random_direction(f_.numbers(which).size(), 7 * i + which));
      const std::vector<std::vector<Numbers>> batched = f_.push_batch(which, tangents);
      for (size_t i = 0; i < tangents.size(); ++i) {
        Problem problem = compare_pulls(
            batched[i], f_.push(which, tangents[i]),
            [&](size_t out, size_t k, double found, double wanted) -> Problem {
              if (agrees(found, wanted)) return std::nullopt;
              return concatenate("gradcheck: under vmap the tangent of ", output_text(out, k),
                                 " by input ", f_.input_place(which), " is ", found, ", but ",
                                 wanted, " without it");
            });
        if (problem) return problem;
      }
    }
    return std::nullopt;
  }

  // An input without a tangent counts as one whose tangent is zero.
  [[nodiscard]] Problem check_missing_tangents() const {
    for (size_t which = 0; which < f_.num_inputs(); ++which) {
      const std::vector<Numbers> zero = f_.push_others(which, true);
      const std::vector<Numbers> missing =
          f_.num_inputs() > 1 ? f_.push_others(which, false) : std::vector<Numbers>();
      for (size_t out = 0; out < zero.size(); ++out) {
        for (size_t k = 0; k < zero[out].size(); ++k) {
          const double wanted = missing.empty() ? 0 : missing[out][k];
          if (agrees(zero[out][k], wanted)) continue;
          return concatenate("gradcheck: the tangent of ", output_text(out, k), " is ",
                             zero[out][k], " if that of input ", f_.input_place(which),
                             " is zero, but ", wanted, " if it has none");
        }
      }
    }
    return std::nullopt;
  }

  // A formula gets undefined gradients where there are none, and must then return none, or zeros.
  [[nodiscard]] Problem check_undefined() const {
    for (const size_t out : f_.differentiable()) {
      const Edge edge = edge_of(f_.output(out));
      if (edge.node->accumulates()) continue;
      std::vector<Tensor> none(edge.node->num_places());
      std::vector<Tensor> given(edge.node->edges().size());
      try {
        const AttentionScope unrecorded(kAttentionGradOff, true);
        edge.node->apply(none, given);
      } catch (const Error& error) {
        return concatenate("gradcheck: the backward of ", edge.node->name(),
                           " fails when its results have no gradient: ", error.what());
      }
      for (size_t i = 0; i < given.size(); ++i) {
        if (!given[i].is_defined() || sum_of_sizes(numbers_of(given[i])) == 0) continue;
        return concatenate("gradcheck: the backward of ", edge.node->name(), " gave gradient ", i,
                           " although its results have no gradient; it must be None or zeros");
      }
    }
    return std::nullopt;
  }

  CheckedFunction f_;
  GradcheckOptions options_;
};

}  // namespace

std::optional<std::string> gradcheck(const FunctionBody& function, std::span<const Tensor> inputs,
                                     const GradcheckOptions& options) {
  const AttentionScope recording(kAttentionGradOff, false);
  return GradientCheck(function, inputs, options).run();
}

std::optional<std::string> gradgradcheck(const FunctionBody& function,
                                         std::span<const Tensor> inputs,
                                         std::span<const Tensor> gradients,
                                         const GradcheckOptions& options) {
  const AttentionScope recording(kAttentionGradOff, false);
  std::vector<Tensor> all(inputs.begin(), inputs.end());
  std::vector<size_t> differentiable;
  const std::vector<Tensor> outputs = function(inputs).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (requires_grad(outputs[i])) differentiable.push_back(i);
  }
  OPWRIGHT_CHECK_VALUE(gradients.empty() || gradients.size() == differentiable.size(),
                       "gradgradcheck: ", gradients.size(), " grad_outputs for ",
                       differentiable.size(), " outputs that require grad");
  for (size_t i = 0; i < differentiable.size(); ++i) {
    const Tensor& output = outputs[differentiable[i]];
    const Numbers direction = random_direction(count_numbers(output), i + kOfOutputs);
    all.push_back(gradients.empty() ? tensor_of(direction, output) : gradients[i]);
    if (gradients.empty()) set_requires_grad(all.back(), true);
  }
  auto body = [&](std::span<const Tensor> given) {
    const std::vector<Tensor> own = function(given.first(inputs.size())).outputs;
    std::vector<Tensor> roots;
    for (const size_t place : differentiable) roots.push_back(own[place]);
    std::vector<Tensor> targets;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (requires_grad(inputs[i])) targets.push_back(given[i]);
    }
    return FunctionOutputs{.outputs = grad(roots, targets, given.subspan(inputs.size()),
                                           {.keeps_graph = true,
                                            .create_graph = true,
                                            .allow_unused = true,
                                            .materialize = true})};
  };
  return gradcheck(FunctionBody(body), all, options);
}

}  // namespace opwright
