#include "devices/cuda/device.h"
#include "devices/cuda/primitives.h"
namespace opwright::cuda {
int compute_loop_cuda(const OpwHost*, int32_t, const OpwLoop*, OpwStream*) { return 1; }
int compute_fold_cuda(const OpwHost*, int32_t, const OpwFold*, OpwStream*) { return 1; }
int move_elements_cuda(const OpwHost*, int32_t, const OpwMove*, OpwStream*) { return 1; }
int draw_random_cuda(const OpwHost*, int32_t, const OpwRandom*, OpwStream*) { return 1; }
void throw_index_fault(int32_t) {}
}
