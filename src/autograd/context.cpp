// The context of a formula, in the ABI.
#include <cstdint>
#include <span>

#include "opwright/autograd/operator_node.h"
#include "opwright/base/given_error.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {

extern const OpwObjectTable kContextObjectTable;
extern const OpwContextTable kContextTable;

namespace {

OpwContext* as_context(OpwObject* object) { return reinterpret_cast<OpwContext*>(object); }

[[noreturn]] void throw_no_attribute(const OperatorNode& node, const char* name) {
  throw_error("AttributeError", node.op().name(), ": its formula reads '", name,
              "', which is neither a non-tensor argument nor set while saving");
}

}  // namespace

const OpwObjectTable kContextObjectTable{
    .struct_size = sizeof(OpwObjectTable),
    .type_name = "AutogradContext",
    .retain = [](OpwObject* object) { OperatorNode::of(as_context(object)).add_ref(); },
    .release = [](OpwObject* object) { OperatorNode::of(as_context(object)).release(); },
    .equal = [](const OpwObject* a, const OpwObject* b) { return a == b ? 1 : 0; },
    .hash = [](const OpwObject* object) { return reinterpret_cast<uint64_t>(object); },
    .text = nullptr};

const OpwContextTable kContextTable{
    .struct_size = sizeof(OpwContextTable),
    .save =
        [](OpwContext* context, OpwTensor* const* tensors, uint32_t count) {
          return status_of([&] { OperatorNode::of(context).save({tensors, count}); });
        },
    .saved =
        [](OpwContext* context, uint32_t index, OpwTensor** tensor) {
          return status_of([&] { *tensor = OperatorNode::of(context).saved(index).give(); });
        },
    .attribute =
        [](OpwContext* context, const char* name, const OpwValue** value) {
          return status_of([&] {
            *value = OperatorNode::of(context).find_attribute(name);
            if (!*value) throw_no_attribute(OperatorNode::of(context), name);
          });
        },
    .set_attribute =
        [](OpwContext* context, const char* name, const OpwValue* value) {
          return status_of(
              [&] { OperatorNode::of(context).set_attribute(name, Value::copy_of(*value)); });
        },
    .needs_gradient =
        [](OpwContext* context, uint32_t index, int* result) {
          *result = OperatorNode::of(context).needs_gradient(index) ? 1 : 0;
          return 0;
        },
    .set_materialize =
        [](OpwContext* context, int on) {
          OperatorNode::of(context).set_materialize(on != 0);
          return 0;
        },
    .mark_non_differentiable =
        [](OpwContext* context, OpwTensor* const* tensors, uint32_t count) {
          return status_of(
              [&] { OperatorNode::of(context).mark_non_differentiable({tensors, count}); });
        },
    .argument =
        [](OpwContext* context, uint32_t index, const OpwValue** value) {
          return status_of([&] {
            *value = OperatorNode::of(context).find_argument(index);
            OPWRIGHT_CHECK_INDEX(*value, OperatorNode::of(context).op().name(),
                                 ": its formula reads argument ", index,
                                 ", which is a tensor or does not exist");
          });
        }};

}  // namespace opwright
