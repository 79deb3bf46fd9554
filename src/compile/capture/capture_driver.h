// CaptureDriver: captures the calls of one function, in any host language.
//
// A capture notes why no earlier entry holds, runs the function on fakes, and ends with an entry: a
// compiled graph, or the reason why such calls run eagerly. The host language gives its arguments,
// runs the function and keeps the results through a CapturedCall.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/compile/backend/executable.h"
#include "opwright/compile/capture/break.h"
#include "opwright/compile/capture/capture.h"
#include "opwright/compile/capture/compiled_entry.h"
#include "opwright/compile/capture/size_history.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// One call of a function, as its host language sees it. The functions are called in this order.
class OPWRIGHT_EXPORT CapturedCall {
 public:
  CapturedCall() = default;
  virtual ~CapturedCall() = default;
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;

  // The function in messages.
  [[nodiscard]] virtual std::string function_name() const = 0;
  struct Given {
    Tensor tensor;
    std::string name;
  };
  // The tensors of the call, each once.
  [[nodiscard]] virtual std::vector<Given> tensors() const = 0;
  // The first guard of the last used entry that fails; nullopt if there is no entry.
  [[nodiscard]] virtual std::optional<std::string> find_difference() const = 0;
  // Why no graph can take these arguments; empty if one can.
  [[nodiscard]] virtual std::string find_unfit() const { return {}; }
  // Called when all tensors are added.
  virtual void prepare(Capture& /*capture*/) {}
  // Runs the function at the capture's level and keeps its results. It may end the trace, and
  // throws if a value of the capture remains where it must not.
  virtual void run(Capture& capture, BreakScope& breaks) = 0;
  // The values of the kept results that the graph returns; valid until drop_results().
  [[nodiscard]] virtual std::vector<OpwValue> outputs() = 0;
  // Whether the result is one tensor, in no container; after outputs().
  [[nodiscard]] virtual bool returns_one_tensor() const { return false; }
  virtual void drop_results() = 0;
  // Inserts an entry for calls like this one.
  virtual void insert_compiled(std::unique_ptr<CompiledEntry> compiled) = 0;
  // False: the break is not reported, since the next call may be compiled.
  [[nodiscard]] virtual bool insert_eager(const std::string& reason,
                                          std::span<const CapturedArgument> arguments) = 0;
  // Runs the function as it is and keeps its results.
  virtual void run_eagerly() = 0;
};

struct CaptureOptions {
  bool fullgraph = false;
  std::optional<bool> dynamic = std::nullopt;
  Backend backend;
};

// One thread at a time.
class OPWRIGHT_EXPORT CaptureDriver {
 public:
  explicit CaptureDriver(CaptureOptions options);

  // True: the call has a new compiled entry, which the caller runs. False: the function ran
  // eagerly, and the call has its results.
  [[nodiscard]] bool capture(CapturedCall& call);

  [[nodiscard]] const CaptureOptions& options() const noexcept { return options_; }
  // Number of compiled entries that were created.
  [[nodiscard]] uint64_t num_compiles() const noexcept { return num_compiles_; }
  // Of the latest captures except the first.
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept { return reasons_; }
  // "<cause>, at <file>:<line>", each once.
  [[nodiscard]] const std::vector<std::string>& breaks() const noexcept { return breaks_; }
  void reset();

 private:
  void note_reason(const CapturedCall& call);
  void note_break(CapturedCall& call, std::span<const CapturedArgument> arguments,
                  const std::string& reason);
  [[nodiscard]] bool finish(CapturedCall& call, Capture& capture,
                            std::span<const CapturedArgument> arguments);

  CaptureOptions options_;
  SizeHistory sizes_;
  std::vector<std::string> reasons_;
  std::vector<std::string> breaks_;
  uint64_t num_compiles_ = 0;
};

}  // namespace opwright
