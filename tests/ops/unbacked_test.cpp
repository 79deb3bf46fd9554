// Operators on sizes that are known only when the program runs: what they give, and what the
// program must assert.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "opwright/functions.h"
#include "opwright/symbolic/current_shape_env.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

class Unbacked : public ::testing::Test {
 protected:
  [[nodiscard]] Tensor fake(const SymSizes& sizes, DType dtype = DType::Float32) const {
    return make_fake(sizes, dtype, kCpu);
  }
  [[nodiscard]] std::string asserts() const {
    std::string text;
    for (const RuntimeAssert& each : env->runtime_asserts()) {
      if (!text.empty()) text += "; ";
      append_text(text, each.condition);
    }
    return text;
  }
  [[nodiscard]] std::string guards() const {
    std::string text;
    for (const Guard& each : env->guards()) {
      if (!text.empty()) text += "; ";
      append_text(text, each.condition);
    }
    return text;
  }

  ShapeEnvPtr env = ShapeEnvPtr::take(new ShapeEnv());
  ShapeEnvScope scope{env.get()};
  SymInt u0 = env->make_unbacked();
  SymInt s0 = env->make_size(5, "x.size(0)");
};

std::string sizes(const Tensor& tensor) { return to_text(sym_geometry_of(tensor).sizes); }
std::string strides(const Tensor& tensor) { return to_text(sym_geometry_of(tensor).strides); }

void show(const char* name, const ShapeEnv& env, const std::function<Tensor()>& compute) {
  try {
    const Tensor y = compute();
    printf("%-24s %s %s", name, sizes(y).c_str(), strides(y).c_str());
  } catch (const Error& error) {
    printf("%-24s RAISED %s: %s", name, error.kind(), error.what());
  }
  for (const RuntimeAssert& each : env.runtime_asserts()) {
    std::string text;
    append_text(text, each.condition);
    printf(" | assert %s", text.c_str());
  }
  for (const Guard& each : env.guards()) {
    std::string text;
    append_text(text, each.condition);
    printf(" | guard %s", text.c_str());
  }
  printf("\n");
}

