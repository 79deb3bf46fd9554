// Calls a vendor's single operators through the vendor's own two-phase functions (Ascend's aclnn).
//
//   Tensor add_custom(const Tensor& x, const Tensor& y) {
//     Tensor result = opwright::empty_like(x);
//     OPWRIGHT_ACLNN(aclnnAddCustom, x, y, result);
//     return result;
//   }
//
// This calls aclnnAddCustomGetWorkspaceSize(x, y, result, &size, &executor), then, with a workspace
// of `size` bytes, aclnnAddCustom(workspace, size, executor, stream). Tensors become aclTensors,
// lists of ints become aclIntArrays, an empty optional becomes null; ints, doubles and bools are
// passed unchanged, so their C++ types must be those of the vendor's header.
//
// The SDK is neither included nor linked: the functions are looked up in the libraries that the
// environment variable OPWRIGHT_ACLNN_LIBRARIES lists (separated by ':'), else in libcust_opapi.so,
// libopapi.so and libnnopbase.so. Not part of opwright/opwright.h.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace opwright OPWRIGHT_VISIBILITY {
namespace aclnn {

// The vendor libraries loaded into this process.
class Libraries {
 public:
  static const Libraries& get() {
    static const auto* libraries = new Libraries;  // never closed: its functions stay callable
    return *libraries;
  }

  // Throws AttributeError saying where it searched and what went wrong.
  template <class Function>
  [[nodiscard]] Function find(const std::string& name) const {
    return reinterpret_cast<Function>(find_symbol(name));
  }
  // Returns null if no library has it.
  [[nodiscard]] void* find_optional(const char* name) const {
    for (void* handle : handles_) {
      if (void* symbol = dlsym(handle, name)) return symbol;
    }
    return nullptr;
  }

 private:
  Libraries() {
    const char* given = std::getenv("OPWRIGHT_ACLNN_LIBRARIES");
    std::string names = given ? given : "libcust_opapi.so:libopapi.so:libnnopbase.so";
    for (size_t begin = 0; begin < names.size();) {
      const size_t end = std::min(names.find(':', begin), names.size());
      if (end > begin) open(names.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  void open(const std::string& name) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      handles_.push_back(handle);
      tried_ += "\n  " + name;
    } else {
      const char* problem = dlerror();
      tried_ += "\n  " + name + ": " + (problem ? problem : "cannot be opened");
    }
  }
  [[nodiscard]] void* find_symbol(const std::string& name) const {
    void* symbol = find_optional(name.c_str());
    if (!symbol) {
      throw_error("AttributeError", "no library of the vendor has ", name, "; looked in", tried_,
                  "\n  The environment variable OPWRIGHT_ACLNN_LIBRARIES names others.");
    }
    return symbol;
  }

  std::vector<void*> handles_;
  std::string tried_;
};

// Throws RuntimeError unless `status` is 0.
inline void check_status(const std::string& function, int32_t status) {
  if (status == 0) return;
  using RecentMessage = const char* (*)();
  const auto recent =
      reinterpret_cast<RecentMessage>(Libraries::get().find_optional("aclGetRecentErrMsg"));
  const char* message = recent ? recent() : nullptr;
  throw_error("RuntimeError", function, " failed with status ", status,
              message && *message ? ": " : "", message ? message : "");
}

// aclDataType.
inline int32_t data_type(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return 0;
    case DType::Float16:
      return 1;
    case DType::Int8:
      return 2;
    case DType::Int32:
      return 3;
    case DType::UInt8:
      return 4;
    case DType::Int16:
      return 6;
    case DType::UInt16:
      return 7;
    case DType::UInt32:
      return 8;
    case DType::Int64:
      return 9;
    case DType::UInt64:
      return 10;
    case DType::Float64:
      return 11;
    case DType::Bool:
      return 12;
    case DType::Complex64:
      return 16;
    case DType::Complex128:
      return 17;
    case DType::BFloat16:
      return 27;
    default:
      throw_error("TypeError", "the vendor's operators have no ", dtype);
  }
}

// A vendor object that represents an argument for the duration of the call.
class Handle {
 public:
  Handle() = default;
  Handle(void* object, const char* destroy) : object_(object), destroy_(destroy) {}
  Handle(Handle&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    using Destroy = int32_t (*)(const void*);
    if (!object_) return;
    if (void* found = Libraries::get().find_optional(destroy_))
      (void)reinterpret_cast<Destroy>(found)(object_);
  }
  [[nodiscard]] void* passed() const { return object_; }

