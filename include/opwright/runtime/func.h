// For programs that link the core: derivatives of functions of tensors.
//
//   const auto energy = [](const Tensor& x, const Tensor& y) { return (x * x * y).sum(); };
//   const Tensor slope = opwright::grad(energy)(x, y)[0];                    // with respect to x
//   const auto both = opwright::grad(energy, {.argnums = {0, 1}})(x, y);
//   const auto [outputs, pull] = opwright::vjp(energy, x, y);
//   const auto moved = opwright::jvp(energy, {x, y}, {dx, dy}).tangents;    // forward mode
//   const Tensor curvature = opwright::hessian(energy)(x, y)[0];
//
// Operator binaries do not include this.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/runtime/vmap.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
// The results of a function: outputs to differentiate, and auxiliary outputs.
struct FunctionOutputs {
  std::vector<Tensor> outputs;
  std::vector<Tensor> aux = {};
};

// A function over a list of tensors, borrowed for the duration of a call.
class FunctionBody {
 public:
  template <class F>
    requires std::is_invocable_r_v<FunctionOutputs, F&, std::span<const Tensor>>
  explicit FunctionBody(F& function)
      : context_(&function), call_([](void* context, std::span<const Tensor> inputs) {
          return (*static_cast<F*>(context))(inputs);
        }) {}

  FunctionOutputs operator()(std::span<const Tensor> inputs) const {
    return call_(context_, inputs);
  }

 private:
  void* context_;
  FunctionOutputs (*call_)(void* context, std::span<const Tensor> inputs);
};

struct DerivativeOptions {
  std::vector<int64_t> argnums = {0};  // the inputs to differentiate with respect to
  int64_t chunk_size = 0;              // rows of a Jacobian computed at once; 0: all
};

// ---- Over lists of tensors ----

class VjpRun;
// Maps gradients of the outputs to gradients of the inputs; an undefined one means zeros. It may be
// called again, and inside other transforms.
class OPWRIGHT_EXPORT Pullback {
 public:
  explicit Pullback(std::shared_ptr<VjpRun> run) : run_(std::move(run)) {}
  [[nodiscard]] std::vector<Tensor> operator()(std::span<const Tensor> cotangents) const;
  [[nodiscard]] std::vector<Tensor> operator()(std::initializer_list<Tensor> cotangents) const {
    return (*this)(std::span(cotangents.begin(), cotangents.size()));
  }

 private:
  std::shared_ptr<VjpRun> run_;  // shared by copies; the type is incomplete here
};
struct VjpResult {
  std::vector<Tensor> outputs;
  Pullback pull;
  std::vector<Tensor> aux = {};
};
struct JvpResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> tangents;
  std::vector<Tensor> aux = {};
};
struct GradResult {
  std::vector<Tensor> gradients;
  Tensor value;
  std::vector<Tensor> aux = {};
};
// For each output, its derivatives with respect to each chosen input.
struct JacobianResult {
  std::vector<std::vector<Tensor>> rows;
  std::vector<Tensor> aux = {};
};

// Throws TypeError for an input whose dtype has no gradients.
[[nodiscard]] OPWRIGHT_EXPORT VjpResult vjp_function(std::span<const Tensor> inputs,
                                                     const FunctionBody& body);
// With `strict`, an output that does not depend on the inputs is an error, else its tangent is 0.
[[nodiscard]] OPWRIGHT_EXPORT JvpResult jvp_function(std::span<const Tensor> inputs,
                                                     std::span<const Tensor> tangents,
                                                     const FunctionBody& body, bool strict = false);
// For a function that returns one real number.
[[nodiscard]] OPWRIGHT_EXPORT GradResult grad_function(std::span<const Tensor> inputs,
                                                       const FunctionBody& body);
// An output of shape `o` has derivatives of shape `o + i` for an input of shape `i`.
[[nodiscard]] OPWRIGHT_EXPORT JacobianResult jacrev_function(std::span<const Tensor> inputs,
                                                             const FunctionBody& body,
                                                             int64_t chunk_size = 0);
[[nodiscard]] OPWRIGHT_EXPORT JacobianResult
jacfwd_function(std::span<const Tensor> inputs, const FunctionBody& body, int64_t chunk_size = 0,
                Randomness randomness = Randomness::Error);

// Resolves indices to non-negative ones. Throws IndexError for one out of range, ValueError for an
// empty list or a duplicate.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<size_t> checked_argnums(std::span<const int64_t> argnums,
                                                                  size_t count);

