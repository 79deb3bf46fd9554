// The operators of torch that a binary's code calls, over handles.
#pragma once

#include <memory>

#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// How each import is called; never freed. AttributeError for one that torch does not have.
[[nodiscard]] const ImportTable* make_import_table(const BinaryContents& contents);

// OpwHost::call of the hosts over handles.
int call_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                OpwValue* results, uint32_t num_results);

}  // namespace opwright::torch_bridge
