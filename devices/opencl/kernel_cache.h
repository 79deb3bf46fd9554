// Kernels by their source text: each is compiled once per process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <CL/cl.h>

namespace opwright::opencl {

struct Kernel {
  cl_kernel kernel = nullptr;
  std::string what;  // its name in errors
  uint32_t num_arguments = 0;
  std::mutex mutex;  // arguments are set and used by one thread at a time
};

struct KernelText {
  std::string source;
  std::string name;
  std::string options;
  std::string what;
};

class KernelCache {
 public:
  KernelCache(cl_context context, cl_device_id id) : context_(context), id_(id) {}

  // The kernel of a key; if it is new, `make` returns its source. RuntimeError with the compiler's
  // log for an invalid source.
  template <class Make>
  [[nodiscard]] Kernel& find(const std::string& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto place = kernels_.find(key);
    if (place != kernels_.end()) return *place->second;
    return *kernels_.emplace(key, build(make())).first->second;
  }

 private:
  [[nodiscard]] std::unique_ptr<Kernel> build(const KernelText& text) const;
  [[nodiscard]] std::string build_log(cl_program program) const;

  cl_context context_;
  cl_device_id id_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels_;
};

using WorkSize = std::array<size_t, 3>;

// One launch: arguments in order, then `run`. Holds the kernel until then.
class [[nodiscard]] KernelCall {
 public:
  explicit KernelCall(Kernel& kernel) : kernel_(kernel), lock_(kernel.mutex) {}

  KernelCall& memory(const void* pointer);
  KernelCall& bytes(const void* value, size_t size);
  template <class Value>
  KernelCall& value(const Value& value) {
    return bytes(&value, sizeof value);
  }
  // An argument in local memory.
  KernelCall& local(size_t size) { return bytes(nullptr, size); }
  // `local` of zeros: the runtime chooses.
  void run(cl_command_queue queue, const WorkSize& global, const WorkSize& local);

 private:
  Kernel& kernel_;
  std::lock_guard<std::mutex> lock_;
  uint32_t next_ = 0;
};

// The number of work-items, in groups of `local`, that covers `count`.
constexpr size_t round_up(uint64_t count, size_t local) {
  return static_cast<size_t>((count + local - 1) / local * local);
}

}  // namespace opwright::opencl
