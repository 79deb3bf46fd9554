// libnvrtc.so.13 that is made up: the machine code of a text is the text, and one name is
// undefined.
#include <cstddef>
#include <cstring>
#include <string>

namespace {

struct Program {
  std::string source;
  std::string name;
  std::string log;
};
constexpr int kCompilationFailed = 6;

}  // namespace

extern "C" {

int nvrtcCreateProgram(Program** program, const char* source, const char* name, int /*headers*/,
                       const char* const* /*texts*/, const char* const* /*names*/) {
  *program = new Program{.source = source, .name = name, .log = {}};
  return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  for (int i = 0; i < count; ++i) {
    if (std::strncmp(options[i], "--", 2) != 0) return 5;
  }
  if (program->source.find("no_such_thing") == std::string::npos) return 0;
  program->log = program->name + "(1): error: identifier \"no_such_thing\" is undefined\n";
  return kCompilationFailed;
}
int nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(Program* program, char* text) {
  std::strcpy(text, program->log.c_str());
  return 0;
}
int nvrtcGetCUBINSize(Program* program, size_t* size) {
  *size = program->source.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* code) {
  std::strcpy(code, program->source.c_str());
  return 0;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
const char* nvrtcGetErrorString(int result) {
  return result == kCompilationFailed ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INVALID_OPTION";
}

}  // extern "C"
