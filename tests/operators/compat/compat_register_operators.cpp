// PyTorch's spelling: RegisterOperators, with a schema, with a name alone, in a chain and in a
// constructor.
#include <torch/script.h>

torch::Tensor axpy(torch::Tensor x, torch::Tensor y, double a) { return x * a + y; }

std::vector<torch::Tensor> reverse(std::vector<torch::Tensor> all) {
  return {all.rbegin(), all.rend()};
}

int64_t count_above(torch::Tensor x, double limit) {
  x = x.to(torch::kDouble).contiguous();
  const double* data = x.data_ptr<double>();
  int64_t count = 0;
  for (int64_t i = 0; i < x.numel(); ++i) count += data[i] > limit;
  return count;
}

int64_t total(c10::List<int64_t> numbers) {
  int64_t sum = 0;
  for (size_t i = 0; i < numbers.size(); ++i) sum += numbers.get(i);
  return sum;
}

static auto registry =
    torch::RegisterOperators()
        .op("compat_registry::axpy(Tensor x, Tensor y, float a=2.0) -> Tensor", &axpy)
        .op("compat_registry::reverse", &reverse)
        .op("compat_registry::total", &total);
static auto more = torch::RegisterOperators("compat_registry::count_above", &count_above);