// ---- Over functions of tensors ----

// `function` accepts tensors and returns a tensor or a std::vector of them.
template <class F, std::same_as<Tensor>... Inputs>
[[nodiscard]] FunctionOutputs call_with_list(F& function, std::span<const Tensor> inputs) {
  const auto as_list = [](auto result) {
    if constexpr (std::same_as<decltype(result), Tensor>) {
      return std::vector<Tensor>{std::move(result)};
    } else {
      return result;
    }
  };
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return FunctionOutputs{.outputs = as_list(function(inputs[I]...))};
  }(std::index_sequence_for<Inputs...>{});
}

// Restricts `function` to the chosen inputs; `derive(chosen, body)` differentiates it.
template <class Derive, class F, std::same_as<Tensor>... Inputs>
[[nodiscard]] auto derive_at(F& function, const DerivativeOptions& options, const Derive& derive,
                             const Inputs&... inputs) {
  std::vector<Tensor> all{inputs...};
  const std::vector<size_t> places = checked_argnums(options.argnums, all.size());
  std::vector<Tensor> chosen;
  for (const size_t place : places) chosen.push_back(all[place]);
  auto body = [&](std::span<const Tensor> own) {
    std::vector<Tensor> given = all;
    for (size_t i = 0; i < places.size(); ++i) given[places[i]] = own[i];
    return call_with_list<F, Inputs...>(function, given);
  };
  return derive(std::span<const Tensor>(chosen), FunctionBody(body));
}

// Returns the gradients of a function that returns one real number, one for each of `argnums`.
template <class F>
[[nodiscard]] auto grad(F function, DerivativeOptions options = {}) {
  return [function = std::move(function),
          options = std::move(options)](const std::same_as<Tensor> auto&... inputs) mutable {
    return derive_at(
        function, options,
        [](auto chosen, const FunctionBody& body) { return grad_function(chosen, body).gradients; },
        inputs...);
  };
}
// The same, with the value: returns a GradResult.
template <class F>
[[nodiscard]] auto value_and_grad(F function, DerivativeOptions options = {}) {
  return [function = std::move(function),
          options = std::move(options)](const std::same_as<Tensor> auto&... inputs) mutable {
    return derive_at(
        function, options,
        [](auto chosen, const FunctionBody& body) { return grad_function(chosen, body); },
        inputs...);
  };
}
template <class F, std::same_as<Tensor>... Inputs>
[[nodiscard]] VjpResult vjp(F function, const Inputs&... inputs) {
  const Tensor given[] = {inputs...};
  auto body = [&](std::span<const Tensor> own) {
    return call_with_list<F, Inputs...>(function, own);
  };
  return vjp_function(given, FunctionBody(body));
}
template <class F, size_t kCount>
[[nodiscard]] JvpResult jvp(F function, const Tensor (&primals)[kCount],
                            const Tensor (&tangents)[kCount]) {
  auto body = [&](std::span<const Tensor> own) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return call_with_list<F, std::enable_if_t<(I < kCount), Tensor>...>(function, own);
    }(std::make_index_sequence<kCount>{});
  };
  return jvp_function(primals, tangents, FunctionBody(body));
}
// The derivatives of the first output with respect to each of `argnums`, in reverse mode.
template <class F>
[[nodiscard]] auto jacrev(F function, DerivativeOptions options = {}) {
  return [function = std::move(function),
          options = std::move(options)](const std::same_as<Tensor> auto&... inputs) mutable {
    return derive_at(
        function, options,
        [&](auto chosen, const FunctionBody& body) {
          return jacrev_function(chosen, body, options.chunk_size).rows.at(0);
        },
        inputs...);
  };
}
// The same in forward mode.
template <class F>
[[nodiscard]] auto jacfwd(F function, DerivativeOptions options = {}) {
  return [function = std::move(function),
          options = std::move(options)](const std::same_as<Tensor> auto&... inputs) mutable {
    return derive_at(
        function, options,
        [&](auto chosen, const FunctionBody& body) {
          return jacfwd_function(chosen, body, options.chunk_size).rows.at(0);
        },
        inputs...);
  };
}
// The second derivatives of the first output with respect to one input: forward over reverse.
template <class F>
[[nodiscard]] auto hessian(F function, DerivativeOptions options = {}) {
  return jacfwd(jacrev(std::move(function), options), options);
}
}  // namespace opwright
