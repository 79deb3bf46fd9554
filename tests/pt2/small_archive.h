// A small archive as torch.export.save writes it, in parts that tests change: relu(x * w) + 1, with
// a dynamic first dimension.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pt2/zip_writer.h"

namespace opwright::pt2::testing {

// The JSON of the program.
inline constexpr std::string_view kSmallModel =
    R"json({"graph_module": {"graph": {
"inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
"outputs": [{"as_tensor": {"name": "add"}}],
"nodes": [
{"target": "torch.ops.aten.mul.Tensor", "inputs": [
{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
{"name": "other", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "mul"}}], "metadata": {"stack_trace": "  File \"net.py\", line 7, in forward\n"}, "name": "mul"},
{"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "mul"}}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}, "name": "relu"},
{"target": "torch.ops.aten.add.Tensor", "inputs": [
{"name": "self", "arg": {"as_tensor": {"name": "relu"}}, "kind": 1},
{"name": "other", "arg": {"as_int": 1}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "add"}}], "metadata": {}, "name": "add"}],
"tensor_values": {
"x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s77', positive=True, integer=True)", "hint": {"as_int": 4}}}, {"as_int": 3}], "requires_grad": false, "device": {"type": "cpu", "index": null}, "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}},
"sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}},
"signature": {"input_specs": [
{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}},
{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
"output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "add"}}}}]},
"module_call_graph": [{"fqn": "", "signature": {"inputs": [], "outputs": [],
"in_spec": "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]}, {\"type\": \"builtins.dict\", \"context\": \"[]\", \"children_spec\": []}]}]",
"out_spec": "[1, {\"type\": null, \"context\": null, \"children_spec\": []}]", "forward_arg_names": ["x"]}}],
"metadata": {}, "treespec_namedtuple_fields": {}},
"opset_version": {"aten": 10}, "range_constraints": {"s77": {"min_val": 2, "max_val": 64}},
"schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0"})json";

inline constexpr std::string_view kSmallWeights =
    R"({"config": {"w": {"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta":
{"dtype": 7, "sizes": [{"as_int": 3}], "requires_grad": true, "device": {"type": "cpu", "index": null},
"strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}}}})";

// Floats 1, 2, 3.
inline std::string small_weight() {
  return {std::string_view("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12).data(), 12};
}

struct SmallArchive {
  std::string root = "net";
  std::string model = std::string(kSmallModel);
  std::string weights = std::string(kSmallWeights);
  std::string weight = small_weight();
  std::string format = "pt2";
  std::string version = "0";
  std::string byteorder = "little";
  std::vector<std::pair<std::string, std::string>> more = {};

  [[nodiscard]] std::string bytes() const {
    ZipWriter zip;
    zip.add({root + "/archive_format", format}).add({root + "/archive_version", version});
    zip.add({root + "/byteorder", byteorder}).add({root + "/models/model.json", model});
    zip.add({root + "/data/weights/model_weights_config.json", weights});
    zip.add({root + "/data/weights/weight_0", weight});
    for (const auto& [name, data] : more) zip.add({name, data});
    return zip.finish();
  }
};

// The text with the first occurrence of `from` replaced; fails the test if there is none.
inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string_view::npos) {
    ADD_FAILURE() << "the archive has no '" << from << "'";
    return {};
  }
  return std::string(text.substr(0, at)).append(to).append(text.substr(at + from.size()));
}

}  // namespace opwright::pt2::testing
