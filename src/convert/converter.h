// Rules that convert calls of operators to nodes of foreign graphs, by engine ("onnx", "ge") and
// version.
//
// A rule is in the operator's row, in slot Convert: a boxed function that receives an engine and a
// version and returns a Converter, the text of a node, or None. So operator binaries, the core and
// Python register rules in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/source_site.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/visibility.h"

namespace opwright {

// One rule of an engine, which knows its own subclass.
class OPWRIGHT_EXPORT Converter : public Counted<Converter> {
 public:
  Converter(std::string engine, int64_t since_version, bool is_builtin = false)
      : engine_(std::move(engine)), since_version_(since_version), is_builtin_(is_builtin) {}
  virtual ~Converter() = default;
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  [[nodiscard]] const std::string& engine() const noexcept { return engine_; }
  [[nodiscard]] int64_t since_version() const noexcept { return since_version_; }
  // Built-in rules of the core have lower priority than all others.
  [[nodiscard]] bool is_builtin() const noexcept { return is_builtin_; }

 private:
  std::string engine_;
  int64_t since_version_;
  bool is_builtin_;
};
using ConverterPtr = IntrusivePtr<const Converter>;

// A kind of foreign graph for which rules are registered.
struct Engine {
  const char* name;
  void (*register_rules)();  // the core's own; called once, before the first look-up
};
// Does nothing if the name is known.
void add_engine(const Engine& engine);
// For static objects: static const AddedEngine added({"onnx", &register_rules});
struct AddedEngine {
  explicit AddedEngine(const Engine& engine) { add_engine(engine); }
};

// ValueError for an unknown engine. The operator may be defined later.
[[nodiscard]] OPWRIGHT_EXPORT Registration register_converter(std::string_view op,
                                                              ConverterPtr rule,
                                                              SourceSite site = SourceSite::of());

// The conversion of an operator: a rule, or the text of a node; neither if nothing was registered.
struct FoundConverter {
  ConverterPtr rule;
  std::optional<std::string> node_text;
  [[nodiscard]] bool is_there() const { return rule || node_text; }
};
// The newest rule of the highest version that is not above `version`. The functional form of an
// in-place operator uses the rules of that operator.
[[nodiscard]] FoundConverter find_converter(const Operator& op, std::string_view engine,
                                            int64_t version);
// The lowest version above `version` that has a rule; nullopt if none has.
[[nodiscard]] std::optional<int64_t> find_later_version(const Operator& op, std::string_view engine,
                                                        int64_t version, int64_t newest);

}  // namespace opwright