 private:
  void* object_ = nullptr;
  const char* destroy_ = "";
};
// A number passed unchanged.
template <class Number>
struct Plain {
  Number number;
  [[nodiscard]] Number passed() const { return number; }
};

inline Handle to_argument(const Tensor& tensor) {
  if (!tensor.is_defined()) return {};
  using Create = void* (*)(const int64_t*, uint64_t, int32_t, const int64_t*, int64_t, int32_t,
                           const int64_t*, uint64_t, void*);
  constexpr int32_t kFormatNd = 2;
  static const auto create = Libraries::get().find<Create>("aclCreateTensor");
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  int64_t storage = tensor.numel() == 0 ? 0 : 1;
  for (size_t i = 0; i < sizes.size() && storage != 0; ++i) storage += (sizes[i] - 1) * strides[i];
  void* object = create(sizes.data(), sizes.size(), data_type(tensor.dtype()), strides.data(), 0,
                        kFormatNd, &storage, 1, const_cast<void*>(tensor.data()));
  return {object, "aclDestroyTensor"};
}
inline Handle to_argument(const std::optional<Tensor>& tensor) {
  return tensor ? to_argument(*tensor) : Handle();
}
inline Handle to_argument(IntList list) {
  using Create = void* (*)(const int64_t*, uint64_t);
  static const auto create = Libraries::get().find<Create>("aclCreateIntArray");
  return {create(list.data(), list.size()), "aclDestroyIntArray"};
}
inline Plain<int64_t> to_argument(int64_t number) { return {number}; }
inline Plain<double> to_argument(double number) { return {number}; }
inline Plain<bool> to_argument(bool number) { return {number}; }

inline const Tensor* first_tensor() { return nullptr; }
template <class First, class... Rest>
const Tensor* first_tensor(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<First, Tensor>) {
    return &first;
  } else {
    return first_tensor(rest...);
  }
}

// The implementation of OPWRIGHT_ACLNN; `name` is the vendor's, "aclnnAddCustom".
template <class... Arguments>
void execute(const std::string& name, const Arguments&... arguments) {
  const auto held = std::make_tuple(to_argument(arguments)...);
  const Tensor* beside = first_tensor(arguments...);
  const Device device = beside ? beside->device() : kCpu;
  std::apply(
      [&](const auto&... each) {
        using Measure = int32_t (*)(decltype(each.passed())..., uint64_t*, void**);
        using Execute = int32_t (*)(void*, uint64_t, void*, void*);
        const Libraries& libraries = Libraries::get();
        const std::string measure = name + "GetWorkspaceSize";
        uint64_t size = 0;
        void* executor = nullptr;
        check_status(measure, libraries.find<Measure>(measure)(each.passed()..., &size, &executor));
        const auto run = libraries.find<Execute>(name);
        Tensor workspace;
        if (size != 0)
          workspace = empty({static_cast<int64_t>(size)}, DType::UInt8, std::nullopt, device);
        void* memory = size != 0 ? workspace.mutable_data() : nullptr;
        check_status(name, run(memory, size, executor, current_stream(device)));
      },
      held);
}

}  // namespace aclnn
}  // namespace opwright

// Calls an operator of the vendor in its two phases, on the current stream of the first tensor's
// device. Throws RuntimeError with the vendor's status and message, AttributeError if no library
// has it.
#define OPWRIGHT_ACLNN(name, ...) ::opwright::aclnn::execute(#name, __VA_ARGS__)
