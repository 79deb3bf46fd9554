// One run of a node.
#pragma once

#include <cstdint>

#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/ort_api.h"
#include "opwright/c_api.h"

namespace opwright::ort_bridge {

void run_node(const NodeKernel& kernel, OrtKernelContext* context);

// OpwHost::call of the bridge's hosts. A tensor that the kernel allocates gets the memory of a
// matching output; everything else runs on the core's operators.
int call_from_node(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                   OpwValue* results, uint32_t num_results);

}  // namespace opwright::ort_bridge
