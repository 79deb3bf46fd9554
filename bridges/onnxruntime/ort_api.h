// The part of ONNX Runtime's C API that the bridge uses, restated: a table of functions that only
// grows at its end, so indices are stable and one bridge supports every version since 1.17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

extern "C" {
typedef struct OrtStatus OrtStatus;
typedef struct OrtSessionOptions OrtSessionOptions;
// Passed by ONNX Runtime to code that registers operators.
typedef struct OrtApiBase {
  const void* (*get_api)(uint32_t version);  // null if not supported
  const char* (*get_version)();              // "1.31.1": API version 31
} OrtApiBase;
}

namespace opwright::ort_bridge {

struct OrtValue;
struct OrtKernelInfo;
struct OrtKernelContext;
struct OrtShapeInferContext;
struct OrtTypeShape;
struct OrtOpAttribute;
struct OrtDomain;
struct OrtAllocator;

// The API version of our operators: the first with shape inference.
inline constexpr uint32_t kOldestOrtApi = 17;

enum class OrtErrorCode : int {
  Fail = 1,
  InvalidArgument = 2,
  NoSuchFile = 3,
  RuntimeException = 6,
  NotImplemented = 9,
};

// ONNXTensorElementDataType.
enum class OrtDType : int {
  Undefined = 0,
  Float32 = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Float64 = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E5M2 = 19,
};

enum class OrtAttributeType : int {
  Int = 1,
  Ints = 2,
  Float = 3,
  Floats = 4,
  String = 5,
  Strings = 6,
};

// ---- Entries of the table: index, type, and the API version that introduced it ----

template <class Signature>
struct OrtEntry {
  size_t index;
  uint32_t since = 1;
};
using OrtResult = OrtStatus*;  // null on success; otherwise owned
namespace entry {
inline constexpr OrtEntry<OrtResult(OrtErrorCode, const char*)> kCreateStatus{0};
inline constexpr OrtEntry<const char*(const OrtStatus*)> kGetErrorMessage{2};
inline constexpr OrtEntry<OrtResult(const char*, OrtDomain**)> kCreateDomain{26};
inline constexpr OrtEntry<OrtResult(OrtDomain*, const void*)> kAddToDomain{27};
inline constexpr OrtEntry<OrtResult(OrtSessionOptions*, OrtDomain*)> kAddDomain{28};
inline constexpr OrtEntry<OrtResult(const OrtValue*, void**)> kGetData{51};
inline constexpr OrtEntry<OrtResult(OrtTypeShape**)> kCreateTypeShape{57};
inline constexpr OrtEntry<OrtResult(OrtTypeShape*, OrtDType)> kSetDType{58};
inline constexpr OrtEntry<OrtResult(OrtTypeShape*, const int64_t*, size_t)> kSetSizes{59};
inline constexpr OrtEntry<OrtResult(const OrtTypeShape*, OrtDType*)> kGetDType{60};
inline constexpr OrtEntry<OrtResult(const OrtTypeShape*, size_t*)> kGetRank{61};
inline constexpr OrtEntry<OrtResult(const OrtTypeShape*, int64_t*, size_t)> kGetSizes{62};
inline constexpr OrtEntry<OrtResult(const OrtTypeShape*, const char**, size_t)> kGetSizeNames{63};
inline constexpr OrtEntry<OrtResult(const OrtValue*, OrtTypeShape**)> kGetTypeShape{65};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, float*)> kGetFloat{85};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, int64_t*)> kGetInt{86};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, char*, size_t*)> kGetString{
    87};
inline constexpr OrtEntry<OrtResult(const OrtKernelContext*, size_t, const OrtValue**)> kGetInput{
    90};
inline constexpr OrtEntry<OrtResult(OrtKernelContext*, size_t, const int64_t*, size_t, OrtValue**)>
    kGetOutput{91};
inline constexpr OrtEntry<void(OrtStatus*)> kReleaseStatus{93};
inline constexpr OrtEntry<void(OrtTypeShape*)> kReleaseTypeShape{99};
inline constexpr OrtEntry<OrtResult(OrtAllocator**)> kGetDefaultAllocator{78};
inline constexpr OrtEntry<OrtResult(OrtAllocator*, void*)> kFree{76};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, float*, size_t*)> kGetFloats{
    162};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, int64_t*, size_t*)> kGetInts{
    163};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, size_t*)> kGetInputCount{230};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, size_t*)> kGetOutputCount{231};
inline constexpr OrtEntry<OrtResult(const OrtShapeInferContext*, size_t*)> kGetInferInputCount{267};
inline constexpr OrtEntry<OrtResult(const OrtShapeInferContext*, size_t, OrtTypeShape**)>
    kGetInferInput{268};  // borrowed
