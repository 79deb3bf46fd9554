// The idle frames of a plan. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "opwright/run/frame.h"
#include "opwright/run/schedule.h"

namespace opwright {

class FramePool {
 public:
  explicit FramePool(const Schedule& schedule) : schedule_(schedule) {}
  ~FramePool() { delete nearest_.load(std::memory_order_acquire); }
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  [[nodiscard]] std::unique_ptr<Frame> take() {
    if (Frame* frame = nearest_.exchange(nullptr, std::memory_order_acq_rel)) {
      return std::unique_ptr<Frame>(frame);
    }
    {
      const std::lock_guard lock(mutex_);
      if (!frames_.empty()) {
        std::unique_ptr<Frame> frame = std::move(frames_.back());
        frames_.pop_back();
        return frame;
      }
    }
    return std::make_unique<Frame>(schedule_);
  }

  void give_back(std::unique_ptr<Frame> frame) noexcept {
    frame.reset(nearest_.exchange(frame.release(), std::memory_order_acq_rel));
    if (!frame) return;
    try {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(frame));
    } catch (const std::bad_alloc&) {
      frame.reset();  // the next run makes a new one
    }
  }

 private:
  const Schedule& schedule_;
  std::atomic<Frame*> nearest_{nullptr};  // lets a single thread skip the mutex
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace opwright
