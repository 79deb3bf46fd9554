/* Programs for C: load a file, run it. Needs libopwright alone; no Python.
 *
 *   OpwProgram* program = opw_program_load("net.opw");
 *   if (!program) puts(opw_last_error());
 *
 * A function that fails returns null or 1, and opw_last_error tells why. Any thread may use any
 * program; the functions of one OpwRun belong to one thread at a time. */
#ifndef OPWRIGHT_PROGRAM_API_H_
#define OPWRIGHT_PROGRAM_API_H_

#include <stddef.h>
#include <stdint.h>

#include "opwright/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OpwProgram OpwProgram;

/* What went wrong last on this thread: "ValueError: ...". Valid until the next call that fails. */
__attribute__((visibility("default"))) const char* opw_last_error(void);

/* Takes what an operator binary registers; before programs that use it are loaded. */
__attribute__((visibility("default"))) int opw_library_load(const char* path);

/* Null: opw_last_error tells why. Released by opw_program_release. */
__attribute__((visibility("default"))) OpwProgram* opw_program_load(const char* path);
__attribute__((visibility("default"))) void opw_program_release(OpwProgram* program);

/* What the caller gives and gets, in order. Names live as long as the program. */
__attribute__((visibility("default"))) uint32_t opw_program_num_inputs(const OpwProgram* program);
__attribute__((visibility("default"))) uint32_t opw_program_num_outputs(const OpwProgram* program);
__attribute__((visibility("default"))) const char* opw_program_input_name(const OpwProgram* program,
                                                                          uint32_t index);
__attribute__((visibility("default"))) const char* opw_program_output_name(
    const OpwProgram* program, uint32_t index);
/* The text of `opwright show`; lives as long as the program. */
__attribute__((visibility("default"))) const char* opw_program_text(OpwProgram* program);

/* Runs it. `inputs` are borrowed memory, one for each input that is a tensor; strides may be null:
 * dense. `outputs` has room for one tensor for each output; each is released by
 * opw_tensor_release. Outputs that are no tensors are null. */
__attribute__((visibility("default"))) int opw_program_run(const OpwProgram* program,
                                                           const OpwDlTensor* inputs,
                                                           uint32_t num_inputs, OpwTensor** outputs,
                                                           uint32_t num_outputs);
/* What an output holds; borrowed, valid until it is released. */
__attribute__((visibility("default"))) const OpwDlTensor* opw_tensor_view(const OpwTensor* tensor);
__attribute__((visibility("default"))) void opw_tensor_release(OpwTensor* tensor);

#ifdef __cplusplus
}
#endif

#endif /* OPWRIGHT_PROGRAM_API_H_ */
