#include "opwright/transforms/functionalize/generator_states.h"

#include <cstddef>
#include <optional>

#include "opwright/device.h"
#include "opwright/generator.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// The device on which the numbers are drawn.
Device drawing_device(const Operator& op, Arguments args) {
  std::optional<Device> device;
  if (op.device_argument() >= 0) {
    const OpwValue& given = args[static_cast<size_t>(op.device_argument())];
    if (given.tag == kOpwDeviceValue) device = given.as_device;
  }
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    if (!device) device = tensor->dl.device;
  });
  return device && device->type != kOpwDeviceMeta ? *device : kCpu;
}

class GeneratorStates : public RandomStates {
 public:
  Tensor read_state(RandomState& generator) override { return generator.state(); }
  void write_state(RandomState& generator, const Tensor& state) override {
    generator.set_state(state);
  }
};

}  // namespace

RandomState& drawn_generator(const Operator& op, Arguments args, int32_t index) {
  const bool is_given = index >= 0 && args[static_cast<size_t>(index)].tag == kOpwObject;
  return is_given ? random_state(ValueOf<Generator>::read(args[static_cast<size_t>(index)]))
                  : default_generator(drawing_device(op, args));
}

RandomStates& states_at(Interpreter* level) {
  for (; level; level = level->parent()) {
    if (auto* states = dynamic_cast<RandomStates*>(level)) return *states;
  }
  static GeneratorStates generators;
  return generators;
}

RandomStates& states_below(const Interpreter& level) { return states_at(level.parent()); }

}  // namespace opwright
