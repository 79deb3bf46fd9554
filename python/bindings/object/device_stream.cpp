#include "bindings/object/device_stream.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/lock.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_object.h"
#include "opwright/base/core_host.h"
#include "opwright/error.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Streams are reused instead of freed: work queued on one, or recorded for a tensor, may outlive
// its Python object.
class StreamPool {
 public:
  static StreamPool& get() {
    static auto* pool = new StreamPool;
    return *pool;
  }

  OpwStream* take(Device device, int32_t priority) {
    {
      const std::lock_guard lock(mutex_);
      auto& free = free_[{device.type, device.index, priority}];
      if (!free.empty()) {
        OpwStream* stream = free.back();
        free.pop_back();
        return stream;
      }
    }
    return (new Stream(Stream::make(device, priority)))->get();
  }
  void give_back(Device device, int32_t priority, OpwStream* stream) {
    const std::lock_guard lock(mutex_);
    free_[{device.type, device.index, priority}].push_back(stream);
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, std::vector<OpwStream*>> free_;
};

class StreamObject {
 public:
  StreamObject(const nb::object& device, int32_t priority)
      : device_(resolve_device(parse_device_object(device.ptr()))), priority_(priority) {
    (void)device_table(device_.type);
    stream_ = StreamPool::get().take(device_, priority);
    is_mine_ = true;
  }
  // A stream owned by somebody else.
  StreamObject(Device device, OpwStream* stream) : device_(device), stream_(stream) {}
  ~StreamObject() {
    if (is_mine_) StreamPool::get().give_back(device_, priority_, stream_);
  }
  StreamObject(const StreamObject&) = delete;
  StreamObject& operator=(const StreamObject&) = delete;
  StreamObject(StreamObject&& other) noexcept
      : device_(other.device_),
        priority_(other.priority_),
        stream_(other.stream_),
        is_mine_(std::exchange(other.is_mine_, false)) {}
  StreamObject& operator=(StreamObject&&) = delete;

  [[nodiscard]] Device device() const { return device_; }
  [[nodiscard]] int32_t priority() const { return priority_; }
  [[nodiscard]] OpwStream* get() const { return stream_; }
  [[nodiscard]] intptr_t address() const { return reinterpret_cast<intptr_t>(stream_); }
  [[nodiscard]] bool is_same(const StreamObject& other) const {
    return device_ == other.device_ && stream_ == other.stream_;
  }

 private:
  Device device_;
  int32_t priority_ = 0;
  OpwStream* stream_ = nullptr;
  bool is_mine_ = false;
};

// An event that may be recorded repeatedly.
class EventObject {
 public:
  void record(const StreamObject& stream) {
    event_.emplace(Event::record(stream.device(), stream.get()));
  }
  void make_wait(const StreamObject& stream) const {
    if (event_) event_->make_wait(stream.device(), stream.get());
  }
  [[nodiscard]] bool has_come() const { return !event_ || event_->has_come(); }
  void synchronize() const {
    if (!event_) return;
    const HoldCallsScope held;
    const UnlockScope unlocked;
    event_->synchronize();
  }
  [[nodiscard]] double milliseconds_to(const EventObject& later) const {
    OPWRIGHT_CHECK(event_ && later.event_,
                   "elapsed_time: both events must have been recorded first");
    return later.event_->milliseconds_since(*event_);
  }
  [[nodiscard]] bool is_recorded() const { return event_.has_value(); }

 private:
  std::optional<Event> event_;
};

void wait_for(const StreamObject& stream) {
  const HoldCallsScope held;
  const UnlockScope unlocked;
  synchronize_stream(stream.device(), stream.get());
}

// Sets this thread's current stream; returns the previous one.
StreamObject set_current_stream(const StreamObject& stream) {
  const OpwDeviceTable& table = device_table(stream.device().type);
  if (!table.current_stream) return {stream.device(), nullptr};
  OPWRIGHT_CHECK_KIND("NotImplementedError", table.set_current_stream, "the device ", table.name,
                      " has one stream only");
  return {stream.device(), table.set_current_stream(stream.device().index, stream.get())};
}

}  // namespace

void bind_device_stream(nb::module_& m) {
  nb::class_<StreamObject>(m, "DeviceStream")
      .def(nb::init<const nb::object&, int32_t>(), nb::arg("device"), nb::arg("priority") = 0)
      .def_prop_ro("device",
                   [](const StreamObject& self) { return nb::steal(to_python(self.device())); })
      .def_prop_ro("priority", &StreamObject::priority)
      .def_prop_ro("address", &StreamObject::address)
      .def("synchronize", &wait_for)
      .def("is_same", &StreamObject::is_same, nb::arg("other"));
  nb::class_<EventObject>(m, "DeviceEvent")
      .def(nb::init<>())
      .def("record", &EventObject::record, nb::arg("stream"))
      .def("make_wait", &EventObject::make_wait, nb::arg("stream"))
      .def("has_come", &EventObject::has_come)
      .def("synchronize", &EventObject::synchronize)
      .def("milliseconds_to", &EventObject::milliseconds_to, nb::arg("later"))
      .def_prop_ro("is_recorded", &EventObject::is_recorded);
  m.def("current_device_stream", [](const nb::object& device) {
    const Device target = resolve_device(parse_device_object(device.ptr()));
    return StreamObject(target, current_device_stream(target));
  });
  m.def("set_current_device_stream", &set_current_stream, nb::arg("stream"));
}

StreamHandle read_stream(nb::handle object, const char* who) {
  const nb::object inner = nb::getattr(object, "_stream", nb::none());
  StreamObject* stream = nullptr;
  OPWRIGHT_CHECK_TYPE(nb::try_cast(inner, stream) && stream, who,
                      ": expected a Stream of a device, got ", Py_TYPE(object.ptr())->tp_name);
  return {stream->device(), stream->get()};
}

}  // namespace opwright::python
