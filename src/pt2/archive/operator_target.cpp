#include "opwright/pt2/archive/operator_target.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/schema/schema.h"

namespace opwright::pt2 {
namespace {

constexpr std::string_view kOperators = "torch.ops.";
constexpr std::string_view kDefaultOverload = "default";  // of an operator without overloads

}  // namespace

bool is_operator_target(std::string_view target) noexcept { return target.starts_with(kOperators); }

std::string operator_of_target(std::string_view target) {
  const std::string_view path = target.substr(kOperators.size());
  const size_t first = path.find('.');
  const size_t last = path.rfind('.');
  OPWRIGHT_CHECK_VALUE(first != std::string_view::npos && last > first, "'", target,
                       "' does not name an operator");
  std::string name =
      concatenate(path.substr(0, first), "::", path.substr(first + 1, last - first - 1));
  const std::string_view overload = path.substr(last + 1);
  if (overload != kDefaultOverload) name.append(".").append(overload);
  return name;
}

std::string target_of_operator(const opwright::OperatorName& name) {
  return concatenate(kOperators, name.name_space, ".", name.base, ".",
                     name.overload.empty() ? kDefaultOverload : std::string_view(name.overload));
}

}  // namespace opwright::pt2
