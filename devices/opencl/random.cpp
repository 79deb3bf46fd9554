#include "devices/opencl/random.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "devices/opencl/device.h"
#include "devices/opencl/dtype_text.h"
#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr size_t kRandomGroup = 64;

constexpr const char* kPhilox = R"(
uint4 philox(ulong seed, ulong counter) {
  uint x0 = (uint)counter, x1 = (uint)(counter >> 32), x2 = 0, x3 = 0;
  uint key0 = (uint)seed, key1 = (uint)(seed >> 32);
  for (int turn = 0; turn < 10; ++turn) {
    const ulong p0 = (ulong)0xD2511F53u * x0;
    const ulong p1 = (ulong)0xCD9E8D57u * x2;
    x0 = (uint)(p1 >> 32) ^ x1 ^ key0;
    x1 = (uint)p1;
    x2 = (uint)(p0 >> 32) ^ x3 ^ key1;
    x3 = (uint)p0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return (uint4)(x0, x1, x2, x3);
}
uint word(ulong seed, ulong first, int k, ulong group, uint lane) {
  const uint4 words = philox(seed, first + 16 * (group * WORDS + (ulong)k) + lane % 16);
  const uint place = lane / 16;
  return place == 0 ? words.x : place == 1 ? words.y : place == 2 ? words.z : words.w;
}
#define DRAW(k, lane) word(seed, first, k, group, lane)
)";

constexpr const char* kUniformFloat = R"(
  const float scale = n1 * as_float((uint)(127 - (int)m0) << 23);
  const float drawn = (float)(int)(DRAW(0, lane) >> (32 - (int)m0)) * scale + n0;
  const float value = drawn < n2 ? drawn : n2;
)";
constexpr const char* kUniformDouble = R"(
  const double drawn = below_one(DRAW(0, lane), DRAW(1, lane)) * n1 + n0;
  const double value = drawn < n2 ? drawn : n2;
)";
constexpr const char* kNormal = R"(
  const uint pair = lane % 32;
  const C radius = sqrt((C)-2 * log(ABOVE_ZERO(pair))) * n1;
  const uint turned = DRAW(WORDS - 1, pair + 32) + (1u << 29);
  const C rest = (C)((int)(turned & 0x3fffffffu) - (1 << 29)) + LOW_PART(pair + 32);
  const C angle = rest * QUARTER;
  const uint quarter = (turned >> 30) + (lane < 32 ? 0u : 3u);
  const C size = (quarter & 1u) != 0 ? sin(angle) : cos(angle);
  const uint is_negative = (quarter + 1u) >> 1 & 1u;
  const C value = radius * (is_negative ? -size : size) + n0;
)";
constexpr const char* kExponential = R"(
  const C drawn = -log(ABOVE_ZERO(lane));
  const C value = (drawn > LEAST ? drawn : LEAST) * n0;
)";
constexpr const char* kBernoulli = R"(
  const uchar value = (DRAW(0, lane) >> 1) < (uint)m0 ? 1 : 0;
)";
constexpr const char* kNarrowInts = R"(
  const long value = m0 + (long)((ulong)DRAW(0, lane) * (ulong)m1 >> 32);
)";
constexpr const char* kMiddleInts = R"(
  const ulong carried = (ulong)DRAW(0, lane) * (ulong)m1 >> 32;
  const long value = m0 + (long)(((ulong)DRAW(1, lane) * (ulong)m1 + carried) >> 32);
)";
constexpr const char* kWideInts = R"(
  const ulong bits = (ulong)DRAW(1, lane) << 32 | DRAW(0, lane);
  const long value = (long)((ulong)m0 + (m1 == 0 ? bits : mul_hi(bits, (ulong)m1)));
)";

constexpr const char* kOfFloats = R"(
#define ABOVE_ZERO(lane) ((float)(int)(DRAW(0, lane) >> 1) * 4.65661287307739258e-10f + \
                          2.32830643653869629e-10f)
#define LOW_PART(lane) 0.0f
#define QUARTER 1.46291807926715968e-9f
#define LEAST 1.490116119384765625e-8f
)";
constexpr const char* kOfDoubles = R"(
double below_one(uint low, uint high) {
  return (double)high * 2.3283064365386962890625e-10 +
         (double)(low >> 11) * 1.1102230246251565404236316680908203125e-16;
}
#define ABOVE_ZERO(lane) (below_one(DRAW(0, lane), DRAW(1, lane)) + \
                          1.1102230246251565404236316680908203125e-16)
