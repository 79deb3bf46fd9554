/* For programs that use ONNX Runtime: the operators of a binary as custom operators of a session.
 *
 *   opw_onnxruntime_register(options, OrtGetApiBase(), "libcst.so");
 *
 * The functions are in libopwright_onnxruntime.so, which needs ONNX Runtime 1.17 or newer but is
 * not linked with it. Operator binaries do not include this. */
#ifndef OPWRIGHT_ONNXRUNTIME_H_
#define OPWRIGHT_ONNXRUNTIME_H_

#ifdef __cplusplus
extern "C" {
#endif

struct OrtApiBase;
struct OrtSessionOptions;
struct OrtStatus;

/* Gives every operator of the binaries to the options: its domain is its namespace, its name that
 * of the operator ("scale_out" for an overload), and whatever node its binary names beside. `paths`
 * is a file, or several with ':' between them. Returns null, or a status that the caller releases.
 * Once for options, since ONNX Runtime takes a domain once; any thread. */
struct OrtStatus* opw_onnxruntime_register(struct OrtSessionOptions* options,
                                           const struct OrtApiBase* api, const char* paths);

/* The same for the binaries that the environment variable OPWRIGHT_ONNXRUNTIME_LIBRARIES names.
 * ONNX Runtime calls it for a library that is named to it: RegisterCustomOpsLibrary_V2 in C,
 * SessionOptions.register_custom_ops_library in Python. */
/* NOLINTNEXTLINE(readability-identifier-naming): ONNX Runtime looks it up by this name */
struct OrtStatus* RegisterCustomOps(struct OrtSessionOptions* options,
                                    const struct OrtApiBase* api);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_ONNXRUNTIME_H_ */
