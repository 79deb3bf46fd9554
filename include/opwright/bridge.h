// For bridges, which link the core: operators as another host needs to know them, and the functions
// of an operator binary for that host.
//
// A bridge loads a binary into the core first (runtime.h), which checks it, and takes its functions
// a second time with an OpwHost of its own: the core's records and the bridge's never meet.
// Operator binaries do not include this.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
enum class ValueKind : uint8_t {
  Tensor,
  Int,
  SymInt,
  Float,
  Bool,
  Complex,
  Scalar,  // any number
  String,
  DType,
  Device,
  Layout,
  MemoryFormat,
  Generator,
  Other,  // what no foreign host can carry; see its text
};

// `Tensor`, `int[]?`, `Tensor?[]`, ...
struct ValueType {
  ValueKind kind = ValueKind::Other;   // of the elements, for a list
  bool is_optional = false;            // T?
  bool is_list = false;                // T[]
  bool has_optional_elements = false;  // T?[]
  std::string text;                    // as the schema writes it
};

struct ArgumentDescription {
  std::string name;
  ValueType type;
  bool is_written = false;
  bool is_keyword_only = false;
  const OpwValue* default_value = nullptr;  // the operator's own, for ever; null: must be given
};

struct ResultDescription {
  std::string name;  // mostly empty
  ValueType type;
  int32_t written_argument = -1;  // the argument that it is, for `Tensor(a!)`; -1: none
  int32_t viewed_argument = -1;   // the argument that it is a view of, for `Tensor(a)`; -1: none
};

struct OperatorDescription {
  std::string name;        // "audio::soft_clip.out"
  std::string name_space;  // "audio"
  std::string base;        // "soft_clip"
  std::string overload;    // "out"; empty for the default
  std::string schema;      // canonical, with its namespace
  Tags tags;
  std::vector<ArgumentDescription> arguments;
  std::vector<ResultDescription> results;
  std::string site;     // "soft_clip.cpp:48"
  std::string library;  // the file of the binary that brought it; empty: none
};

// An operator of the core. AttributeError, with the closest names, where there is none.
[[nodiscard]] OPWRIGHT_EXPORT OperatorDescription describe_operator(const std::string& name);

// A function that a binary registers. `self` belongs to whoever collected it.
struct BinaryFunction {
  std::string name;  // of its operator
  std::string slot;  // "CPU", "Fake", "Autograd", "Vmap", ...: canonical names
  OpwFunction function = nullptr;
  void* self = nullptr;
  void (*drop)(void* self) = nullptr;  // null: nothing to drop
  std::string site;
};

// An operator that the binary's code calls: OpwHost::call gets its place in this list.
struct BinaryImport {
  std::string name;       // "aten::mul.Tensor"
  std::string signature;  // "(Tensor arg0, Tensor arg1) -> Tensor"
};

struct BinaryContents {
  std::string path;                    // absolute
  std::vector<std::string> operators;  // the names that it defines, in order
  std::vector<BinaryFunction> functions;
  std::vector<BinaryImport> imports;  // by index
};

// What a binary that load_library took registers, collected anew for `host`: the bodies of its
// library blocks run, and the records that the bridge makes of the functions lead to `host`. Errors
// as load_library.
[[nodiscard]] OPWRIGHT_EXPORT BinaryContents collect_library(const std::string& path,
                                                             const OpwHost& host);

// ---- The core at work for another host: its errors, its threads, its operators, its tensors over
// that host's memory ----

// The core's own table. A bridge's host that runs on the core is a copy with a name, an instance
// and a `call` of its own.
[[nodiscard]] OPWRIGHT_EXPORT const OpwHost& core_host() noexcept;

// An operator of the core by its name, called with values. Any thread.
class OPWRIGHT_EXPORT NamedOperator {
 public:
  explicit NamedOperator(std::string name);
  NamedOperator(const NamedOperator&) = delete;
  NamedOperator& operator=(const NamedOperator&) = delete;

  // As OpwFunction, but throws. AttributeError where there is no such operator (any more).
  void call(const OpwValue* args, uint32_t num_args, OpwValue* results, uint32_t num_results);

 private:
  std::string name_;
  std::atomic<uint64_t> epoch_{0};
  std::atomic<const OpwOperator*> op_{nullptr};
};

// A call of another host on this thread, which may be inside of one of the core's: what the core is
// in the middle of here (a transform, a mode, grad mode off) does not reach it.
class [[nodiscard]] OPWRIGHT_EXPORT ForeignCallScope {
 public:
  ForeignCallScope() noexcept;
  ForeignCallScope(const ForeignCallScope&) = delete;
  ForeignCallScope& operator=(const ForeignCallScope&) = delete;
  ~ForeignCallScope();

 private:
  uint64_t saved_[8];  // the core's own
};

// What an operator will give, asked of its fake kernel before there are data. One thread at a time.
class OPWRIGHT_EXPORT FakeCall {
 public:
  FakeCall();
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;
  ~FakeCall();

  // A size of which only the name is known; the same name is the same size. What is computed of it
  // has a text with that name ("2*n").
  [[nodiscard]] SymInt size(const std::string& name);
  // On the cpu, without memory.
  [[nodiscard]] static Tensor tensor(DType dtype, std::span<const SymInt> sizes);
  // Owned results. Throws what the fake kernel throws; NotImplementedError where there is none.
  [[nodiscard]] std::vector<Value> run(const std::string& op, std::span<const OpwValue> args);

  // Whether the calls asked a question about a size that names alone do not answer: then what they
  // gave need not hold for all sizes.
  [[nodiscard]] bool has_decided() const;
  // Whether it is a number, or made of named sizes alone: not one that only the data tell.
  [[nodiscard]] bool is_foretold(const SymInt& size) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Somebody else's memory for a while: a tensor of the core over it, and whether anything still
// shows that memory when the time is over.
class OPWRIGHT_EXPORT BorrowedMemory {
 public:
  // `shown` has its strides. ReadOnly: writing raises.
  enum class Access : uint8_t { ReadOnly, ReadWrite };
  BorrowedMemory(const OpwDlTensor& shown, Access access);
  BorrowedMemory(const BorrowedMemory&) = delete;
  BorrowedMemory& operator=(const BorrowedMemory&) = delete;
  ~BorrowedMemory();

  [[nodiscard]] const Tensor& tensor() const noexcept { return tensor_; }
  // Drops the tensor. False when a handle of it, or a view of it, is still kept by somebody.
  [[nodiscard]] bool end() noexcept;

 private:
  struct Lease;
  Lease* lease_;
  Tensor tensor_;
};
}  // namespace opwright
