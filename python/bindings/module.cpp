// opwright._C: the core for Python.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/autograd/autocast.h"
#include "bindings/autograd/autograd.h"
#include "bindings/autograd/func.h"
#include "bindings/autograd/grad_mode.h"
#include "bindings/autograd/gradcheck.h"
#include "bindings/autograd/profiler.h"
#include "bindings/autograd/vmap.h"
#include "bindings/compile/code_maker.h"
#include "bindings/compile/compiled_function.h"
#include "bindings/device/device_kernel.h"
#include "bindings/device/device_table.h"
#include "bindings/export/export_session.h"
#include "bindings/export/program.h"
#include "bindings/ge/ge_converter.h"
#include "bindings/ge/ge_graph.h"
#include "bindings/ge/ge_tensor.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/exception_class.h"
#include "bindings/interpreter/lapack_finder.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/source.h"
#include "bindings/interpreter/warning.h"
#include "bindings/library/scope.h"
#include "bindings/object/device_stream.h"
#include "bindings/object/fake_mode.h"
#include "bindings/object/generator.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/shape_env.h"
#include "bindings/object/size_object.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_argument.h"
#include "bindings/onnx/onnx_graph.h"
#include "bindings/onnx/onnx_model.h"
#include "bindings/onnx/onnx_node.h"
#include "bindings/onnx/onnx_referee.h"
#include "bindings/onnx/onnx_type.h"
#include "bindings/onnx/onnx_value.h"
#include "bindings/opcheck/checked_calls.h"
#include "bindings/opcheck/opcheck.h"
#include "bindings/opcheck/variation.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/operator/foreign_host.h"
#include "bindings/operator/kernel_object.h"
#include "bindings/operator/operator_namespace.h"
#include "bindings/operator/operator_object.h"
#include "bindings/operator/operator_packet.h"
#include "bindings/operator/operator_text.h"
#include "bindings/operator/schema.h"
#include "bindings/operator/tensor_forms.h"
#include "bindings/pytree/pytree.h"
#include "bindings/pytree/spec_object.h"
#include "bindings/pytree/tree_text.h"
#include "bindings/tensor/creation.h"
#include "bindings/tensor/storage_object.h"
#include "bindings/trace/control_flow.h"
#include "bindings/trace/dim.h"
#include "bindings/trace/dispatch_mode.h"
#include "bindings/trace/functionalize.h"
#include "bindings/trace/graph.h"
#include "bindings/trace/trace_session.h"
#include "operator_names.h"
#include "opwright/base/thread_pool.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/check/checks/mutation_check.h"
#include "opwright/dispatch/registry.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/print_options.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

nb::object optional_object(bool is_there, std::string_view name,
                           PyObject* (*object)(std::string_view)) {
  return is_there ? nb::borrow(object(name)) : nb::none();
}

std::string without_default(const std::string& name) {
  const std::string_view suffix = ".default";
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

void bind_look_up(nb::module_& m) {
  m.def(
      "find_operator",
      [](const std::string& given) {
        const std::string name = without_default(given);
        return optional_object(Registry::get().find(name) != nullptr, name, &operator_object);
      },
      nb::arg("name"), "The operator with that name, or None.");
  const auto find_packet = [](const std::string& name) {
    return optional_object(!Registry::get().overloads(name).empty(), name,
                           [](std::string_view each) { return packet_object(each); });
  };
  m.def("find_packet", find_packet, nb::arg("name"), "All overloads of a name, or None.");
  m.def(
      "list_operators",
      [](const std::string& name_space) {
        std::vector<std::string> names;
        for (const Operator* op : Registry::get().list(name_space)) names.push_back(op->name());
        return names;
      },
      nb::arg("namespace") = "", "The sorted names of all operators, or of those of a namespace.");
  m.def("list_namespaces", &list_namespaces, "The namespaces that have operators.");
}

nb::object packet_of_use(const std::string& name, PacketUse use) {
  return nb::borrow(packet_object("aten::" + name, use));
}

nb::tuple names_tuple(std::span<const char* const> names) {
  nb::list list;
  for (const char* name : names) list.append(name);
  return nb::tuple(list);
}

void bind_operator_names(nb::module_& m) {
  std::vector<const char*> functions(std::begin(kFunctionNames), std::end(kFunctionNames));
  for (const std::string_view form : form_function_names()) {  // some are no operator's name
    if (std::ranges::find(functions, form) == functions.end()) functions.push_back(form.data());
  }
  m.attr("function_names") = names_tuple(functions);
  m.attr("method_names") = names_tuple(kMethodNames);
  m.def(
      "make_function",
      [](const std::string& name) {
        PyObject* form = make_form_function(name);
        return form ? nb::steal(form) : packet_of_use(name, PacketUse::Function);
      },
      nb::arg("name"));
  // Methods that are operators; the others are in the files of the type.
  for (const char* name : kMethodNames) {
    PyObject* type = reinterpret_cast<PyObject*>(tensor_type);
    if (PyDict_GetItemString(tensor_type->tp_dict, name)) continue;
    require_no_error(
        PyObject_SetAttrString(type, name, packet_of_use(name, PacketUse::Method).ptr()));
  }
  // Not a property, so that an instance of a subclass can have a name of its own.
  require_no_error(
      PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "name", Py_None));
}

