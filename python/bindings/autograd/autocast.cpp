#include "bindings/autograd/autocast.h"

#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/object/scalar_types.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/autocast.h"
#include "opwright/transforms/mode/autocast.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The arguments of a `with`'s mode, and the modes that it has entered.
class AutocastContext {
 public:
  AutocastContext(const nb::object& device, const nb::object& dtype, bool is_enabled,
                  bool keeps_casts)
      : device_(parse_device_object(device.ptr())),
        dtype_(dtype.is_none() ? std::nullopt : std::optional(parse_dtype(dtype.ptr()))),
        is_enabled_(is_enabled),
        keeps_casts_(keeps_casts) {
    (void)Autocast(device_, dtype_, is_enabled_, keeps_casts_);  // checks the dtype now
  }

  AutocastContext(const AutocastContext&) = delete;
  AutocastContext& operator=(const AutocastContext&) = delete;

  void enter() {
    entered_.push_back(std::make_unique<Autocast>(device_, dtype_, is_enabled_, keeps_casts_));
    entered_.back()->enter();
  }
  void leave() {
    OPWRIGHT_CHECK(!entered_.empty(), "autocast: left without having been entered");
    entered_.back()->leave();
    entered_.pop_back();
  }

 private:
  Device device_;
  std::optional<DType> dtype_;
  bool is_enabled_;
  bool keeps_casts_;
  std::vector<std::unique_ptr<Autocast>> entered_;
};

}  // namespace

void bind_autocast(nb::module_& m) {
  nb::class_<AutocastContext>(m, "AutocastContext")
      .def(nb::init<const nb::object&, const nb::object&, bool, bool>(), nb::arg("device_type"),
           nb::arg("dtype").none(), nb::arg("enabled"), nb::arg("cache_enabled"))
      .def("enter", &AutocastContext::enter)
      .def("leave", &AutocastContext::leave);
  m.def(
      "is_autocast_enabled",
      [](const nb::object& device) {
        return is_autocast_enabled(parse_device_object(device.ptr()));
      },
      nb::arg("device_type") = "cpu",
      "Whether autocast is on for a type of device, on this thread.\n\n"
      ">>> import opwright as ow\n"
      ">>> with ow.autocast(\"cpu\"):\n"
      "...     ow.is_autocast_enabled(\"cpu\"), ow.is_autocast_enabled(\"cuda\")\n"
      "(True, False)\n");
  m.def(
      "get_autocast_dtype",
      [](const nb::object& device) {
        return nb::steal(to_python(autocast_dtype(parse_device_object(device.ptr()))));
      },
      nb::arg("device_type") = "cpu",
      "The lower dtype of autocast on a type of device.\n\n"
      ">>> import opwright as ow\n"
      ">>> ow.get_autocast_dtype(\"cpu\"), ow.get_autocast_dtype(\"cuda\")\n"
      "(opwright.bfloat16, opwright.float16)\n");
  m.def("clear_autocast_cache", &clear_autocast_cache,
        "Drop the casts of parameters that the outermost autocast keeps.");
}

}  // namespace opwright::python
