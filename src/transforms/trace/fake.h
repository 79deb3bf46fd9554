// Fake mode: operators run on shapes without memory.
//
// A fake tensor reaches its fake kernel through its own flag; this interpreter exists for calls
// without tensors, for refusing real ones, and as the bottom of a trace. It starts a new root: what
// was active outside does not see its calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "opwright/dispatch/interpreter.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT FakeMode : public Interpreter {
 public:
  explicit FakeMode(ShapeEnvPtr shape_env);

  [[nodiscard]] const char* name() const override { return "FakeTensorMode"; }
  [[nodiscard]] const char* advice() const override;
  // Runs the fake kernel with the environment current. RuntimeError for a real tensor, naming the
  // argument and from_tensor.
  void process(const Operator& op, Arguments args, Results results) override;
  // A composite operator with a fake kernel of its own runs that.
  [[nodiscard]] bool keeps_whole(const Operator& op) const override;

  [[nodiscard]] ShapeEnv& shape_env() const noexcept { return *shape_env_; }

  // Which sizes of a real tensor become symbols.
  enum class Sizes : uint8_t { Static, Dynamic };
  // The fake twin of a plain tensor: the same sizes, strides, offset, dtype, device, version,
  // requires_grad. The same tensor gives the same twin, and tensors that share a storage give twins
  // that do. `source` names the tensor in messages. A fake tensor is its own twin.
  [[nodiscard]] Tensor from_tensor(const Tensor& real, Sizes sizes = Sizes::Static,
                                   const std::string& source = "");
  // The sizes of `dynamic_dims` become symbols, counted from the end where negative. IndexError.
  [[nodiscard]] Tensor from_tensor(const Tensor& real, std::span<const int64_t> dynamic_dims,
                                   const std::string& source = "");
  // A fake of a plain tensor with sizes that are given; the strides follow them. It is nobody's
  // twin: two calls give two tensors that share nothing.
  [[nodiscard]] static Tensor make_apart(const Tensor& real, std::span<const SymInt> sizes);

 private:
  [[nodiscard]] SymSizes make_sizes(const Tensor& real, std::span<const int64_t> dynamic_dims,
                                    const std::string& source);
  [[nodiscard]] StoragePtr storage_twin(Storage& real, bool has_unknown_size);

  ShapeEnvPtr shape_env_;
  struct Twin {
    Tensor real;  // keeps the address taken
    Tensor fake;
  };
  std::unordered_map<OpwTensor*, Twin> twins_;
  struct StorageTwin {
    StoragePtr real;  // keeps the address taken
    StoragePtr fake;
  };
  std::unordered_map<Storage*, StorageTwin> storages_;
};

// Whether a tensor that is made now has no memory: in a fake kernel, and under a FakeMode with no
// trace above it that takes real tensors as its own.
[[nodiscard]] OPWRIGHT_EXPORT bool is_making_fakes() noexcept;
// A shape of what a tensor shows, a wrapper's too, with a storage of its own.
[[nodiscard]] Tensor fake_of(const Tensor& shown);
// The same of a plain tensor, with its flags and the length of its storage.
[[nodiscard]] OPWRIGHT_EXPORT Tensor fake_copy_of(const Tensor& real);

}  // namespace opwright
