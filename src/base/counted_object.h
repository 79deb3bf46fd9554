// Wraps a reference-counted C++ object as an OpwObject: the shared implementation of its table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/value.h"

namespace opwright {

// `Traits` has the type Held, kTypeName (as in schemas), are_equal(a, b), hash(held) and
// text(held).
template <class Traits>
class CountedObject final : public OpwObject, public Counted<CountedObject<Traits>> {
 public:
  using Pointer = IntrusivePtr<typename Traits::Held>;

  [[nodiscard]] static Value make(Pointer held) {
    OpwValue value{};
    value.tag = kOpwObject;
    value.as_object = new CountedObject(std::move(held));
    return Value::take(value);
  }
  // Null if the value is something else.
  [[nodiscard]] static const CountedObject* find(const OpwValue& value) noexcept {
    const bool is_one =
        value.tag == kOpwObject && value.as_object && value.as_object->table == &kTable;
    return is_one ? &of(value.as_object) : nullptr;
  }
  [[nodiscard]] const Pointer& held() const noexcept { return held_; }

 private:
  explicit CountedObject(Pointer held) : OpwObject{&kTable}, held_(std::move(held)) {}

  static CountedObject& of(const OpwObject* object) {
    return const_cast<CountedObject&>(static_cast<const CountedObject&>(*object));
  }
  static void retain(OpwObject* object) { of(object).add_ref(); }
  static void release_object(OpwObject* object) { of(object).release(); }
  static int equal(const OpwObject* a, const OpwObject* b) {
    return Traits::are_equal(*of(a).held_, *of(b).held_) ? 1 : 0;
  }
  static uint64_t hash(const OpwObject* object) { return Traits::hash(*of(object).held_); }
  static size_t write_text(const OpwObject* object, char* buffer, size_t capacity) {
    const std::string text = Traits::text(*of(object).held_);
    if (capacity > 0) {
      const size_t length = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), length);
      buffer[length] = '\0';
    }
    return text.size();
  }

  static constexpr OpwObjectTable kTable = {sizeof(OpwObjectTable),
                                            Traits::kTypeName,
                                            &retain,
                                            &release_object,
                                            &equal,
                                            &hash,
                                            &write_text};

  Pointer held_;
};

}  // namespace opwright
