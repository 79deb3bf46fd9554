// PyTorch's spelling: operators whose gradients come from torch::autograd::Function, registered
// under Autograd keys, and the functions that such sources use.
#include <torch/extension.h>

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using torch::autograd::variable_list;

// ---- The form of PyTorch's tutorial: a kernel for the CPU, a kernel for Autograd that calls it
// through the dispatcher.

at::Tensor cube_cpu(const at::Tensor& self, double scale) {
  TORCH_CHECK(self.dtype() == at::kFloat || self.dtype() == at::kDouble,
              "cube: expected float or double");
  const at::Tensor dense = self.contiguous();
  at::Tensor result = torch::empty_like(dense);
  AT_DISPATCH_FLOATING_TYPES(dense.scalar_type(), "cube", [&] {
    const scalar_t* in = dense.data_ptr<scalar_t>();
    scalar_t* out = result.data_ptr<scalar_t>();
    for (int64_t i = 0; i < dense.numel(); i++)
      out[i] = in[i] * in[i] * in[i] * static_cast<scalar_t>(scale);
  });
  return result;
}

at::Tensor cube(const at::Tensor& self, double scale) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("compat_function::cube", "")
                       .typed<decltype(cube)>();
  return op.call(self, scale);
}

class CubeFunction : public torch::autograd::Function<CubeFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& self, double scale) {
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({self});
    ctx->saved_data["scale"] = scale;
    return cube(self, scale);
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const auto saved = ctx->get_saved_variables();
    const double scale = ctx->saved_data["scale"].toDouble();
    return {grads[0] * saved[0] * saved[0] * (3 * scale), at::Tensor()};
  }
};

at::Tensor cube_autograd(const at::Tensor& self, double scale) {
  return CubeFunction::apply(self, scale);
}

// ---- Two inputs, two outputs, one of them without a gradient.

class SplitSign : public torch::autograd::Function<SplitSign> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x,
                               const std::optional<at::Tensor>& weight) {
    at::Tensor scaled = weight ? x * *weight : x.clone();
    at::Tensor sign = x.gt(0);
    at::Tensor count = x.abs();
    ctx->save_for_backward({x, weight.value_or(at::Tensor())});
    ctx->mark_non_differentiable({count});
    ctx->saved_data["needs_weight"] = weight.has_value() && ctx->needs_input_grad(1);
    return {scaled, sign, count};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    TORCH_CHECK(grads.size() == 3);
    const auto saved = ctx->get_saved_variables();
    const at::Tensor of_x = saved[1].defined() ? grads[0] * saved[1] : grads[0];
    if (!ctx->saved_data["needs_weight"].toBool()) return {of_x, at::Tensor()};
    return {of_x, grads[0] * saved[0]};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> split_sign_cpu(
    const at::Tensor& x, const std::optional<at::Tensor>& weight) {
  return {weight ? x * *weight : x.clone(), x.gt(0), x.abs()};
}
std::tuple<at::Tensor, at::Tensor, at::Tensor> split_sign_autograd(
    const at::Tensor& x, const std::optional<at::Tensor>& weight) {
  auto outputs = SplitSign::apply(x, weight);
  return {outputs[0], outputs[1], outputs[2]};
}

// ---- A write.

class DoubleInPlace : public torch::autograd::Function<DoubleInPlace> {
 public:
  static at::Tensor forward(AutogradContext* ctx, at::Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext* /*ctx*/, variable_list grads) {
    return {grads[0] * 2};
  }
};
at::Tensor double_written(const at::Tensor& x) { return DoubleInPlace::apply(x.clone()); }

// ---- Missing gradients.

class TwoResults : public torch::autograd::Function<TwoResults> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x, bool materialize) {
    ctx->set_materialize_grads(materialize);
    return {x * 2, x * 3};
  }
  static variable_list backward(AutogradContext* /*ctx*/, variable_list grads) {
    at::Tensor sum = grads[0].defined() ? grads[0] * 2 : at::Tensor();
    if (grads[1].defined()) sum = sum.defined() ? sum + grads[1] * 3 : grads[1] * 3;
    const double bonus = grads[0].defined() && grads[1].defined() ? 100 : 0;
    return {sum + bonus, at::Tensor()};
  }
};
std::tuple<at::Tensor, at::Tensor> two_results(const at::Tensor& x, bool materialize) {
  auto outputs = TwoResults::apply(x, materialize);
  return {outputs[0], outputs[1]};
}

// ---- A result that is saved and returned twice, and an input that is kept in saved_data.
// Their gradients differ from those of the operators.

