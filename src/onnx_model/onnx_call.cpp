#include "opwright/onnx_model/onnx_call.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/onnx_model/onnx_model.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool is_number(const Value& value) { return value.tag() == kOpwInt || value.tag() == kOpwSymInt; }

// Checks in other threads keep their referee alive: hence shared_ptr.
struct SetReferee {
  std::mutex mutex;
  std::shared_ptr<OnnxReferee> referee;
};
SetReferee& set_referee() {
  static auto* set = new SetReferee;  // checks may outlive static objects
  return *set;
}

// The host "onnxruntime" of opcheck.
class RefereeHost : public ForeignHost {
 public:
  explicit RefereeHost(std::shared_ptr<OnnxReferee> referee) : referee_(std::move(referee)) {}

  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    return referee_->find_reason_to_skip(op);
  }
  HostAnswer run(const Example& example) override {
    const auto leave_out = [&](const Error& error) {
      return HostAnswer{{.after = example, .results = {}, .error = std::nullopt}, text_of(error)};
    };
    try {
      ExportedCall exported = export_for_onnx(example);
      const onnx::Model model = to_model(exported);
      return run_model(*referee_, {std::move(exported), model}, example);
    } catch (const Error& error) {
      return leave_out(error);
    }
  }

 private:
  std::shared_ptr<OnnxReferee> referee_;
};

}  // namespace

ExportedCall export_for_onnx(const Example& example) {
  return export_call(example, onnx::trace_options(onnx::kDefaultOpset));
}

onnx::Model to_model(const ExportedCall& exported) { return to_onnx_model(*exported.program, {}); }

void set_onnx_referee(std::shared_ptr<OnnxReferee> referee) {
  set_foreign_host("onnxruntime", referee ? std::make_shared<RefereeHost>(referee) : nullptr);
  SetReferee& set = set_referee();
  const std::lock_guard lock(set.mutex);
  std::swap(set.referee, referee);
}

std::shared_ptr<OnnxReferee> onnx_referee() {
  SetReferee& set = set_referee();
  const std::lock_guard lock(set.mutex);
  return set.referee;
}

HostAnswer run_model(OnnxReferee& referee, const OnnxCall& call, const Example& example) {
  HostAnswer answer{{.after = example.copy(), .results = {}, .error = std::nullopt}};
  const std::vector<Tensor> own = answer.outcome.after.tensors();
  try {
    OnnxReferee::Answer given = referee.run(example.op(), call.model, own);
    answer.left_out = std::move(given.left_out);
    if (!answer.left_out.empty()) return answer;
    // The order of outputs: results, tensors before ints, then written arguments.
    const std::vector<Tensor>& outputs = given.outputs;
    const size_t num_tensors = tensors_of(call.exported.results).size();
    OPWRIGHT_CHECK(outputs.size() >= num_tensors, "the model gave ", outputs.size(), " outputs");
    answer.outcome.results =
        replace_tensors(call.exported.results, std::span(outputs).first(num_tensors));
    size_t next = num_tensors;
    for (Value& result : answer.outcome.results) {
      if (is_number(result)) result = Value(outputs.at(next++).item().to<int64_t>());
    }
    size_t written = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      if (example.is_written(i) && next + written < outputs.size())
        (void)Tensor(own[i]).copy_(outputs[next + written++]);
    }
  } catch (const Error& error) {
    answer.outcome.error = error;
  }
  return answer;
}

}  // namespace opwright
