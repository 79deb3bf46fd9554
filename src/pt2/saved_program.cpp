#include "opwright/pt2/saved_program.h"

#include <string>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_file.h"
#include "opwright/pt2/container/zip_archive.h"
#include "opwright/pt2/pt2_file.h"
#include "opwright/runtime/program.h"

namespace opwright {

ExportedProgramPtr load_saved_program(const std::string& path) {
  const bool is_archive = pt2::is_zip(make_intrusive<MappedFile>(path)->bytes());
  return is_archive ? load_pt2(path) : load_program_file(path);
}

void save_program_as(const ExportedProgram& program, const std::string& path) {
  return path.ends_with(".pt2") ? save_pt2(program, path) : save_program(program, path);
}

void Program::save(const std::string& path) const {
  save_program_as(*program_of(program_.get()), path);
}

Program load_program(const std::string& path) {
  return Program(program_value(load_saved_program(path)));
}

}  // namespace opwright
