#include "bindings/object/generator.h"

#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/random_state.h"
#include "opwright/transforms/trace/data_access.h"

namespace nb = nanobind;

namespace opwright::python {

PyTypeObject* generator_type = nullptr;

namespace {

// From -2^63 to 2^64 - 1; a negative seed means the unsigned number with the same bits.
uint64_t parse_seed(const nb::handle& seed) {
  const nb::object number = nb::steal(PyNumber_Index(seed.ptr()));
  if (!number.is_valid()) throw_python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return static_cast<uint64_t>(value);
  const uint64_t large = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw_error("OverflowError", "manual_seed: the seed ", nb::str(number).c_str(),
                " does not fit into 64 bits");
  }
  return large;
}

// A trace draws its numbers when it ends, so the state is not yet what Python would see.
void end_trace_for(const char* who) {
  end_trace(concatenate(who, "() reads or sets the state of random numbers"));
}

nb::object generator_state(const RandomState& state) {
  end_trace_for("get_state");
  return nb::steal(require(wrap(state.state())));
}

void set_state(RandomState& state, const nb::handle& bytes) {
  end_trace_for("set_state");
  OPWRIGHT_CHECK_TYPE(is_tensor(bytes.ptr()),
                      "set_state: the state of a generator is a uint8 tensor, got ",
                      class_name(bytes.ptr()));
  state.set_state(handle_of(bytes.ptr()));
}

uint64_t reseed(RandomState& state) {
  end_trace_for("seed");
  const uint64_t seed = unpredictable_seed();
  state.set_seed(seed);
  return seed;
}

Generator shared_default(Device device) { return Generator::borrow(&default_generator(device)); }

void bind_class(nb::module_& m) {
  nb::class_<Generator>(m, "Generator",
                        "A random number generator: a seed, and how far it was used.\n\n"
                        "Operators that draw numbers take one as `generator`. The same seed gives "
                        "the same numbers,\n"
                        "with any number of threads.\n\n"
                        ">>> import opwright as ow\n"
                        ">>> g = ow.Generator().manual_seed(7)\n"
                        ">>> first = ow.rand(3, generator=g)\n"
                        ">>> ow.equal(first, ow.rand(3, generator=g.manual_seed(7)))\n"
                        "True\n")
      .def(
          "__init__",
          [](Generator* self, const nb::object& device) {
            new (self) Generator(make_generator(parse_device_object(device.ptr())));
          },
          nb::arg("device") = "cpu")
      .def_prop_ro(
          "device",
          [](const Generator& self) { return nb::steal(to_python(random_state(self).device())); })
      .def(
          "manual_seed",
          [](const nb::object& self, const nb::object& seed) {
            end_trace_for("manual_seed");
            random_state(as_generator(self.ptr())).set_seed(parse_seed(seed));
            return self;
          },
          nb::arg("seed"), "Set the seed; return the generator.")
      .def(
          "seed", [](const Generator& self) { return reseed(random_state(self)); },
          "Set an unpredictable seed; return it.")
      .def(
          "initial_seed",
          [](const Generator& self) {
            end_trace_for("initial_seed");
            return random_state(self).seed();
          },
          "Return the seed last set.")
      .def(
          "get_state", [](const Generator& self) { return generator_state(random_state(self)); },
          "Return the state as a uint8 tensor.")
      .def(
          "set_state",
          [](const nb::object& self, const nb::object& state) {
            set_state(random_state(as_generator(self.ptr())), state);
            return self;
          },
          nb::arg("state"), "Restore a state that get_state returned; return the generator.")
      .def(
          "__eq__",
          [](const Generator& self, const Generator& other) { return self.get() == other.get(); },
          nb::is_operator())
      .def("__hash__",
           [](const Generator& self) { return reinterpret_cast<intptr_t>(self.get()) >> 4; })
      .def("__repr__", [](const Generator& self) {
        return concatenate("Generator(device='", device_text(random_state(self).device()), "')");
      });
  generator_type = reinterpret_cast<PyTypeObject*>(nb::type<Generator>().ptr());
}

void bind_defaults(nb::module_& m) {
  m.attr("default_generator") = nb::steal(to_python(shared_default(kCpu)));
  m.def(
      "seed_default_generators",
      [](const nb::object& seed) {
        end_trace_for("manual_seed");
        seed_default_generators(parse_seed(seed));
      },
      nb::arg("seed"), "Seed the default generators.");
}

}  // namespace

void bind_generator(nb::module_& m) {
  bind_class(m);
  bind_defaults(m);
}

PyObject* to_python(Generator generator) { return nb::cast(std::move(generator)).release().ptr(); }

const Generator& as_generator(PyObject* object) { return *nb::inst_ptr<Generator>(object); }

}  // namespace opwright::python
