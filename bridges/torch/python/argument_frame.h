// The memory of one call's borrowed arguments: views of tensors, arrays of lists, and references
// that live until the call returns. On the caller's stack; small calls do not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <Python.h>

#include "bridges/torch/python/object_tensor.h"
#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"
#include "opwright/symint.h"

namespace opwright::torch_bridge {

class ArgumentFrame {
 public:
  ArgumentFrame() = default;
  ArgumentFrame(const ArgumentFrame&) = delete;
  ArgumentFrame& operator=(const ArgumentFrame&) = delete;
  ~ArgumentFrame() {
    for (uint32_t i = 0; i < num_views_; ++i) end_view(inline_views()[i]);
    for (const auto& each : more_views_) end_view(*each);
    for (const OpwSymWord word : words_) release_word(word);
    for (OpwObject* object : objects_) object->table->release(object);
  }

  // A view of a tensor object, which the caller keeps alive.
  ObjectTensor& show(PyObject* tensor) {
    ObjectTensor* view = nullptr;
    if (num_views_ < kInlineViews) {
      view = inline_views() + num_views_++;
    } else {
      view = more_views_.emplace_back(std::make_unique<ObjectTensor>()).get();
    }
    begin_view(*view, tensor);
    return *view;
  }

  // Not initialized.
  template <class T>
  T* allocate(size_t length) {
    const size_t bytes = (length * sizeof(T) + 15) & ~size_t{15};
    if (bytes <= kInlineBytes - used_bytes_) {
      void* memory = bytes_ + used_bytes_;
      used_bytes_ += bytes;
      return static_cast<T*>(memory);
    }
    more_bytes_.push_back(std::make_unique<char[]>(bytes));
    return reinterpret_cast<T*>(more_bytes_.back().get());
  }

  // Take ownership until the end of the call.
  PyObject* keep(Reference reference) {
    return references_.emplace_back(std::move(reference)).get();
  }
  OpwSymWord keep_word(OpwSymWord word) {
    if (is_symbolic(word)) words_.push_back(word);
    return word;
  }
  OpwObject* keep_object(OpwObject* object) { return objects_.emplace_back(object); }

 private:
  static constexpr size_t kInlineViews = 8;
  static constexpr size_t kInlineBytes = 256;

  ObjectTensor* inline_views() { return reinterpret_cast<ObjectTensor*>(views_); }

  uint32_t num_views_ = 0;
  size_t used_bytes_ = 0;
  alignas(ObjectTensor) char views_[kInlineViews * sizeof(ObjectTensor)];
  alignas(16) char bytes_[kInlineBytes];
  std::vector<std::unique_ptr<ObjectTensor>> more_views_;
  std::vector<std::unique_ptr<char[]>> more_bytes_;
  std::vector<Reference> references_;
  std::vector<OpwSymWord> words_;
  std::vector<OpwObject*> objects_;
};

}  // namespace opwright::torch_bridge