class SavedResult : public torch::autograd::Function<SavedResult> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x) {
    at::Tensor y = x.exp();
    ctx->save_for_backward({y});
    return {y, y};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {(grads[0] + grads[1]) * ctx->get_saved_variables()[0] * 2};
  }
};
std::tuple<at::Tensor, at::Tensor> saved_result(const at::Tensor& x) {
  auto outputs = SavedResult::apply(x);
  return {outputs[0], outputs[1]};
}

class KeptInput : public torch::autograd::Function<KeptInput> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) {
    ctx->saved_data["x"] = x;
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->saved_data["x"].toTensor() * 3};
  }
};
at::Tensor kept_input(const at::Tensor& x) { return KeptInput::apply(x); }

// ---- Guards, and errors of a backward.

at::Tensor partly_recorded(const at::Tensor& x) {
  at::Tensor hidden;
  {
    at::NoGradGuard no_grad;
    TORCH_CHECK(!at::GradMode::is_enabled());
    hidden = x * 10;
  }
  return hidden + x;
}

class WrongCount : public torch::autograd::Function<WrongCount> {
 public:
  static at::Tensor forward(AutogradContext* /*ctx*/, const at::Tensor& x, const at::Tensor& y) {
    return x + y;
  }
  static variable_list backward(AutogradContext* /*ctx*/, variable_list grads) {
    return {grads[0]};
  }
};
at::Tensor wrong_count(const at::Tensor& x, const at::Tensor& y) { return WrongCount::apply(x, y); }

// ---- Keys of one device, and the keys that a kernel passes on.

at::Tensor halve_cpu(const at::Tensor& x) { return x * 0.5; }
class HalveFunction : public torch::autograd::Function<HalveFunction> {
 public:
  static at::Tensor forward(AutogradContext* /*ctx*/, const at::Tensor& x) { return x * 0.5; }
  static variable_list backward(AutogradContext* /*ctx*/, variable_list grads) {
    return {grads[0] * 0.5};
  }
};
at::Tensor halve_autograd_cpu(const at::Tensor& x) { return HalveFunction::apply(x); }

at::Tensor third_cpu(const at::Tensor& x) { return x / 3; }

at::Tensor negate_cpu(const at::Tensor& x) { return -x; }
at::Tensor negate_autograd(c10::DispatchKeySet keys, const at::Tensor& x) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("compat_function::negate", "")
                       .typed<at::Tensor(const at::Tensor&)>();
  at::AutoDispatchBelowAutograd guard;
  return op.redispatch(keys & c10::after_autograd_keyset, x) + x * 0;
}

}  // namespace

TORCH_LIBRARY(compat_function, m) {
  m.def("cube(Tensor self, float scale) -> Tensor");
  m.def("split_sign(Tensor x, Tensor? weight=None) -> (Tensor, Tensor, Tensor)");
  m.def("double_written(Tensor x) -> Tensor", &double_written);
  m.def("two_results(Tensor x, bool materialize) -> (Tensor, Tensor)", &two_results);
  m.def("saved_result(Tensor x) -> (Tensor, Tensor)", &saved_result);
  m.def("kept_input(Tensor x) -> Tensor", &kept_input);
  m.def("partly_recorded(Tensor x) -> Tensor", &partly_recorded);
  m.def("wrong_count(Tensor x, Tensor y) -> Tensor", &wrong_count);
  m.def("halve(Tensor x) -> Tensor");
  m.def("third(Tensor x) -> Tensor");
  m.def("negate(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(compat_function, CPU, m) {
  m.impl("cube", &cube_cpu);
  m.impl("split_sign", &split_sign_cpu);
  m.impl("halve", &halve_cpu);
  m.impl("third", &third_cpu);
  m.impl("negate", &negate_cpu);
}

TORCH_LIBRARY_IMPL(compat_function, Meta, m) {
  m.impl("cube", [](const at::Tensor& self, double /*scale*/) { return at::empty_like(self); });
  m.impl("negate", [](const at::Tensor& self) { return at::empty_like(self); });
}

TORCH_LIBRARY_IMPL(compat_function, Autograd, m) {
  m.impl("cube", &cube_autograd);
  m.impl("split_sign", &split_sign_autograd);
  m.impl("negate", &negate_autograd);
}

TORCH_LIBRARY_IMPL(compat_function, AutogradCPU, m) { m.impl("halve", &halve_autograd_cpu); }

TORCH_LIBRARY_IMPL(compat_function, AutogradCUDA, m) { m.impl("third", &halve_autograd_cpu); }
