// The graph to which rules of the engine "ge" add ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

using GeValues = std::vector<OutputPlace>;

// The type of an output, set by a rule; results of the program's calls are known without it.
struct ValueType {
  DType dtype;
  std::vector<SymInt> sizes;
};

// An input by its position in the prototype: a value, none if it is omitted, or a list for a
// dynamic input.
using Operand = std::variant<OutputPlace, GeValues>;
// The same, by name.
struct NamedOperand {
  std::string name;
  Operand value;
};
// "z", or the outputs "y0", "y1", ... of a dynamic one.
struct OutputName {
  std::string name;
  std::optional<uint32_t> count = std::nullopt;
};

struct AttributeValue {
  AttributeValue(const char* attribute, int64_t value);
  AttributeValue(const char* attribute, int value) : AttributeValue(attribute, int64_t{value}) {}
  AttributeValue(const char* attribute, bool value);
  AttributeValue(const char* attribute, double value);
  AttributeValue(const char* attribute, const char* value);
  AttributeValue(const char* attribute, const std::vector<int64_t>& value);
  AttributeValue(const char* attribute, DataType value);  // an Int, as in most prototypes

  Attribute held;
};

class OPWRIGHT_EXPORT GraphBuilder {
 public:
  struct State;
  explicit GraphBuilder(State& state) : state_(state) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // An op of one output; the prototype must exist. `type` is that of the output.
  OutputPlace op(std::string_view name, std::initializer_list<Operand> inputs,
                 std::initializer_list<AttributeValue> attributes = {},
                 std::optional<ValueType> type = std::nullopt);
  // The same with all outputs of the prototype; a dynamic one has `num_dynamic`.
  GeValues op_of_many(std::string_view name, std::initializer_list<Operand> inputs,
                      std::initializer_list<AttributeValue> attributes, uint32_t num_dynamic = 0);

  // ge.custom_op: an op of any name, checked against its prototype if there is one. Outputs of a
  // dynamic one are consecutive. `node_name` empty: derived from the op's name.
  GeValues custom_op(std::string_view name, const std::vector<NamedOperand>& inputs,
                     const std::vector<OutputName>& outputs, std::vector<Attribute> attributes = {},
                     std::string_view node_name = {});

  // ---- Constants: equal small ones are one op ----

  OutputPlace constant(const Tensor& data);
  OutputPlace ints(std::span<const int64_t> values);  // int64[n]
  OutputPlace ints(std::initializer_list<int64_t> values) {
    return ints(std::span(values.begin(), values.size()));
  }
  OutputPlace scalar(const OpwValue& number, DType dtype);  // without dimensions
  OutputPlace scalar(int64_t number, DType dtype);

  // ---- Sizes: constants if known, otherwise computed from the shapes that show them ----

  OutputPlace size(const SymInt& size);              // int64, without dimensions
  OutputPlace sizes(std::span<const SymInt> sizes);  // int64[n]

  // Returns the value itself if it already has the dtype.
  OutputPlace cast(OutputPlace value, DType dtype);

  // ---- What is known about a value ----

  [[nodiscard]] std::optional<DType> dtype(OutputPlace value) const;
  [[nodiscard]] std::optional<std::vector<SymInt>> shape(OutputPlace value) const;
  // "Add_1:0"
  [[nodiscard]] std::string name(OutputPlace value) const;
  void set_type(OutputPlace value, ValueType type);

  [[nodiscard]] State& state() noexcept { return state_; }

 private:
  State& state_;
};

}  // namespace opwright::graph_engine
