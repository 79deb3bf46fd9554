// opwright._torch.Rule: a function of an operator binary, called with torch's objects.
#pragma once

#include <string>

#include <Python.h>

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// The function in `slot`, as a callable; None if the binary has none. A new reference.
[[nodiscard]] PyObject* make_rule(TorchOperator& op, const std::string& slot);

// RuntimeError for an operator that was removed.
void require_present(const TorchOperator& op);

void add_rule_type(PyObject* module);

}  // namespace opwright::torch_bridge
