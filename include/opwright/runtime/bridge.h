// For bridges, which link the core: describes operators to another host, and collects the functions
// of an operator binary for that host.
//
// A bridge first loads a binary into the core (runtime.h), which checks it, and then collects its
// functions a second time with its own OpwHost: the core's records and the bridge's never mix.
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
  Any,    // a value of any type: of a function of the host
  Other,  // not representable in other hosts; see its text
};

// `Tensor`, `int[]?`, `Tensor?[]`, ...
struct ValueType {
  ValueKind kind = ValueKind::Other;   // of the elements, for a list
  bool is_optional = false;            // T?
  bool is_list = false;                // T[]
  bool has_optional_elements = false;  // T?[]
  std::string text;                    // in schema syntax
};

struct ArgumentDescription {
  std::string name;
  ValueType type;
  bool is_written = false;
  bool is_keyword_only = false;
  const OpwValue* default_value = nullptr;  // owned by the operator, never freed; null: required
};

struct ResultDescription {
  std::string name;  // usually empty
  ValueType type;
  int32_t written_argument = -1;  // the argument that is returned, for `Tensor(a!)`; -1: none
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
  std::string library;  // the file of the binary that defined it; empty: none
};

// Describes an operator of the core. Throws AttributeError, with the closest names, if there is
// none.
[[nodiscard]] OPWRIGHT_EXPORT OperatorDescription describe_operator(const std::string& name);

// A function that a binary registers. `self` belongs to the caller that collected it.
struct BinaryFunction {
  std::string name;  // of its operator
  std::string slot;  // "CPU", "Fake", "Autograd", "Vmap", ...: canonical names
  OpwFunction function = nullptr;
  void* self = nullptr;
  void (*drop)(void* self) = nullptr;  // null: nothing to drop
  std::string site;
};

// An operator that the binary's code calls: OpwHost::call gets its index in this list.
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

// Collects again, for `host`, what a binary loaded by load_library registers: the bodies of its
// library blocks run, and records that the bridge makes from the functions refer to `host`. Throws
// the same errors as load_library.
[[nodiscard]] OPWRIGHT_EXPORT BinaryContents collect_library(const std::string& path,
                                                             const OpwHost& host);

// ---- The core on behalf of another host: errors, threads, operators, and tensors over that host's
// memory ----

// The core's own table. The host of a bridge that runs on the core is a copy with its own name,
// instance and `call`.
[[nodiscard]] OPWRIGHT_EXPORT const OpwHost& core_host() noexcept;

// An operator of the core, looked up by name and called with values. Any thread.
class OPWRIGHT_EXPORT NamedOperator {
 public:
  explicit NamedOperator(std::string name);
  NamedOperator(const NamedOperator&) = delete;
  NamedOperator& operator=(const NamedOperator&) = delete;

  // Same contract as OpwFunction, but throws. AttributeError if the operator does not exist (any
  // more).
  void call(const OpwValue* args, uint32_t num_args, OpwValue* results, uint32_t num_results);

 private:
  std::string name_;
  std::atomic<uint64_t> epoch_{0};
  std::atomic<const OpwOperator*> op_{nullptr};
};

// A call of another host on this thread, which may be nested in a call of the core: the core's
// current state (a transform, a mode, grad mode off) does not affect it.
class [[nodiscard]] OPWRIGHT_EXPORT ForeignCallScope {
 public:
  ForeignCallScope() noexcept;
  ForeignCallScope(const ForeignCallScope&) = delete;
  ForeignCallScope& operator=(const ForeignCallScope&) = delete;
  ~ForeignCallScope();

 private:
  uint64_t saved_[8];  // private to the core
};

// Predicts the results of an operator with its fake kernel, before there is data. One thread at a
// time.
class OPWRIGHT_EXPORT FakeCall {
 public:
  FakeCall();
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;
  ~FakeCall();

  // A size known only by name; the same name is the same size. Sizes computed from it have a text
  // with that name ("2*n").
  [[nodiscard]] SymInt size(const std::string& name);
  // On the cpu, without memory.
  [[nodiscard]] static Tensor tensor(DType dtype, std::span<const SymInt> sizes);
  // Returns owned results. Throws what the fake kernel throws, NotImplementedError if there is
  // none.
  [[nodiscard]] std::vector<Value> run(const std::string& op, std::span<const OpwValue> args);

  // Whether the calls made a decision about a size that names alone do not determine: if so, the
  // results need not hold for all sizes.
  [[nodiscard]] bool has_decided() const;
  // Whether it is a number, or computed only from named sizes: not one that depends on data.
  [[nodiscard]] bool is_predicted(const SymInt& size) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Borrows foreign memory for a while: a tensor of the core over it, and whether anything still
// refers to that memory at the end.
class OPWRIGHT_EXPORT BorrowedMemory {
 public:
  // `shown` has strides. ReadOnly: writing raises an error.
  enum class Access : uint8_t { ReadOnly, ReadWrite };
  BorrowedMemory(const OpwDlTensor& shown, Access access);
  BorrowedMemory(const BorrowedMemory&) = delete;
  BorrowedMemory& operator=(const BorrowedMemory&) = delete;
  ~BorrowedMemory();

  [[nodiscard]] const Tensor& tensor() const noexcept { return tensor_; }
  // Drops the tensor. Returns false if a handle or a view of it is still held.
  [[nodiscard]] bool end() noexcept;

 private:
  struct Lease;
  Lease* lease_;
  Tensor tensor_;
};
}  // namespace opwright
