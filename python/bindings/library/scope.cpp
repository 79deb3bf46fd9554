#include "bindings/library/scope.h"

#include <map>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/source.h"
#include "bindings/library/converter.h"
#include "bindings/object/scalar_types.h"
#include "bindings/operator/operator_object.h"
#include "opwright/base/given_error.h"
#include "opwright/dispatch/rule.h"
#include "opwright/dispatch/tag_name.h"
#include "opwright/functions.h"
#include "opwright/registration/autocast_rule.h"
#include "opwright/tensor/device/device_table.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

Tags parse_tags(const std::vector<std::string>& names) {
  uint64_t bits = 0;
  for (const std::string& name : names) bits |= Tags{parse_tag(name)}.bits();
  return Tags::from_bits(bits);
}

// ---- Garbage collection ----

int traverse_scope(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Scope>(self)->traverse(visit, arg);
}

int clear_scope(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Scope>(self)->close();
  return 0;
}

PyType_Slot scope_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_scope)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_scope)},
                             {0, nullptr}};

// The KeepOld rule: `self` has a bit for each argument that it copies.
int copy_old(const OpwRecord* record, const OpwValue* args, uint32_t /*num_args*/,
             OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    const uint64_t kept = *static_cast<const uint64_t*>(record->self);
    for (uint32_t i = 0; i < num_results; ++i) {
      const OpwValue& arg = args[i + 1];  // the context is first
      if ((kept >> i & 1) == 0) continue;
      if (arg.tag == kOpwTensor) {
        results[i] = ValueOf<Tensor>::give(Tensor::borrow(arg.as_tensor).clone());
      } else if (arg.tag == kOpwTensorList) {
        std::vector<Tensor> copies;
        visit_tensors(arg,
                      [&](OpwTensor* tensor) { copies.push_back(Tensor::borrow(tensor).clone()); });
        results[i] = Value(copies).give();
      }
    }
  });
}

nb::object define(Scope& scope, const std::string& schema, const std::vector<std::string>& tags,
                  const std::string& name_space, const nb::object& source) {
  const SourceSite site = source.is_none() ? caller_site() : site_of(source.ptr());
  return nb::borrow(operator_object(scope.define(schema, parse_tags(tags), name_space, site)));
}

}  // namespace

std::string Scope::define(const std::string& schema, Tags tags, const std::string& name_space,
                          SourceSite site) {
  check_open();
  Registry& registry = Registry::get();
  Registration registration =
      registry.define(schema, tags, site, {.library = "", .name_space = name_space});
  const std::string name(registration.name());
  add(std::move(registration), nullptr);
  return name;
}

uint64_t Scope::claim(const std::string& name_space) {
  check_open();
  return add(Registry::get().claim_namespace(name_space, caller_site()), nullptr);
}

uint64_t Scope::implement(const std::string& name, const std::string& slot_text, PyObject* callable,
                          bool checks_aliases) {
  check_open();
  const Slot slot = parse_slot(slot_text);
  const BoxedFunction boxed = box_python(callable, convention_of(slot), checks_aliases);
  return add(Registry::get().implement(name, slot, boxed, site_of(callable)), callable);
}

uint64_t Scope::implement_autocast(const std::string& name,
                                   const std::map<std::string, DType>& dtypes) {
  check_open();
  auto rule = std::make_unique<AutocastRule<>>();
  for (const auto& [device, dtype] : dtypes) {
    OPWRIGHT_CHECK_VALUE(is_floating(dtype), name, ": autocast casts to a floating dtype, got ",
                         dtype);
    rule->targets.push_back({parse_device(device), dtype});
  }
  const BoxedFunction boxed{.function = &AutocastRule<>::call_function,
                            .self = rule.release(),
                            .drop = &AutocastRule<>::drop,
                            .signature = nullptr};
  return add(Registry::get().implement(name, Slot::Autocast, boxed, caller_site()), nullptr);
}

uint64_t Scope::implement_keep_old(const std::string& name,
                                   const std::vector<uint32_t>& positions) {
  check_open();
  uint64_t kept = 0;
  for (const uint32_t position : positions) kept |= uint64_t{1} << position;
  const BoxedFunction boxed{.function = &copy_old,
                            .self = new uint64_t(kept),
                            .drop = [](void* self) { delete static_cast<uint64_t*>(self); },
                            .signature = nullptr};
  return add(Registry::get().implement(name, Slot::KeepOld, boxed, caller_site()), nullptr);
}

