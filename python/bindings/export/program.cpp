#include "bindings/export/program.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/trace/graph.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/lift_state.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_file.h"
#include "opwright/pt2/pt2_file.h"
#include "opwright/pt2/saved_program.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Python's handle; several objects may share one program.
struct ProgramHandle {
  ExportedProgramPtr program;
};

// ---- Reading ----

nb::object python_value(const Value& value) { return own(to_python(value.get())); }

nb::list named_tensors(std::span<const NamedTensor> tensors) {
  nb::list list;
  for (const NamedTensor& each : tensors) {
    list.append(nb::make_tuple(each.name, own(wrap(each.tensor))));
  }
  return list;
}

bool is_tensor_value(const ProgramHandle& self, const std::string& name) {
  const GraphValue* value = self.program->graph().find(name);
  return value && value->tensor().is_defined();
}

nb::list program_inputs(const ProgramHandle& self) {
  nb::list inputs;
  for (const InputSpec& spec : self.program->signature().inputs) {
    inputs.append(nb::make_tuple(static_cast<int>(spec.kind), spec.value,
                                 is_tensor_value(self, spec.value), spec.target,
                                 python_value(spec.constant), spec.is_persistent));
  }
  return inputs;
}

nb::list program_outputs(const ProgramHandle& self) {
  nb::list outputs;
  for (const OutputSpec& spec : self.program->signature().outputs) {
    outputs.append(nb::make_tuple(static_cast<int>(spec.kind), spec.value,
                                  is_tensor_value(self, spec.value), spec.target,
                                  python_value(spec.constant)));
  }
  return outputs;
}

nb::list examples_of(const ProgramHandle& self) {
  nb::list examples;
  for (const Value& value : self.program->example_inputs()) examples.append(python_value(value));
  return examples;
}

nb::list operators_of(const ProgramHandle& self) {
  nb::list operators;
  for (const OperatorUse& use : self.program->operators()) {
    operators.append(nb::make_tuple(use.name, use.schema, use.library));
  }
  return operators;
}

nb::list ranges_of(const ProgramHandle& self) {
  using MaybeInt = std::optional<int64_t>;
  nb::list ranges;
  for (const RangeConstraint& each : self.program->range_constraints()) {
    const MaybeInt least = each.range.least == INT64_MIN ? MaybeInt() : each.range.least;
    const MaybeInt greatest = each.range.greatest == INT64_MAX ? MaybeInt() : each.range.greatest;
    ranges.append(nb::make_tuple(each.symbol, least, greatest));
  }
  return ranges;
}

// ---- Running and changing ----

// After a run that failed: if the inputs are the reason, throws that with a kind of its own, whose
// Python class also derives from AssertionError.
void throw_input_violation(const ExportedProgram& program, std::span<const OpwValue> given) {
  try {
    program.check_inputs(given);
  } catch (const Error& error) {
    const bool is_type = std::string_view(error.kind()) == "TypeError";
    throw Error(is_type ? "InputTypeError" : "InputValueError", error.text());
  }
}

nb::list run_program(const ProgramHandle& self, const nb::list& inputs) {
  ValueMemory memory;
  std::vector<OpwValue> given;
  given.reserve(inputs.size());
  for (const nb::handle input : inputs) given.push_back(memory.borrow(input.ptr()));
  std::vector<Value> results;
  {
    const CallFrameScope frame(given.data(), static_cast<uint32_t>(given.size()));
    const HoldCallsScope held;
    const UnlockScope unlocked;
    try {
      results = self.program->run(given);
    } catch (const Error&) {
      throw_input_violation(*self.program, given);
      throw;
    }
  }
  nb::list outputs;
  for (Value& result : results) outputs.append(own(take_to_python(result.give())));
  return outputs;
}

ProgramHandle decompose_program(const ProgramHandle& self, const std::vector<std::string>& names,
                                bool keep_composites) {
  std::vector<const Operator*> operators;
  for (const std::string& name : names) operators.push_back(&Registry::get().require(name));
  return {self.program->decompose(operators, keep_composites)};
}

