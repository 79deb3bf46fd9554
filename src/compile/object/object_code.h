// Object code in memory: the core's own loader for LLVM's output.
//
// Accepts relocatable ELF of this machine with only code and read-only data, checks every offset,
// and rejects anything unknown, naming it. Objects may refer to nothing outside except memcpy,
// memset and memmove. Code is mapped r-x, constants r--.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT ObjectCode : public Counted<ObjectCode> {
 public:
  using Function = void (*)(int64_t* context);

  // Whether the system allows memory to become executable; some do not.
  [[nodiscard]] static bool is_allowed() noexcept;
  // RuntimeError that says what is rejected.
  [[nodiscard]] static IntrusivePtr<const ObjectCode> load(std::span<const std::byte> object);
  ~ObjectCode();

  // Null if there is no such function. Valid as long as the object.
  [[nodiscard]] Function find(std::string_view name) const noexcept;

 private:
  struct Body;
  explicit ObjectCode(Body* body) noexcept : body_(body) {}
  Body* body_;
};
using ObjectCodePtr = IntrusivePtr<const ObjectCode>;

}  // namespace opwright
