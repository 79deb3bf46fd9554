#include "bindings/object/fake_mode.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/mode_entries.h"
#include "bindings/object/shape_env.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/transforms/trace/make_fx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using FakeModePtr = IntrusivePtr<FakeMode>;

// A mode and the `with` statements that have entered it.
class FakeModeObject {
 public:
  FakeModeObject(ShapeEnvPtr shape_env, FakeMode::RealInputs real_inputs, FakeMode::Numbers numbers)
      : mode_(FakeModePtr::take(new FakeMode(std::move(shape_env), real_inputs, numbers))) {}

  [[nodiscard]] FakeMode& mode() const { return *mode_; }

  void enter() { entries_.enter(mode_); }
  void leave() { entries_.leave("FakeTensorMode"); }

 private:
  FakeModePtr mode_;
  ModeEntries entries_;
};

std::vector<int64_t> read_dims(const nb::object& dims) {
  std::vector<int64_t> read;
  for (const nb::handle dim : dims) {
    const nb::object index = nb::steal(require(PyNumber_Index(dim.ptr())));
    read.push_back(PyLong_AsLongLong(index.ptr()));
  }
  return read;
}

nb::object from_tensor(const FakeModeObject& self, const nb::object& tensor,
                       const nb::object& dynamic, const std::string& source) {
  OPWRIGHT_CHECK_TYPE(is_tensor(tensor.ptr()), "from_tensor: expected a Tensor, got ",
                      class_name(tensor.ptr()));
  const Tensor real = handle_of(tensor.ptr());
  FakeMode& mode = self.mode();
  Tensor fake =
      PyBool_Check(dynamic.ptr())
          ? mode.from_tensor(
                real, dynamic.ptr() == Py_True ? FakeMode::Sizes::Dynamic : FakeMode::Sizes::Static,
                source)
          : mode.from_tensor(real, read_dims(dynamic), source);
  return nb::steal(require(wrap(std::move(fake))));
}

constexpr const char* kFakeModeDoc =
    "While it is active, operators run on shapes only: results have no memory.\n\n"
    "Devices need not exist. Real tensors are rejected; `from_tensor` converts them to fake ones,\n"
    "and so does every call if `allow_non_fake_inputs` is set. With a `shape_env`, item() and\n"
    "tolist() return symbolic numbers while the mode is active; without one they raise.\n"
    "Fake tensors keep working after the mode ends.\n\n"
    ">>> import opwright as ow\n"
    ">>> with ow.FakeTensorMode() as mode:\n"
    "...     x = ow.zeros(1000, 1000, device=\"cuda\")\n"
    "...     y = x @ x\n"
    ">>> y.shape, y.device, y.is_fake\n"
    "((1000, 1000), device(type='cuda', index=0), True)\n"
    ">>> mode.from_tensor(ow.ones(3, 2), dynamic=True).shape\n"
    "(s0, s1)\n";

// Whether a tensor, or the one that it wraps inside of a transform, has no memory.
bool shows_fake(const nb::object& tensor) {
  Tensor shown = handle_of(tensor.ptr());
  while (impl(shown).is_wrapper()) {
    shown = Tensor(static_cast<const WrapperImpl&>(impl(shown)).inner);
  }
  return shown.is_fake();
}

// Runs outside all transforms and modes, on real tensors.
nb::object run_eagerly(const nb::object& function) {
  const ThreadStateScope scope(ThreadState{});
  return function();
}

}  // namespace

void bind_fake_mode(nb::module_& m) {
  nb::class_<FakeModeObject>(m, "FakeTensorMode", kFakeModeDoc)
      .def(
          "__init__",
          [](FakeModeObject* self, const nb::object& shape_env, bool allow_non_fake_inputs) {
            using RealInputs = FakeMode::RealInputs;
            new (self) FakeModeObject(
                shape_env.is_none() ? find_shape_env()
                                    : shape_env_of_object(shape_env, "FakeTensorMode"),
                allow_non_fake_inputs ? RealInputs::Converted : RealInputs::Refused,
                shape_env.is_none() ? FakeMode::Numbers::Refused : FakeMode::Numbers::Symbolic);
          },
          nb::arg("shape_env") = nb::none(), nb::kw_only(),
          nb::arg("allow_non_fake_inputs") = false)
      .def("__enter__",
           [](const nb::object& self) {
             nb::inst_ptr<FakeModeObject>(self)->enter();
             return self;
           })
      .def("__exit__", [](FakeModeObject& self, const nb::args&) { self.leave(); })
      .def("from_tensor", &from_tensor, nb::arg("tensor"), nb::arg("dynamic") = false,
           nb::arg("source") = "",
           "Return the fake version of a real tensor, always the same one; fakes share storages as "
           "the real ones do.\n\n`dynamic` makes the sizes of all dimensions symbolic, or those it "
           "lists.")
      .def_prop_ro(
          "shape_env",
          [](const FakeModeObject& self) { return shape_env_object(self.mode().shape_env()); },
          "The owner of its size symbols.");
  m.def("run_eagerly", &run_eagerly, nb::arg("function"));
  m.def("shows_fake", &shows_fake, nb::arg("tensor"),
        "Whether a tensor, or the one that it wraps inside of a transform, has no memory.");
}

Tensor adopt(Tensor made) {
  if (!thread_state().needs_attention()) [[likely]]
    return made;
  if (is_making_fakes() && !made.is_fake()) made = fake_copy_of(made);
  const Interpreter* level = current_interpreter();
  return level && level->traits().lifts ? lift_fresh_copy(made) : made;
}

}  // namespace opwright::python
