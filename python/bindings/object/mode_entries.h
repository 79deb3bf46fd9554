// The `with` statements that have entered a mode.
#pragma once

#include <thread>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"

namespace opwright::python {

class ModeEntries {
 public:
  // Makes `mode` current on this thread.
  void enter(IntrusivePtr<Interpreter> mode) {
    entries_.push_back({std::this_thread::get_id(), current_interpreter(), std::move(mode)});
    thread_state().set_current(entries_.back().mode.get());
  }

  // Leaves the mode that was entered last; RuntimeError unless it is current. `who` is its class.
  void leave(const char* who) {
    OPWRIGHT_CHECK(!entries_.empty() && entries_.back().thread == std::this_thread::get_id() &&
                       current_interpreter() == entries_.back().mode.get(),
                   who, ": a mode is left on the thread that entered it, and the innermost first");
    const Entry left = std::move(entries_.back());  // may destroy the mode: must be last
    entries_.pop_back();
    thread_state().set_current(left.outside);
  }

 private:
  struct Entry {
    std::thread::id thread;
    Interpreter* outside;
    IntrusivePtr<Interpreter> mode;
  };
  std::vector<Entry> entries_;
};

}  // namespace opwright::python
