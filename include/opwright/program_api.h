/* Programs for C: load a file that export made, run it. Needs libopwright alone; no Python.
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
 * A function that fails returns null or 1, and opw_last_error tells why; nothing is thrown and
 * nothing is printed. Any thread may call any function. A program must not be released while
 * another thread uses it. C99 or newer, C++. */
#ifndef OPWRIGHT_PROGRAM_API_H_
#define OPWRIGHT_PROGRAM_API_H_

#include <stddef.h>
#include <stdint.h>

/* C99 knows unions without a name as an extension only. */
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

/* Of Opwright: "0.1.0". The ABI's is OPW_ABI_MAJOR, OPW_ABI_MINOR. */
OPW_PUBLIC const char* opw_version(void);

/* What went wrong last on this thread, "ValueError: ...", and its kind alone, "ValueError": the
 * name of a Python exception. Empty before anything did. Both are valid until the next failure on
 * this thread; a call that succeeds leaves them as they are. */
OPW_PUBLIC const char* opw_last_error(void);
OPW_PUBLIC const char* opw_last_error_kind(void);

/* Takes what an operator binary registers: before the programs that use it are loaded. The same
 * file twice is harmless. Returns 0, or 1: OSError, ImportError, ValueError. */
OPW_PUBLIC int opw_library_load(const char* path);

/* How many threads an operator uses, the caller included; at first OPWRIGHT_NUM_THREADS or the
 * hardware's. Returns 0, or 1: ValueError below 1. */
OPW_PUBLIC int opw_set_num_threads(int count);
/* Where programs that draw random numbers begin. Until then that is not predictable. */
OPW_PUBLIC int opw_set_seed(uint64_t seed);

/* ---- Programs ---- */

/* Validates the file and runs nothing of it. Its tensors stay mapped from the file, which must not
 * be written while the program is there. Null: OSError for a file that is not there, ValueError for
 * one that is damaged or of a newer format, NotImplementedError for an operator that is not there,
 * with the library to load first. */
OPW_PUBLIC OpwProgram* opw_program_load(const char* path);
/* The same of the file's bytes, which are copied. `name` stands in messages; null: "the bytes". */
OPW_PUBLIC OpwProgram* opw_program_load_bytes(const void* bytes, size_t size, const char* name);
/* Null is harmless. Tensors that the program gave stay valid. */
OPW_PUBLIC void opw_program_release(OpwProgram* program);

/* What is given to or comes from a program. All pointers live as long as the program. Grows at its
 * end only: a reader looks at struct_size before it touches a field that is newer than 0.1. */
typedef struct {
  uint32_t struct_size;
  /* An OpwTag: kOpwTensor; kOpwInt for a size or another int that the caller chooses. Outputs can
   * also be kOpwFloat and kOpwBool, and of any other tag: those are null when the program runs. */
  uint32_t tag;
  const char* name; /* an input's place in the call: "x", "batch[\"mask\"]" */
  OpwDtype dtype;   /* of a number int64, float64 or bool: it is passed as a tensor */
  OpwDevice device;
  int32_t ndim;       /* of a number 0 */
  int32_t is_written; /* 1: an input whose memory the program writes */
  /* ndim each. A size is -1 where it differs from call to call: then it lies between `least` and
   * `greatest`, which belong to it (INT64_MAX: without bound), and is called so in `size_texts`:
   * "batch", "2*batch". Equal texts are equal sizes. */
  const int64_t* sizes;
  const int64_t* least;
  const int64_t* greatest;
  const char* const* size_texts;
} OpwValueSpec;

/* What the caller gives and gets, in order. Arguments that export took as constants (a flag, a
 * string, a number that was not made dynamic) are part of the program: they are not counted and not
 * given. */
OPW_PUBLIC uint32_t opw_program_num_inputs(const OpwProgram* program);
OPW_PUBLIC uint32_t opw_program_num_outputs(const OpwProgram* program);
/* Null, IndexError, for an index that is too large. */
OPW_PUBLIC const OpwValueSpec* opw_program_input(const OpwProgram* program, uint32_t index);
OPW_PUBLIC const OpwValueSpec* opw_program_output(const OpwProgram* program, uint32_t index);
/* Signature, constraints, operators, graph: the text of `opwright show`. Lives as long as the
 * program. Null: MemoryError. */
OPW_PUBLIC const char* opw_program_text(const OpwProgram* program);

/* Runs it; nothing is recorded for gradients.
 *
 * `inputs` are borrowed: one for each input, in order. `strides` may be null: row by row without
 * gaps. A number is a tensor without dimensions, of the dtype in its spec. Inputs that are not
 * `is_written` are only read, and may be one another's memory.
 *
 * `outputs` has room for num_outputs tensors, which must be the number of outputs. Each is dense,
 * row by row, in memory of its own, and is released by opw_tensor_release. After a failure all of
 * them are null. Returns 0, or 1: TypeError for a wrong number, dtype, device or number of
 * dimensions, ValueError for a size that the program does not admit, naming input, dimension and
 * bound, and whatever an operator raises.
 *
 * Several threads may run one program at a time; runs of one that keeps state (a cache, a counter)
 * wait for each other. */
OPW_PUBLIC int opw_program_run(const OpwProgram* program, const OpwDlTensor* inputs,
                               uint32_t num_inputs, OpwTensor** outputs, uint32_t num_outputs);

/* ---- Tensors that a program gave ---- */

/* Data, sizes, dtype; valid until the tensor is released. The memory may be written. */
OPW_PUBLIC const OpwDlTensor* opw_tensor_view(const OpwTensor* tensor);
/* Null is harmless. */
OPW_PUBLIC void opw_tensor_release(OpwTensor* tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_PROGRAM_API_H_ */
