/* What Opwright requires of the library of a vendor's graph engine. A plain C header.
 *
 * This is our own narrow interface: a vendor, or a user with the vendor's SDK, writes a shared
 * library with these six functions over the engine's session (for Ascend: ge::Session, or the
 * compiled model of aclgrph and aclmdl), and passes its path as the engine's library. Opwright
 * opens it with dlopen and does not link the SDK. Single operators need no such library: see
 * opwright/aclnn.h, which calls the vendor's own two-phase functions.
 *
 * A graph is used in this order:
 *   opw_ge_build        once, from the bytes of a ge.proto.ModelDef
 *   opw_ge_workspace    for each run: reads the inputs, returns dtypes and sizes of the outputs and
 *                       the amount of scratch memory that the run needs
 *   opw_ge_execute      with the same inputs, outputs that now have memory, and the scratch memory
 *   opw_ge_release      once, after the last run
 * Functions return 0 or a status of the engine; opw_ge_message then returns details. Runs of one
 * graph are not concurrent; runs of different graphs may be. */
#ifndef OPWRIGHT_GE_ENGINE_H_
#define OPWRIGHT_GE_ENGINE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented when a function or a struct changes; a library reports the version it was built
 * for. */
#define OPW_GE_ENGINE_VERSION 1
#define OPW_GE_MAX_RANK 8

/* A tensor of a run; dense. */
typedef struct {
  void* data; /* on the device; null in outputs of opw_ge_workspace, and where there are no elements
               */
  uint64_t num_bytes;
  int32_t dtype;  /* ge::DataType: 0 float32, 1 float16, 3 int32, 9 int64, 12 bool, ... */
  int32_t format; /* ge::Format: 2 is ND */
  uint32_t rank;
  int64_t sizes[OPW_GE_MAX_RANK];
} OpwGeTensor;

typedef struct OpwGeGraph OpwGeGraph;       /* private to the library: a built graph */
typedef struct OpwGeExecutor OpwGeExecutor; /* private to the library: one run of a graph */

/* The OPW_GE_ENGINE_VERSION of the library. */
typedef uint32_t (*OpwGeVersion)(void);
/* Why the last call of this thread failed; null or empty: unknown. Valid until its next call. */
typedef const char* (*OpwGeMessage)(void);
/* `options` are `num_options` pairs of strings, key and value. `device_index` counts the engine's
 * devices. */
typedef int32_t (*OpwGeBuild)(const void* bytes, uint64_t num_bytes, int32_t device_index,
                              const char* const* options, uint32_t num_options, OpwGeGraph** graph);
/* Fills dtype, format, rank, sizes and num_bytes of `num_outputs` tensors, the workspace size, and
 * the executor, which opw_ge_execute takes over. The graph's next opw_ge_workspace or
 * opw_ge_release destroys an executor that was not executed. */
typedef int32_t (*OpwGeWorkspace)(OpwGeGraph* graph, const OpwGeTensor* inputs, uint32_t num_inputs,
                                  OpwGeTensor* outputs, uint32_t num_outputs,
                                  uint64_t* workspace_size, OpwGeExecutor** executor);
/* Queues the work on `stream`, null: the default stream; the memory stays valid until the stream
 * has finished with it. Destroys the executor, even on failure. */
typedef int32_t (*OpwGeExecute)(void* workspace, uint64_t workspace_size, OpwGeExecutor* executor,
                                const OpwGeTensor* inputs, uint32_t num_inputs,
                                const OpwGeTensor* outputs, uint32_t num_outputs, void* stream);
typedef void (*OpwGeRelease)(OpwGeGraph* graph);

/* The names that the library exports. */
#define OPW_GE_VERSION_SYMBOL "opw_ge_version"
#define OPW_GE_MESSAGE_SYMBOL "opw_ge_message"
#define OPW_GE_BUILD_SYMBOL "opw_ge_build"
#define OPW_GE_WORKSPACE_SYMBOL "opw_ge_workspace"
#define OPW_GE_EXECUTE_SYMBOL "opw_ge_execute"
#define OPW_GE_RELEASE_SYMBOL "opw_ge_release"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_GE_ENGINE_H_ */