void bind_program_reading(nb::class_<ProgramHandle>& program) {
  program
      .def_prop_ro(
          "graph",
          [](const ProgramHandle& self) { return graph_object(self.program->graph_ptr()); })
      .def_prop_ro("inputs", &program_inputs,
                   "Kind, value, is_tensor, target, constant, is_persistent of each.")
      .def_prop_ro("outputs", &program_outputs, "Kind, value, is_tensor, target, constant of each.")
      .def_prop_ro("state",
                   [](const ProgramHandle& self) { return named_tensors(self.program->state()); })
      .def_prop_ro(
          "constants",
          [](const ProgramHandle& self) { return named_tensors(self.program->constants()); })
      .def_prop_ro("example_inputs", &examples_of)
      .def_prop_ro("arguments",
                   [](const ProgramHandle& self) { return self.program->structure().arguments; })
      .def_prop_ro("results",
                   [](const ProgramHandle& self) { return self.program->structure().results; })
      .def_prop_ro("operators", &operators_of, "Name, schema, library of each.")
      .def_prop_ro("range_constraints", &ranges_of, "Symbol, least, greatest of each.")
      .def_prop_ro("guards", [](const ProgramHandle& self) { return self.program->guards(); })
      .def("__str__", [](const ProgramHandle& self) { return to_text(*self.program); });
}

void bind_files(nb::module_& m) {
  m.def(
      "save_program",
      [](const ProgramHandle& program, const std::string& path) {
        const UnlockScope unlocked;
        save_program_as(*program.program, path);
      },
      nb::arg("program"), nb::arg("path"));
  m.def(
      "load_program_file",
      [](const std::string& path) { return ProgramHandle{load_saved_program(path)}; },
      nb::arg("path"));
  m.def(
      "write_program",
      [](const ProgramHandle& program) {
        const std::string bytes = write_program(*program.program);
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("program"), "The bytes of the program's file.");
  m.def(
      "write_pt2",
      [](const ProgramHandle& program) {
        const std::string bytes = write_pt2(*program.program);
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("program"), "The bytes of an archive for PyTorch.");
  m.def(
      "read_program",
      [](const nb::bytes& data, const std::string& origin) {
        return ProgramHandle{read_program({data.c_str(), data.size()}, origin)};
      },
      nb::arg("data"), nb::arg("origin"));
  m.def("describe_program_file", &describe_program_file, nb::arg("path"),
        "Describe a file as text, without looking up operators.");
}

}  // namespace

nb::object program_object(ExportedProgramPtr program) {
  return nb::cast(ProgramHandle{std::move(program)});
}

ExportedProgramPtr program_of_object(nb::handle object) {
  return nb::cast<ProgramHandle&>(object).program;
}

void bind_program(nb::module_& m) {
  nb::class_<ProgramHandle> program(m, "ExportedProgram", "A graph with everything it needs.");
  bind_program_reading(program);
  program
      .def("run", &run_program, nb::arg("inputs"),
           "Run with one value for each user input; returns the user outputs.")
      .def(
          "check_inputs",
          [](const ProgramHandle& self, const nb::list& inputs) {
            ValueMemory memory;
            std::vector<OpwValue> given;
            for (const nb::handle input : inputs) given.push_back(memory.borrow(input.ptr()));
            throw_input_violation(*self.program, given);
          },
          nb::arg("inputs"), "Raise what `run` raises for inputs that it does not accept.")
      .def("decompose", &decompose_program, nb::arg("operators"),
           nb::arg("keep_composites") = false)
      .def(
          "lift_state",
          [](const ProgramHandle& self) { return ProgramHandle{lift_state(*self.program)}; },
          "The program with its parameters and buffers as inputs before the user inputs.");
  bind_files(m);
}

}  // namespace opwright::python
