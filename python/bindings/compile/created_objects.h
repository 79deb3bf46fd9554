// CreatedObjects: which Python objects were created since it began.
//
// A captured function may do as it likes with objects that it created; objects that existed before
// are state that it reads or changes. An object counts as created if its memory was allocated in
// the meantime; while one is active on a thread, Python's object allocator notes each block. What
// is not known to be new counts as old, which costs a guard but never a wrong answer.
#pragma once

#include <unordered_set>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

namespace opwright::python {

class CreatedObjects {
 public:
  // Begins on this thread; must end there. One at a time per thread, and under the GIL.
  CreatedObjects();
  ~CreatedObjects();
  CreatedObjects(const CreatedObjects&) = delete;
  CreatedObjects& operator=(const CreatedObjects&) = delete;

  // Ends early; what was created stays known.
  void stop() noexcept;
  // Continues after stop(), on the same thread.
  void resume();
  [[nodiscard]] bool contains(PyObject* object) const;
  // An object that is known to be new although its memory was reused.
  void add(PyObject* object);
  // The reverse: an object that belongs to an older one, such as its dict, which Python makes when
  // it is first needed.
  void remove(PyObject* object);

  // Allocations in its scope do not count: those of the observer itself.
  class [[nodiscard]] PauseScope {
   public:
    explicit PauseScope(CreatedObjects& objects) noexcept
        : objects_(objects), previous_(objects.is_paused_) {
      objects_.is_paused_ = true;
    }
    ~PauseScope() { objects_.is_paused_ = previous_; }
    PauseScope(const PauseScope&) = delete;
    PauseScope& operator=(const PauseScope&) = delete;

   private:
    CreatedObjects& objects_;
    bool previous_;
  };

 private:
  friend struct AllocatorHook;
  void note(void* block);
  void forget(void* block) noexcept { blocks_.erase(block); }

  std::unordered_set<void*> blocks_;
  std::vector<nanobind::object> drained_;  // empty the free lists, whose memory is not allocated
  bool is_paused_ = true;
  bool is_active_ = true;
};

}  // namespace opwright::python
