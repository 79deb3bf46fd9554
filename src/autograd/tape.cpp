#include "opwright/autograd/tape.h"

#include <utility>
#include <vector>

#include "opwright/dispatch/autograd_hooks.h"

namespace opwright {
namespace {

std::atomic<uint64_t> next_age{1};
std::atomic<uint64_t> next_hook{1};
constinit const TapeMirrorTable* mirror_table = nullptr;

// Nodes waiting for destruction on this thread; null: none is being destroyed.
constinit thread_local std::vector<const TapeNode*>* ending
    __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

TapeNode::TapeNode() : TapeNode(TapeEdges()) {}
TapeNode::TapeNode(TapeEdges&& edges)
    : age_(next_age.fetch_add(1, std::memory_order_relaxed)), edges_(std::move(edges)) {}
TapeNode::~TapeNode() = default;

void TapeNode::release() const noexcept {
  uint32_t count = count_.load(std::memory_order_acquire);
  for (;;) {
    if (count == 1) return destroy(this);
    if (count == (kOpwCountHostBit | 1)) {
      return mirror_table->last_handle_dropped(const_cast<TapeNode*>(this));
    }
    if (count_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      return;
    }
  }
}

void set_tape_mirror_table(const TapeMirrorTable& table) noexcept { mirror_table = &table; }

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

bool anomaly_mode() noexcept { return this_autograd_settings.is_anomaly_mode; }
bool set_anomaly_mode(bool on) noexcept {
  return std::exchange(this_autograd_settings.is_anomaly_mode, on);
}

}  // namespace opwright
