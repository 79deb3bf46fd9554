#include "opwright/runtime/opcheck.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/example_text.h"
#include "opwright/check/memory/clock.h"
#include "opwright/check/opcheck/input_screen.h"
#include "opwright/check/opcheck/run_opcheck.h"
#include "opwright/check/shrink/shrink.h"
#include "opwright/check/shrink/shrink_apart.h"
#include "opwright/check/variation/variation.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/schema/bind.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr size_t kMostKinds = 3;        // reported per check
constexpr int kMostSteps = 300;         // when shrinking an input
constexpr int kMostStepsApart = 60;     // when shrinking in child processes
constexpr double kMostShrinking = 1.0;  // seconds

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// A device that the example names but this process does not have.
std::optional<Device> find_absent_device(const Example& example) {
  const auto is_absent = [](Device device) {
    return device.type != kOpwDeviceMeta && !find_device_table(device.type);
  };
  for (const Tensor& tensor : example.tensors()) {
    if (is_absent(tensor.device())) return tensor.device();
  }
  for (const Value& value : example.values()) {
    if (value.tag() == kOpwDeviceValue && is_absent(value.get().as_device)) {
      return value.get().as_device;
    }
  }
  return std::nullopt;
}

void check_tensors_are_plain(const Example& example) {
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    OPWRIGHT_CHECK_VALUE(!tensors[i].is_fake() && !impl(tensors[i]).is_wrapper(), "opcheck of ",
                         example.op().name(), ": the argument '", example.tensor_name(i),
                         "' has no memory\n  Pass a tensor with values; fakes are made from it.");
  }
}

class OpcheckRun {
 public:
  OpcheckRun(const Example& given, const OpcheckOptions& options)
      : given_(given), options_(options), checks_(find_checks(options.checks)) {
    settings_.seed = options.seed;
    if (options.rtol || options.atol) {
      settings_.tolerance = Tolerance{options.rtol.value_or(0), options.atol.value_or(0)};
    }
    report_.op = given.op().name();
    report_.num_given = 1;
    report_.seed = options.seed;
  }

  CheckReport run() {
    if (const auto device = find_absent_device(given_)) {
      return skip_all(concatenate("there is no ", device_text(*device), " here"));
    }
    check_tensors_are_plain(given_);
    find_inputs();
    for (const CheckEntry* entry : checks_) run_check(*entry);
    return std::move(report_);
  }

 private:
  CheckReport skip_all(const std::string& reason) {
    for (const CheckEntry* entry : checks_) {
      add_line({entry->name, CheckLine::State::Skipped, 0, 0, reason});
    }
    return std::move(report_);
  }

  void add_line(CheckLine line) {
    if (options_.progress) options_.progress(options_.progress_context, line);
    report_.lines.push_back(std::move(line));
  }

  // ---- Inputs ----

  [[nodiscard]] const CheckEntry* check_apart() const {
    const auto found = std::ranges::find_if(checks_, &CheckEntry::runs_apart);
    return found == checks_.end() ? nullptr : *found;
  }

  // Tries the inputs in a child process, so that crashes do no harm here.
  void find_inputs() {
    const CheckEntry* apart = check_apart();
    std::vector<CheckInput> candidates;
    candidates.emplace_back(given_, true, settings_);
    Variations variations(given_, {.seed = options_.seed});
    bool has_more = options_.examples > 0;
    for (int round = 0; round == 0 || (has_more && round < 4); ++round) {
      while (has_more && candidates.size() < size_t{options_.examples} * 2 + 1) {
        std::optional<Example> next = variations.next();
        if (!next) {
          has_more = false;
        } else {
          candidates.emplace_back(std::move(*next), false, settings_);
        }
      }
      take_inputs(candidates, apart);
      candidates.clear();
      has_more &= report_.num_generated < options_.examples;
    }
  }

  void take_inputs(std::vector<CheckInput>& candidates, const CheckEntry* apart) {
    const bool is_screened = apart || options_.examples > 0;
    const Clock::time_point start = Clock::now();
    std::vector<ScreenedInput> screened(candidates.size());
    if (is_screened) screened = screen_inputs(candidates, apart);
    apart_.seconds += seconds_since(start);
    for (size_t i = 0; i < candidates.size(); ++i) {
      CheckInput& input = candidates[i];
      if (!input.is_given() && report_.num_generated >= options_.examples) return;
      if (screened[i].is_missing) continue;
      if (screened[i].fault) apart_.add(*screened[i].fault, input.example());
      if (screened[i].has_crashed) {
        settings_.is_harmful = true;
        ++apart_.inputs;
        continue;
      }
      if (screened[i].is_refused || (!is_screened && input.is_refused())) {
        if (input.is_given()) throw_refused(input);
        ++report_.num_refused;
        continue;
      }
      if (!input.is_given()) ++report_.num_generated;
      ++apart_.inputs;
      inputs_.push_back(std::move(input));
    }
  }

  [[noreturn]] void throw_refused(const CheckInput& input) const {
    const Outcome& plain = input.plain();
    if (!plain.error) {
      throw_error("RuntimeError", "opcheck of ", report_.op,
                  ": the operator rejects the example in some calls and accepts it in others");
    }
    Error error = *plain.error;
    throw_error("ValueError", "opcheck of ", report_.op,
                ": the operator rejects the example: ", error.kind(), ": ", error.message(),
                "\n  Pass arguments that it accepts.");
  }

