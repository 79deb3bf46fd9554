// Python hooks on tensors saved for a backward.
#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "opwright/autograd/saved_hooks.h"

namespace opwright::python {

// What a backward enters or leaves, in hooks or formulas, does not outlast it.
class [[nodiscard]] SavedHooksScope {
 public:
  SavedHooksScope();
  ~SavedHooksScope();
  SavedHooksScope(const SavedHooksScope&) = delete;
  SavedHooksScope& operator=(const SavedHooksScope&) = delete;

 private:
  struct Entered;
  SavedTensorHooks* current_;
  std::unique_ptr<Entered> entered_;  // null: no Python hooks
};

void bind_saved_tensor_hooks(nanobind::module_& m);

}  // namespace opwright::python
