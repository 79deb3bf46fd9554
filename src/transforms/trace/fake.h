// Fake mode: operators run on shapes without memory.
//
// The flag of a fake tensor selects its fake kernel. This interpreter handles calls without
// tensors, rejects real tensors, and is the bottom of a trace. It starts a new root: interpreters
// active outside do not see its calls.
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
#include "opwright/transforms/trace/dynamic_calls.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT FakeMode : public Interpreter {
 public:
  // What a call with a real tensor does: it raises, or uses the tensor's counterpart.
  enum class RealInputs : uint8_t { Refused, Converted };

  // What item() of a fake tensor does: it raises, or its result is known at run time only.
  enum class Numbers : uint8_t { Refused, Symbolic };

  explicit FakeMode(ShapeEnvPtr shape_env, RealInputs real_inputs = RealInputs::Refused,
                    Numbers numbers = Numbers::Refused);

  [[nodiscard]] const char* name() const override { return "FakeTensorMode"; }
  [[nodiscard]] const char* advice() const override;
  // Runs the fake kernel with this mode's environment current. RuntimeError for a real tensor names
  // the argument and suggests from_tensor, unless real inputs are converted.
  void process(const Operator& op, Arguments args, Results results) override;
  // Whether a composite operator has its own fake kernel, which then runs instead of the body.
  [[nodiscard]] bool keeps_whole(const Operator& op) const override;

  [[nodiscard]] ShapeEnv& shape_env() const noexcept { return *shape_env_; }
  [[nodiscard]] Numbers numbers() const noexcept { return numbers_; }

  // Which sizes of a real tensor become symbols.
  enum class Sizes : uint8_t { Static, Dynamic };
  // The fake counterpart of a plain tensor, with the same sizes, strides, offset, dtype, device,
  // version and requires_grad. The same tensor gives the same counterpart, and tensors that share a
  // storage give counterparts that share one. `source` names the tensor in messages. A fake tensor
  // is its own counterpart.
  [[nodiscard]] Tensor from_tensor(const Tensor& real, Sizes sizes = Sizes::Static,
                                   const std::string& source = "");
  // Only the sizes of `dynamic_dims` become symbols; negative ones count from the end. IndexError.
  [[nodiscard]] Tensor from_tensor(const Tensor& real, std::span<const int64_t> dynamic_dims,
                                   const std::string& source = "");
  // A fake of a plain tensor with the given sizes, and strides derived from them. It is not
  // registered as a counterpart: two calls return two tensors that share nothing.
  [[nodiscard]] static Tensor make_apart(const Tensor& real, std::span<const SymInt> sizes);

 private:
  [[nodiscard]] SymSizes make_sizes(const Tensor& real, std::span<const int64_t> dynamic_dims,
                                    const std::string& source);
  [[nodiscard]] StoragePtr storage_twin(Storage& real, bool has_unknown_size);
  void process_fakes(const Operator& op, Arguments args, Results results);

  ShapeEnvPtr shape_env_;
  RealInputs real_inputs_;
  Numbers numbers_;
  struct Twin {
    Tensor real;  // keeps the address valid
    Tensor fake;
  };
  std::unordered_map<OpwTensor*, Twin> twins_;
  struct StorageTwin {
    StoragePtr real;  // keeps the address valid
    StoragePtr fake;
  };
  std::unordered_map<Storage*, StorageTwin> storages_;
  DynamicCalls dynamic_calls_;
};

// Whether tensors made now have no memory: in a fake kernel, and under a FakeMode unless a trace
// above it accepts real tensors.
[[nodiscard]] OPWRIGHT_EXPORT bool is_making_fakes() noexcept;
// A fake with the geometry of a tensor, which may be a wrapper, and its own storage.
[[nodiscard]] Tensor fake_of(const Tensor& shown);
// The same for a plain tensor, with its flags and storage length.
[[nodiscard]] OPWRIGHT_EXPORT Tensor fake_copy_of(const Tensor& real);

}  // namespace opwright
