#include "opwright/check/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/real_numbers.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/transforms/vmap_function.h"

namespace opwright {
namespace {

using Numbers = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double sum_of_sizes(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += std::abs(number);
  return sum;
}

// A direction of length 1; the same for the same number.
Numbers random_direction(size_t count, uint64_t number) {
  std::mt19937_64 generator(number + 1);
  std::normal_distribution<double> normal;
  Numbers direction(count);
  for (double& each : direction) each = normal(generator);
  const double length = std::sqrt(dot(direction, direction));
  for (double& each : direction) each /= length > 0 ? length : 1;
  return direction;
}

Numbers unit(size_t count, size_t place) {
  Numbers direction(count);
  direction[place] = 1;
  return direction;
}

struct Outputs {
  std::vector<Tensor> all;
  std::vector<size_t> checked;  // which of them have gradients
};

class Check {
 public:
  Check(const FunctionBody& function, std::span<const Tensor> inputs,
        const GradcheckOptions& options)
      : function_(function), options_(options), inputs_(inputs.begin(), inputs.end()) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!requires_grad(inputs_[i])) continue;
      checked_.push_back(i);
      const DType dtype = inputs_[i].dtype();
      const bool is_fine = dtype == DType::Float64 || dtype == DType::Complex128;
      OPWRIGHT_CHECK_VALUE(is_fine || options.eps >= 1e-4, "gradcheck: input ", i, " is of dtype ",
                           dtype, ", too coarse for differences of eps = ", options.eps,
                           "; pass float64 or complex128, or a larger eps, atol and rtol");
      values_.push_back(numbers_of(inputs_[i]));
    }
    OPWRIGHT_CHECK_VALUE(!checked_.empty(),
                         "gradcheck: no input requires grad, so there is nothing to check");
  }

  std::optional<std::string> run() {
    own_ = fresh_inputs();
    outputs_ = evaluate(own_);
    if (outputs_.checked.empty()) return check_constant();
    std::optional<std::string> problem;
    if (options_.check_backward_ad) problem = check_backward();
    if (!problem && options_.check_forward_ad) problem = check_forward();
    if (!problem && options_.check_batched_grad) problem = check_batched();
    if (!problem && options_.check_undefined_grad) problem = check_undefined();
    return problem;
  }

 private:
  // ---- Values ----

  [[nodiscard]] std::vector<Tensor> fresh_inputs() const {
    std::vector<Tensor> own;
    for (const Tensor& input : inputs_) {
      own.push_back(input.detach().clone());
      if (requires_grad(input)) set_requires_grad(own.back(), true);
    }
    return own;
  }
  [[nodiscard]] Outputs evaluate(std::span<const Tensor> inputs) const {
    Outputs outputs{.all = function_(inputs).outputs, .checked = {}};
    for (size_t i = 0; i < outputs.all.size(); ++i) {
      if (requires_grad(outputs.all[i])) outputs.checked.push_back(i);
    }
    return outputs;
  }

  // The derivatives of all outputs along a direction of input `which`, by central differences.
  [[nodiscard]] std::vector<Numbers> difference(size_t which,
                                                std::span<const double> direction) const {
    const std::vector<Numbers> above = moved(which, direction, options_.eps);
    const std::vector<Numbers> below = moved(which, direction, -options_.eps);
    std::vector<Numbers> slopes = above;
    for (size_t i = 0; i < slopes.size(); ++i) {
      for (size_t k = 0; k < slopes[i].size(); ++k)
        slopes[i][k] = (above[i][k] - below[i][k]) / (2 * options_.eps);
    }
    return slopes;
  }
  [[nodiscard]] std::vector<Numbers> moved(size_t which, std::span<const double> direction,
                                           double by) const {
    std::vector<Tensor> inputs = fresh_inputs();
    Numbers numbers = values_[which];
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += by * direction[i];
    Tensor& input = inputs[checked_[which]];
    input = tensor_of(numbers, input);
    set_requires_grad(input, true);
    std::vector<Numbers> found;
    for (const Tensor& output : function_(inputs).outputs) {
      found.push_back(has_gradients(output.dtype()) ? numbers_of(output) : Numbers());
    }
    return found;
  }

  // The gradients of the checked inputs for a cotangent of one output.
  [[nodiscard]] std::vector<Numbers> pull(size_t output, std::span<const double> cotangent) const {
    const Tensor outputs[] = {outputs_.all[output]};
    const Tensor gradients[] = {tensor_of(cotangent, outputs[0])};
    const std::vector<Tensor> found = grad(
        outputs, checked_inputs(), gradients,
        {.keeps_graph = true, .create_graph = false, .allow_unused = true, .materialize = true});
    std::vector<Numbers> numbers;
    for (const Tensor& each : found) numbers.push_back(numbers_of(each));
    return numbers;
  }
  [[nodiscard]] std::vector<Tensor> checked_inputs() const {
    std::vector<Tensor> checked;
    for (const size_t place : checked_) checked.push_back(own_[place]);
    return checked;
  }
  [[nodiscard]] const Tensor& output(size_t place) const { return outputs_.all[place]; }

  // ---- Comparison ----

  [[nodiscard]] bool agrees(double found, double wanted, double scale = 1) const {
    return std::abs(found - wanted) <= options_.atol * scale + options_.rtol * std::abs(wanted);
  }

  // The derivative of number `row` of an output by number `column` of an input is wrong.
  [[nodiscard]] std::string wrong(const char* mode, size_t out, size_t row, size_t which,
                                  size_t column, double analytic, double numeric) const {
    return concatenate("gradcheck: the ", mode, " derivative of output ", out, " ",
                       place_text(output(out), row), " by input ", checked_[which], " ",
                       place_text(inputs_[checked_[which]], column), " is ", analytic,
                       " by the formula, but ", numeric, " by differences");
  }

  // ---- Checks ----

  [[nodiscard]] std::optional<std::string> check_constant() const {
    for (size_t which = 0; which < checked_.size(); ++which) {
      const Numbers direction = random_direction(values_[which].size(), which);
      const std::vector<Numbers> slopes = difference(which, direction);
      for (size_t out = 0; out < slopes.size(); ++out) {
        const auto place =
            std::ranges::find_if(slopes[out], [&](double slope) { return !agrees(0, slope); });
        if (place == slopes[out].end()) continue;
        return concatenate(
            "gradcheck: no output requires grad, but output ", out, " changes with input ",
            checked_[which], ": by ", *place, " along a random direction, at ",
            place_text(output(out), static_cast<size_t>(place - slopes[out].begin())));
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> check_backward() const {
    for (const size_t out : outputs_.checked) {
      const Numbers direction = random_direction(count_numbers(output(out)), out + 1000);
      if (auto problem = compare_runs(out, pull(out, direction), pull(out, direction)))
        return problem;
    }
    if (!options_.fast_mode) return check_rows();
    for (size_t which = 0; which < checked_.size(); ++which) {
      const Numbers v = random_direction(values_[which].size(), which);
      const std::vector<Numbers> slopes = difference(which, v);
      for (const size_t out : outputs_.checked) {
        const Numbers u = random_direction(slopes[out].size(), out + 1000);
        const double numeric = dot(u, slopes[out]);
        const double analytic = dot(pull(out, u)[which], v);
        if (agrees(analytic, numeric, sum_of_sizes(u) * sum_of_sizes(v))) continue;
        if (auto problem = check_rows()) return problem;
        return concatenate("gradcheck: the backward derivative of output ", out, " by input ",
                           checked_[which], " along random directions is ", analytic,
                           " by the formula, but ", numeric, " by differences");
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> compare_runs(size_t out,
                                                        const std::vector<Numbers>& first,
                                                        const std::vector<Numbers>& second) const {
    for (size_t which = 0; which < first.size(); ++which) {
      for (size_t k = 0; k < first[which].size(); ++k) {
        const double difference = std::abs(first[which][k] - second[which][k]);
        const bool both_are_nan = std::isnan(first[which][k]) && std::isnan(second[which][k]);
        if (difference <= options_.nondet_tol || both_are_nan) continue;
        return concatenate(
            "gradcheck: the backward of output ", out, " is not deterministic: two runs gave ",
            first[which][k], " and ", second[which][k], " for input ", checked_[which], " ",
            place_text(inputs_[checked_[which]], k), "; pass nondet_tol if that is meant to be so");
      }
    }
    return std::nullopt;
  }

  // All elements of all outputs by all elements of all inputs.
  [[nodiscard]] std::optional<std::string> check_rows() const {
    std::vector<std::vector<std::vector<Numbers>>> rows(outputs_.all.size());
    for (const size_t out : outputs_.checked) {
      const size_t count = count_numbers(output(out));
      for (size_t row = 0; row < count; ++row) rows[out].push_back(pull(out, unit(count, row)));
    }
    return compare_columns("backward", [&](size_t out, size_t row, size_t which, size_t column) {
      return rows[out][row][which][column];
    });
  }

  template <class Analytic>
  [[nodiscard]] std::optional<std::string> compare_columns(const char* mode,
                                                           const Analytic& analytic) const {
    for (size_t which = 0; which < checked_.size(); ++which) {
      for (size_t column = 0; column < values_[which].size(); ++column) {
        const std::vector<Numbers> slopes = difference(which, unit(values_[which].size(), column));
        for (const size_t out : outputs_.checked) {
          for (size_t row = 0; row < slopes[out].size(); ++row) {
            const double found = analytic(out, row, which, column);
            if (!agrees(found, slopes[out][row]))
              return wrong(mode, out, row, which, column, found, slopes[out][row]);
          }
        }
      }
    }
    return std::nullopt;
  }

  // The tangents of all outputs along a direction of one input.
  [[nodiscard]] std::vector<Numbers> push(size_t which, std::span<const double> direction) const {
    std::vector<Tensor> primals = checked_inputs();
    std::vector<Tensor> tangents(primals.size());
    tangents[which] = tensor_of(direction, primals[which]);
    auto body = [&](std::span<const Tensor> own) {
      std::vector<Tensor> all = own_;
      for (size_t i = 0; i < own.size(); ++i) {
        all[checked_[i]] = own[i];
        set_requires_grad(own[i], true);  // the function may ask for gradients itself
      }
      return function_(all);
    };
    std::vector<Numbers> found;
    for (const Tensor& tangent : jvp_function(primals, tangents, FunctionBody(body)).tangents) {
      found.push_back(has_gradients(tangent.dtype()) ? numbers_of(tangent) : Numbers());
    }
    return found;
  }

  [[nodiscard]] std::optional<std::string> check_forward() const {
    std::vector<std::vector<std::vector<Numbers>>> columns(checked_.size());
    for (size_t which = 0; which < checked_.size(); ++which) {
      const size_t count = values_[which].size();
      if (!options_.fast_mode) {
        for (size_t column = 0; column < count; ++column)
          columns[which].push_back(push(which, unit(count, column)));
        continue;
      }
      const Numbers direction = random_direction(count, which);
      const std::vector<Numbers> slopes = difference(which, direction);
      const std::vector<Numbers> tangents = push(which, direction);
      for (const size_t out : outputs_.checked) {
        for (size_t row = 0; row < slopes[out].size(); ++row) {
          if (agrees(tangents[out][row], slopes[out][row], sum_of_sizes(direction))) continue;
          return concatenate("gradcheck: the forward derivative of output ", out, " ",
                             place_text(output(out), row), " by input ", checked_[which],
                             " along a random direction is ", tangents[out][row],
                             " by the formula, but ", slopes[out][row], " by differences");
        }
      }
    }
    if (options_.fast_mode) return std::nullopt;
    return compare_columns("forward", [&](size_t out, size_t row, size_t which, size_t column) {
      return columns[which][column][out][row];
    });
  }

  // vmap of the pull-back gives what it gives for each cotangent.
  [[nodiscard]] std::optional<std::string> check_batched() const {
    const std::vector<Tensor> primals = checked_inputs();
    auto body = [&](std::span<const Tensor> own) {
      std::vector<Tensor> all = own_;
      for (size_t i = 0; i < own.size(); ++i) all[checked_[i]] = own[i];
      return function_(all);
    };
    const VjpResult run = vjp_function(primals, FunctionBody(body));
    constexpr int64_t kBatch = 3;
    for (const size_t out : outputs_.checked) {
      std::vector<Tensor> cotangents;
      for (uint64_t i = 0; i < kBatch; ++i) {
        const size_t count = count_numbers(output(out));
        cotangents.push_back(tensor_of(random_direction(count, 7 * i + out), output(out)));
      }
      const auto pull_one = [&](const Tensor& cotangent) {
        std::vector<Tensor> all(run.outputs.size());
        all[out] = cotangent;
        return run.pull(all);
      };
      const Tensor batch[] = {stack(cotangents)};
      const BatchDims dims{0};
      const std::vector<Tensor> batched = run_mapped(
          batch, dims, kBatch, Randomness::Error, 0, [&](std::span<const Tensor> samples) {
            std::vector<Tensor> gradients = pull_one(samples[0]);
            BatchDims out_dims(gradients.size(), 0);
            return MappedOutputs{.tensors = std::move(gradients), .dims = std::move(out_dims)};
          });
      for (int64_t i = 0; i < kBatch; ++i) {
        const std::vector<Tensor> single = pull_one(cotangents[static_cast<size_t>(i)]);
        for (size_t which = 0; which < single.size(); ++which) {
          const Numbers found = numbers_of(batched[which].select(0, i));
          const Numbers wanted = numbers_of(single[which]);
          for (size_t k = 0; k < found.size(); ++k) {
            if (agrees(found[k], wanted[k])) continue;
            return concatenate("gradcheck: under vmap the gradient of output ", out, " by input ",
                               checked_[which], " ", place_text(inputs_[checked_[which]], k),
                               " is ", found[k], ", but ", wanted[k], " without it");
          }
        }
      }
    }
    return std::nullopt;
  }

  // A formula gets no gradient where none is there, and then gives none, or zeros.
  [[nodiscard]] std::optional<std::string> check_undefined() const {
    for (const size_t out : outputs_.checked) {
      const Edge edge = edge_of(output(out));
      if (edge.node->accumulates()) continue;
      std::vector<Tensor> none(edge.node->num_places());
      std::vector<Tensor> given(edge.node->edges().size());
      try {
        const AttentionScope unrecorded(kAttentionGradOff, true);
        edge.node->apply(none, given);
      } catch (const Error& error) {
        return concatenate("gradcheck: the backward of ", edge.node->name(),
                           " fails when no gradient of its results is there: ", error.what());
      }
      for (size_t i = 0; i < given.size(); ++i) {
        if (!given[i].is_defined()) continue;
        const Numbers numbers = numbers_of(given[i]);
        if (std::ranges::all_of(numbers, [](double each) { return each == 0; })) continue;
        return concatenate("gradcheck: the backward of ", edge.node->name(), " gave gradient ", i,
                           " although no gradient of its results was there; it must be None or "
                           "zeros then");
      }
    }
    return std::nullopt;
  }

  const FunctionBody& function_;
  GradcheckOptions options_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> checked_;  // the inputs that require grad
  std::vector<Numbers> values_;  // of those
  std::vector<Tensor> own_;
  Outputs outputs_;
};

}  // namespace

std::optional<std::string> gradcheck(const FunctionBody& function, std::span<const Tensor> inputs,
                                     const GradcheckOptions& options) {
  const AttentionScope recording(kAttentionGradOff, false);
  return Check(function, inputs, options).run();
}

std::optional<std::string> gradgradcheck(const FunctionBody& function,
                                         std::span<const Tensor> inputs,
                                         std::span<const Tensor> gradients,
                                         const GradcheckOptions& options) {
  const AttentionScope recording(kAttentionGradOff, false);
  std::vector<Tensor> all(inputs.begin(), inputs.end());
  std::vector<size_t> outputs_with_gradients;
  const std::vector<Tensor> outputs = function(inputs).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!requires_grad(outputs[i])) continue;
    const size_t next = outputs_with_gradients.size();
    outputs_with_gradients.push_back(i);
    OPWRIGHT_CHECK_VALUE(gradients.empty() || next < gradients.size(), "gradgradcheck: there are ",
                         gradients.size(), " gradients, but more outputs require grad");
    if (!gradients.empty()) {
      all.push_back(gradients[next]);
      continue;
    }
    all.push_back(tensor_of(random_direction(count_numbers(outputs[i]), i + 77), outputs[i]));
    set_requires_grad(all.back(), true);
  }
  auto body = [&](std::span<const Tensor> given) {
    const std::vector<Tensor> own = function(given.first(inputs.size())).outputs;
    std::vector<Tensor> roots;
    for (const size_t place : outputs_with_gradients) roots.push_back(own[place]);
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
