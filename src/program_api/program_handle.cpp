#include "opwright/program_api/program_handle.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symint.h"

using opwright::concatenate;
using opwright::ValueSpec;

OpwProgram::OpwProgram(opwright::ExportedProgramPtr given)
    : program(std::move(given)), call(opwright::describe_call(*program)) {
  for (const ValueSpec& input : call.inputs) inputs.push_back(show(input));
  for (const ValueSpec& output : call.outputs) outputs.push_back(show(output));
  (void)program->plan();
}

const std::string& OpwProgram::text() const {
  const std::lock_guard lock(text_mutex_);
  if (text_.empty()) text_ = to_text(*program);
  return text_;
}

OpwProgram::SizeArrays OpwProgram::arrays_of(const ValueSpec& spec) {
  SizeArrays arrays;
  for (const ValueSpec::Size& each : spec.sizes) {
    arrays.sizes.push_back(each.size.is_symbolic() ? -1 : each.size.word());
    arrays.least.push_back(each.range.least);
    arrays.greatest.push_back(each.range.greatest);
    arrays.texts.push_back(concatenate(each.size));
  }
  for (const std::string& text : arrays.texts) arrays.text_pointers.push_back(text.c_str());
  return arrays;
}

OpwValueSpec OpwProgram::show(const ValueSpec& spec) {
  const SizeArrays& arrays = arrays_.emplace_back(arrays_of(spec));
  OpwValueSpec shown{};
  shown.struct_size = sizeof(OpwValueSpec);
  shown.tag = spec.tag;
  shown.name = spec.name.c_str();
  shown.dtype = opwright::to_dlpack(spec.dtype);
  shown.device = spec.device;
  shown.ndim = static_cast<int32_t>(spec.sizes.size());
  shown.is_written = spec.is_written ? 1 : 0;
  shown.sizes = arrays.sizes.data();
  shown.least = arrays.least.data();
  shown.greatest = arrays.greatest.data();
  shown.size_texts = arrays.text_pointers.data();
  return shown;
}
