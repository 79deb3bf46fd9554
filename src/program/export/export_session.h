// Export: turns a function into an ExportedProgram by running it once on fake tensors.
//
//   ExportSession session;
//   session.add_state({"weight", w}, InputKind::Parameter);
//   session.add_tensor(x, "x", {{0, Dim::named("batch")}});
//   const std::vector<Tensor> own = session.enter();
//   { const InterpreterScope scope(session.level()); y = f(own[0]); }
//   ExportedProgramPtr program = session.finish({y}, structure);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT ExportSession {
 public:
  // `trace` says which operators stay whole and which are decomposed.
  explicit ExportSession(TraceOptions trace = {});
  ~ExportSession();
  ExportSession(const ExportSession&) = delete;
  ExportSession& operator=(const ExportSession&) = delete;

  // A parameter or buffer of the module, in order, before the user inputs. The same tensor under a
  // second name is tied to the first.
  void add_state(NamedTensor tensor, InputKind kind, bool is_persistent = true);

  // The name of a tensor outside the state, in case the function uses it.
  void name_constant(const Tensor& tensor, const std::string& name);

  // The user inputs, in order. `target` is the input's path in the call, as used in messages; its
  // value in the graph is named after it. Every tensor becomes a separate input, even if it was
  // added before. ValueError for a dimension that it does not have or a size that the Dim does not
  // admit, naming both.
  struct DimAt {
    int64_t dim;
    Dim size;
  };
  void add_tensor(const Tensor& given, const std::string& target, std::span<const DimAt> dims = {});
  // A symbol of the graph unless `dim` is Static; returns what the function receives.
  [[nodiscard]] SymInt add_int(int64_t given, const std::string& target, const Dim& dim);
  // Any other value: part of the program, and compared when it runs.
  void add_constant(Value constant, const std::string& target);

  // The function may fix a declared size or accept fewer values of it; the program then refuses the
  // others when it runs. For functions whose sizes somebody else declared.
  void accept_narrower_sizes() noexcept;

  // The tensors of add_tensor, as the function receives them. Call once, after adding all of them.
  [[nodiscard]] std::vector<Tensor> enter();
  // The interpreter that is current while the function runs.
  [[nodiscard]] Interpreter* level() const noexcept;

  // Notes the value that a tensor of the function has now, at most once per place of a call.
  // Returns its index in noted_values(). Call it while the function runs.
  size_t note_value(const Tensor& tensor);
  // After finish: the names of the noted values in the graph.
  [[nodiscard]] const std::vector<std::string>& noted_values() const noexcept;

  // Above the numbers of all values of the graph so far, and not above those of later ones.
  [[nodiscard]] uint32_t position() const noexcept;

  // `outputs` are tensors, ints, SymInts and other constants. ValueError for a Dim that the
  // function does not admit: which dimension, the line that required it, and the dynamic_shapes to
  // use instead. Call once.
  [[nodiscard]] ExportedProgramPtr finish(std::span<const OpwValue> outputs,
                                          CallStructure structure = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opwright
