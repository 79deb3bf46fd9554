// Builds the LLVM IR text of one function, instruction by instruction.
//
// Code generation runs without LLVM's optimiser, so repeated text would be computed again.
// Therefore pure instructions of equal text are created once, as long as the first one dominates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/dtype.h"

namespace opwright {

enum class IrKind : uint8_t { I1, I8, I16, I32, I64, Half, Float, Double, Pointer };

// A scalar (width 1) or a vector.
struct IrType {
  IrKind kind{};
  uint32_t width = 1;
  [[nodiscard]] IrType of(IrKind other) const { return {other, width}; }
  [[nodiscard]] bool is_float() const { return kind >= IrKind::Half && kind <= IrKind::Double; }
  friend bool operator==(const IrType&, const IrType&) = default;
};
[[nodiscard]] std::string to_text(IrType type);           // "<16 x float>"
[[nodiscard]] std::string intrinsic_suffix(IrType type);  // "v16f32"
[[nodiscard]] uint32_t bits_of(IrKind kind);
// For computed lanes; bools are i1.
[[nodiscard]] IrKind lane_kind(DType dtype);

// A named value or a constant.
struct IrValue {
  std::string text = {};
  IrType type = {};
  [[nodiscard]] bool is_there() const { return !text.empty(); }
  // Whether it is the scalar int constant `value`.
  [[nodiscard]] bool is_constant_int(int64_t& value) const;
};

class IrBuilder {
 public:
  // `vector_bytes`: the size of the machine's registers.
  explicit IrBuilder(uint32_t vector_bytes = 32) : vector_bytes_(vector_bytes) {}

  // Constants; the same in every lane of a vector.
  static IrValue number(IrType type, double value);
  static IrValue integer(IrType type, int64_t value);
  static IrValue index(int64_t value) { return integer({IrKind::I64}, value); }

  // Instructions. `compute` is for those that depend only on their text.
  IrValue compute(IrType type, const std::string& text);
  IrValue read(IrType type, std::string_view text);
  void perform(std::string_view text);
  IrValue call(std::string_view intrinsic, IrType type, std::initializer_list<IrValue> args,
               std::string_view flags = "");
  // Adds to the module, next to the function: a declaration, a function, a table; each name once.
  void support(const std::string& name, const std::string& text);

  IrValue binary(std::string_view op, const IrValue& a, const IrValue& b);
  IrValue compare(std::string_view op, const IrValue& a, const IrValue& b);  // "fcmp olt"
  IrValue select(const IrValue& condition, const IrValue& a, const IrValue& b);
  IrValue convert(std::string_view op, const IrValue& a, IrKind kind);  // "fpext"
  IrValue bitcast(const IrValue& a, IrKind kind) { return convert("bitcast", a, kind); }
  IrValue splat(const IrValue& scalar, uint32_t width);

  // For floats.
  IrValue add(const IrValue& a, const IrValue& b) { return binary("fadd", a, b); }
  IrValue subtract(const IrValue& a, const IrValue& b) { return binary("fsub", a, b); }
  IrValue multiply(const IrValue& a, const IrValue& b) { return binary("fmul", a, b); }
  IrValue divide(const IrValue& a, const IrValue& b) { return binary("fdiv", a, b); }
  IrValue negate(const IrValue& a);
  IrValue fma(const IrValue& a, const IrValue& b, const IrValue& c);
  IrValue absolute(const IrValue& a) { return call("llvm.fabs", a.type, {a}); }
  IrValue copysign(const IrValue& a, const IrValue& b) {
    return call("llvm.copysign", a.type, {a, b});
  }
  // Keeps NaN; one instruction if the limit is not NaN.
  IrValue at_least(const IrValue& a, const IrValue& limit);
  IrValue at_most(const IrValue& a, const IrValue& limit);
  // Whether vectors of that type have scale(): a * 2^n, rounded once, for integer n.
  [[nodiscard]] bool has_scale(IrType type) const {
    return vector_bytes_ == 64 && type == IrType{IrKind::Float, 16};
  }
  IrValue scale(const IrValue& a, const IrValue& n);

  // For i64 scalars, with constant folding.
  IrValue index_add(const IrValue& a, const IrValue& b);
  IrValue index_multiply(const IrValue& a, const IrValue& b);
  IrValue address(IrKind element, const IrValue& base, const IrValue& index);

  // Blocks. Values of a scope are forgotten at its end, where they no longer dominate.
  [[nodiscard]] std::string new_label(std::string_view hint);
  void start_block(const std::string& label);
  [[nodiscard]] const std::string& block() const { return block_; }
  [[nodiscard]] size_t place() const { return text_.size(); }
  void insert(size_t place, std::string_view text) { text_.insert(place, text); }
  class Scope {
   public:
    explicit Scope(IrBuilder& builder) : builder_(builder), mark_(builder.order_.size()) {}
    ~Scope() { builder_.forget(mark_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    IrBuilder& builder_;
    size_t mark_;
  };

  // A stack slot of the function for `width` elements.
  IrValue slot(IrType type);
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& slots() const { return slots_; }
  [[nodiscard]] std::string support_text() const;

 private:
  std::string next_name() { return "%v" + std::to_string(count_++); }
  void forget(size_t mark);

  uint32_t vector_bytes_;
  std::string text_, slots_, block_ = "entry";
  uint32_t count_ = 0;
  std::unordered_map<std::string, std::string> known_;
  std::vector<std::string> order_;  // the keys of known_ in order, for forgetting
  std::vector<std::pair<std::string, std::string>> support_;
};

}  // namespace opwright
