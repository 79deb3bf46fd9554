#include "opwright/compile/llvm/ir_loop.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {
namespace {

using Body = std::function<IrValues(const IrValue&, const IrValues&)>;

// The trip count of a loop with constant bounds; -1 if unknown.
int64_t trip_count(const IrValue& begin, const IrValue& end, int64_t step) {
  int64_t first = 0;
  int64_t last = 0;
  if (!begin.is_constant_int(first) || !end.is_constant_int(last)) return -1;
  return first >= last ? 0 : (last - first + step - 1) / step;
}

std::string phi_line(const std::string& name, IrType type, const IrValue& first,
                     const std::string& before, const std::string& next, const std::string& from) {
  return fmt::format("  {} = phi {} [ {}, %{} ], [ {}, %{} ]\n", name, to_text(type), first.text,
                     before, next, from);
}

}  // namespace

IrValues emit_loop(IrBuilder& b, const IrValue& begin, const IrValue& end, int64_t step,
                   IrValues state, const Body& body) {
  const int64_t trips = trip_count(begin, end, step);
  if (trips == 0) return state;
  if (trips == 1) return body(begin, state);
  const std::string head = b.new_label("loop");
  const std::string leave = "after_" + head;
  const std::string before = b.block();
  if (trips < 0) {
    const IrValue any = b.compare("icmp slt", begin, end);
    b.perform(fmt::format("br i1 {}, label %{}, label %{}", any.text, head, leave));
  } else {
    b.perform(fmt::format("br label %{}", head));
  }
  b.start_block(head);
  const size_t marker = b.place();
  IrValues carried;
  for (size_t i = 0; i < state.size(); ++i)
    carried.push_back({fmt::format("%{}.s{}", head, i), state[i].type});
  IrValues next;
  {
    const IrBuilder::Scope scope(b);
    const IrValue index{fmt::format("%{}.i", head), {IrKind::I64}};
    next = body(index, carried);
    b.perform(fmt::format("%{}.next = add nsw i64 {}, {}", head, index.text, step));
    b.perform(fmt::format("%{}.more = icmp slt i64 %{}.next, {}", head, head, end.text));
    b.perform(fmt::format("br i1 %{}.more, label %{}, label %{}", head, head, leave));
    std::string phis =
        phi_line(index.text, index.type, begin, before, fmt::format("%{}.next", head), b.block());
    for (size_t i = 0; i < state.size(); ++i)
      phis += phi_line(carried[i].text, state[i].type, state[i], before, next[i].text, b.block());
    b.insert(marker, phis);
  }
  const std::string last_block = b.block();
  b.start_block(leave);
  if (trips > 0) return next;
  for (size_t i = 0; i < state.size(); ++i) {
    state[i] =
        b.read(state[i].type, fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", to_text(state[i].type),
                                          state[i].text, before, next[i].text, last_block));
  }
  return state;
}

IrValues emit_while(IrBuilder& b, IrValues state,
                    const std::function<IrValue(const IrValues&)>& condition,
                    const std::function<IrValues(const IrValues&)>& body) {
  const std::string head = b.new_label("while");
  const std::string inside = "in_" + head;
  const std::string leave = "after_" + head;
  const std::string before = b.block();
  b.perform(fmt::format("br label %{}", head));
  b.start_block(head);
  const size_t marker = b.place();
  IrValues carried;
  for (size_t i = 0; i < state.size(); ++i)
    carried.push_back({fmt::format("%{}.s{}", head, i), state[i].type});
  const IrBuilder::Scope scope(b);
  const IrValue goes_on = condition(carried);
  b.perform(fmt::format("br i1 {}, label %{}, label %{}", goes_on.text, inside, leave));
  b.start_block(inside);
  const IrValues next = body(carried);
  b.perform(fmt::format("br label %{}", head));
  std::string phis;
  for (size_t i = 0; i < state.size(); ++i)
    phis += phi_line(carried[i].text, state[i].type, state[i], before, next[i].text, b.block());
  b.insert(marker, phis);
  b.start_block(leave);
  return carried;
}

}  // namespace opwright
