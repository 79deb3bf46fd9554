// Graph breaks: handle a captured function that does something no graph can represent.
//
//   TraceSessionOptions options{.mode = TracingMode::Fake};
//   options.trace.may_end_early = true;
//   TraceSession session(options);
//   ... session.add_tensor(given, name) for each argument ...
//   BreakScope breaks(session, arguments, {.fullgraph = fullgraph});
//   { const InterpreterScope scope(session.level()); result = f(given...); }  // the user's tensors
//   breaks.check();                           // GraphBreakError that the function caught
//   if (breaks.has_broken()) return result;   // real; the call is done; remember breaks.reason()
//   GraphPtr graph = session.finish(result);
//
// A break keeps eager semantics. The recorded calls run on the real inputs (the same kernels in the
// same order as eagerly, including random numbers; they run once, so no code is generated). Every
// live value becomes that real tensor in place, with the history that was recorded, and the
// function continues eagerly in the same frame. So each side effect happens once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// Why and where a graph ends.
struct BreakReason {
  SourceSite site;    // the user's line; may be unknown
  std::string cause;  // in the user's terms: "numpy() reads the data of a tensor (float32[3])"
};

// "<cause>, at <file>:<line>".
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const BreakReason& reason);
// The two workarounds that end errors and warnings.
[[nodiscard]] OPWRIGHT_EXPORT std::string ways_out();
// The GraphBreakError of a function that must be one graph.
[[nodiscard]] Error full_graph_error(const std::string& cause);

struct BreakOptions {
  bool fullgraph = false;  // a break raises GraphBreakError
};

// Surrounds the run of the function. The session is a plain trace on fakes that may end early,
// started outside all transforms. One thread.
class OPWRIGHT_EXPORT BreakScope final : public TraceBreaker, public ValueFinder {
 public:
  // `arguments`: the real values of the graph's inputs of role Argument, in order.
  BreakScope(TraceSession& session, std::vector<Value> arguments, BreakOptions options = {});
  ~BreakScope();
  BreakScope(const BreakScope&) = delete;
  BreakScope& operator=(const BreakScope&) = delete;

  // Whether the trace ended: then the session has no graph, and the function's results are real.
  [[nodiscard]] bool has_broken() const noexcept { return has_broken_; }
  // Of the break, also of a rejected one; nullopt if there was none.
  [[nodiscard]] const std::optional<BreakReason>& reason() const noexcept { return reason_; }
  // Rethrows the error of a break, if any: the function may have caught it.
  void check() const;

  // GraphBreakError under fullgraph; otherwise the error of a recorded call that failed on the real
  // inputs.
  bool end_trace(const Cause& cause) override;
  bool find_values(const ShapeEnv& environment) override;
  // The same for a cause that a line of the user's program has, not the current one.
  bool end_trace_at(SourceSite site, const std::string& cause);

 private:
  TraceSession& session_;
  std::vector<Value> arguments_;
  BreakOptions options_;
  ValueFinderScope finder_scope_;
  bool has_broken_ = false;
  std::optional<BreakReason> reason_;
  std::optional<Error> failure_;
};

}  // namespace opwright
