#include "opwright/check/checks/foreign_host.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/error.h"
#include "opwright/tag.h"

namespace opwright {
namespace {

constexpr uint32_t kMostHostInputs = 24;

struct HostName {
  const char* name;   // of the check, and of the Python package
  const char* title;  // as its makers spell it
  std::unique_ptr<Check> (*make)();
};

template <size_t kWhich>
std::unique_ptr<Check> make_host_check();

constexpr HostName kHosts[] = {
    {"torch", "PyTorch", &make_host_check<0>},
    {"jax", "JAX", &make_host_check<1>},
    {"onnxruntime", "ONNX Runtime", &make_host_check<2>},
};

// Checks may run in several threads, and each keeps its host alive: hence shared_ptr.
struct SetHosts {
  std::mutex mutex;
  std::shared_ptr<ForeignHost> hosts[std::size(kHosts)];
};
SetHosts& set_hosts() {
  static auto* hosts = new SetHosts;  // checks may outlive static objects
  return *hosts;
}

std::shared_ptr<ForeignHost> find_host(size_t which) {
  SetHosts& set = set_hosts();
  const std::lock_guard lock(set.mutex);
  return set.hosts[which];
}

class HostCheck : public Check {
 public:
  explicit HostCheck(size_t which) : names_(kHosts[which]), host_(find_host(which)) {}

  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (!host_) {
      return concatenate(names_.title, " was not provided; from Python opcheck(..., hosts=(\"",
                         names_.name, "\",)) provides it");
    }
    const Tags tags = op.tags();
    if (tags.has(Tag::Nondeterministic) || tags.has(Tag::NondeterministicSeeded))
      return "every host draws its own random numbers";
    return host_->find_reason_to_skip(op);
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (holds_objects(input.example())) return leave_out("an argument is an object of Opwright");
    const Outcome plain = run_compared(input.example());
    if (plain.is_refused()) return std::nullopt;
    const HostAnswer answer = host_->run(input.example());
    if (!answer.left_out.empty()) return leave_out(answer.left_out);
    const std::string& name = input.op().name();
    if (answer.outcome.error) {
      return Fault{concatenate(names_.name, "-raised"),
                   concatenate(name, " raises in ", names_.title,
                               " but not in Opwright: ", text_of(*answer.outcome.error))};
    }
    const auto difference = find_difference(answer.outcome, plain, input.comparison());
    if (!difference) return std::nullopt;
    return Fault{concatenate(names_.name, "-differs"),
                 concatenate(name, " returns a different result in ", names_.title,
                             " than in Opwright: ", *difference,
                             "\n  The same functions ran in both: check what they use from their "
                             "host, e.g. the operators that they call.")};
  }

  std::vector<Fault> remarks(const Operator& op) override {
    if (num_left_out_ == 0) return {};
    return {{concatenate(names_.name, "-left-out"),
             concatenate(op.name(), ": ", num_left_out_,
                         num_left_out_ == 1 ? " input was" : " inputs were", " not compared in ",
                         names_.title, ": ", why_left_out_)}};
  }

 private:
  std::optional<Fault> leave_out(const std::string& why) {
    if (num_left_out_++ == 0) why_left_out_ = why;
    return std::nullopt;
  }

  const HostName& names_;
  std::shared_ptr<ForeignHost> host_;
  uint32_t num_left_out_ = 0;
  std::string why_left_out_;
};

template <size_t kWhich>
std::unique_ptr<Check> make_host_check() {
  return std::make_unique<HostCheck>(kWhich);
}

[[maybe_unused]] const bool kAreHostChecksRegistered = [] {
  int place = 90;
  for (const HostName& each : kHosts) {
    register_check({.name = each.name,
                    .about = concatenate("a call in ", each.title, " returns the same as here"),
                    .make = each.make,
                    .place = place++,
                    .is_on_request = true,
                    .shrinks_here = true,
                    .most_inputs = kMostHostInputs});
  }
  return true;
}();

}  // namespace

std::vector<std::string> foreign_host_names() {
  std::vector<std::string> names;
  for (const HostName& each : kHosts) names.emplace_back(each.name);
  return names;
}

void set_foreign_host(std::string_view name, std::shared_ptr<ForeignHost> host) {
  const auto* found = std::ranges::find(kHosts, name, &HostName::name);
  OPWRIGHT_CHECK_VALUE(found != std::end(kHosts), "opcheck: '", name, "' is no host");
  SetHosts& set = set_hosts();
  const std::lock_guard lock(set.mutex);
  std::swap(set.hosts[found - std::begin(kHosts)], host);
}

}  // namespace opwright
