/* Loads a program and runs it on a tensor of ones; plain C, links only libopwright.
 *
 *   run_program net.opw [liboperators.so...] */
#include <stdio.h>
#include <stdlib.h>

#include <inttypes.h>

#include "opwright/program_api.h"

enum { kMostDims = 8 };

/* Chooses the minimum of a dynamic size, but at least 2 if the program accepts that. */
static int64_t choose_size(const OpwValueSpec* spec, int dim) {
  if (spec->sizes[dim] >= 0) return spec->sizes[dim];
  return spec->least[dim] < 2 && spec->greatest[dim] >= 2 ? 2 : spec->least[dim];
}

/* Fills `view` with ones in the input's shape. Returns 0 if the input is not a float32 tensor. */
static int make_ones(const OpwValueSpec* spec, int64_t* shape, OpwDlTensor* view) {
  int64_t count = 1;
  if (spec->tag != kOpwTensor || spec->dtype.code != kOpwDtypeFloat || spec->dtype.bits != 32 ||
      spec->ndim > kMostDims) {
    return 0;
  }
  for (int dim = 0; dim < spec->ndim; ++dim) {
    shape[dim] = choose_size(spec, dim);
    count *= shape[dim];
  }
  float* numbers = malloc((size_t)count * sizeof *numbers + 1);
  if (!numbers) return 0;
  for (int64_t i = 0; i < count; ++i) numbers[i] = 1;
  view->data = numbers;
  view->device = spec->device;
  view->ndim = spec->ndim;
  view->dtype = spec->dtype;
  view->shape = shape; /* no strides: row-major */
  return 1;
}

static void print_output(const char* name, const OpwTensor* output) {
  const OpwDlTensor* view = opw_tensor_view(output);
  printf("%s: [", name);
  for (int dim = 0; dim < view->ndim; ++dim) {
    printf(dim == 0 ? "%" PRId64 : ", %" PRId64, view->shape[dim]);
  }
  printf("]");
  if (view->dtype.code == kOpwDtypeFloat && view->dtype.bits == 32) {
    printf(", first element %g", ((const float*)view->data)[0]);
  }
  printf("\n");
}

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, opw_last_error());
  return 1;
}

int main(int argc, char** argv) {
  int64_t shape[kMostDims];
  OpwDlTensor input = {0};
  OpwTensor* output = NULL;
  OpwProgram* program;
  int status;

  if (argc < 2) {
    fprintf(stderr, "usage: run_program net.opw [liboperators.so...]\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    if (opw_library_load(argv[i]) != 0) return fail(argv[i]);
  }
  program = opw_program_load(argv[1]);
  if (!program) return fail(argv[1]);
  if (opw_program_num_inputs(program) != 1 || opw_program_num_outputs(program) != 1 ||
      !make_ones(opw_program_input(program, 0), shape, &input)) {
    fprintf(stderr, "%s: this example runs programs of one float32 tensor\n", argv[1]);
    return 1;
  }

  status = opw_program_run(program, &input, 1, &output, 1);
  if (status == 0) {
    print_output(opw_program_output(program, 0)->name, output);
  } else {
    (void)fail("run");
  }
  opw_tensor_release(output);
  opw_program_release(program);
  free(input.data);
  return status;
}
