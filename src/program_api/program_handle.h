// OpwProgram: a program for C, with its description as plain arrays.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "opwright/program/export/exported_program.h"
#include "opwright/program_api/call_spec.h"
#include "opwright/runtime/program_api.h"

struct OpwProgram {
  // Also makes the plan, so that the first run is as fast as the others.
  explicit OpwProgram(opwright::ExportedProgramPtr given);
  OpwProgram(const OpwProgram&) = delete;
  OpwProgram& operator=(const OpwProgram&) = delete;

  // Created at the first use.
  [[nodiscard]] const std::string& text() const;

  const opwright::ExportedProgramPtr program;
  const opwright::CallSpec call;
  std::vector<OpwValueSpec> inputs;  // pointers into `call` and `arrays_`
  std::vector<OpwValueSpec> outputs;
  mutable std::mutex state_mutex;  // held by runs of a stateful program

 private:
  struct SizeArrays {
    std::vector<int64_t> sizes;
    std::vector<int64_t> least;
    std::vector<int64_t> greatest;
    std::vector<std::string> texts;
    std::vector<const char*> text_pointers;
  };
  [[nodiscard]] OpwValueSpec show(const opwright::ValueSpec& spec);
  [[nodiscard]] static SizeArrays arrays_of(const opwright::ValueSpec& spec);

  std::deque<SizeArrays> arrays_;
  mutable std::mutex text_mutex_;
  mutable std::string text_;
};
