// An operator as torch runs it: its arguments and results, and the functions of its binary over
// each of the bridge's two tables.
//
// Handles: tensors are AtenTensorHandles of torch's stable C ABI, no Python is involved. Objects:
// tensors are Python objects, sizes may be torch's SymInts, calls go to torch.ops. Kernels run over
// handles where they can; rules run over objects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bridges/torch/stable_abi.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

struct ImportTable;
struct StackPlan;
struct TorchLibrary;

// Never freed: torch may hold one of its functions permanently.
struct TorchOperator {
  OperatorDescription description;
  TorchLibrary* library = nullptr;  // null: defined in Python, without a binary
  std::map<std::string, const BinaryFunction*> functions;  // by slot

  // Records of the function in `slot` ("CPU", "Fake", ...); null if the binary has none. Created
  // once.
  const OpwRecord* over_handles(const std::string& slot);
  const OpwRecord* over_objects(const std::string& slot);

  // What each thunk tries first; set by registration.
  const OpwRecord* cpu_kernel = nullptr;   // over handles: "CPU", or a body for all devices
  const OpwRecord* cuda_kernel = nullptr;  // the same for CUDA
  const OpwRecord* composite = nullptr;    // over handles: an implicit composite body
  const StackPlan* plan = nullptr;         // how values are stored on torch's stack
  // True after the operator was removed: a held function raises.
  bool is_removed = false;
  // The callables of the Python module, by Thunk; see python_hooks.h.
  void* python_functions[3] = {};
};

// A binary with its two hosts. Never freed.
struct TorchLibrary {
  BinaryContents contents;
  OpwHost handles;                       // instance: this
  OpwHost objects;                       // instance: this
  const ImportTable* imports = nullptr;  // how each is called over handles, by index
  std::map<std::string, std::unique_ptr<TorchOperator>> operators;  // by name
};

// The library of that file: loaded into the core, collected for the bridge, its imports looked up.
// Two calls with one file return one library. Errors as opwright::load_library; AttributeError for
// an import that torch does not have (names operator, binary and torch's version).
TorchLibrary& open_library(const std::string& path);

// What a thunk does with a call.
enum class Thunk : uint8_t {
  Kernel,     // device keys: runs the kernel of the tensors' device
  Autograd,   // key Autograd: runs the kernel if nothing is transformed and nothing needs a
              // gradient, otherwise calls Python
  Composite,  // key CompositeImplicitAutograd: runs the body over handles if nothing is
              // transformed, otherwise calls Python
};

// Registers a thunk of the operator with torch's dispatcher under a key ("CPU", "Autograd", ...).
// The handle unregisters when it is deleted (delete_registration). TypeError for a schema that this
// torch's stable ABI cannot carry: names the argument, its type and the version that can.
struct TorchRegistration;
TorchRegistration* register_thunk(TorchOperator& op, Thunk thunk, const char* key);
void delete_registration(TorchRegistration* registration) noexcept;

// Defines the operators of a binary in torch and registers their kernels and composite bodies: for
// processes without Python. A second call with the same file does nothing. Errors as open_library
// and register_thunk.
void load_without_python(const std::string& path);

// Why the stable ABI of this torch cannot carry the schema, or empty.
[[nodiscard]] std::string uncarried_reason(const OperatorDescription& description);

}  // namespace opwright::torch_bridge
