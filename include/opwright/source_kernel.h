// A kernel as source text in a device's language, compiled by the device's compiler at the first
// launch. Not part of opwright/opwright.h.
//
//   const SourceKernel scaled_add(R"(
//     kernel void scaled_add(global const float* x, global float* y, float factor, int n) {
//       const size_t i = get_global_id(0);
//       if (i < n) y[i] += factor * x[i];
//     })", "scaled_add");
//
//   scaled_add.launch(x.device(), {groups}, {256}, x, y, 2.0F, static_cast<int32_t>(n));
//
// Tensors are passed as pointers to their memory, numbers by their own types, in the order of the
// kernel's parameters. The launch is queued on the device's current stream, in order with the
// host's work before and after it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/device.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
class SourceKernel {
 public:
  // Compiles nothing yet. `options` are passed to the compiler.
  SourceKernel(std::string source, std::string name, std::string options = "")
      : source_(std::move(source)), name_(std::move(name)), options_(std::move(options)) {}
  SourceKernel(const SourceKernel&) = delete;
  SourceKernel& operator=(const SourceKernel&) = delete;

  // Runs groups * group_size elements; each list has one to three dimensions. 0 groups run nothing.
  // Without a group_size, the device chooses one and `groups` counts single elements. Called from
  // kernels, on any thread. Throws ValueError for a tensor on another device and
  // NotImplementedError for a device without a compiler; errors of the device's compiler contain
  // its log.
  template <class... Arguments>
  void launch(Device device, const std::vector<int64_t>& groups,
              const std::vector<int64_t>& group_size, const Arguments&... arguments) const {
    std::vector<int64_t> words;
    std::vector<int64_t> sizes;
    words.reserve(sizeof...(arguments));
    sizes.reserve(sizeof...(arguments));
    (add(device, arguments, words, sizes), ...);
    imported<"opwright::launch_kernel",
             void(Device, int64_t, std::span<const int64_t>, std::span<const int64_t>, int64_t,
                  std::span<const int64_t>, std::span<const int64_t>)>(
        device, built(device), groups, group_size, shared_bytes_, words, sizes);
  }

  // The size of the memory shared by a group that is allocated at launch.
  void set_shared_bytes(int64_t bytes) { shared_bytes_ = bytes; }

 private:
  template <class Argument>
  void add(Device device, const Argument& argument, std::vector<int64_t>& words,
           std::vector<int64_t>& sizes) const {
    if constexpr (std::is_same_v<Argument, Tensor>) {
      OPWRIGHT_CHECK_VALUE(argument.device() == device, "source kernel ", name_, ": argument ",
                           sizes.size() + 1, " is on ", argument.device(),
                           ", but the kernel is launched on ", device);
      words.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(argument.data())));
      sizes.push_back(0);
    } else {
      static_assert(std::is_trivially_copyable_v<Argument> && !std::is_pointer_v<Argument>,
                    "a kernel takes tensors and plain values");
      std::array<int64_t, (sizeof(Argument) + 7) / 8> bytes{};
      std::memcpy(bytes.data(), &argument, sizeof(Argument));
      words.insert(words.end(), bytes.begin(), bytes.end());
      sizes.push_back(sizeof(Argument));
    }
  }

  [[nodiscard]] int64_t built(Device device) const {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = kernels_.try_emplace({device.type, device.index}, 0);
    if (place->second == 0) {
      place->second =
          imported<"opwright::build_kernel",
                   int64_t(Device, const std::string&, const std::string&, const std::string&)>(
              device, source_, name_, options_);
    }
    return place->second;
  }

  std::string source_;
  std::string name_;
  std::string options_;
  int64_t shared_bytes_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int32_t, int32_t>, int64_t> kernels_;  // by device
};
}  // namespace opwright
