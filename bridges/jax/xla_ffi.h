// The part of XLA's foreign function interface that the bridge uses, restated: plain C structs that
// only grow at their end, so one bridge supports every jaxlib since 0.5.
//
// tests/bridges/jax/test_layout.py compares sizes, offsets and numbers with the header of the
// installed jaxlib.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opwright::jax_bridge {

// The version that the handler reports: the oldest one, which all accept.
inline constexpr int kXlaMajorVersion = 0;
inline constexpr int kXlaMinorVersion = 1;

enum class XlaExtensionType : uint32_t { Metadata = 1 };
struct XlaExtension {
  size_t struct_size;
  XlaExtensionType type;
  XlaExtension* next;
};

struct XlaVersion {
  size_t struct_size;
  XlaExtension* extensions;
  int major_version;
  int minor_version;
};

// Requested once, when the handler is registered. Later versions append fields after the traits.
struct XlaMetadata {
  size_t struct_size;
  XlaVersion api_version;
  uint32_t traits;
};
struct XlaMetadataExtension {
  XlaExtension base;
  XlaMetadata* metadata;
};

enum class XlaErrorCode : uint32_t {
  InvalidArgument = 3,
  NotFound = 5,
  ResourceExhausted = 8,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
};
struct XlaError;  // XLA's own
struct XlaErrorCreateArgs {
  size_t struct_size;
  XlaExtension* extensions;
  const char* message;
  XlaErrorCode code;
};

struct XlaApi {
  size_t struct_size;
  XlaExtension* extensions;
  XlaVersion api_version;
  const void* internal_api;
  XlaError* (*create_error)(XlaErrorCreateArgs* args);
};

enum class XlaDType : uint32_t {
  Pred = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  C64 = 15,
  BF16 = 16,
  C128 = 18,
  F8E5M2 = 19,
  F8E4M3FN = 20,
};

// Dense and row-major.
struct XlaBuffer {
  size_t struct_size;
  XlaExtension* extensions;
  XlaDType dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};

struct XlaText {
  const char* characters;
  size_t length;
};
struct XlaScalar {
  XlaDType dtype;
  void* value;
};
struct XlaArray {
  XlaDType dtype;
  size_t size;
  void* data;
};
enum class XlaAttributeType : uint32_t { Array = 1, Dictionary = 2, Scalar = 3, String = 4 };

// Arguments and results: every one is a buffer.
struct XlaBuffers {
  size_t struct_size;
  XlaExtension* extensions;
  int64_t size;
  const uint32_t* types;
  XlaBuffer** buffers;
};
// Sorted by name.
struct XlaAttributes {
  size_t struct_size;
  XlaExtension* extensions;
  int64_t size;
  const XlaAttributeType* types;
  const XlaText* const* names;
  void* const* values;  // XlaScalar, XlaArray or XlaText, by type
};

enum class XlaStage : uint32_t { Instantiate = 0, Prepare = 1, Initialize = 2, Execute = 3 };
struct XlaCallFrame {
  size_t struct_size;
  XlaExtension* extensions;
  const XlaApi* api;
  void* context;
  XlaStage stage;
  XlaBuffers args;
  XlaBuffers results;
  XlaAttributes attributes;
};

}  // namespace opwright::jax_bridge
