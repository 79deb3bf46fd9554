#include "bindings/operator/operator_text.h"

#include "bindings/operator/operator_object.h"
#include "opwright/dispatch/registry.h"

namespace opwright::python {

PyObject* module_name(const OperatorName& name) {
  return new_text("opwright.ops." + name.name_space);
}

std::string document(const Operator& op) {
  std::string text = to_text(op.schema());
  const std::string written = documentation_of(operator_object(op.name()));
  if (!written.empty()) text += "\n\n" + written;
  text += concatenate("\n\nDefined at ", op.site());
  if (*op.origin()) text += concatenate(" (", op.origin(), ")");
  return text;
}

std::vector<std::string> list_namespaces() {
  std::vector<std::string> names;
  for (const Operator* op : Registry::get().list()) {
    const std::string& name = op->schema().name.name_space;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

}  // namespace opwright::python
