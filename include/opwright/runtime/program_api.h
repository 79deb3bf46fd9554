/* Programs for C: load an exported file and run it. Needs only libopwright; no Python.
 *
 *   OpwProgram* program = opw_program_load("net.opw");
 *   if (!program) return fprintf(stderr, "%s\n", opw_last_error()), 1;
 *
 *   int64_t shape[] = {8, 3};
 *   OpwDlTensor x = {0};
 *   x.data = numbers, x.ndim = 2, x.shape = shape;
 *   x.dtype = opw_program_input(program, 0)->dtype, x.device.type = kOpwDeviceCpu;
 *   OpwTensor* y = NULL;
 *   if (opw_program_run(program, &x, 1, &y, 1) != 0) ...
 *   const float* results = opw_tensor_view(y)->data;
 *   opw_tensor_release(y);
 *   opw_program_release(program);
 *
 * A function that fails returns null or 1, and opw_last_error says why; nothing is thrown or
 * printed. Any thread may call any function. A program must not be released while another thread
 * uses it. C99 or newer, C++. */
#ifndef OPWRIGHT_PROGRAM_API_H_
#define OPWRIGHT_PROGRAM_API_H_

#include <stddef.h>
#include <stdint.h>

/* In C99, unnamed unions are an extension. */
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include "opwright/c_api.h"
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define OPW_PUBLIC __attribute__((visibility("default")))
#else
#define OPW_PUBLIC
#endif

typedef struct OpwProgram OpwProgram;

/* ---- The library ---- */

/* The version of Opwright: "0.1.0". That of the ABI is OPW_ABI_MAJOR, OPW_ABI_MINOR. */
OPW_PUBLIC const char* opw_version(void);

/* The last error on this thread, "ValueError: ...", and its kind alone, "ValueError": the name of a
 * Python exception. Empty before the first error. Both are valid until the next failure on this
 * thread; a successful call leaves them unchanged. */
OPW_PUBLIC const char* opw_last_error(void);
OPW_PUBLIC const char* opw_last_error_kind(void);

/* Loads the operators of an operator binary; call it before loading programs that use them. Loading
 * the same file twice is harmless. Returns 0, or 1: OSError, ImportError, ValueError. */
OPW_PUBLIC int opw_library_load(const char* path);

/* The number of threads that an operator uses, including the caller; the default is
 * OPWRIGHT_NUM_THREADS or the number of hardware threads. Returns 0, or 1: ValueError below 1. */
OPW_PUBLIC int opw_set_num_threads(int count);
/* Seeds the random number generator. Without it, the seed is unpredictable. */
OPW_PUBLIC int opw_set_seed(uint64_t seed);

/* ---- Programs ---- */

/* Validates the file without executing any of it. Its tensors stay mapped from the file, which must
 * not be written while the program exists. Null: OSError for a missing file, ValueError for one
 * that is damaged or of a newer format, NotImplementedError for a missing operator, naming the
 * library to load first. */
OPW_PUBLIC OpwProgram* opw_program_load(const char* path);
/* The same from the file's bytes, which are copied. `name` appears in messages; null: "the
 * bytes". */
OPW_PUBLIC OpwProgram* opw_program_load_bytes(const void* bytes, size_t size, const char* name);
/* Null is harmless. Tensors returned by the program stay valid. */
OPW_PUBLIC void opw_program_release(OpwProgram* program);

/* An input or output of a program. All pointers live as long as the program. The struct only grows
 * at its end: a reader checks struct_size before it touches a field that is newer than 0.1. */
typedef struct {
  uint32_t struct_size;
  /* An OpwTag: kOpwTensor; kOpwInt for a size or another int that the caller chooses. Outputs can
   * also be kOpwFloat and kOpwBool, and have any other tag: those are null when the program
   * runs. */
  uint32_t tag;
  const char* name; /* an input's path in the call: "x", "batch[\"mask\"]" */
  OpwDtype dtype;   /* int64, float64 or bool for a number, which is passed as a tensor */
  OpwDevice device;
  int32_t ndim;       /* 0 for a number */
  int32_t is_written; /* 1: an input whose memory the program writes */
  /* ndim each. A dynamic size is -1: then it is between `least` and `greatest` (INT64_MAX:
   * unbounded), and `size_texts` has its name: "batch", "2*batch". Equal texts are equal sizes. */
  const int64_t* sizes;
  const int64_t* least;
  const int64_t* greatest;
  const char* const* size_texts;
} OpwValueSpec;

/* The inputs that the caller passes and the outputs it gets, in order. Arguments that were constant
 * at export (a flag, a string, a number that was not made dynamic) are part of the program: they
 * are neither counted nor passed. */
OPW_PUBLIC uint32_t opw_program_num_inputs(const OpwProgram* program);
OPW_PUBLIC uint32_t opw_program_num_outputs(const OpwProgram* program);
/* Null with IndexError if the index is too large. */
OPW_PUBLIC const OpwValueSpec* opw_program_input(const OpwProgram* program, uint32_t index);
OPW_PUBLIC const OpwValueSpec* opw_program_output(const OpwProgram* program, uint32_t index);
/* Signature, constraints, operators, graph: the text that `opwright show` prints. Lives as long as
 * the program. Null: MemoryError. */
OPW_PUBLIC const char* opw_program_text(const OpwProgram* program);

/* Runs the program; nothing is recorded for gradients.
 *
 * `inputs` are borrowed: one for each input, in order. `strides` may be null: dense and row-major.
 * A number is a tensor without dimensions, of the dtype in its spec. Inputs that are not
 * `is_written` are only read, and may share memory with each other.
 *
 * `outputs` has room for num_outputs tensors, which must be the number of outputs. Each is dense
 * and row-major, in its own memory, and is released with opw_tensor_release. After a failure all of
 * them are null. Returns 0, or 1: TypeError for a wrong count, dtype, device or number
 * of dimensions, ValueError for a size that the program does not allow, naming input, dimension and
 * bound, and any error that an operator raises.
 *
 * Several threads may run one program at the same time; runs of a program that keeps state (a
 * cache, a counter) wait for each other. */
OPW_PUBLIC int opw_program_run(const OpwProgram* program, const OpwDlTensor* inputs,
                               uint32_t num_inputs, OpwTensor** outputs, uint32_t num_outputs);

/* ---- Tensors returned by a program ---- */

/* Data, sizes, dtype; valid until the tensor is released. The memory may be written. */
OPW_PUBLIC const OpwDlTensor* opw_tensor_view(const OpwTensor* tensor);
/* Null is harmless. */
OPW_PUBLIC void opw_tensor_release(OpwTensor* tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_PROGRAM_API_H_ */