TEST(Explore, Ops) {
  using Build = std::function<Tensor(const SymInt&, const SymInt&)>;
  const auto f = [](const SymSizes& s, DType d = DType::Float32) { return make_fake(s, d, kCpu); };
  const std::vector<std::pair<const char*, Build>> all{
      {"relu", [&](auto& u, auto&) { return f({u}).relu(); }},
      {"add same", [&](auto& u, auto&) { return f({u}).add(f({u})); }},
      {"add s", [&](auto& u, auto& s) { return f({u}).add(f({s})); }},
      {"add 3", [&](auto& u, auto&) { return f({u}).add(f({3})); }},
      {"mul bc", [&](auto& u, auto&) { return f({u, 3}).mul(f({3})); }},
      {"mul bc1", [&](auto& u, auto&) { return f({u, 1}).mul(f({u, 3})); }},
      {"add number", [&](auto& u, auto&) { return f({u, 3}).add(2); }},
      {"add symnumber", [&](auto& u, auto&) { return f({u, 3}).add(Scalar(u)); }},
      {"mixed dtype", [&](auto& u, auto&) { return f({u, 3}).add(f({u, 3}, DType::Int64)); }},
      {"transposed add", [&](auto& u, auto&) { return f({u, 3}).t().add(f({u, 3}).t()); }},
      {"transposed+plain", [&](auto& u, auto&) { return f({u, 3}).t().add(f({3, u})); }},
      {"sum", [&](auto& u, auto&) { return f({u, 3}).sum(); }},
      {"sum dim", [&](auto& u, auto&) { return f({u, 3}).sum({0}); }},
      {"mean", [&](auto& u, auto&) { return f({u, 3}).mean(); }},
      {"mean dim", [&](auto& u, auto&) { return f({u, 3}).mean({0}); }},
      {"max dim", [&](auto& u, auto&) { return std::get<0>(f({u, 3}).max(0)); }},
      {"amax", [&](auto& u, auto&) { return f({u, 3}).amax({0}); }},
      {"argmax", [&](auto& u, auto&) { return f({u, 3}).argmax(0); }},
      {"var", [&](auto& u, auto&) { return var(f({u, 3}), {{0}}, Scalar(1), false); }},
      {"cat", [&](auto& u, auto& s) { return cat(std::vector<Tensor>{f({u}), f({s})}, 0); }},
      {"cat 2d", [&](auto& u, auto& s) { return cat(std::vector<Tensor>{f({u, 3}), f({s, 3})}, 0); }},
      {"cat other", [&](auto& u, auto& s) { return cat(std::vector<Tensor>{f({u, 3}), f({s, 4})}, 1); }},
      {"stack", [&](auto& u, auto& s) { return stack(std::vector<Tensor>{f({u}), f({s})}, 0); }},
      {"index_select", [&](auto& u, auto& s) { return f({s, 3}).index_select(0, f({u}, DType::Int64)); }},
      {"index_select2", [&](auto& u, auto& s) { return f({u, 3}).index_select(0, f({s}, DType::Int64)); }},
      {"index", [&](auto& u, auto& s) { return index(f({s, 3}), {f({u}, DType::Int64)}); }},
      {"gather", [&](auto& u, auto&) { return f({u, 3}).gather(0, f({u, 3}, DType::Int64)); }},
      {"slice", [&](auto& u, auto&) { return slice(f({u, 3}), 0, SymInt(1)); }},
      {"slice :3", [&](auto& u, auto&) { return slice(f({u, 3}), 0, SymInt(0), SymInt(3)); }},
      {"slice :-1", [&](auto& u, auto&) { return slice(f({u, 3}), 0, SymInt(0), SymInt(-1)); }},
      {"slice ::2", [&](auto& u, auto&) { return slice(f({u, 3}), 0, SymInt(0), SymInt(INT64_MAX), SymInt(2)); }},
      {"slice :u", [&](auto& u, auto& s) { return slice(f({s, 3}), 0, SymInt(0), u); }},
      {"narrow :u", [&](auto& u, auto& s) { return narrow(f({s, 3}), 0, SymInt(0), u); }},
      {"select", [&](auto& u, auto&) { return f({u, 3}).select(0, 0); }},
      {"select -1", [&](auto& u, auto&) { return f({u, 3}).select(0, -1); }},
      {"view", [&](auto& u, auto&) { return f({u, 12}).view({u, 3, 4}); }},
      {"view -1", [&](auto& u, auto&) { return f({u, 12}).view({u, -1}); }},
      {"view -1,2", [&](auto& u, auto&) { return f({u}).view({-1, 2}); }},
      {"view u,-1 of s", [&](auto& u, auto& s) { return f({s}).view({u, -1}); }},
      {"view flat", [&](auto& u, auto&) { return f({u, 12}).view({-1}); }},
      {"flatten", [&](auto& u, auto&) { return f({u, 3, 4}).flatten(1); }},
      {"flatten 0", [&](auto& u, auto&) { return f({u, 3, 4}).flatten(0, 1); }},
      {"reshape t", [&](auto& u, auto&) { return f({u, 3}).t().reshape({-1}); }},
      {"expand", [&](auto& u, auto&) { return f({1, 3}).expand({u, 3}); }},
      {"expand -1", [&](auto& u, auto&) { return f({u, 1}).expand({-1, 4}); }},
      {"expand u to s", [&](auto& u, auto& s) { return f({u}).expand({s}); }},
      {"mm", [&](auto& u, auto&) { return f({u, 3}).mm(f({3, 4})); }},
      {"mm inner", [&](auto& u, auto& s) { return f({2, u}).mm(f({s, 4})); }},
      {"matmul 3d", [&](auto& u, auto&) { return matmul(f({u, 2, 3}), f({3, 4})); }},
      {"matmul bmm", [&](auto& u, auto&) { return matmul(f({u, 2, 3}), f({u, 3, 4})); }},
      {"linear", [&](auto& u, auto&) { return linear(f({u, 3}), f({4, 3}), f({4})); }},
      {"linear 3d", [&](auto& u, auto&) { return linear(f({u, 7, 3}), f({4, 3}), f({4})); }},
      {"conv2d", [&](auto& u, auto&) { return conv2d(f({u, 3, 8, 8}), f({4, 3, 3, 3}), f({4})); }},
      {"conv2d hw", [&](auto& u, auto&) { return conv2d(f({2, 3, u, u}), f({4, 3, 3, 3}), f({4})); }},
      {"conv1d", [&](auto& u, auto&) { return conv1d(f({u, 3, 8}), f({4, 3, 3}), f({4})); }},
      {"max_pool2d", [&](auto& u, auto&) { return max_pool2d(f({u, 3, 8, 8}), {2}); }},
      {"avg_pool2d", [&](auto& u, auto&) { return avg_pool2d(f({u, 3, 8, 8}), {2}); }},
      {"adaptive", [&](auto& u, auto&) { return adaptive_avg_pool2d(f({u, 3, 8, 8}), {1}); }},
      {"batch_norm", [&](auto& u, auto&) { return batch_norm(f({u, 3, 8, 8}), f({3}), f({3}), f({3}), f({3}), true, 0.1, 1e-5, false); }},
      {"group_norm", [&](auto& u, auto&) { return group_norm(f({u, 4, 8, 8}), 2, f({4}), f({4})); }},
      {"softmax", [&](auto& u, auto&) { return softmax(f({u, 3}), -1); }},
      {"softmax0", [&](auto& u, auto&) { return softmax(f({u, 3}), 0); }},
      {"log_softmax", [&](auto& u, auto&) { return log_softmax(f({u, 3}), -1); }},
      {"layer_norm", [&](auto& u, auto&) { return layer_norm(f({u, 3}), {SymInt(3)}, f({3}), f({3})); }},
      {"rms_norm", [&](auto& u, auto&) { return rms_norm(f({u, 3}), {SymInt(3)}, f({3})); }},
      {"cross_entropy", [&](auto& u, auto&) { return cross_entropy_loss(f({u, 3}), f({u}, DType::Int64)); }},
      {"mse", [&](auto& u, auto&) { return mse_loss(f({u, 3}), f({u, 3})); }},
      {"nll", [&](auto& u, auto&) { return nll_loss(f({u, 3}), f({u}, DType::Int64)); }},
      {"where", [&](auto& u, auto&) { return where(f({u, 3}, DType::Bool), f({u, 3}), f({3})); }},
      {"unsqueeze", [&](auto& u, auto&) { return f({u, 3}).unsqueeze(0); }},
      {"squeeze", [&](auto& u, auto&) { return f({u, 1}).squeeze(1); }},
      {"squeeze u", [&](auto& u, auto&) { return f({u, 3}).squeeze(0); }},
      {"squeeze all", [&](auto& u, auto&) { return f({u, 1}).squeeze(); }},
      {"permute", [&](auto& u, auto&) { return f({u, 3, 4}).permute({2, 0, 1}); }},
      {"contiguous", [&](auto& u, auto&) { return f({u, 3}).t().contiguous(); }},
      {"clone", [&](auto& u, auto&) { return f({u, 3}).t().clone(); }},
      {"to", [&](auto& u, auto&) { return f({u, 3}).to(DType::Float64); }},
      {"new_empty", [&](auto& u, auto&) { return f({3}).new_empty({u}); }},
      {"zeros", [&](auto& u, auto&) { return zeros({u}, DType::Float32, std::nullopt, Device{kOpwDeviceMeta, 0}); }},
      {"new_full", [&](auto& u, auto&) { return f({3}).new_full({u, 2}, 1); }},
      {"arange", [&](auto& u, auto&) { return arange(Scalar(u), DType::Int64, std::nullopt, Device{kOpwDeviceMeta, 0}); }},
      {"copy_", [&](auto& u, auto&) { Tensor x = f({u, 3}); x.copy_(f({u, 3})); return x; }},
      {"copy_ bc", [&](auto& u, auto&) { Tensor x = f({u, 3}); x.copy_(f({3})); return x; }},
      {"add_", [&](auto& u, auto&) { Tensor x = f({u, 3}); x.add_(f({3})); return x; }},
      {"fill_", [&](auto& u, auto&) { Tensor x = f({u, 3}); x.fill_(1); return x; }},
      {"sort", [&](auto& u, auto&) { return std::get<0>(f({u, 3}).sort(0)); }},
      {"topk", [&](auto& u, auto&) { return std::get<0>(f({u, 3}).topk(2, 0)); }},
      {"topk k=u", [&](auto& u, auto& s) { return std::get<0>(f({s, 3}).topk(u, 0)); }},
      {"cumsum", [&](auto& u, auto&) { return f({u, 3}).cumsum(0); }},
      {"embedding", [&](auto& u, auto&) { return embedding(f({10, 4}), f({u}, DType::Int64)); }},
      {"embedding2", [&](auto& u, auto&) { return embedding(f({u, 4}), f({5}, DType::Int64)); }},
      {"repeat", [&](auto& u, auto&) { return f({u, 3}).repeat({2, 1}); }},
      {"repeat u", [&](auto& u, auto&) { return f({2, 3}).repeat({u, 1}); }},
      {"flip", [&](auto& u, auto&) { return f({u, 3}).flip({0}); }},
      {"roll", [&](auto& u, auto&) { return f({u, 3}).roll({1}, {0}); }},
      {"tril", [&](auto& u, auto&) { return f({u, u}).tril(); }},
      {"diagonal", [&](auto& u, auto&) { return f({u, u}).diagonal(); }},
      {"pad", [&](auto& u, auto&) { return constant_pad_nd(f({u, 3}), {1, 1, 2, 0}); }},
      {"reflect", [&](auto& u, auto&) { return reflection_pad1d(f({2, 3, u}), {1, 1}); }},
      {"masked_fill", [&](auto& u, auto&) { return f({u, 3}).masked_fill(f({u, 3}, DType::Bool), 0); }},
      {"masked_select", [&](auto& u, auto&) { return f({u, 3}).masked_select(f({u, 3}, DType::Bool)); }},
      {"nonzero", [&](auto& u, auto&) { return f({u, 3}).nonzero(); }},
      {"nonzero s", [&](auto&, auto& s) { return f({s, 3}).nonzero(); }},
      {"index mask", [&](auto& u, auto&) { return index(f({u, 3}), {f({u}, DType::Bool)}); }},
      {"repeat_interleave", [&](auto& u, auto&) { return f({u, 3}).repeat_interleave(f({u}, DType::Int64), 0); }},
      {"repeat_interleave int", [&](auto& u, auto&) { return f({u, 3}).repeat_interleave(2, 0); }},
      {"one_hot", [&](auto& u, auto&) { return one_hot(f({u}, DType::Int64), 4); }},
      {"scatter_add", [&](auto& u, auto&) { return f({10, 3}).scatter_add(0, f({u, 3}, DType::Int64), f({u, 3})); }},
      {"index_add", [&](auto& u, auto&) { return f({10, 3}).index_add(0, f({u}, DType::Int64), f({u, 3})); }},
      {"index_put", [&](auto& u, auto&) { return index_put(f({10, 3}), {f({u}, DType::Int64)}, f({u, 3})); }},
      {"glu", [&](auto& u, auto&) { return glu(f({u, 4}), 1); }},
      {"glu u", [&](auto& u, auto&) { return glu(f({u, 4}), 0); }},
      {"unfold", [&](auto& u, auto&) { return f({u}).unfold(0, 3, 1); }},
      {"upsample", [&](auto& u, auto&) { return upsample_nearest2d(f({u, 3, 4, 4}), {8, 8}); }},
      {"dropout", [&](auto& u, auto&) { return dropout(f({u, 3}), 0.5, true); }},
      {"rand_like", [&](auto& u, auto&) { return rand_like(f({u, 3})); }},
      {"attention", [&](auto& u, auto&) { return scaled_dot_product_attention(f({2, 4, u, 8}), f({2, 4, u, 8}), f({2, 4, u, 8})); }},
      {"chunk", [&](auto& u, auto&) { return chunk(f({u, 4}), 2, 1)[1]; }},
      {"split u", [&](auto& u, auto&) { return split(f({u, 4}), 2, 0)[1]; }},
      {"split_sizes", [&](auto& u, auto& s) { return split_with_sizes(f({s, 4}), SymSizes{u, s - u}, 0)[1]; }},
      {"unbind", [&](auto& u, auto&) { return f({u, 4}).unbind(1)[1]; }},
      {"einsum-ish outer", [&](auto& u, auto&) { return outer(f({u}), f({u})); }},
      {"isnan any", [&](auto& u, auto&) { return f({u, 3}).isnan().any(); }},
      {"cdist", [&](auto& u, auto&) { return _cdist_forward(f({u, 3}), f({u, 3}), 2.0, std::nullopt); }},
      {"as_strided", [&](auto& u, auto&) { return as_strided(f({u, 3}), {u}, {3}); }},
      {"t", [&](auto& u, auto&) { return f({u, 3}).t(); }},
      {"meshgrid", [&](auto& u, auto&) { return meshgrid(std::vector<Tensor>{f({u}), f({3})})[0]; }},
  };
  for (const auto& [name, build] : all) {
    const ShapeEnvPtr env = ShapeEnvPtr::take(new ShapeEnv());
    const ShapeEnvScope scope(env.get());
    const SymInt u = env->make_unbacked();
    const SymInt s = env->make_size(5, "x.size(0)");
    show(name, *env, [&] { return build(u, s); });
    const ShapeEnvPtr backed = ShapeEnvPtr::take(new ShapeEnv());
    const ShapeEnvScope inner(backed.get());
    const SymInt t = backed->make_size(6, "y.size(0)");
    const SymInt r = backed->make_size(5, "x.size(0)");
    show("      backed", *backed, [&] { return build(t, r); });
  }
}

}  // namespace
}  // namespace opwright
