#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {

Attribute::Attribute(std::string name, int64_t value)
    : name_(std::move(name)), kind_(Kind::Int), value_(value) {}
Attribute::Attribute(std::string name, double value)
    : name_(std::move(name)), kind_(Kind::Float), value_(value) {}
Attribute::Attribute(std::string name, std::string value)
    : name_(std::move(name)), kind_(Kind::String), value_(value) {}
Attribute::Attribute(std::string name, opwright::Tensor value)
    : name_(std::move(name)), kind_(Kind::Tensor), value_(value) {}
Attribute::Attribute(std::string name, std::vector<int64_t> value)
    : name_(std::move(name)), kind_(Kind::Ints), value_(value) {}
Attribute::Attribute(std::string name, std::vector<double> value)
    : name_(std::move(name)), kind_(Kind::Floats), value_(value) {}
Attribute::Attribute(std::string name, std::vector<std::string> value)
    : name_(std::move(name)), kind_(Kind::Strings), value_(value) {}
Attribute::Attribute(std::string name, std::vector<opwright::Tensor> value)
    : name_(std::move(name)), kind_(Kind::Tensors), value_(value) {}
Attribute::Attribute(std::string name, std::shared_ptr<const GraphBody> value)
    : name_(std::move(name)), kind_(Kind::Graph), body_(std::move(value)) {}

}  // namespace opwright::onnx
