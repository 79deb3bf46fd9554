// PyTorch's spelling: an extension module with a forward and backward pair, after the gates of a
// recurrent cell.
#include <vector>

#include <torch/extension.h>

namespace {

torch::Tensor gate_sigmoid(const torch::Tensor& z) { return 1 / (1 + torch::exp(-z)); }
torch::Tensor gate_slope(const torch::Tensor& z) {
  auto s = gate_sigmoid(z);
  return (1 - s) * s;
}
torch::Tensor hyperbolic(const torch::Tensor& z) { return 2 * gate_sigmoid(2 * z) - 1; }

}  // namespace

std::vector<torch::Tensor> gated_forward(torch::Tensor input, torch::Tensor weights,
                                         torch::Tensor bias, torch::Tensor state, float leak) {
  auto gates = torch::matmul(input, weights.transpose(0, 1)) + bias;
  const int64_t width = state.size(1);
  auto gate = gate_sigmoid(gates.slice(/*dim=*/1, 0, width));
  auto candidate = hyperbolic(gates.slice(/*dim=*/1, width, 2 * width));
  auto new_state = (1 - gate) * state * leak + gate * candidate;
  return {new_state, gate, candidate, gates};
}

std::vector<torch::Tensor> gated_backward(torch::Tensor grad, torch::Tensor state,
                                          torch::Tensor gate, torch::Tensor candidate,
                                          torch::Tensor gates, float leak = 1.0f) {
  const int64_t width = state.size(1);
  auto d_state = grad * (1 - gate) * leak;
  auto d_gate = grad * (candidate - state * leak) * gate_slope(gates.narrow(1, 0, width));
  auto d_candidate = grad * gate * (1 - candidate * candidate);
  auto d_bias = d_gate.sum(/*dim=*/0, /*keepdim=*/true);
  return {d_state, d_gate, d_candidate, d_bias};
}

int count_gates(const std::vector<int>& widths, bool bidirectional) {
  int total = 0;
  for (int width : widths) total += 2 * width;
  return bidirectional ? 2 * total : total;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "gated unit";
  m.def("forward", &gated_forward, "gated unit forward");
  m.def("backward", &gated_backward, "gated unit backward", py::arg("grad"), py::arg("state"),
        py::arg("gate"), py::arg("candidate"), py::arg("gates"), py::arg("leak") = 1.0f);
  m.def("count_gates", &count_gates, py::arg("widths"), py::arg("bidirectional") = false);
  m.def("scaled_sigmoid",
        [](const torch::Tensor& x, double scale) { return gate_sigmoid(x) * scale; });
}