uint64_t Scope::implement_converter(const std::string& name, const std::string& engine,
                                    int64_t since_version, PyObject* rule) {
  check_open();
  return add(python::implement_converter(name, engine, since_version, rule),
             PyUnicode_Check(rule) ? nullptr : rule);
}

uint64_t Scope::set_fallback(const std::string& slot, PyObject* callable) {
  check_open();
  return add(Registry::get().set_fallback(
                 parse_slot(slot), box_python(callable, Convention::Fallback), site_of(callable)),
             callable);
}

uint64_t Scope::add(Registration registration, PyObject* callable) {
  entries_.push_back({++last_token_, std::move(registration), callable});
  return last_token_;
}

void Scope::check_open() const {
  OPWRIGHT_CHECK(!is_closed_, "the library was closed; nothing can be added to it");
}

void Scope::remove(uint64_t token) {
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    if (each->token != token) continue;
    const Entry removed = std::move(*each);  // dropped last: destructors may use this scope again
    entries_.erase(each);
    return;
  }
}

void Scope::close() {
  is_closed_ = true;
  while (!entries_.empty()) {
    const Entry removed = std::move(entries_.back());
    entries_.pop_back();
  }
}

int Scope::traverse(visitproc visit, void* arg) const {
  for (const Entry& entry : entries_) Py_VISIT(entry.callable);
  return 0;
}

void bind_scope(nb::module_& m) {
  nb::class_<Scope>(m, "Scope", "Owns registrations: what it added is removed when it ends.",
                    nb::type_slots(scope_slots))
      .def(nb::init<>())
      .def("define", &define, nb::arg("schema"), nb::kw_only(),
           nb::arg("tags") = std::vector<std::string>(), nb::arg("namespace") = "",
           nb::arg("source") = nb::none())
      .def("claim", &Scope::claim, nb::arg("namespace"))
      .def(
          "implement",
          [](Scope& self, const std::string& name, const std::string& slot,
             const nb::object& function, bool checks_aliases) {
            return self.implement(name, slot, function.ptr(), checks_aliases);
          },
          nb::arg("name"), nb::arg("slot"), nb::arg("function"), nb::kw_only(),
          nb::arg("checks_aliases") = false)
      .def(
          "implement_autocast",
          [](Scope& self, const std::string& name, const nb::dict& given) {
            std::map<std::string, DType> dtypes;
            for (const auto [device, dtype] : given)
              dtypes[nb::cast<std::string>(device)] = parse_dtype(dtype.ptr());
            return self.implement_autocast(name, dtypes);
          },
          nb::arg("name"), nb::arg("dtypes"))
      .def("implement_keep_old", &Scope::implement_keep_old, nb::arg("name"), nb::arg("positions"))
      .def(
          "implement_converter",
          [](Scope& self, const std::string& name, const std::string& engine, int64_t since_version,
             const nb::object& rule) {
            return self.implement_converter(name, engine, since_version, rule.ptr());
          },
          nb::arg("name"), nb::arg("engine"), nb::arg("since_version"), nb::arg("rule"))
      .def(
          "set_fallback",
          [](Scope& self, const std::string& slot, const nb::object& function) {
            return self.set_fallback(slot, function.ptr());
          },
          nb::arg("slot"), nb::arg("function"))
      .def("remove", &Scope::remove, nb::arg("token"))
      .def("close", &Scope::close)
      .def_prop_ro("is_closed", &Scope::is_closed)
      .def("__enter__", [](const nb::object& self) { return self; })
      .def("__exit__", [](Scope& self, const nb::args&) { self.close(); });
  m.def(
      "check_slot", [](const std::string& slot) { (void)parse_slot(slot); }, nb::arg("slot"),
      "ValueError, with the known names, unless it is a device or a dispatch key.");
  m.def(
      "add_tags",
      [](const std::string& name, const std::vector<std::string>& tags) {
        Registry::get().add_tags(name, parse_tags(tags));
      },
      nb::arg("name"), nb::arg("tags"));
}

}  // namespace opwright::python
