// A library of the form of opwright/ge_engine.h in place of a vendor's engine: it reads the
// bytes of a graph and computes element by element on float32 tensors of equal sizes in host
// memory. It holds its caller to the order of calls and to the sizes, and keeps a record of the
// calls.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/vendor/ge_engine.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

struct OpwGeExecutor {
  const OpwGeGraph* graph = nullptr;  // null: no run was asked for
};

namespace {

enum Status : int32_t { kOk = 0, kBadGraph = 145000, kBadTensor = 145001, kBadOrder = 145002 };
constexpr uint64_t kWorkspaceSize = 96;
constexpr int32_t kFloat32 = 0;

std::string& record() {
  static std::string text;
  return text;
}
std::string& last_message() {
  thread_local std::string text;
  return text;
}
int32_t fail(Status status, std::string text) {
  last_message() = std::move(text);
  return status;
}

// The fields of a message of protocol buffers, of which the graph is made.
struct Field {
  uint32_t number;
  uint64_t integer;
  std::string_view bytes;
};
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}
  bool next(Field& field) {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field = {.number = static_cast<uint32_t>(tag >> 3), .integer = 0, .bytes = {}};
    switch (tag & 7) {
      case 0:
        field.integer = varint();
        break;
      case 1:
        field.bytes = take(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      default:
        field.bytes = take(4);
        break;
    }
    return true;
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  std::string_view take(uint64_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest_;
};

struct Op {
  std::string name;
  std::string type;
  std::vector<std::string> inputs;  // "name:0"
};

Op read_op(std::string_view bytes) {
  Op op;
  Message message(bytes);
  for (Field field{}; message.next(field);) {
    if (field.number == 1) op.name = field.bytes;
    if (field.number == 2) op.type = field.bytes;
    if (field.number == 5 && !field.bytes.ends_with(":-1")) op.inputs.emplace_back(field.bytes);
  }
  return op;
}

using Elements = std::vector<float>;

void compute(const Op& op, const std::vector<const Elements*>& inputs, Elements& result) {
  result = *inputs[0];
  for (size_t i = 0; i < result.size(); ++i) {
    if (op.type == "Relu") {
      result[i] = result[i] > 0 ? result[i] : 0;
    } else if (op.type == "Mul") {
      result[i] *= (*inputs[1])[i];
    } else {
      result[i] += (*inputs[1])[i];  // Add, AddCustom
    }
  }
}
bool is_known(const std::string& type) {
  return type == "Data" || type == "Add" || type == "AddCustom" || type == "Mul" ||
         type == "Relu" || type == "NetOutput";
}

}  // namespace

struct OpwGeGraph {
  std::vector<Op> ops;
  std::vector<std::string> outputs;
  OpwGeExecutor executor;
};

EXPORTED uint32_t opw_ge_version() { return OPW_GE_ENGINE_VERSION; }
EXPORTED const char* opw_ge_message() { return last_message().c_str(); }
// For tests: the calls so far, one line each.
EXPORTED const char* ge_stand_in_record() { return record().c_str(); }
EXPORTED void ge_stand_in_forget() { record().clear(); }

EXPORTED int32_t opw_ge_build(const void* bytes, uint64_t num_bytes, int32_t device_index,
                              const char* const* options, uint32_t num_options,
                              OpwGeGraph** graph) {
  auto* built = new OpwGeGraph;
  Message model(std::string_view(static_cast<const char*>(bytes), num_bytes));
  for (Field field{}; model.next(field);) {
    if (field.number != 7) continue;
    Message body(field.bytes);
    for (Field part{}; body.next(part);) {
      if (part.number == 5) built->outputs.emplace_back(part.bytes);
      if (part.number == 6) built->ops.push_back(read_op(part.bytes));
    }
  }
  std::string types;
  for (const Op& op : built->ops) {
    if (!is_known(op.type)) {
      const std::string message = "E89999: no operator " + op.type + " for node " + op.name;
      delete built;
      return fail(kBadGraph, message);
    }
    types += " " + op.type;
    if (op.type == "NetOutput") built->outputs = op.inputs;
  }
  record() += "build" + types + " on " + std::to_string(device_index);
  for (uint32_t i = 0; i < num_options; ++i)
    record() += std::string(" ") + options[2 * i] + "=" + options[2 * i + 1];
  record() += "\n";
  *graph = built;
  return kOk;
}

EXPORTED int32_t opw_ge_workspace(OpwGeGraph* graph, const OpwGeTensor* inputs, uint32_t num_inputs,
                                  OpwGeTensor* outputs, uint32_t num_outputs,
                                  uint64_t* workspace_size, OpwGeExecutor** executor) {
  if (num_outputs != graph->outputs.size())
    return fail(kBadTensor, "E10001: the graph has " + std::to_string(graph->outputs.size()) +
                                " outputs, not " + std::to_string(num_outputs));
  for (uint32_t i = 0; i < num_inputs; ++i) {
    if (inputs[i].dtype != kFloat32)
      return fail(kBadTensor, "E10002: input " + std::to_string(i) + " has dtype " +
                                  std::to_string(inputs[i].dtype) + ", only 0 is known");
  }
  for (uint32_t i = 0; i < num_outputs; ++i) {
    outputs[i] = inputs[0];
    outputs[i].data = nullptr;
  }
  *workspace_size = kWorkspaceSize;
  graph->executor.graph = graph;
  *executor = &graph->executor;
  record() += "workspace of " + std::to_string(num_inputs) + " inputs\n";
  return kOk;
}

EXPORTED int32_t opw_ge_execute(void* workspace, uint64_t workspace_size, OpwGeExecutor* executor,
                                const OpwGeTensor* inputs, uint32_t num_inputs,
                                const OpwGeTensor* outputs, uint32_t num_outputs,
                                void* /*stream*/) {
  const OpwGeGraph* graph = std::exchange(executor->graph, nullptr);
  if (!graph) return fail(kBadOrder, "E10003: no workspace was asked for");
  if (workspace_size != kWorkspaceSize || !workspace)
    return fail(kBadOrder, "E10004: the workspace is not the one that was asked for");
  std::memset(workspace, 0xa5, workspace_size);  // it is ours to write
  std::map<std::string, Elements> values;
  uint32_t num_data = 0;
  for (const Op& op : graph->ops) {
    if (op.type == "NetOutput") continue;
    Elements& result = values[op.name + ":0"];
    if (op.type == "Data") {
      if (num_data == num_inputs) return fail(kBadTensor, "E10005: an input is missing");
      const OpwGeTensor& input = inputs[num_data++];
      result.resize(input.num_bytes / sizeof(float));
      std::memcpy(result.data(), input.data, input.num_bytes);
      continue;
    }
    std::vector<const Elements*> operands;
    for (const std::string& input : op.inputs) operands.push_back(&values[input]);
    compute(op, operands, result);
  }
  for (uint32_t i = 0; i < num_outputs; ++i) {
    const Elements& result = values[graph->outputs[i]];
    if (!outputs[i].data || outputs[i].num_bytes != result.size() * sizeof(float))
      return fail(kBadTensor, "E10006: output " + std::to_string(i) + " has no room");
    std::memcpy(outputs[i].data, result.data(), outputs[i].num_bytes);
  }
  record() += "execute\n";
  return kOk;
}

EXPORTED void opw_ge_release(OpwGeGraph* graph) {
  record() += "release\n";
  delete graph;
}