  // ---- Checks ----

  struct Found {
    Fault fault;
    Example example;
  };
  // What a check found in all inputs.
  struct Looked {
    uint32_t inputs = 0;
    double seconds = 0;        // spent before
    std::vector<Found> found;  // one of each kind
    std::vector<Fault> remarks;

    void add(Fault fault, const Example& example) {
      const bool is_known = std::ranges::any_of(
          found, [&](const Found& each) { return each.fault.kind == fault.kind; });
      if (!is_known && found.size() < kMostKinds) found.push_back({std::move(fault), example});
    }
  };

  void run_check(const CheckEntry& entry) {
    const Clock::time_point start = Clock::now();
    if (auto reason = entry.make()->find_reason_to_skip(given_.op())) {
      return add_line({entry.name, CheckLine::State::Skipped, 0, 0, std::move(*reason)});
    }
    if (entry.runs_apart && !given_.is_on_cpu()) {
      return add_line(
          {entry.name, CheckLine::State::Skipped, 0, 0, "only memory of the CPU can be watched"});
    }
    Looked looked = entry.runs_apart ? std::move(apart_) : look_at_all(entry);
    std::string text;
    for (const Found& each : looked.found) {
      CheckFinding finding = describe(entry, each);
      if (text.empty()) text = first_line(finding.message);
      report_.findings.push_back(std::move(finding));
    }
    for (Fault& remark : looked.remarks) {
      report_.remarks.push_back(
          {entry.name, std::move(remark.kind), std::move(remark.message), {}, {}});
    }
    const auto state = looked.found.empty() ? CheckLine::State::Ok : CheckLine::State::Failed;
    const double seconds = looked.seconds + seconds_since(start);
    add_line({entry.name, state, looked.inputs, seconds, std::move(text)});
  }

  Looked look_at_all(const CheckEntry& entry) const {
    const std::unique_ptr<Check> check = entry.make();
    Looked looked;
    for (const CheckInput& input : inputs_) {
      if (looked.inputs == entry.most_inputs || looked.found.size() == kMostKinds) break;
      if (input.plain().is_refused() && !entry.takes_wrong_results) continue;
      ++looked.inputs;
      if (auto fault = look_at(*check, input)) looked.add(std::move(*fault), input.example());
    }
    looked.remarks = check->remarks(given_.op());
    return looked;
  }

  // The fault of that kind that an example shows. Runs in this process, unless the check runs
  // apart.
  std::optional<Fault> find_again(const CheckEntry& entry, const Example& example,
                                  const std::string& kind) const {
    const CheckInput input(example, false, settings_);
    std::optional<Fault> fault;
    if (entry.runs_apart) {
      fault = screen_inputs(std::span(&input, 1), &entry)[0].fault;
    } else if (!input.plain().is_refused() || (entry.takes_wrong_results && !input.is_refused())) {
      fault = look_at(*entry.make(), input);
    }
    return fault && fault->kind == kind ? std::move(fault) : std::nullopt;
  }

  // Describes the fault with the smallest input that shows the same kind.
  CheckFinding describe(const CheckEntry& entry, const Found& found) const {
    const Clock::time_point start = Clock::now();
    const auto shows = [&](const Example& example) {
      if (seconds_since(start) > kMostShrinking) return false;
      return find_again(entry, example, found.fault.kind).has_value();
    };
    const Example example = entry.runs_apart     ? shrink(found.example, shows, kMostStepsApart)
                            : entry.shrinks_here ? shrink(found.example, shows, kMostSteps)
                                                 : shrink_apart(found.example, shows, kMostSteps);
    const Fault fault = find_again(entry, example, found.fault.kind).value_or(found.fault);
    return {entry.name, fault.kind, fault.message, code_of(example), found.example.change()};
  }

  const Example given_;
  const OpcheckOptions& options_;
  CheckSettings settings_;
  std::vector<const CheckEntry*> checks_;
  CheckReport report_;
  std::vector<CheckInput> inputs_;
  Looked apart_;  // from the check that runs in child processes
};

}  // namespace

CheckReport opcheck(std::string_view name, std::span<const Value> args,
                    const OpcheckOptions& options) {
  const Operator& op = Registry::get().require(name);
  std::vector<OpwValue> given;
  std::vector<KeywordValue> keywords;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto& arguments = op.schema().arguments;
    if (i < arguments.size() && arguments[i].is_keyword_only) {
      keywords.push_back({arguments[i].name, args[i].get()});
    } else {
      given.push_back(args[i].get());
    }
  }
  const BoundArguments bound(op.schema(), given, keywords);
  return run_opcheck(Example(op, bound.values()), options);
}

CheckReport run_opcheck(const Example& given, const OpcheckOptions& options) {
  // Runs without transforms, whatever the caller's state is.
  ThreadState state{};
  state.instance = thread_state().instance;
  const ThreadStateScope scope(state);
  return OpcheckRun(given, options).run();
}

}  // namespace opwright
