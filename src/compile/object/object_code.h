// Object code in memory: the core's own loader of what LLVM made.
//
// Takes relocatable ELF of this machine with code and read-only data alone, checks every offset,
// refuses whatever it does not know by its name, and lets objects refer to nothing outside but
// memcpy, memset and memmove. Code is mapped r-x, constants r--.
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

  // Whether the system lets memory become code; some are set up not to.
  [[nodiscard]] static bool is_allowed() noexcept;
  // RuntimeError that tells what is refused.
  [[nodiscard]] static IntrusivePtr<const ObjectCode> load(std::span<const std::byte> object);
  ~ObjectCode();

  // Null: there is no such function. Lives as long as the object.
  [[nodiscard]] Function find(std::string_view name) const noexcept;

 private:
  struct Body;
  explicit ObjectCode(Body* body) noexcept : body_(body) {}
  Body* body_;
};
using ObjectCodePtr = IntrusivePtr<const ObjectCode>;

}  // namespace opwright
