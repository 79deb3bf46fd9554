// Compiled by test_layout.py against jaxlib's own header: what xla_ffi.h restates must be the same.
#include <cstddef>

#include "bridges/jax/xla_ffi.h"
#include "xla/ffi/api/c_api.h"

using namespace opwright::jax_bridge;

#define SAME_PLACE(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))
#define SAME_NUMBER(ours, theirs) \
  static_assert(static_cast<unsigned>(ours) == static_cast<unsigned>(theirs))

SAME_PLACE(XlaExtension, type, XLA_FFI_Extension_Base, type);
SAME_PLACE(XlaExtension, next, XLA_FFI_Extension_Base, next);
static_assert(sizeof(XlaExtension) == sizeof(XLA_FFI_Extension_Base));

SAME_PLACE(XlaVersion, major_version, XLA_FFI_Api_Version, major_version);
SAME_PLACE(XlaVersion, minor_version, XLA_FFI_Api_Version, minor_version);
static_assert(sizeof(XlaVersion) == sizeof(XLA_FFI_Api_Version));

SAME_PLACE(XlaMetadata, api_version, XLA_FFI_Metadata, api_version);
SAME_PLACE(XlaMetadata, traits, XLA_FFI_Metadata, traits);
SAME_PLACE(XlaMetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);

SAME_PLACE(XlaErrorCreateArgs, message, XLA_FFI_Error_Create_Args, message);
SAME_PLACE(XlaErrorCreateArgs, code, XLA_FFI_Error_Create_Args, errc);
static_assert(offsetof(XlaErrorCreateArgs, code) + sizeof(XlaErrorCode) ==
              XLA_FFI_Error_Create_Args_STRUCT_SIZE);

SAME_PLACE(XlaApi, api_version, XLA_FFI_Api, api_version);
SAME_PLACE(XlaApi, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);

SAME_PLACE(XlaBuffer, dtype, XLA_FFI_Buffer, dtype);
SAME_PLACE(XlaBuffer, data, XLA_FFI_Buffer, data);
SAME_PLACE(XlaBuffer, rank, XLA_FFI_Buffer, rank);
SAME_PLACE(XlaBuffer, dims, XLA_FFI_Buffer, dims);

SAME_PLACE(XlaText, characters, XLA_FFI_ByteSpan, ptr);
SAME_PLACE(XlaText, length, XLA_FFI_ByteSpan, len);
SAME_PLACE(XlaScalar, dtype, XLA_FFI_Scalar, dtype);
SAME_PLACE(XlaScalar, value, XLA_FFI_Scalar, value);
SAME_PLACE(XlaArray, dtype, XLA_FFI_Array, dtype);
SAME_PLACE(XlaArray, size, XLA_FFI_Array, size);
SAME_PLACE(XlaArray, data, XLA_FFI_Array, data);

SAME_PLACE(XlaBuffers, size, XLA_FFI_Args, size);
SAME_PLACE(XlaBuffers, types, XLA_FFI_Args, types);
SAME_PLACE(XlaBuffers, buffers, XLA_FFI_Args, args);
SAME_PLACE(XlaBuffers, buffers, XLA_FFI_Rets, rets);
static_assert(sizeof(XlaBuffers) == sizeof(XLA_FFI_Args));
static_assert(sizeof(XlaBuffers) == sizeof(XLA_FFI_Rets));
SAME_PLACE(XlaAttributes, size, XLA_FFI_Attrs, size);
SAME_PLACE(XlaAttributes, types, XLA_FFI_Attrs, types);
SAME_PLACE(XlaAttributes, names, XLA_FFI_Attrs, names);
SAME_PLACE(XlaAttributes, values, XLA_FFI_Attrs, attrs);
static_assert(sizeof(XlaAttributes) == sizeof(XLA_FFI_Attrs));
static_assert(sizeof(XlaAttributeType) == sizeof(XLA_FFI_AttrType));

SAME_PLACE(XlaCallFrame, extensions, XLA_FFI_CallFrame, extension_start);
SAME_PLACE(XlaCallFrame, api, XLA_FFI_CallFrame, api);
SAME_PLACE(XlaCallFrame, stage, XLA_FFI_CallFrame, stage);
SAME_PLACE(XlaCallFrame, args, XLA_FFI_CallFrame, args);
SAME_PLACE(XlaCallFrame, results, XLA_FFI_CallFrame, rets);
SAME_PLACE(XlaCallFrame, attributes, XLA_FFI_CallFrame, attrs);

SAME_NUMBER(XlaExtensionType::Metadata, XLA_FFI_Extension_Metadata);
SAME_NUMBER(XlaStage::Execute, XLA_FFI_ExecutionStage_EXECUTE);
SAME_NUMBER(XlaAttributeType::Array, XLA_FFI_AttrType_ARRAY);
SAME_NUMBER(XlaAttributeType::Dictionary, XLA_FFI_AttrType_DICTIONARY);
SAME_NUMBER(XlaAttributeType::Scalar, XLA_FFI_AttrType_SCALAR);
SAME_NUMBER(XlaAttributeType::String, XLA_FFI_AttrType_STRING);
SAME_NUMBER(XlaErrorCode::InvalidArgument, XLA_FFI_Error_Code_INVALID_ARGUMENT);
SAME_NUMBER(XlaErrorCode::NotFound, XLA_FFI_Error_Code_NOT_FOUND);
SAME_NUMBER(XlaErrorCode::ResourceExhausted, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
SAME_NUMBER(XlaErrorCode::OutOfRange, XLA_FFI_Error_Code_OUT_OF_RANGE);
SAME_NUMBER(XlaErrorCode::Unimplemented, XLA_FFI_Error_Code_UNIMPLEMENTED);
SAME_NUMBER(XlaErrorCode::Internal, XLA_FFI_Error_Code_INTERNAL);
SAME_NUMBER(XlaDType::Pred, XLA_FFI_DataType_PRED);
SAME_NUMBER(XlaDType::S8, XLA_FFI_DataType_S8);
SAME_NUMBER(XlaDType::S16, XLA_FFI_DataType_S16);
SAME_NUMBER(XlaDType::S32, XLA_FFI_DataType_S32);
SAME_NUMBER(XlaDType::S64, XLA_FFI_DataType_S64);
SAME_NUMBER(XlaDType::U8, XLA_FFI_DataType_U8);
SAME_NUMBER(XlaDType::U16, XLA_FFI_DataType_U16);
SAME_NUMBER(XlaDType::U32, XLA_FFI_DataType_U32);
SAME_NUMBER(XlaDType::U64, XLA_FFI_DataType_U64);
SAME_NUMBER(XlaDType::F16, XLA_FFI_DataType_F16);
SAME_NUMBER(XlaDType::F32, XLA_FFI_DataType_F32);
SAME_NUMBER(XlaDType::F64, XLA_FFI_DataType_F64);
SAME_NUMBER(XlaDType::BF16, XLA_FFI_DataType_BF16);
SAME_NUMBER(XlaDType::C64, XLA_FFI_DataType_C64);
SAME_NUMBER(XlaDType::C128, XLA_FFI_DataType_C128);
SAME_NUMBER(XlaDType::F8E5M2, XLA_FFI_DataType_F8E5M2);
SAME_NUMBER(XlaDType::F8E4M3FN, XLA_FFI_DataType_F8E4M3FN);
