// Operators that are derived from others when they are first needed, e.g. the functional form of an
// operator that writes.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/schema.h"
#include "opwright/tag.h"

namespace opwright {

// The derived operators of one kind, by name. Each lives until the operator that it is derived from
// is removed and another one is derived.
class DerivedOperators {
 public:
  // `body` runs a derived operator; its record's self is the operator that it is derived from.
  // Transforms see a derived operator as a call; with `is_seen_through`, the calls of its body.
  explicit DerivedOperators(OpwFunction body, bool is_seen_through = false)
      : body_(body), is_seen_through_(is_seen_through) {}

  // The operator with `schema` that is derived from `op`; defines it on the first call.
  const Operator& find_or_define(const Operator& op, const Schema& schema, Tags tags);
  // What an operator of this kind is derived from; null for any other operator.
  [[nodiscard]] const Operator* origin_of(const Operator& op);

 private:
  struct Derived {
    const Operator* of = nullptr;
    const Operator* op = nullptr;
    std::vector<Registration> registrations;
  };
  [[nodiscard]] Derived define(const Operator& op, const Schema& schema, Tags tags) const;

  OpwFunction body_;
  bool is_seen_through_;
  std::mutex mutex_;
  std::map<std::string, Derived, std::less<>> by_name_;
};

}  // namespace opwright
