#include "bindings/autograd/profiler.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Shape = std::vector<int64_t>;

struct CallTime {
  std::string name;
  int64_t start = 0;  // nanoseconds
  int64_t end = 0;
  std::vector<Shape> shapes;  // of each argument; empty for one that is not a tensor
};

// Used on the thread of the block only.
class CallLog {
 public:
  explicit CallLog(bool has_shapes) : has_shapes_(has_shapes) {}

  size_t begin(std::string name) {
    calls_.push_back({.name = std::move(name), .start = now(), .end = 0, .shapes = {}});
    return calls_.size() - 1;
  }
  size_t begin(const Operator& op, Arguments args) {
    std::vector<Shape> shapes;
    if (has_shapes_) {
      for (const OpwValue& arg : args) shapes.push_back(shape_of(arg));
    }
    const size_t place = begin(op.name());
    calls_[place].shapes = std::move(shapes);
    return place;
  }
  void end(size_t place) { calls_[place].end = now(); }
  [[nodiscard]] const std::vector<CallTime>& calls() const noexcept { return calls_; }

 private:
  static int64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }
  static Shape shape_of(const OpwValue& arg) {
    if (arg.tag != kOpwTensor) return {};
    const Tensor tensor = Tensor::borrow(arg.as_tensor);
    if (tensor.is_symbolic()) return {};
    const auto sizes = tensor.sizes();
    return {sizes.begin(), sizes.end()};
  }

  bool has_shapes_;
  std::vector<CallTime> calls_;
};

// Makes each call itself, with another one of its kind for the calls inside.
class CallTimesMode final : public Mode {
 public:
  // An inner one does not see the call that it was made for.
  CallTimesMode(CallLog& log, bool is_inner) : log_(log), skips_next_(is_inner) {}

  bool process(const Operator& op, Arguments args, Results results) override {
    if (std::exchange(skips_next_, false)) return false;
    struct Timed {
      CallLog& log;
      size_t place;
      ~Timed() { log.end(place); }
    };
    const Timed timed{log_, log_.begin(op, args)};
    CallTimesMode inside(log_, true);
    const ModeScope scope(inside);
    call(op, args, results);
    return true;
  }

 private:
  CallLog& log_;
  bool skips_next_;
};

class CallTimes {
 public:
  explicit CallTimes(bool has_shapes) : log_(has_shapes), mode_(log_, false) {}
  CallTimes(const CallTimes&) = delete;
  CallTimes& operator=(const CallTimes&) = delete;

  void enter() {
    OPWRIGHT_CHECK(!scope_, "CallTimes: the block is entered already");
    scope_.emplace(mode_);
  }
  void leave() { scope_.reset(); }
  size_t begin(std::string name) { return log_.begin(std::move(name)); }
  void end(size_t place) {
    OPWRIGHT_CHECK_INDEX(place < log_.calls().size(), "CallTimes: there is no range ", place);
    log_.end(place);
  }
  [[nodiscard]] nb::list calls() const {
    nb::list found;
    for (const CallTime& each : log_.calls()) {
      found.append(nb::make_tuple(each.name, each.start, each.end, each.shapes));
    }
    return found;
  }

 private:
  CallLog log_;
  CallTimesMode mode_;
  std::optional<ModeScope> scope_;
};

}  // namespace

void bind_profiler(nb::module_& m) {
  nb::class_<CallTimes>(m, "CallTimes", "Records when operator calls began and ended.")
      .def(nb::init<bool>(), nb::arg("has_shapes"))
      .def("enter", &CallTimes::enter, "Record the calls of this thread.")
      .def("leave", &CallTimes::leave, "Stop; on the same thread.")
      .def("begin", &CallTimes::begin, nb::arg("name"), "Begin a named range; its number.")
      .def("end", &CallTimes::end, nb::arg("range"), "End the range.")
      .def(
          "calls", &CallTimes::calls,
          "In the order of their begin: name, begin and end in nanoseconds (end 0: not ended), and "
          "the shape of each argument.");
}

}  // namespace opwright::python