void bind_process(nb::module_& m) {
  m.def("load_library", [](const std::string& path) { load_library(path); }, nb::arg("path"));
  m.def("unload_library", [](const std::string& path) { unload_library(path); }, nb::arg("path"));
  m.def(
      "describe_library", [](const std::string& path) { return to_text(describe_library(path)); },
      nb::arg("path"));
  m.def("num_threads", &num_threads, "The number of threads that a loop of the core uses.");
  m.def(
      "set_num_threads",
      [](int count) {
        const UnlockScope unlocked;  // it may wait for a running loop
        set_num_threads(count);
      },
      nb::arg("count"));
  m.def(
      "print_options",
      [] {
        const PrintOptions options = print_options();
        return nb::make_tuple(options.precision, options.threshold, options.edge_items,
                              options.line_width, options.is_scientific);
      },
      "Precision, threshold, edge items, line width and whether numbers are scientific.");
  m.def(
      "set_print_options",
      [](int64_t precision, int64_t threshold, int64_t edge_items, int64_t line_width,
         std::optional<bool> is_scientific) {
        set_print_options({precision, threshold, edge_items, line_width, is_scientific});
      },
      nb::arg("precision"), nb::arg("threshold"), nb::arg("edge_items"), nb::arg("line_width"),
      nb::arg("is_scientific").none());
  m.def("live_counts",
        [] { return nb::make_tuple(live_counts().tensors, live_counts().storages); });
  m.def("in_fake_kernel", [] { return thread_state().makes_fakes(); });
  m.def("check_mutation", &set_check_mutation, nb::arg("enabled"));
  m.def("user_line", [] {
    const SourceSite site = current_user_line();
    return nb::make_tuple(site.file ? site.file : "", site.line);
  });
  m.def("site_of", [](const nb::object& callable) {
    const SourceSite site = site_of(callable.ptr());
    return nb::make_tuple(site.file ? site.file : "", site.line);
  });
  m.def(
      "register_opaque_type",
      [](const nb::object& python_class, const std::string& name) {
        register_opaque_type(python_class.ptr(), name);
      },
      nb::arg("cls"), nb::arg("name"));
  m.def("opaque_type_name", [](const nb::object& python_class) -> std::optional<std::string> {
    if (!PyType_Check(python_class.ptr())) return std::nullopt;
    const OpwObjectTable* table =
        find_opaque_table(reinterpret_cast<PyTypeObject*>(python_class.ptr()));
    if (!table) return std::nullopt;
    return table->type_name;
  });
}

}  // namespace
}  // namespace opwright::python

NB_MODULE(_C, m) {
  using namespace opwright::python;  // NOLINT(google-build-using-namespace): the module's body
  nb::set_leak_warnings(false);      // operators, dtypes and registry entries are never freed
  nb::register_exception_translator([](const std::exception_ptr& error, void* /*unused*/) {
    try {
      std::rethrow_exception(error);
    } catch (const opwright::Error& ours) {
      raise(ours);
    }
  });
  add_exceptions(m.ptr());
  install_lapack_finder();
  bind_scalar_types(m);
  bind_generator(m);
  add_sym_types(m.ptr());
  add_tape_type(m.ptr());
  add_size_type(m.ptr());
  add_tensor_type(m.ptr());
  add_operator_type(m.ptr());
  add_packet_types(m.ptr());
  add_compiled_function_type(m.ptr());
  add_namespace_types(m.ptr());
  bind_schema(m);
  bind_scope(m);
  bind_kernel(m);
  bind_look_up(m);
  bind_foreign_call(m);
  bind_operator_names(m);
  bind_creation(m);
  bind_storage(m);
  bind_func(m);
  bind_functionalize(m);
  bind_vmap(m);
  bind_warnings(m);
  bind_process(m);
  bind_device_table(m);
  bind_device_stream(m);
  bind_device_kernel(m);
  bind_shape_env(m);
  bind_fake_mode(m);
  bind_dispatch_mode(m);
  bind_grad_mode(m);
  bind_gradcheck(m);
  bind_profiler(m);
  bind_checked_calls(m);
  bind_opcheck(m);
  bind_foreign_host(m);
  bind_onnx_referee(m);
  bind_variation(m);
  bind_autocast(m);
  bind_autograd(m);
  bind_graph(m);
  bind_trace_session(m);
  bind_control_flow(m);
  bind_tree_spec(m);
  bind_pytree(m);
  bind_tree_text(m);
  bind_dim(m);
  bind_export_session(m);
  bind_program(m);
  bind_onnx_model(m);
  bind_onnx_type(m);
  bind_onnx_value(m);
  bind_onnx_node(m);
  bind_onnx_graph(m);
  bind_onnx_argument(m);
  bind_ge_tensor(m);
  bind_ge_converter(m);
  bind_ge_graph(m);
  bind_compile(m);
  bind_code_maker(m);
  install_wait_hooks();
  install_fork_hooks();
  install_user_line_finder();
}
