// The attributes of a node, at kernel creation and at output inference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"

namespace opwright::ort_bridge {

// Each returns false for an attribute that is absent or of another kind.
class NodeAttributes {
 public:
  virtual ~NodeAttributes() = default;
  [[nodiscard]] virtual bool read(const char* name, int64_t& value) const = 0;
  [[nodiscard]] virtual bool read(const char* name, float& value) const = 0;
  [[nodiscard]] virtual bool read(const char* name, std::string& value) const = 0;
  [[nodiscard]] virtual bool read(const char* name, std::vector<int64_t>& value) const = 0;
  [[nodiscard]] virtual bool read(const char* name, std::vector<float>& value) const = 0;
  [[nodiscard]] virtual bool read(const char* name, std::vector<std::string>& value) const = 0;
};

class KernelAttributes final : public NodeAttributes {
 public:
  KernelAttributes(const OrtApi& api, const OrtKernelInfo* info) : api_(api), info_(info) {}
  bool read(const char* name, int64_t& value) const override;
  bool read(const char* name, float& value) const override;
  bool read(const char* name, std::string& value) const override;
  bool read(const char* name, std::vector<int64_t>& value) const override;
  bool read(const char* name, std::vector<float>& value) const override;
  // NotImplementedError before ONNX Runtime 1.25.
  bool read(const char* name, std::vector<std::string>& value) const override;

 private:
  const OrtApi& api_;
  const OrtKernelInfo* info_;
};

class InferredAttributes final : public NodeAttributes {
 public:
  InferredAttributes(const OrtApi& api, const OrtShapeInferContext* context)
      : api_(api), context_(context) {}
  bool read(const char* name, int64_t& value) const override;
  bool read(const char* name, float& value) const override;
  bool read(const char* name, std::string& value) const override;
  bool read(const char* name, std::vector<int64_t>& value) const override;
  bool read(const char* name, std::vector<float>& value) const override;
  bool read(const char* name, std::vector<std::string>& value) const override;

 private:
  // The bytes of an existing attribute; ONNX Runtime does not report its kind, only that it is
  // empty if it has another one.
  bool read_bytes(const char* name, OrtAttributeType type, std::string& bytes) const;
  template <class T>
  bool read_list(const char* name, OrtAttributeType type, std::vector<T>& value) const;

  const OrtApi& api_;
  const OrtShapeInferContext* context_;
};

}  // namespace opwright::ort_bridge
