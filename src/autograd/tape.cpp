#include "opwright/autograd/tape.h"

#include <algorithm>
#include <vector>

namespace opwright {
namespace {

std::atomic<uint64_t> next_age{1};
std::atomic<uint64_t> next_hook{1};
constinit thread_local bool looks_for_anomalies = false;

// Nodes of this thread that wait for their end; null: none is ending.
constinit thread_local std::vector<const TapeNode*>* ending = nullptr;

}  // namespace

TapeNode::TapeNode() : age_(next_age.fetch_add(1, std::memory_order_relaxed)) {}
TapeNode::~TapeNode() = default;

void TapeNode::release() const noexcept {
  if (count_.load(std::memory_order_acquire) == 1 ||
      count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    destroy(this);
  }
}

void TapeNode::destroy(const TapeNode* node) noexcept {
  if (ending) {
    ending->push_back(node);
    return;
  }
  std::vector<const TapeNode*> waiting;
  ending = &waiting;
  delete node;
  while (!waiting.empty()) {
    const TapeNode* next = waiting.back();
    waiting.pop_back();
    delete next;
  }
  ending = nullptr;
}

TapeHooks& TapeNode::own_hooks() {
  if (!hooks_) hooks_ = std::make_unique<TapeHooks>();
  return *hooks_;
}

uint64_t TapeNode::add_hook(uint32_t place, GradientHook hook) {
  const uint64_t id = next_hook.fetch_add(1, std::memory_order_relaxed);
  own_hooks().of_places.push_back({id, place, std::move(hook)});
  return id;
}

uint64_t TapeNode::add_retaining_hook(uint32_t place, GradientHook hook) {
  const uint64_t id = next_hook.fetch_add(1, std::memory_order_relaxed);
  own_hooks().retaining.push_back({id, place, std::move(hook)});
  return id;
}

uint64_t TapeNode::add_pre_hook(NodePreHook hook) {
  const uint64_t id = next_hook.fetch_add(1, std::memory_order_relaxed);
  own_hooks().before.push_back({id, std::move(hook)});
  return id;
}

uint64_t TapeNode::add_post_hook(NodeHook hook) {
  const uint64_t id = next_hook.fetch_add(1, std::memory_order_relaxed);
  own_hooks().after.push_back({id, std::move(hook)});
  return id;
}

void TapeNode::remove_hook(uint64_t id) noexcept {
  if (!hooks_) return;
  const auto has_id = [id](const auto& entry) { return entry.id == id; };
  std::erase_if(hooks_->of_places, has_id);
  std::erase_if(hooks_->retaining, has_id);
  std::erase_if(hooks_->before, has_id);
  std::erase_if(hooks_->after, has_id);
}

bool anomaly_mode() noexcept { return looks_for_anomalies; }
bool set_anomaly_mode(bool on) noexcept { return std::exchange(looks_for_anomalies, on); }

}  // namespace opwright
