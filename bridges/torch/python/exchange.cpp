#include "bridges/torch/python/exchange.h"

#include <cstdint>

#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/torch_objects.h"

namespace opwright::torch_bridge {
namespace {

struct Version {
  uint32_t major;
  uint32_t minor;
};

// The struct behind the capsule `__dlpack_c_exchange_api__` of a tensor type.
struct ExchangeHeader {
  Version version;
  ExchangeHeader* previous;  // of an older version, or null
};
struct ExchangeTable {
  ExchangeHeader header;
  void* allocate;
  void* own_tensor_of_object;
  void* object_of_tensor;
  int (*view_of_object)(void* object, OpwDlTensor* view);
  void* current_stream;
};
constexpr uint32_t kMajorVersion = 1;

const ExchangeTable* find_table() {
  const Reference capsule = Reference::take(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(torch_objects().tensor), "__dlpack_c_exchange_api__"));
  void* pointer = capsule ? PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api") : nullptr;
  PyErr_Clear();
  auto* header = static_cast<ExchangeHeader*>(pointer);
  while (header && header->version.major != kMajorVersion) header = header->previous;
  return reinterpret_cast<const ExchangeTable*>(header);
}

}  // namespace

bool view_memory(PyObject* tensor, OpwDlTensor& view) {
  static const ExchangeTable* const table = find_table();
  if (!table || !table->view_of_object) return false;
  if (table->view_of_object(tensor, &view) != 0) {
    PyErr_Clear();
    return false;
  }
  view.data = static_cast<char*>(view.data) + view.byte_offset;
  view.byte_offset = 0;
  return true;
}

}  // namespace opwright::torch_bridge
