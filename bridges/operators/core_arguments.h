// Values of a call in the form that the core's operators accept: the core's own tensors instead of
// Views over foreign memory.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "opwright/c_api.h"

namespace opwright::bridges {

// Valid as long as the given values. Copies only lists that hold a View.
class CoreArguments {
 public:
  explicit CoreArguments(std::span<const OpwValue> values);
  CoreArguments(const CoreArguments&) = delete;
  CoreArguments& operator=(const CoreArguments&) = delete;

  [[nodiscard]] const OpwValue* data() const { return values_.data(); }

 private:
  OpwValue convert(const OpwValue& value);

  std::vector<OpwValue> values_;
  std::list<std::vector<OpwTensor*>> tensor_lists_;
  std::list<std::vector<OpwValue>> lists_;
};

// OpwHost::call of the bridge's hosts: runs the core's operator on foreign memory.
int call_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                OpwValue* results, uint32_t num_results);

}  // namespace opwright::bridges
