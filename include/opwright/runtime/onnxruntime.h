/* For programs that use ONNX Runtime: adds the operators of a binary to a session as custom
 * operators.
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

/* Adds every operator of the binaries to the options, with its namespace as the domain and its name
 * ("scale_out" for an overload), and also as any node that its binary names. `paths` is a file, or
 * several separated by ':'. Returns null, or a status that the caller releases. Call it once per
 * options object, since ONNX Runtime accepts a domain once; any thread. */
struct OrtStatus* opw_onnxruntime_register(struct OrtSessionOptions* options,
                                           const struct OrtApiBase* api, const char* paths);

/* The same for the binaries that the environment variable OPWRIGHT_ONNXRUNTIME_LIBRARIES lists.
 * ONNX Runtime calls it when it loads this library: RegisterCustomOpsLibrary_V2 in C,
 * SessionOptions.register_custom_ops_library in Python. */
/* NOLINTNEXTLINE(readability-identifier-naming): ONNX Runtime looks it up by this name */
struct OrtStatus* RegisterCustomOps(struct OrtSessionOptions* options,
                                    const struct OrtApiBase* api);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_ONNXRUNTIME_H_ */
