#include "opwright/dispatch/tag_name.h"

#include "opwright/base/suggest.h"
#include "opwright/error.h"

namespace opwright {
namespace {

struct TagName {
  Tag tag;
  std::string_view name;
};
constexpr TagName kTagNames[] = {
    {Tag::Pointwise, "pointwise"},
    {Tag::Reduction, "reduction"},
    {Tag::View, "view"},
    {Tag::Core, "core"},
    {Tag::Inplace, "inplace"},
    {Tag::Out, "out"},
    {Tag::Nondeterministic, "nondeterministic"},
    {Tag::NondeterministicSeeded, "nondeterministic_seeded"},
    {Tag::DataDependentOutput, "data_dependent_output"},
    {Tag::DynamicOutputShape, "dynamic_output_shape"},
    {Tag::Blocking, "blocking"},
    {Tag::AllowsMixedDevices, "allows_mixed_devices"},
    {Tag::NeedsExactStrides, "needs_exact_strides"},
    {Tag::Nondifferentiable, "nondifferentiable"},
    {Tag::Ordered, "ordered"},
};

}  // namespace

Tag parse_tag(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TagName& each : kTagNames) {
    if (each.name == name) return each.tag;
    names.push_back(each.name);
  }
  const auto meant = closest(name, names);
  throw_error("ValueError", "there is no tag '", name, "'",
              meant ? concatenate("; did you mean '", *meant, "'?") : "");
}

std::vector<std::string> tag_names(Tags tags) {
  std::vector<std::string> names;
  for (const TagName& each : kTagNames) {
    if (tags.has(each.tag)) names.emplace_back(each.name);
  }
  return names;
}

}  // namespace opwright
