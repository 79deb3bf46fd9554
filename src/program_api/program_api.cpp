// The functions of program_api.h. No exception leaves them.
#include "opwright/runtime/program_api.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/program/export/version.h"
#include "opwright/program/file/program_file.h"
#include "opwright/program_api/program_handle.h"  // IWYU pragma: keep
#include "opwright/program_api/program_run.h"
#include "opwright/pt2/saved_program.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"

namespace {

using opwright::Error;
using opwright::Tensor;

struct LastError {
  std::string kind;
  std::string text;
};
LastError& last_error() {
  thread_local LastError error;
  return error;
}

void keep_current_error() noexcept {
  try {
    const Error error = opwright::current_error();
    last_error() = {error.kind(), opwright::concatenate(error.kind(), ": ", error.message())};
  } catch (...) {  // no memory for the text; this short one needs none
    last_error().kind = "MemoryError";
    last_error().text = "MemoryError";
  }
}

// Returns 0, or 1 and stores the error.
template <class Body>
int run_guarded(const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    keep_current_error();
    return 1;
  }
}

void require(const char* function, const void* pointer, const char* name) {
  OPWRIGHT_CHECK_VALUE(pointer, function, ": ", name, " is null");
}

const OpwValueSpec* spec_at(const char* what, std::span<const OpwValueSpec> specs, uint32_t index) {
  OPWRIGHT_CHECK_INDEX(index < specs.size(), "the program has ", specs.size(), " ", what,
                       "s, there is no ", what, " ", index);
  return &specs[index];
}

std::span<const OpwDlTensor> given_inputs(const OpwDlTensor* inputs, uint32_t count) {
  if (count != 0) require("opw_program_run", inputs, "inputs");
  return {inputs, count};
}

void run_into(const OpwProgram& program, std::span<const OpwDlTensor> inputs,
              std::span<OpwTensor*> outputs) {
  const size_t expected = program.outputs.size();
  OPWRIGHT_CHECK_TYPE(outputs.size() == expected, "the program gives ", expected,
                      " outputs, there is room for ", outputs.size());
  std::vector<Tensor> tensors = opwright::run_program(program, inputs);
  for (size_t i = 0; i < expected; ++i) outputs[i] = tensors[i].give();
}

}  // namespace

const char* opw_version() { return opwright::kVersion; }

const char* opw_last_error() { return last_error().text.c_str(); }

const char* opw_last_error_kind() { return last_error().kind.c_str(); }

int opw_library_load(const char* path) {
  return run_guarded([&] {
    require("opw_library_load", path, "path");
    opwright::load_library(path);
  });
}

int opw_set_num_threads(int count) {
  return run_guarded([&] { opwright::set_num_threads(count); });
}

int opw_set_seed(uint64_t seed) {
  return run_guarded([&] { opwright::seed_default_generators(seed); });
}

OpwProgram* opw_program_load(const char* path) {
  std::unique_ptr<OpwProgram> program;
  run_guarded([&] {
    require("opw_program_load", path, "path");
    program = std::make_unique<OpwProgram>(opwright::load_saved_program(path));
  });
  return program.release();
}

OpwProgram* opw_program_load_bytes(const void* bytes, size_t size, const char* name) {
  std::unique_ptr<OpwProgram> program;
  run_guarded([&] {
    require("opw_program_load_bytes", bytes, "bytes");
    program = std::make_unique<OpwProgram>(opwright::read_program(
        std::string_view(static_cast<const char*>(bytes), size), name ? name : "the bytes"));
  });
  return program.release();
}

void opw_program_release(OpwProgram* program) { delete program; }

uint32_t opw_program_num_inputs(const OpwProgram* program) {
  return program ? static_cast<uint32_t>(program->inputs.size()) : 0;
}

uint32_t opw_program_num_outputs(const OpwProgram* program) {
  return program ? static_cast<uint32_t>(program->outputs.size()) : 0;
}

const OpwValueSpec* opw_program_input(const OpwProgram* program, uint32_t index) {
  const OpwValueSpec* spec = nullptr;
  run_guarded([&] {
    require("opw_program_input", program, "program");
    spec = spec_at("input", program->inputs, index);
  });
  return spec;
}

const OpwValueSpec* opw_program_output(const OpwProgram* program, uint32_t index) {
  const OpwValueSpec* spec = nullptr;
  run_guarded([&] {
    require("opw_program_output", program, "program");
    spec = spec_at("output", program->outputs, index);
  });
  return spec;
}

const char* opw_program_text(const OpwProgram* program) {
  const char* text = nullptr;
  run_guarded([&] {
    require("opw_program_text", program, "program");
    text = program->text().c_str();
  });
  return text;
}

int opw_program_run(const OpwProgram* program, const OpwDlTensor* inputs, uint32_t num_inputs,
                    OpwTensor** outputs, uint32_t num_outputs) {
  for (uint32_t i = 0; outputs && i < num_outputs; ++i) outputs[i] = nullptr;
  return run_guarded([&] {
    require("opw_program_run", program, "program");
    if (num_outputs != 0) require("opw_program_run", static_cast<const void*>(outputs), "outputs");
    const opwright::NoGradScope no_grad;  // C cannot compute gradients
    run_into(*program, given_inputs(inputs, num_inputs), {outputs, num_outputs});
  });
}

const OpwDlTensor* opw_tensor_view(const OpwTensor* tensor) {
  return tensor ? &tensor->dl : nullptr;
}

void opw_tensor_release(OpwTensor* tensor) { opwright::release_tensor(tensor); }