#define LOW_PART(lane) ((double)DRAW(0, lane) * 2.3283064365386962890625e-10)
#define QUARTER (1.5707963267948966 * 9.31322574615478515625e-10)
#define LEAST 5.5511151231257827021181583404541015625e-17
)";

// The parts of a distribution: the dtype of its elements, the words of one, and the statements.
struct Drawing {
  DType element;
  int words;
  const char* body;
};

Drawing find_drawing(const OpwRandom& random, DType dtype) {
  const std::string_view name = random.distribution;
  const bool is_double = dtype == DType::Float64;
  const DType element = is_double ? DType::Float64 : DType::Float32;
  const int words = is_double ? 2 : 1;
  if (name == "uniform") return {element, words, is_double ? kUniformDouble : kUniformFloat};
  if (name == "normal") return {element, words, kNormal};
  if (name == "exponential") return {element, words, kExponential};
  if (name == "bernoulli") return {DType::Bool, 1, kBernoulli};
  if (name == "integers") {
    const auto range = static_cast<uint64_t>(random.numbers[1].as_int);
    if (range != 0 && range <= 1U << 16) return {DType::Int64, 1, kNarrowInts};
    if (range != 0 && range < uint64_t{1} << 32) return {DType::Int64, 2, kMiddleInts};
    return {DType::Int64, 2, kWideInts};
  }
  throw_error("NotImplementedError", "opencl: there is no distribution '", random.distribution,
              "'");
}

KernelText make_random_kernel(const Device& device, const OpwRandom& random, const Drawing& drawing,
                              DType dtype) {
  const bool is_double = drawing.element == DType::Float64;
  std::string source = dtype_prelude();
  source +=
      concatenate("#define WORDS ", drawing.words, "\ntypedef ", is_double ? "double" : "float",
                  " C;\n", kPhilox, is_double ? kOfDoubles : kOfFloats);
  source += concatenate("__kernel void draw(ulong seed, ulong first, ulong count, C n0, C n1, ",
                        "C n2, long m0, long m1, __global ", storage_type(dtype), "* result) {\n",
                        "  const ulong i = get_global_id(0);\n  if (i >= count) return;\n",
                        "  const ulong group = i / 64;\n  const uint lane = (uint)(i % 64);\n",
                        drawing.body, "  ",
                        store_text(dtype, "result[i]", "value", drawing.element), "}\n");
  return {source, "draw", device.build_options(),
          concatenate("the distribution '", random.distribution, "'")};
}

}  // namespace

void draw_random(int32_t index, const OpwRandom* random, OpwStream* stream) {
  Device& device = find_device(index);
  const DType dtype = from_dlpack(random->dtype);
  const std::string who = concatenate("the distribution '", random->distribution, "'");
  check_computes(device, dtype, who.c_str());
  const Drawing drawing = find_drawing(*random, dtype);
  const std::string key = concatenate("random ", random->distribution, " ", drawing.words, " ",
                                      drawing.body == kWideInts, " ", static_cast<uint32_t>(dtype));
  KernelCall call(device.kernels().find(
      key, [&] { return make_random_kernel(device, *random, drawing, dtype); }));
  call.value(random->seed).value(random->first).value(static_cast<uint64_t>(random->count));
  // n0, n1, n2 are the floats of the distribution, m0 and m1 its ints.
  double floats[3] = {0, 0, 0};
  int64_t ints[2] = {0, 0};
  size_t num_floats = 0;
  size_t num_ints = 0;
  for (uint32_t i = 0; i < random->num_numbers; ++i) {
    const OpwValue& number = random->numbers[i];
    if (number.tag == kOpwFloat && num_floats < 3) floats[num_floats++] = number.as_double;
    if (number.tag == kOpwInt && num_ints < 2) ints[num_ints++] = number.as_int;
  }
  for (const double number : floats) {
    if (drawing.element == DType::Float64) {
      call.value(number);
    } else {
      call.value(static_cast<float>(number));
    }
  }
  call.value(ints[0]).value(ints[1]).memory(random->result);
  call.run(queue_of(device, stream),
           {round_up(static_cast<uint64_t>(random->count), kRandomGroup), 1, 1},
           {kRandomGroup, 1, 1});
}

}  // namespace opwright::opencl
