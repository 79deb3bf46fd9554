#include "opwright/compile/capture/break.h"

#include <utility>

#include "opwright/base/user_line.h"

namespace opwright {

std::string to_text(const BreakReason& reason) {
  if (!reason.site.is_known()) return reason.cause;
  return concatenate(reason.cause, ", at ", reason.site);
}

std::string ways_out() {
  return "Put that code into an operator of its own with a fake kernel "
         "(opwright.library.custom_op, "
         "register_fake), or compile with fullgraph=False, which runs it as eager code.";
}

Error full_graph_error(const std::string& cause) {
  return Error("GraphBreakError",
               concatenate("compile: with fullgraph=True the function must be one graph, but ",
                           cause, "\n  ", ways_out()));
}

BreakScope::BreakScope(TraceSession& session, std::vector<Value> arguments, BreakOptions options)
    : session_(session), arguments_(std::move(arguments)), options_(options), finder_scope_(*this) {
  session_.trace().set_breaker(this);
}

BreakScope::~BreakScope() { session_.trace().set_breaker(nullptr); }

void BreakScope::check() const {
  if (failure_) throw Error(*failure_);
}

bool BreakScope::end_trace(const Cause& cause) {
  if (has_broken_) return false;
  check();
  if (options_.fullgraph && cause.is_error) return false;  // the function fails by itself
  reason_ = BreakReason{.site = current_user_line(), .cause = cause.text};
  if (options_.fullgraph) {
    failure_ = full_graph_error(to_text(*reason_));
    throw Error(*failure_);
  }
  std::vector<OpwValue> given;
  for (const Value& argument : arguments_) given.push_back(argument.get());
  try {
    session_.trace().become_real(given);
  } catch (const Error& error) {
    failure_ = error;
    throw;
  }
  has_broken_ = true;
  arguments_.clear();
  return true;
}

bool BreakScope::end_trace_at(SourceSite site, const std::string& cause) {
  const UserLineScope line(site);
  return end_trace({.text = cause});
}

bool BreakScope::find_values(const ShapeEnv& environment) {
  if (&environment != session_.trace().graph().shape_env().get()) return false;
  if (has_broken_) return true;
  return end_trace({.text = "Python needs the value of a number that was computed from data"});
}

}  // namespace opwright
