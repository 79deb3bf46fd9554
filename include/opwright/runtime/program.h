// For programs that link the core: export a function, save it, load it, run it.
//
//   const opwright::Dim batch = opwright::Dim::named("batch", 1, 64);
//   opwright::Program program = opwright::export_program(
//       [](const Tensor& x) { return opwright::relu(x); }, {x}, {.dynamic = {{"x0", 0, batch}}});
//   program.save("relu.opw");
//
//   opwright::Program loaded = opwright::load_program("relu.opw");
//   std::vector<Tensor> results = loaded({x});
//
// Operator binaries do not include this.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
// The values that a size of an input may have in later calls of an exported program.
class OPWRIGHT_EXPORT Dim {
 public:
  enum class Kind : uint8_t {
    Static,   // the size of the example
    Auto,     // dynamic, as far as the function allows
    Dynamic,  // dynamic; an error if the function fixes it
    Named,    // dynamic within its bounds; equal wherever the name occurs
    Derived,  // factor * root + offset
  };
  Dim() = default;  // Static
  [[nodiscard]] static Dim fixed(std::optional<int64_t> min = std::nullopt,
                                 std::optional<int64_t> max = std::nullopt) {
    return Dim().within(min, max);
  }
  [[nodiscard]] static Dim automatic(std::optional<int64_t> min = std::nullopt,
                                     std::optional<int64_t> max = std::nullopt) {
    return Dim(Kind::Auto).within(min, max);
  }
  [[nodiscard]] static Dim dynamic(std::optional<int64_t> min = std::nullopt,
                                   std::optional<int64_t> max = std::nullopt) {
    return Dim(Kind::Dynamic).within(min, max);
  }
  // A bound that is not given is not required: the function may narrow it.
  [[nodiscard]] static Dim named(std::string name, std::optional<int64_t> min = std::nullopt,
                                 std::optional<int64_t> max = std::nullopt) {
    Dim dim(Kind::Named);
    dim.name_ = std::move(name);
    return dim.within(min, max);
  }
  // For Named and Derived. Throws ValueError for others, and for a factor below 1.
  [[nodiscard]] Dim times(int64_t factor) const;
  [[nodiscard]] Dim plus(int64_t offset) const;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // The name of a Named one; for Derived, that of its root.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::optional<int64_t> min() const noexcept { return min_; }
  [[nodiscard]] std::optional<int64_t> max() const noexcept { return max_; }
  [[nodiscard]] int64_t factor() const noexcept { return factor_; }
  [[nodiscard]] int64_t offset() const noexcept { return offset_; }

 private:
  explicit Dim(Kind kind) : kind_(kind) {}
  [[nodiscard]] Dim within(std::optional<int64_t> min, std::optional<int64_t> max) const {
    Dim dim = *this;
    dim.min_ = min;
    dim.max_ = max;
    return dim;
  }

  Kind kind_ = Kind::Static;
  std::string name_;
  std::optional<int64_t> min_;
  std::optional<int64_t> max_;
  int64_t factor_ = 1;
  int64_t offset_ = 0;
};
[[nodiscard]] inline Dim operator*(int64_t factor, const Dim& dim) { return dim.times(factor); }
[[nodiscard]] inline Dim operator*(const Dim& dim, int64_t factor) { return dim.times(factor); }
[[nodiscard]] inline Dim operator+(const Dim& dim, int64_t offset) { return dim.plus(offset); }
[[nodiscard]] inline Dim operator-(const Dim& dim, int64_t offset) { return dim.plus(-offset); }

// An exported or loaded program. Copies of the handle share it.
class OPWRIGHT_EXPORT Program {
 public:
  explicit Program(Value program) : program_(std::move(program)) {}

  // Runs it at the caller's level; gradients are recorded if an input requires them. Errors name
  // the input, the dimension and the bound.
  [[nodiscard]] std::vector<Tensor> operator()(std::span<const Tensor> inputs) const;
  [[nodiscard]] std::vector<Tensor> operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span(inputs.begin(), inputs.size()));
  }
  // The same, with numbers, strings and None allowed among inputs and outputs.
  [[nodiscard]] std::vector<Value> run(std::span<const Value> inputs) const;

  // The path of each user input in the call: "x", "batch[\"mask\"]".
  [[nodiscard]] std::vector<std::string> input_names() const;
  [[nodiscard]] std::vector<std::string> output_names() const;
  // A name that ends in .pt2 gives an archive that torch.export.load of torch 2.13 reads, any other
  // name a program file. Throws OSError; NotImplementedError for what PyTorch does not have.
  void save(const std::string& path) const;
  // Signature, constraints, operators, graph.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const Value& value() const noexcept { return program_; }

 private:
  Value program_;
};

// Throws OSError for a missing file, ValueError for one that is damaged or of a newer format, and
// NotImplementedError for a missing operator, naming the library to load first. Nothing in the file
// is executed.
[[nodiscard]] OPWRIGHT_EXPORT Program load_program(const std::string& path);

struct ExportOptions {
  std::vector<std::string> names = {};  // of the inputs; default: x0, x1, ...
  struct DynamicDim {
    std::string input;
    int64_t dim;
    Dim size;
  };
  std::vector<DynamicDim> dynamic = {};
  struct State {
    std::string name;
    Tensor tensor;
    bool is_parameter = true;
  };
  std::vector<State> state = {};  // tensors that the function closes over, with names
};

using ExportedBody = std::vector<Tensor> (*)(void* context, std::span<const Tensor> inputs);
[[nodiscard]] OPWRIGHT_EXPORT Program export_function(std::span<const Tensor> inputs,
                                                      const ExportOptions& options,
                                                      ExportedBody body, void* context);

// `function` accepts a tensor for each input and returns a tensor or a std::vector of them.
template <class F, std::same_as<Tensor>... Inputs>
[[nodiscard]] Program export_program(F function, const ExportOptions& options,
                                     const Inputs&... inputs) {
  const Tensor given[] = {inputs...};
  return export_function(
      given, options,
      [](void* context, std::span<const Tensor> own) -> std::vector<Tensor> {
        const auto call = [&]<size_t... I>(std::index_sequence<I...>) {
          return (*static_cast<F*>(context))(own[I]...);
        };
        auto results = call(std::make_index_sequence<sizeof...(Inputs)>());
        if constexpr (std::same_as<decltype(results), Tensor>) {
          return {std::move(results)};
        } else {
          return results;
        }
      },
      &function);
}
}  // namespace opwright