inline constexpr OrtEntry<OrtResult(const OrtShapeInferContext*, const char*,
                                    const OrtOpAttribute**)>
    kGetInferAttribute{269};  // borrowed
inline constexpr OrtEntry<OrtResult(const OrtShapeInferContext*, size_t, const OrtTypeShape*)>
    kSetInferOutput{270};
inline constexpr OrtEntry<OrtResult(OrtTypeShape*, const char**, size_t)> kSetSizeNames{271};
inline constexpr OrtEntry<OrtResult(const OrtOpAttribute*, OrtAttributeType, void*, size_t,
                                    size_t*)>
    kReadAttribute{272};
inline constexpr OrtEntry<OrtResult(const OrtValue*, OrtDType*, const int64_t**, size_t*)>
    kGetTypeShapeReference{414, 24};
inline constexpr OrtEntry<OrtResult(const OrtKernelInfo*, const char*, OrtAllocator*, char***,
                                    size_t*)>
    kGetStrings{417, 25};
}  // namespace entry

class OrtApi {
 public:
  OrtApi() = default;
  OrtApi(const void* table, uint32_t version)
      : table_(static_cast<const void* const*>(table)), version_(version) {}

  template <class Result, class... Parameters>
  Result call(const OrtEntry<Result(Parameters...)>& entry,
              std::type_identity_t<Parameters>... args) const {
    return reinterpret_cast<Result (*)(Parameters...)>(const_cast<void*>(table_[entry.index]))(
        args...);
  }
  // Throws the status as an Error.
  template <class... Parameters>
  void require(const OrtEntry<OrtResult(Parameters...)>& entry,
               std::type_identity_t<Parameters>... args) const {
    if (OrtStatus* status = call(entry, args...)) [[unlikely]]
      throw_status(status);
  }
  // False if it returned a status, which is dropped.
  template <class... Parameters>
  [[nodiscard]] bool try_call(const OrtEntry<OrtResult(Parameters...)>& entry,
                              std::type_identity_t<Parameters>... args) const {
    OrtStatus* status = call(entry, args...);
    if (status) call(entry::kReleaseStatus, status);
    return !status;
  }
  template <class Signature>
  [[nodiscard]] bool has(const OrtEntry<Signature>& entry) const {
    return version_ >= entry.since;
  }
  [[nodiscard]] const void* table() const { return table_; }

 private:
  [[noreturn]] void throw_status(OrtStatus* status) const;

  const void* const* table_ = nullptr;
  uint32_t version_ = 0;
};

// The newest table that both sides support. ImportError if ONNX Runtime is too old.
[[nodiscard]] OrtApi open_api(const OrtApiBase& base);

// ---- Operators in ONNX Runtime's form ----

enum class OrtPresence : int { Required = 0, Optional = 1, Variadic = 2 };

// OrtCustomOp of API version 17. ONNX Runtime passes it to every function, so the operator's own
// data can follow it in memory.
struct OrtCustomOp {
  uint32_t version;
  void* (*create_kernel)(const OrtCustomOp*, const void* api, const OrtKernelInfo*);
  const char* (*get_name)(const OrtCustomOp*);
  const char* (*get_provider)(const OrtCustomOp*);
  OrtDType (*get_input_type)(const OrtCustomOp*, size_t index);
  size_t (*get_input_count)(const OrtCustomOp*);
  OrtDType (*get_output_type)(const OrtCustomOp*, size_t index);
  size_t (*get_output_count)(const OrtCustomOp*);
  void (*compute)(void* kernel, OrtKernelContext*);
  void (*destroy_kernel)(void* kernel);
  OrtPresence (*get_input_presence)(const OrtCustomOp*, size_t index);
  OrtPresence (*get_output_presence)(const OrtCustomOp*, size_t index);
  int (*get_input_memory)(const OrtCustomOp*, size_t index);
  int (*get_least_variadic_inputs)(const OrtCustomOp*);
  int (*are_variadic_inputs_alike)(const OrtCustomOp*);
  int (*get_least_variadic_outputs)(const OrtCustomOp*);
  int (*are_variadic_outputs_alike)(const OrtCustomOp*);
  OrtResult (*create_kernel_v2)(const OrtCustomOp*, const void* api, const OrtKernelInfo*,
                                void** kernel);
  OrtResult (*compute_v2)(void* kernel, OrtKernelContext*);
  OrtResult (*infer_outputs)(const OrtCustomOp*, OrtShapeInferContext*);
  int (*get_first_version)(const OrtCustomOp*);
  int (*get_last_version)(const OrtCustomOp*);
  void* later[8];  // of newer versions: unused
};

}  // namespace opwright::ort_bridge
