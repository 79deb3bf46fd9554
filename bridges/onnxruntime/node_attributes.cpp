#include "bridges/onnxruntime/node_attributes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/error.h"

namespace opwright::ort_bridge {

bool KernelAttributes::read(const char* name, int64_t& value) const {
  return api_.try_call(entry::kGetInt, info_, name, &value);
}

bool KernelAttributes::read(const char* name, float& value) const {
  return api_.try_call(entry::kGetFloat, info_, name, &value);
}

bool KernelAttributes::read(const char* name, std::string& value) const {
  size_t size = 0;  // including the final zero
  if (!api_.try_call(entry::kGetString, info_, name, nullptr, &size)) return false;
  value.resize(size);
  api_.require(entry::kGetString, info_, name, value.data(), &size);
  value.resize(size - 1);
  return true;
}

bool KernelAttributes::read(const char* name, std::vector<int64_t>& value) const {
  size_t size = 0;
  if (!api_.try_call(entry::kGetInts, info_, name, nullptr, &size)) return false;
  value.resize(size);
  if (size != 0) api_.require(entry::kGetInts, info_, name, value.data(), &size);
  return true;
}

bool KernelAttributes::read(const char* name, std::vector<float>& value) const {
  size_t size = 0;
  if (!api_.try_call(entry::kGetFloats, info_, name, nullptr, &size)) return false;
  value.resize(size);
  if (size != 0) api_.require(entry::kGetFloats, info_, name, value.data(), &size);
  return true;
}

bool KernelAttributes::read(const char* name, std::vector<std::string>& value) const {
  if (!api_.has(entry::kGetStrings)) {
    throw_error("NotImplementedError", "attribute '", name,
                "' is a list of strings, which operators can read from ONNX Runtime 1.",
                entry::kGetStrings.since, " on");
  }
  OrtAllocator* allocator = nullptr;
  api_.require(entry::kGetDefaultAllocator, &allocator);
  char** strings = nullptr;
  size_t size = 0;
  if (!api_.try_call(entry::kGetStrings, info_, name, allocator, &strings, &size)) return false;
  value.clear();
  for (size_t i = 0; i < size; ++i) {
    value.emplace_back(strings[i]);
    api_.require(entry::kFree, allocator, strings[i]);
  }
  if (strings) api_.require(entry::kFree, allocator, static_cast<void*>(strings));
  return true;
}

bool InferredAttributes::read_bytes(const char* name, OrtAttributeType type,
                                    std::string& bytes) const {
  const OrtOpAttribute* attribute = nullptr;
  if (!api_.try_call(entry::kGetInferAttribute, context_, name, &attribute)) return false;
  size_t size = sizeof(int64_t);
  bytes.resize(size);
  if (!api_.try_call(entry::kReadAttribute, attribute, type, bytes.data(), size, &size)) {
    if (size <= bytes.size()) return false;  // not a matter of size
    bytes.resize(size);
    if (!api_.try_call(entry::kReadAttribute, attribute, type, bytes.data(), size, &size))
      return false;
  }
  bytes.resize(size);
  return true;
}

template <class T>
bool InferredAttributes::read_list(const char* name, OrtAttributeType type,
                                   std::vector<T>& value) const {
  std::string bytes;
  if (!read_bytes(name, type, bytes)) return false;
  value.resize(bytes.size() / sizeof(T));
  if (!value.empty()) std::memcpy(value.data(), bytes.data(), value.size() * sizeof(T));
  return true;
}

bool InferredAttributes::read(const char* name, int64_t& value) const {
  std::vector<int64_t> found;
  if (!read_list(name, OrtAttributeType::Int, found) || found.size() != 1) return false;
  value = found[0];
  return true;
}

bool InferredAttributes::read(const char* name, float& value) const {
  std::vector<float> found;
  if (!read_list(name, OrtAttributeType::Float, found) || found.size() != 1) return false;
  value = found[0];
  return true;
}

bool InferredAttributes::read(const char* name, std::string& value) const {
  return read_bytes(name, OrtAttributeType::String, value);
}

bool InferredAttributes::read(const char* name, std::vector<int64_t>& value) const {
  return read_list(name, OrtAttributeType::Ints, value);
}

bool InferredAttributes::read(const char* name, std::vector<float>& value) const {
  return read_list(name, OrtAttributeType::Floats, value);
}

bool InferredAttributes::read(const char* name, std::vector<std::string>& value) const {
  std::string bytes;  // zero-terminated
  if (!read_bytes(name, OrtAttributeType::Strings, bytes)) return false;
  value.clear();
  for (size_t begin = 0; begin < bytes.size(); begin += value.back().size() + 1)
    value.emplace_back(bytes.c_str() + begin);
  return true;
}

}  // namespace opwright::ort_bridge
